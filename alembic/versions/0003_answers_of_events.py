"""remembered answers go with their event."""

import sqlalchemy as sa

from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None

EVENT = "fk_idempotency_keys_event_id"


def upgrade() -> None:
    """Bring the schema forward; what was remembered until now cannot be told apart and goes."""
    op.execute("DELETE FROM idempotency_keys")
    with op.batch_alter_table("idempotency_keys", schema=None) as batch_op:
        batch_op.add_column(sa.Column("event_id", sa.Uuid(), nullable=True))
        batch_op.add_column(sa.Column("etag", sa.String(length=40), nullable=True))
        batch_op.create_foreign_key(batch_op.f(EVENT), "events", ["event_id"], ["id"], ondelete="CASCADE")
        batch_op.create_index(batch_op.f("ix_idempotency_keys_event_id"), ["event_id"], unique=False)
        batch_op.create_index(batch_op.f("ix_idempotency_keys_created_at"), ["created_at"], unique=False)


def downgrade() -> None:
    """Take the schema back."""
    with op.batch_alter_table("idempotency_keys", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_idempotency_keys_created_at"))
        batch_op.drop_index(batch_op.f("ix_idempotency_keys_event_id"))
        batch_op.drop_constraint(batch_op.f(EVENT), type_="foreignkey")
        batch_op.drop_column("etag")
        batch_op.drop_column("event_id")

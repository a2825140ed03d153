"""People of an OpenID Connect provider, and the accounts that they sign in to."""

import sqlalchemy as sa

import app.db.types
from alembic import op

revision = "0030"
down_revision = "0029"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Bring the schema forward."""
    op.create_table(
        "openid_identities",
        sa.Column("issuer", sa.String(length=300), nullable=False),
        sa.Column("subject", sa.String(length=255), nullable=False),
        sa.Column("user_id", sa.Uuid(), nullable=False),
        sa.Column("created_at", app.db.types.UtcDateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["user_id"], ["users.id"], name=op.f("fk_openid_identities_user_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("issuer", "subject", name=op.f("pk_openid_identities")),
        sa.UniqueConstraint("user_id", name=op.f("uq_openid_identities_user_id")),
    )


def downgrade() -> None:
    """Take the schema back."""
    op.drop_table("openid_identities")

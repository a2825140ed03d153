"""turns and shards of runs, marks of what they asked for, and operators."""

import sqlalchemy as sa

import app.db.types
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Bring the schema forward; the oldest account is the operator's."""
    with op.batch_alter_table("users", schema=None) as batch_op:
        batch_op.add_column(sa.Column("is_operator", sa.Boolean(), nullable=False, server_default=sa.false()))
    op.execute("UPDATE users SET is_operator = true WHERE id = (SELECT id FROM users ORDER BY id LIMIT 1)")
    with op.batch_alter_table("runs", schema=None) as batch_op:
        batch_op.add_column(sa.Column("marks", sa.JSON(), nullable=True))
        batch_op.add_column(sa.Column("turn", sa.Integer(), nullable=False, server_default="0"))
        batch_op.add_column(sa.Column("shards", sa.Integer(), nullable=False, server_default="1"))
        batch_op.add_column(sa.Column("shards_left", sa.Integer(), nullable=False, server_default="0"))
    op.create_table(
        "run_shards",
        sa.Column("run_id", sa.Uuid(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("status", sa.String(length=10), nullable=False),
        sa.Column("turn", sa.Integer(), nullable=False),
        sa.Column("token", sa.Uuid(), nullable=True),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("heartbeat_at", app.db.types.UtcDateTime(timezone=True), nullable=True),
        sa.Column("progress", sa.JSON(), nullable=True),
        sa.Column("found", sa.LargeBinary(), nullable=True),
        sa.CheckConstraint("status IN ('queued', 'running', 'done')", name=op.f("ck_run_shards_status")),
        sa.ForeignKeyConstraint(["run_id"], ["runs.id"], name=op.f("fk_run_shards_run_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("run_id", "number", name=op.f("pk_run_shards")),
    )


def downgrade() -> None:
    """Take the schema back."""
    op.drop_table("run_shards")
    with op.batch_alter_table("runs", schema=None) as batch_op:
        for column in ("shards_left", "shards", "turn", "marks"):
            batch_op.drop_column(column)
    with op.batch_alter_table("users", schema=None) as batch_op:
        batch_op.drop_column("is_operator")

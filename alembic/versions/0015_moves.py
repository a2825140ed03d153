"""Moves by several people: who made them, exceptions, the unseated tray, locked tables, blocked and reserved seats."""

import sqlalchemy as sa

from alembic import op

revision = "0015"
down_revision = "0014"
branch_labels = None
depends_on = None

ONE_SEAT = "uq_seats_plan_id"


def upgrade() -> None:
    """Bring the schema forward."""
    _free_seats_of_absent_guests()
    with op.batch_alter_table("seats", schema=None) as batch_op:
        batch_op.create_unique_constraint(op.f(ONE_SEAT), ["plan_id", "table_id", "seat"])
    with op.batch_alter_table("plans", schema=None) as batch_op:
        batch_op.add_column(sa.Column("locked_tables", sa.JSON(), nullable=False, server_default="[]"))
        batch_op.add_column(sa.Column("blocked_seats", sa.JSON(), nullable=False, server_default="[]"))
    with op.batch_alter_table("moves", schema=None) as batch_op:
        batch_op.alter_column("kind", existing_type=sa.String(10), type_=sa.String(20), existing_nullable=False)
        batch_op.add_column(sa.Column("dropped", sa.Boolean(), nullable=False, server_default=sa.false()))
        batch_op.add_column(sa.Column("user_id", sa.Uuid(), nullable=True))
        batch_op.add_column(sa.Column("plan_version", sa.Integer(), nullable=True))
        batch_op.add_column(sa.Column("broken", sa.JSON(), nullable=False, server_default="[]"))
        batch_op.add_column(sa.Column("covers", sa.JSON(), nullable=False, server_default="[]"))
        batch_op.create_foreign_key(op.f("fk_moves_user_id"), "users", ["user_id"], ["id"], ondelete="SET NULL")
        batch_op.create_index(op.f("ix_moves_user_id"), ["user_id"])
    with op.batch_alter_table("tables", schema=None) as batch_op:
        batch_op.add_column(sa.Column("reserved_for", sa.Uuid(), nullable=True))
        batch_op.create_foreign_key(
            op.f("fk_tables_reserved_for"), "groups", ["reserved_for"], ["id"], ondelete="SET NULL"
        )
        batch_op.create_index(op.f("ix_tables_reserved_for"), ["reserved_for"])


def downgrade() -> None:
    """Take the schema back."""
    with op.batch_alter_table("tables", schema=None) as batch_op:
        batch_op.drop_index(op.f("ix_tables_reserved_for"))
        batch_op.drop_constraint(op.f("fk_tables_reserved_for"), type_="foreignkey")
        batch_op.drop_column("reserved_for")
    _forget_newer_moves()
    with op.batch_alter_table("moves", schema=None) as batch_op:
        batch_op.drop_index(op.f("ix_moves_user_id"))
        batch_op.drop_constraint(op.f("fk_moves_user_id"), type_="foreignkey")
        batch_op.drop_column("covers")
        batch_op.drop_column("broken")
        batch_op.drop_column("plan_version")
        batch_op.drop_column("user_id")
        batch_op.drop_column("dropped")
        batch_op.alter_column("kind", existing_type=sa.String(20), type_=sa.String(10), existing_nullable=False)
    with op.batch_alter_table("plans", schema=None) as batch_op:
        batch_op.drop_column("blocked_seats")
        batch_op.drop_column("locked_tables")
    with op.batch_alter_table("seats", schema=None) as batch_op:
        batch_op.drop_constraint(op.f(ONE_SEAT), type_="unique")


def _free_seats_of_absent_guests() -> None:
    """Leave one guest at each seat: a guest could be moved to the seat of somebody who had declined."""
    op.execute(
        sa.text(
            "DELETE FROM seats WHERE EXISTS ("
            "SELECT 1 FROM seats AS other JOIN guests AS their ON their.id = other.guest_id "
            "JOIN guests AS own ON own.id = seats.guest_id "
            "WHERE other.plan_id = seats.plan_id AND other.table_id = seats.table_id AND other.seat = seats.seat "
            "AND other.guest_id <> seats.guest_id AND (own.removed_at IS NOT NULL OR own.reply = 'no') "
            "AND their.removed_at IS NULL AND their.reply <> 'no')"
        )
    )
    op.execute(
        sa.text(
            "DELETE FROM seats WHERE EXISTS (SELECT 1 FROM seats AS other WHERE other.plan_id = seats.plan_id "
            "AND other.table_id = seats.table_id AND other.seat = seats.seat AND other.guest_id > seats.guest_id)"
        )
    )


def _forget_newer_moves() -> None:
    """Delete the history of plans with moves that the older version cannot take back; their seats stay."""
    op.execute(
        sa.text(
            "DELETE FROM moves WHERE plan_id IN (SELECT plan_id FROM moves WHERE kind IN "
            "('undo', 'redo', 'undo_exception', 'lock_table', 'unlock_table', 'block_seat', 'free_seat') "
            "OR CAST(before AS TEXT) LIKE '%null%' OR CAST(after AS TEXT) LIKE '%null%')"
        )
    )

"""Rooms: more shapes of tables, how they are turned, and what else stands on the floor."""

import sqlalchemy as sa

from alembic import op
from app.db.types import UtcDateTime

revision = "0014"
down_revision = "0013"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Bring the schema forward."""
    with op.batch_alter_table("tables", schema=None) as batch_op:
        batch_op.add_column(sa.Column("rotation", sa.Double(), nullable=False, server_default="0"))
        batch_op.add_column(sa.Column("end_seats", sa.Boolean(), nullable=False, server_default=sa.false()))
        batch_op.drop_constraint(op.f("ck_tables_shape"), type_="check")
        batch_op.create_check_constraint(
            op.f("ck_tables_shape"), "shape IN ('round', 'square', 'long', 'head', 'oval')"
        )
    op.create_table(
        "rooms",
        sa.Column("event_id", sa.Uuid(), nullable=False),
        sa.Column("width", sa.Double(), nullable=True),
        sa.Column("height", sa.Double(), nullable=True),
        sa.Column("items", sa.JSON(), nullable=False),
        sa.Column("background_width", sa.Double(), nullable=True),
        sa.Column("background_opacity", sa.Double(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["event_id"], ["events.id"], name=op.f("fk_rooms_event_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("event_id", name=op.f("pk_rooms")),
    )
    op.create_table(
        "room_backgrounds",
        sa.Column("event_id", sa.Uuid(), nullable=False),
        sa.Column("media_type", sa.String(length=20), nullable=False),
        sa.Column("digest", sa.String(length=32), nullable=False),
        sa.Column("pixel_width", sa.Integer(), nullable=False),
        sa.Column("pixel_height", sa.Integer(), nullable=False),
        sa.Column("image", sa.LargeBinary(), nullable=False),
        sa.Column("created_at", UtcDateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["event_id"], ["events.id"], name=op.f("fk_room_backgrounds_event_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("event_id", name=op.f("pk_room_backgrounds")),
    )


def downgrade() -> None:
    """Take the schema back; each new shape becomes the nearest of the two older ones."""
    op.drop_table("room_backgrounds")
    op.drop_table("rooms")
    op.execute(sa.text("UPDATE tables SET shape = 'long' WHERE shape = 'head'"))
    op.execute(sa.text("UPDATE tables SET shape = 'round' WHERE shape IN ('square', 'oval')"))
    with op.batch_alter_table("tables", schema=None) as batch_op:
        batch_op.drop_constraint(op.f("ck_tables_shape"), type_="check")
        batch_op.create_check_constraint(op.f("ck_tables_shape"), "shape IN ('round', 'long')")
        batch_op.drop_column("end_seats")
        batch_op.drop_column("rotation")

"""More about guests: parts of their name, contact, age group, allergies; sides, menu and own fields of an event."""

import sqlalchemy as sa

import app.db.types
from alembic import op

revision = "0033"
down_revision = "0032"
branch_labels = None
depends_on = None

TEXTS = {
    "title": 40,
    "first_name": 100,
    "last_name": 100,
    "email": 320,
    "phone": 40,
    "allergies": 200,
    "other_allergies": 200,
}
AGE_GROUP = "age_group IN ('adult', 'teenager', 'child', 'baby')"


def upgrade() -> None:
    """Bring the schema forward."""
    with op.batch_alter_table("guests", schema=None) as batch_op:
        batch_op.add_column(sa.Column("age_group", sa.String(length=10), nullable=False, server_default="adult"))
        for name, length in TEXTS.items():
            batch_op.add_column(sa.Column(name, sa.String(length=length), nullable=False, server_default=""))
        batch_op.add_column(sa.Column("wheelchair", sa.Boolean(), nullable=False, server_default=sa.false()))
    op.execute("UPDATE guests SET age_group = 'child' WHERE child")
    with op.batch_alter_table("guests", schema=None) as batch_op:
        batch_op.create_check_constraint(op.f("ck_guests_age_group"), AGE_GROUP)
        batch_op.drop_column("child")
    _create_fields()


def downgrade() -> None:
    """Take the schema back: teenagers are adults, babies are children."""
    for table in ("balanced_fields", "guest_values", "field_options", "guest_fields"):
        op.drop_table(table)
    with op.batch_alter_table("guests", schema=None) as batch_op:
        batch_op.add_column(sa.Column("child", sa.Boolean(), nullable=False, server_default=sa.false()))
    op.execute("UPDATE guests SET child = true WHERE age_group IN ('child', 'baby')")
    with op.batch_alter_table("guests", schema=None) as batch_op:
        batch_op.drop_constraint(op.f("ck_guests_age_group"), type_="check")
        for name in ("age_group", *TEXTS, "wheelchair"):
            batch_op.drop_column(name)


def _create_fields() -> None:
    op.create_table(
        "guest_fields",
        sa.Column("kind", sa.String(length=10), nullable=False),
        *_named(),
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("created_at", app.db.types.UtcDateTime(timezone=True), nullable=False),
        sa.Column("event_id", sa.Uuid(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.CheckConstraint("kind IN ('side', 'course', 'choice', 'text')", name=op.f("ck_guest_fields_kind")),
        sa.ForeignKeyConstraint(["event_id"], ["events.id"], name=op.f("fk_guest_fields_event_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_guest_fields")),
        sa.UniqueConstraint("event_id", "name_key", name=op.f("uq_guest_fields_event_id")),
    )
    op.create_index(op.f("ix_guest_fields_event_id"), "guest_fields", ["event_id"])
    op.create_table(
        "field_options",
        sa.Column("field_id", sa.Uuid(), nullable=False),
        *_named(),
        sa.Column("colour", sa.String(length=10), nullable=False),
        sa.Column("mark", sa.String(length=3), nullable=False),
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("created_at", app.db.types.UtcDateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["field_id"], ["guest_fields.id"], name=op.f("fk_field_options_field_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_field_options")),
        sa.UniqueConstraint("field_id", "name_key", name=op.f("uq_field_options_field_id")),
    )
    _create_values()


def _create_values() -> None:
    op.create_table(
        "guest_values",
        sa.Column("guest_id", sa.Uuid(), nullable=False),
        sa.Column("field_id", sa.Uuid(), nullable=False),
        sa.Column("option_id", sa.Uuid(), nullable=True),
        sa.Column("text", sa.String(length=500), nullable=False),
        sa.ForeignKeyConstraint(["guest_id"], ["guests.id"], name=op.f("fk_guest_values_guest_id"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(
            ["field_id"], ["guest_fields.id"], name=op.f("fk_guest_values_field_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["option_id"], ["field_options.id"], name=op.f("fk_guest_values_option_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("guest_id", "field_id", name=op.f("pk_guest_values")),
    )
    op.create_index(op.f("ix_guest_values_field_id"), "guest_values", ["field_id"])
    op.create_index(op.f("ix_guest_values_option_id"), "guest_values", ["option_id"])
    op.create_table(
        "balanced_fields",
        sa.Column("event_id", sa.Uuid(), nullable=False),
        sa.Column("field", sa.String(length=40), nullable=False),
        sa.ForeignKeyConstraint(
            ["event_id"], ["events.id"], name=op.f("fk_balanced_fields_event_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("event_id", "field", name=op.f("pk_balanced_fields")),
    )


def _named() -> list[sa.Column]:
    return [
        sa.Column("name", sa.String(length=200), nullable=False),
        sa.Column("name_key", sa.String(length=600), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
    ]

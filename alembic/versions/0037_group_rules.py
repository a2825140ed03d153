"""Rules about guests who share a value; a field that is spread over the tables becomes such a rule."""

import sqlalchemy as sa

import app.db.types
from alembic import op
from app.clock import now

revision = "0037"
down_revision = "0036"
branch_labels = None
depends_on = None

OF_GUESTS = ("together", "apart", "pinned", "side_by_side")
OF_VALUES = ("group_at", "groups_apart", "at_most", "at_least", "spread", "alternate")
GIVE_OR_TAKE = 1


def upgrade() -> None:
    """Bring the schema forward."""
    with op.batch_alter_table("rules", schema=None) as batch_op:
        batch_op.add_column(sa.Column("field", sa.String(length=40), nullable=False, server_default=""))
        batch_op.add_column(sa.Column("number", sa.Integer(), nullable=True))
        batch_op.drop_constraint(op.f("ck_rules_kind"), type_="check")
        batch_op.create_check_constraint(op.f("ck_rules_kind"), _one_of(*OF_GUESTS, *OF_VALUES))
    op.create_table(
        "rule_values",
        sa.Column("rule_id", sa.Uuid(), nullable=False),
        sa.Column("field", sa.String(length=40), nullable=False),
        sa.Column("value", sa.String(length=40), nullable=False),
        sa.ForeignKeyConstraint(["rule_id"], ["rules.id"], name=op.f("fk_rule_values_rule_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("rule_id", "field", "value", name=op.f("pk_rule_values")),
    )
    connection = op.get_bind()
    balanced = connection.execute(sa.select(_balanced())).all()
    if balanced:
        connection.execute(sa.insert(_rules()), [_spread(event_id, field) for event_id, field in balanced])
    op.drop_table("balanced_fields")


def downgrade() -> None:
    """Take the schema back: of rules about values only the fields that are spread are kept."""
    op.create_table(
        "balanced_fields",
        sa.Column("event_id", sa.Uuid(), nullable=False),
        sa.Column("field", sa.String(length=40), nullable=False),
        sa.ForeignKeyConstraint(
            ["event_id"], ["events.id"], name=op.f("fk_balanced_fields_event_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("event_id", "field", name=op.f("pk_balanced_fields")),
    )
    rules, connection = _rules(), op.get_bind()
    spread = sa.select(rules.c.event_id, rules.c.field).where(rules.c.kind == "spread").distinct()
    connection.execute(sa.insert(_balanced()).from_select(["event_id", "field"], spread))
    op.drop_table("rule_values")
    gone = sa.select(rules.c.id).where(rules.c.kind.in_(OF_VALUES))
    for name in ("rule_guests", "rule_tables"):  # SQLite does not do it by itself during a migration
        members = sa.table(name, sa.column("rule_id", sa.Uuid()))
        connection.execute(sa.delete(members).where(members.c.rule_id.in_(gone)))
    connection.execute(sa.delete(rules).where(rules.c.kind.in_(OF_VALUES)))
    with op.batch_alter_table("rules", schema=None) as batch_op:
        batch_op.drop_constraint(op.f("ck_rules_kind"), type_="check")
        batch_op.create_check_constraint(op.f("ck_rules_kind"), _one_of(*OF_GUESTS))
        batch_op.drop_column("number")
        batch_op.drop_column("field")


def _one_of(*kinds: str) -> str:
    return f"kind IN ({', '.join(map(repr, kinds))})"


def _spread(event_id: object, field: str) -> dict[str, object]:
    made = {"id": app.db.types.new_id(), "created_at": now(), "version": 1}
    return {**made, "event_id": event_id, "kind": "spread", "field": field, "number": GIVE_OR_TAKE}


def _balanced() -> sa.TableClause:
    return sa.table("balanced_fields", sa.column("event_id", sa.Uuid()), sa.column("field", sa.String()))


def _rules() -> sa.TableClause:
    return sa.table(
        "rules",
        sa.column("id", sa.Uuid()),
        sa.column("created_at", app.db.types.UtcDateTime(timezone=True)),
        sa.column("event_id", sa.Uuid()),
        sa.column("version", sa.Integer()),
        sa.column("kind", sa.String()),
        sa.column("field", sa.String()),
        sa.column("number", sa.Integer()),
    )

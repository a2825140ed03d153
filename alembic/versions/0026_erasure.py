"""Names of guests apart from what runs solved, wishes of one guest apart from their household's, and retention."""

import json
import zlib

import sqlalchemy as sa

from alembic import op

revision = "0026"
down_revision = "0022"
branch_labels = None
depends_on = None

# Wishes of guests who have or had a link of their own may be private.
SHARE = """
UPDATE wishes SET shared = true
WHERE NOT EXISTS (SELECT 1 FROM wish_links WHERE wish_links.guest_id = wishes.guest_id)
"""
# They have names in them and are made again when somebody needs them.
FORGET = "DELETE FROM runs WHERE purpose <> 'plan'"
RUNS = sa.table(
    "runs",
    sa.column("id", sa.Uuid()),
    sa.column("problem", sa.LargeBinary()),
)
NAMES = sa.table("run_names", sa.column("run_id", sa.Uuid()), sa.column("names", sa.JSON()))


def upgrade() -> None:
    """Bring the schema forward."""
    with op.batch_alter_table("wishes", schema=None) as batch_op:
        batch_op.add_column(sa.Column("shared", sa.Boolean(), nullable=False, server_default=sa.false()))
    with op.batch_alter_table("wish_links", schema=None) as batch_op:
        batch_op.add_column(sa.Column("shown", sa.JSON(), nullable=False, server_default="[]"))
    op.add_column("events", sa.Column("erase_after_days", sa.Integer(), nullable=True))
    op.create_table(
        "run_names",
        sa.Column("run_id", sa.Uuid(), nullable=False),
        sa.Column("names", sa.JSON(), nullable=False),
        sa.ForeignKeyConstraint(["run_id"], ["runs.id"], name=op.f("fk_run_names_run_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("run_id", name=op.f("pk_run_names")),
    )
    op.execute(SHARE)
    op.execute(FORGET)
    connection = op.get_bind()
    for run_id, problem in _problems(connection):
        rewritten, names = _without_names(problem)
        _write(connection, run_id, rewritten)
        connection.execute(sa.insert(NAMES).values(run_id=run_id, names=names))


def downgrade() -> None:
    """Take the schema back: runs have the names that are left, and households see all wishes of their members."""
    op.execute(FORGET)
    connection = op.get_bind()
    for run_id, problem in _problems(connection):
        names = connection.scalar(sa.select(NAMES.c.names).where(NAMES.c.run_id == run_id))
        _write(connection, run_id, _with_names(problem, names or {}))
    op.drop_table("run_names")
    op.drop_column("events", "erase_after_days")
    for table, column in (("wish_links", "shown"), ("wishes", "shared")):
        with op.batch_alter_table(table, schema=None) as batch_op:
            batch_op.drop_column(column)


def _problems(connection):
    """Give the problem of every run, one after the other: one may have a hundred megabytes."""
    for run_id in connection.scalars(sa.select(RUNS.c.id)).all():
        yield run_id, connection.scalar(sa.select(RUNS.c.problem).where(RUNS.c.id == run_id))


def _write(connection, run_id, problem) -> None:
    connection.execute(sa.update(RUNS).where(RUNS.c.id == run_id).values(problem=problem))


def _without_names(packed):
    head, values = _read(packed)
    if head is None:
        return packed, {}
    names = dict(zip(head["guest_ids"], head["problem"].pop("names", ()), strict=False))
    return _packed(head, values, len(packed)), names


def _with_names(packed, names):
    head, values = _read(packed)
    if head is None:
        return packed
    head["problem"]["names"] = [names.get(key, "") for key in head["guest_ids"]]
    return _packed(head, values, len(packed))


def _read(packed):
    """Return the head of a problem and the values behind it; nothing where it is none."""
    try:
        body = zlib.decompress(packed)
        length = int.from_bytes(body[:4], "little")
        return json.loads(body[4 : 4 + length]), body[4 + length :]
    except (zlib.error, ValueError):
        return None, b""


def _packed(head, values, size):
    text = json.dumps(head).encode()
    level = 1 if size < 0.8 * (len(text) + len(values)) else 0  # measured distances hardly shrink
    return zlib.compress(len(text).to_bytes(4, "little") + text + values, level)

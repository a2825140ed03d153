"""procrastinate's tables and functions, on PostgreSQL."""

import re
from hashlib import sha256
from importlib import resources

from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None

LAST = "03.04.00_50_post_add_retry_failed_job_procedure.sql"
DIGEST = "aa547ddb30de271d8b64f5b0063e38a265ab0f2c610d8837eedb8cd4c5095342"
ENUMS = {
    "procrastinate_job_status": "todo doing succeeded failed cancelled aborting aborted",
    "procrastinate_job_event_type": "deferred started deferred_for_retry failed succeeded cancelled "
    "abort_requested aborted scheduled retried",
}
TABLES = ("procrastinate_periodic_defers", "procrastinate_events", "procrastinate_jobs", "procrastinate_workers")


def scripts() -> list[str]:
    """Return procrastinate's own migrations up to LAST, which no later version of it changes."""
    folder = resources.files("procrastinate.sql") / "migrations"
    names = sorted(file.name for file in folder.iterdir() if file.name.endswith(".sql") and file.name <= LAST)
    found = [(folder / name).read_text(encoding="utf-8") for name in names]
    if sha256("\n".join(found).encode()).hexdigest() != DIGEST:
        raise RuntimeError(
            "The installed procrastinate has other migrations than the one that Convive was made with. "
            "Install the version that requirements.lock names."
        )
    return [with_whole_enums(script) for script in found]


def with_whole_enums(script: str) -> str:
    """Create the enums with all their values at once: before PostgreSQL 17 an added one needs a commit before its use."""
    script = re.sub(r"ALTER TYPE \w+ ADD VALUE [^;]*;", "", script)
    for name, labels in ENUMS.items():
        values = ", ".join(f"'{label}'" for label in labels.split())
        script = re.sub(rf"(CREATE TYPE {name} AS ENUM) \([^;]*\);", rf"\1 ({values});", script)
    return script


def upgrade() -> None:
    """Bring the schema forward."""
    connection = op.get_bind()
    if connection.dialect.name == "postgresql":
        for script in scripts():
            # Straight to the driver: a script holds many statements, and its % signs are no parameters.
            connection.connection.driver_connection.execute(script)


def downgrade() -> None:
    """Take the schema back; runs that wait get jobs again when it comes forward."""
    connection = op.get_bind()
    if connection.dialect.name != "postgresql":
        return
    for table in TABLES:
        op.execute(f"DROP TABLE {table} CASCADE")
    op.execute(
        """
        DO $$
        DECLARE
            own record;
        BEGIN
            FOR own IN SELECT oid::regprocedure AS name FROM pg_proc
                WHERE proname LIKE 'procrastinate\\_%' AND pronamespace = current_schema()::regnamespace
            LOOP
                EXECUTE 'DROP FUNCTION ' || own.name || ' CASCADE';
            END LOOP;
        END $$
        """
    )
    for name in ("procrastinate_job_to_defer_v1", "procrastinate_job_status", "procrastinate_job_event_type"):
        op.execute(f"DROP TYPE {name}")

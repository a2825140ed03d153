"""Run migrations on the connection that the application hands over, or on the configured database."""

from alembic.util import CommandError
from sqlalchemy import Connection

from alembic import context
from app.config import load_settings
from app.db.migrate import is_own, migrating, refuse_cascades
from app.db.models import Base
from app.db.session import make_engine


def run(connection: Connection) -> None:
    """Run the missing migrations in the transaction of the caller."""
    refuse_cascades(connection)
    context.configure(
        connection=connection,
        target_metadata=Base.metadata,
        include_name=is_own,
        render_as_batch=connection.dialect.name == "sqlite",
        transactional_ddl=True,
    )
    context.run_migrations()


if context.is_offline_mode():
    raise CommandError("Migrations need a database: SQLite's tables are rebuilt from what they hold.")
handed_over = context.config.attributes.get("connection")
if handed_over is not None:
    run(handed_over)
else:
    with migrating(make_engine(load_settings().database)) as own:
        run(own)

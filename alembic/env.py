"""Run migrations on the connection that the application hands over, or on the configured database."""

from sqlalchemy import Connection

from alembic import context
from app.config import load_settings
from app.db.migrate import is_own
from app.db.models import Base
from app.db.session import make_engine


def run(connection: Connection) -> None:
    """Run the missing migrations in the transaction of the caller."""
    context.configure(
        connection=connection,
        target_metadata=Base.metadata,
        include_name=is_own,
        render_as_batch=connection.dialect.name == "sqlite",
        transactional_ddl=True,
    )
    context.run_migrations()


handed_over = context.config.attributes.get("connection")
if handed_over is not None:
    run(handed_over)
else:
    with make_engine(load_settings().database).connect() as own, own.begin():
        run(own)

"""Which schema a database has. Alembic, which takes long to load, is only needed to change it."""

from __future__ import annotations

from sqlalchemy import Connection, inspect, text

NEWEST_REVISION = "0042"
"""The last migration in alembic/versions."""


def current_revision(connection: Connection) -> str | None:
    """Return the schema that the database has, or None where there is none yet."""
    if not inspect(connection).has_table("alembic_version"):
        return None
    revision: str | None = connection.scalars(text("SELECT version_num FROM alembic_version")).one_or_none()
    return revision


def has_newest_schema(connection: Connection) -> bool:
    """Return whether every migration of this version has run, and none of a newer one."""
    return current_revision(connection) == NEWEST_REVISION

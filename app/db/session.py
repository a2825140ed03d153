"""The engine and its sessions, with the settings under which SQLite loses no update."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.orm import Session, sessionmaker

from app.db.once import reading_once

Sessions = sessionmaker[Session]
READ_ONLY = "convive_read_only"
POOL_SECONDS = 10
SQLITE_PRAGMAS = ("journal_mode=WAL", "busy_timeout=15000", "foreign_keys=ON", "synchronous=FULL")


def make_engine(address: str, connections: int = 10) -> Engine:
    """Return an engine for the database at `address` with at most `connections` connections."""
    if address.startswith("sqlite"):
        return _sqlite_engine(address, connections)
    return create_engine(address, pool_pre_ping=True, hide_parameters=True, **_pool(connections))


def _pool(connections: int) -> dict[str, Any]:
    return {"pool_size": connections, "max_overflow": 0, "pool_timeout": POOL_SECONDS}


def _sqlite_engine(address: str, connections: int) -> Engine:
    _make_private_file(Path(address.removeprefix("sqlite:///")))
    engine = create_engine(
        address, connect_args={"check_same_thread": False}, hide_parameters=True, **_pool(connections)
    )

    @event.listens_for(engine, "connect")
    def set_up(connection: Any, _record: Any) -> None:
        connection.isolation_level = None
        for pragma in SQLITE_PRAGMAS:
            connection.execute(f"PRAGMA {pragma}")  # our own settings

    @event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        # A deferred BEGIN that writes later fails as locked when another write came between.
        read_only = connection.get_execution_options().get(READ_ONLY, False)
        connection.exec_driver_sql("BEGIN" if read_only else "BEGIN IMMEDIATE")

    return engine


def _make_private_file(path: Path) -> None:
    """Make the file of a new database so that only its owner can read it, in whatever folder; one that exists stays."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    if not path.exists():  # SQLite would make it readable by all; the files that it puts beside take its mode
        os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))


def make_sessions(engine: Engine) -> Sessions:
    return sessionmaker(engine, expire_on_commit=False)


def _reading(session: Session) -> dict[str, Any]:
    # A page reads several times and must see one moment; SQLite gives that by itself.
    if session.get_bind().dialect.name == "postgresql":
        return {READ_ONLY: True, "isolation_level": "REPEATABLE READ"}
    return {READ_ONLY: True}


@contextmanager
def transaction(sessions: Sessions, *, read_only: bool = False) -> Iterator[Session]:
    """Yield a session that commits at the end, or rolls back on an error."""
    with sessions() as session, session.begin():
        if not read_only:
            yield session
            return
        session.connection(execution_options=_reading(session))
        with reading_once(session):  # it sees one moment, so nothing needs to be read twice
            yield session


def is_read_only(session: Session) -> bool:
    """Return whether a session sees one moment and writes nothing."""
    return bool(session.connection().get_execution_options().get(READ_ONLY, False))

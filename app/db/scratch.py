"""A database in memory, for work that is checked as a whole before it is written in small steps."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy import create_engine
from sqlalchemy.orm import Session
from sqlalchemy.pool import StaticPool

from app.db.models import Base


@contextmanager
def scratch_session() -> Iterator[Session]:
    """Yield a session on an empty database in memory, which is gone at the end."""
    engine = create_engine("sqlite://", poolclass=StaticPool, hide_parameters=True)
    try:
        Base.metadata.create_all(engine)
        with Session(engine) as session:
            yield session
    finally:
        engine.dispose()

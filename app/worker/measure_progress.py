"""Measuring how settled plans are, without anybody asking: a worker looks for events that were changed a moment ago."""

from __future__ import annotations

import sqlite3
import threading
from uuid import UUID

from sqlalchemy.exc import SQLAlchemyError

from app.accounts.users import actor_of
from app.db.models import Event, User
from app.db.session import Sessions, transaction
from app.errors import ConviveError
from app.events.context import open_event
from app.events.measuring import events_to_measure, owner_of, put_off
from app.logs import logger
from app.questions.answer import is_choosing, keep_questions_coming
from app.runs.queue import RunQueue
from app.tables.queries import tables_of

EVERY_SECONDS = 2.0
log = logger(__name__)


def start_measuring(sessions: Sessions, queue: RunQueue, stopping: threading.Event) -> None:
    """Measure from now on."""
    args = sessions, queue, stopping
    threading.Thread(target=_measure_again_and_again, args=args, name="measuring", daemon=True).start()


def measure_changed(sessions: Sessions, queue: RunQueue) -> int:
    """Write a run for each event that was changed a moment ago and can be measured; return for how many."""
    with transaction(sessions, read_only=True) as session:
        due = events_to_measure(session)
    return sum(_measure(sessions, queue, event_id) for event_id in due)


def _measure(sessions: Sessions, queue: RunQueue, event_id: UUID) -> bool:
    with transaction(sessions) as session:
        user = session.get(User, owner_of(session, event_id))
        if user is None or session.get(Event, event_id) is None:
            return False
        ctx = open_event(session, actor_of(user), event_id, "editor")
        ctx.hold()
        is_under_way = is_choosing(ctx)
        put_off(session, event_id, until_later=is_under_way)
        return not is_under_way and bool(tables_of(session, event_id)) and keep_questions_coming(ctx, queue)


def _measure_again_and_again(sessions: Sessions, queue: RunQueue, stopping: threading.Event) -> None:
    while not stopping.wait(EVERY_SECONDS):
        try:
            measure_changed(sessions, queue)
        except (SQLAlchemyError, sqlite3.Error, ConviveError) as error:
            # Measured a little later, or when somebody opens a page that shows it.
            log.info("could not look for plans to measure, will retry", error=type(error).__name__)

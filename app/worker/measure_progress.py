"""Measuring how settled plans are, without anybody asking: a worker looks for events that were changed a moment ago."""

from __future__ import annotations

import threading
from datetime import timedelta
from uuid import UUID

from sqlalchemy.orm import Session

from app.accounts.users import actor_of
from app.clock import now
from app.db.models import User
from app.db.session import Sessions, transaction
from app.events.context import open_event
from app.events.measuring import events_to_measure, free_measurements, owner_of, put_off, rests_until
from app.events.queries import QUIET
from app.logs import logger
from app.questions.answer import is_choosing, keep_questions_coming
from app.runs.queue import RunQueue
from app.tables.queries import tables_of

EVERY_SECONDS = 2.0
AFTER_FAILURE = timedelta(minutes=1)
log = logger(__name__)


def start_measuring(sessions: Sessions, queue: RunQueue, stopping: threading.Event) -> None:
    """Measure from now on."""
    args = sessions, queue, stopping
    threading.Thread(target=_measure_again_and_again, args=args, name="measuring", daemon=True).start()


def measure_changed(sessions: Sessions, queue: RunQueue) -> int:
    """Write a run for each event that was changed a moment ago and can be measured; return for how many."""
    with transaction(sessions, read_only=True) as session:
        due, free = events_to_measure(session), free_measurements(session)
    measured = 0
    for event_id in due:
        if measured >= free:
            break
        measured += _try_to_measure(sessions, queue, event_id)
    return measured


def _try_to_measure(sessions: Sessions, queue: RunQueue, event_id: UUID) -> bool:
    """Measure an event; one that cannot be waits, so that others do not wait behind it."""
    try:
        with transaction(sessions) as session:
            return _measure(session, queue, event_id)
    except Exception as error:
        log.warning("could not measure a plan, will retry", event_id=str(event_id), error=type(error).__name__)
        with transaction(sessions) as session:
            put_off(session, event_id, now() + AFTER_FAILURE)
        return False


def _measure(session: Session, queue: RunQueue, event_id: UUID) -> bool:
    owner = owner_of(session, event_id)
    user = session.get(User, owner) if owner else None
    if user is None:  # the event was deleted meanwhile, or nobody is left whom a run could count for
        put_off(session, event_id, None)
        return False
    ctx = open_event(session, actor_of(user), event_id, "editor")
    ctx.hold()
    later = now() + QUIET if is_choosing(ctx) else rests_until(session, event_id)
    put_off(session, event_id, later)  # a run that is written below is looked at again, until it is over
    return later is None and bool(tables_of(session, event_id)) and keep_questions_coming(ctx, queue)


def _measure_again_and_again(sessions: Sessions, queue: RunQueue, stopping: threading.Event) -> None:
    while not stopping.wait(EVERY_SECONDS):
        try:
            measure_changed(sessions, queue)
        except Exception as error:
            # Whatever it was, most likely the database: looked at again a little later.
            log.info("could not look for plans to measure, will retry", error=type(error).__name__)

"""Events that can be solved, and runs in every state."""

from __future__ import annotations

import random
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import combinations
from typing import Any
from uuid import UUID

from sqlalchemy import select

from app.accounts.actor import Actor
from app.db.models import Plan, Seat
from app.db.session import Sessions, transaction
from app.events.context import open_event
from app.guests.queries.guests import seated_names_of
from app.ratings.change import Entry, put_ratings
from app.runs.options import RunOptions
from app.runs.queries import RunRow, run_by_id
from app.runs.queue import NullQueue
from app.runs.start import start_run
from app.worker.execute import execute_run
from app.worker.leased_work import Outcome
from tests.factories import make_event, make_guests, make_tables
from tests.server import wait_for

ENDLESS: dict[str, Any] = {"method": "paper", "restarts": 1_000_000, "time_limit": 600.0}
LARGE: dict[str, Any] = {"guests": 60, "sizes": (10,) * 6}  # takes minutes for that many restarts


def stored_event(sessions: Sessions, owner: Actor, *, guests: int = 8, sizes: tuple[int, ...] = (4, 4)) -> UUID:
    """Make an event whose neighbours in the list like each other."""
    with transaction(sessions) as session:
        event = make_event(session, owner)
        people = make_guests(session, event, [f"Guest {number}" for number in range(guests)])
        make_tables(session, event, sizes)
        pairs = zip(people[::2], people[1::2], strict=False)
        put_ratings(open_event(session, owner, event.id), [Entry(a.id, b.id, 2.0) for a, b in pairs])
        return event.id


def rate_at_random(sessions: Sessions, owner: Actor, event_id: UUID) -> None:
    """Rate all pairs: a run of dozens of guests finds better and better plans, and proves nothing for hours."""
    scores = random.Random(1)
    with transaction(sessions) as session:
        ctx = open_event(session, owner, event_id)
        pairs = combinations([guest.id for guest in seated_names_of(session, event_id)], 2)
        put_ratings(ctx, [Entry(a, b, float(scores.randint(-2, 2))) for a, b in pairs])


def stored_run(sessions: Sessions, owner: Actor, event_id: UUID, *, run_id: UUID | None = None, **options: Any) -> UUID:
    """Start a run that no worker looks for."""
    with transaction(sessions) as session:
        ctx = open_event(session, owner, event_id)
        return start_run(ctx, NullQueue(), RunOptions(**options), run_id=run_id).id


def read_run(sessions: Sessions, run_id: UUID) -> RunRow:
    """Read a run back."""
    with transaction(sessions, read_only=True) as session:
        run = run_by_id(session, run_id)
        assert run is not None
        return run


def seated(sessions: Sessions, run_id: UUID) -> list[set[UUID]]:
    """Return the guests at each table of the one plan of the run that counts."""
    with transaction(sessions, read_only=True) as session:
        plan = session.scalars(select(Plan).where(Plan.run_id == run_id, Plan.alternative_of.is_(None))).one()
        tables: dict[UUID, set[UUID]] = {}
        for seat in session.scalars(select(Seat).where(Seat.plan_id == plan.id)):
            tables.setdefault(seat.table_id, set()).add(seat.guest_id)
        return list(tables.values())


@contextmanager
def executing(
    sessions: Sessions, run_id: UUID, is_stopping: Callable[[], bool] = lambda: False
) -> Iterator[list[Outcome | None]]:
    """Execute a run in another thread while the body goes on from its first report; the list gets the outcome."""
    outcomes: list[Outcome | None] = []
    thread = threading.Thread(
        target=lambda: outcomes.append(execute_run(sessions, run_id, is_stopping=is_stopping)), daemon=True
    )
    thread.start()
    wait_for(lambda: read_run(sessions, run_id).progress, "the first report")
    yield outcomes
    thread.join(60)

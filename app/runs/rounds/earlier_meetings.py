"""Who met before: they shared a table in the plan in use of an earlier event, in whichever round, or elsewhere."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations
from uuid import UUID

from sqlalchemy import select
from sqlalchemy.orm import Session

from app.db.models import Guest, Plan, Seat
from app.errors import FieldError, Invalid, NotFound
from app.events.context import EventContext, open_event
from app.events.queries import counts, events_of
from app.problem.queries.seats import current_plan_id
from app.problem.snapshot import Snapshot
from app.web.names import name_key

MOST_EVENTS = 200
PLANS = 3
"""The place of the number of plans among the counts of an event."""
Meeting = tuple[int, int, int]
"""Two guests by position, and how often they met."""


def find_meetings(
    ctx: EventContext, event_id: UUID | None, tables: Sequence[Sequence[UUID]], snapshot: Snapshot
) -> tuple[Meeting, ...]:
    """Return who met at an event that the account may see, and who sat together at one of these tables."""
    counts = _met_at(ctx, event_id, snapshot) if event_id is not None else Counter()
    position = {guest: number for number, guest in enumerate(snapshot.guest_ids)}
    for guests in tables:
        counts.update(combinations(sorted({position[guest] for guest in guests}), 2))
    return tuple((first, second, times) for (first, second), times in sorted(counts.items()))


def _met_at(ctx: EventContext, event_id: UUID, snapshot: Snapshot) -> Counter[tuple[int, int]]:
    """Return how often guests, who are the same by name, met at an event.

    In the event itself, that is who shared a table in the plan that is in use now.
    """
    plan_id = current_plan_id(ctx.session, _readable(ctx, event_id))
    if plan_id is None:
        raise Invalid(FieldError("met_at", "The earlier event has no plan yet, so nobody met there."))
    place = {name_key(name): position for position, name in enumerate(snapshot.problem.names)}
    counts: Counter[tuple[int, int]] = Counter()
    for names in _tables(ctx.session, plan_id):
        counts.update(combinations(sorted({place[name] for name in names if name in place}), 2))
    return counts


def _readable(ctx: EventContext, event_id: UUID) -> UUID:
    only = ctx.actor.only_event
    try:
        if only is not None and only != event_id:
            raise NotFound
        return open_event(ctx.session, ctx.actor, event_id).event_id
    except NotFound:
        raise Invalid(FieldError("met_at", "You have no access to the earlier event, or it was deleted.")) from None


def _tables(session: Session, plan_id: UUID) -> Iterator[Iterable[str]]:
    """Yield the keys of the names at each table of each round."""
    is_round = (Plan.alternative_of == plan_id) & (Plan.round > 0)
    query = (
        select(Seat.plan_id, Seat.table_id, Guest.name_key)
        .join(Plan, Plan.id == Seat.plan_id)
        .join(Guest, Guest.id == Seat.guest_id)
        .where((Plan.id == plan_id) | is_round, Plan.deleted_at.is_(None), Guest.removed_at.is_(None))
    )
    tables: defaultdict[tuple[UUID, UUID], list[str]] = defaultdict(list)
    for plan, table, name in session.execute(query):
        tables[plan, table].append(name)
    yield from tables.values()


def list_earlier_events(ctx: EventContext) -> list[tuple[str, str]]:
    """Return the events with a plan that the account may see, by id and name: this one first, then the newest."""
    found = events_of(ctx.session, ctx.actor.user_id, limit=MOST_EVENTS)
    plans = counts(ctx.session, [event.id for event in found])
    others = [(str(one.id), one.name) for one in found if one.id != ctx.event_id and plans[one.id][PLANS]]
    has_plan = current_plan_id(ctx.session, ctx.event_id) is not None
    own = [(str(ctx.event_id), "This event: its plan in use")] if has_plan else []
    return [*own, *others]

"""Everyone who is expected, with their table: phones ask every second or two, so it is kept until the event changes."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from uuid import UUID

from sqlalchemy.orm import Session

from app.bounded_cache import BoundedCache
from app.db.models import Event, Plan
from app.guests.name_order import sort_key
from app.guests.public_names import Namesake, SeatedPerson, find_namesakes, public_names
from app.guests.queries.guests import names_ever_of
from app.plans.rounds import route_lines, routes_of
from app.problem.queries.seats import current_plan_id
from app.sharing.door import queries

NO_TABLE = "No table yet"
MOST_BYTES, BYTES_A_GUEST = 16 << 20, 600
Key = tuple[UUID, UUID | None, int, str]


@dataclass(frozen=True)
class ExpectedGuest:
    """A guest; `name` is what guests read, `planner_name` what the planner calls them.

    `route` says where they sit in several rounds, a text for each: “Round 1: Oak”.
    """

    id: UUID
    name: str
    planner_name: str
    table_id: UUID | None
    route: tuple[str, ...] = ()


@dataclass(frozen=True)
class Expected:
    """The guests from A to Z, and by table their names and how many sit there, in the order of the plan in use."""

    guests: tuple[ExpectedGuest, ...]
    tables: dict[UUID | None, str]
    seated: Counter[UUID | None]
    namesakes: tuple[Namesake, ...] = ()
    """Who reads the same as somebody else."""


_kept: BoundedCache[Key, Expected] = BoundedCache(MOST_BYTES, lambda found: BYTES_A_GUEST * (1 + len(found.guests)))


def read_expected(session: Session, event: Event, language: str = "") -> Expected:
    """Return who is expected by the plan in use; ratings change nothing about it."""
    plan_id = current_plan_id(session, event.id)
    key = event.id, plan_id, event.revision - event.ratings_revision, language
    return _kept.get_or_make(key, lambda: _read(session, event.id, plan_id, language))


def _read(session: Session, event_id: UUID, plan_id: UUID | None, language: str) -> Expected:
    rows = queries.expected_of(session, event_id, plan_id)
    people = (SeatedPerson(r.guest_id, r.name, r.public_name, r.party_id, r.table_id) for r in rows)
    names = public_names(people, names_ever_of(session, event_id))
    plan = session.get(Plan, plan_id) if plan_id else None
    routes = {guest: route_lines(route) for guest, route in routes_of(session, plan).items()} if plan else {}
    guests = [
        ExpectedGuest(row.guest_id, names[row.guest_id], row.name, row.table_id, routes.get(row.guest_id, ()))
        for row in rows
    ]
    return Expected(
        tuple(sorted(guests, key=lambda guest: sort_key(guest.name, language))),
        {row.table_id: row.table or NO_TABLE for row in rows},
        Counter(row.table_id for row in rows),
        find_namesakes(names.items(), {row.guest_id: row.name for row in rows}),
    )

"""Checking guests in: several helpers at once, some with changes that come late. The later action counts."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from datetime import UTC, datetime
from uuid import UUID

from app.clock import now
from app.db.models import Arrival
from app.db.upsert import insert_new
from app.errors import NotFound
from app.sharing.door import queries
from app.sharing.door.access import DoorAccess
from app.sharing.door.expected import Expected, ExpectedGuest, read_expected
from app.sharing.door.links import HELPER

GONE = "This guest is no longer on the list."
EARLIEST = datetime(2000, 1, 1, tzinfo=UTC)


@dataclass(frozen=True)
class DoorGuest:
    """A guest as helpers see them; `reference` names them on this page.

    `name` is what guests read, `planner_name` what the planner calls them, `route` their table in each round.
    """

    id: UUID
    reference: str
    name: str
    planner_name: str
    table_id: UUID | None
    table: str
    arrived_at: datetime | None
    by: str
    route: tuple[str, ...] = ()

    @property
    def is_here(self) -> bool:
        return self.arrived_at is not None


@dataclass(frozen=True)
class DoorTable:
    """A table and how many of its guests have arrived."""

    id: UUID | None
    name: str
    guests: int
    arrived: int


@dataclass(frozen=True)
class DoorList:
    """Everyone who is expected, from A to Z, and the tables of the plan in use."""

    guests: tuple[DoorGuest, ...]
    tables: tuple[DoorTable, ...]

    @property
    def arrived(self) -> int:
        return sum(guest.is_here for guest in self.guests)


def list_guests(access: DoorAccess, language: str = "") -> DoorList:
    """Return who is expected and who has arrived, with the counts by table."""
    expected = read_expected(access.session, access.event, language)
    arrivals = queries.arrivals_of(access.session, access.event.id)
    guests = tuple(_door_guest(access, expected, guest, arrivals.get(guest.id)) for guest in expected.guests)
    arrived = Counter(guest.table_id for guest in guests if guest.is_here)
    tables = (DoorTable(key, name, expected.seated[key], arrived[key]) for key, name in expected.tables.items())
    return DoorList(guests, tuple(tables))


def _door_guest(
    access: DoorAccess, expected: Expected, guest: ExpectedGuest, arrival: queries.ArrivedRow | None
) -> DoorGuest:
    return DoorGuest(
        guest.id,
        access.reference(guest.id),
        guest.name,
        guest.planner_name,
        guest.table_id,
        expected.tables[guest.table_id],
        arrival.arrived_at if arrival else None,
        (arrival.user or arrival.link or HELPER) if arrival else "",
        guest.route,
    )


def find_guest(access: DoorAccess, reference: str) -> UUID:
    """Return the guest whom the page calls by a reference."""
    guests = read_expected(access.session, access.event).guests
    found = next((guest.id for guest in guests if access.reference(guest.id) == reference), None)
    if found is None:
        raise NotFound(GONE)
    return found


def check_in(access: DoorAccess, guest_id: UUID, at: datetime | None = None) -> Arrival:
    """Record that a guest has arrived. Whoever was checked in before stays so, and a later undo is not overruled.

    `at` is when the helper did it, where that is sent late; nothing happens in the future.
    """
    moment = _moment(access, guest_id, at)
    is_new, stored = _hold_or_insert(access, guest_id, moment, moment)
    if not is_new and moment >= stored.acted_at:
        stored.acted_at = moment
        if stored.arrived_at is None:
            stored.arrived_at, stored.user_id, stored.link_id = moment, access.user_id, access.link_id
        access.session.flush()
    return stored


def undo_check_in(access: DoorAccess, guest_id: UUID, at: datetime | None = None) -> None:
    """Take an arrival back unless somebody acted on it later; an earlier check-in that comes late counts no more."""
    moment = _moment(access, guest_id, at)
    is_new, stored = _hold_or_insert(access, guest_id, None, moment)
    if not is_new and moment > stored.acted_at:
        stored.arrived_at, stored.acted_at = None, moment
        stored.user_id, stored.link_id = access.user_id, access.link_id
        access.session.flush()


def _hold_or_insert(
    access: DoorAccess, guest_id: UUID, arrived_at: datetime | None, acted_at: datetime
) -> tuple[bool, Arrival]:
    """Store an action on a guest on whom nobody acted before; return whether that was so, and what is stored."""
    ids = {"guest_id": guest_id, "event_id": access.event.id, "user_id": access.user_id, "link_id": access.link_id}
    is_new = insert_new(access.session, Arrival, {**ids, "arrived_at": arrived_at, "acted_at": acted_at})
    stored = queries.hold_arrival(access.session, guest_id)
    if stored is None:  # the guest was erased meanwhile
        raise NotFound(GONE)
    return is_new, stored


def _moment(access: DoorAccess, guest_id: UUID, at: datetime | None) -> datetime:
    if not queries.expected_guest(access.session, access.event.id, guest_id):
        raise NotFound(GONE)
    return max(EARLIEST, min(at, now())) if at else now()

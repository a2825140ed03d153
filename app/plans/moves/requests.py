"""What somebody asks to do with a plan, and the change that this means."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal
from uuid import UUID

from app.errors import Conflict, FieldError, Invalid
from app.plans.moves.chairs import are_side_by_side, seats_near
from app.plans.moves.promises import Broken
from app.plans.seating import Change, Place, Places, Seating, SeatingTable, SeatKey

MoveKind = Literal[
    "move",
    "swap",
    "lock",
    "unlock",
    "lock_table",
    "unlock_table",
    "block_seat",
    "free_seat",
    "undo",
    "redo",
    "undo_exception",
    "seat_unseated",
]
MOST_MOVED, MOST_LISTED = 500, 5


@dataclass(frozen=True)
class MoveEntry:
    """What somebody wants to do with a plan; a seat is counted from 0, and no table is the unseated tray.

    `anyway` breaks promises; `version` is the plan that they saw; `to` is the number of the move up to which is undone
    or redone; `exception` is the key of the exception to take back.
    """

    kind: MoveKind
    guest: UUID | None = None
    other: UUID | None = None
    table: UUID | None = None
    seat: int | None = None
    guests: tuple[UUID, ...] = ()
    anyway: bool = False
    version: int | None = None
    to: int | None = None
    exception: str = ""

    @property
    def all_guests(self) -> tuple[UUID, ...]:
        """The guests that it is about, each once."""
        return tuple(dict.fromkeys([*self.guests, *([self.guest] if self.guest else [])]))


class Refused(Conflict):
    """That would break a promise of this plan."""

    def __init__(self, breaks: Sequence[Broken]) -> None:
        super().__init__(f"{' '.join(broken.warning for broken in breaks[:MOST_LISTED])} Nothing was changed.")
        self.breaks = tuple(breaks)
        self.details = json.loads(json.dumps({"breaks": [fields_of(broken) for broken in breaks]}, default=str))


def fields_of(broken: Broken) -> dict[str, Any]:
    """Return what would be broken, with the names that programs get."""
    return {
        "kind": broken.kind,
        "key": broken.key,
        "text": broken.warning,
        "guests": list(broken.guests),
        "table": broken.table,
        "rule": broken.rule,
    }


def change_for(seating: Seating, entry: MoveEntry) -> Change:
    """Return the change that is asked for; what a lock forbids is refused."""
    if entry.kind in ("lock_table", "unlock_table"):
        return _lock_table(seating, entry)
    if entry.kind in ("block_seat", "free_seat"):
        return _block_seat(seating, entry)
    guests = _guests(seating, entry)
    if entry.kind in ("lock", "unlock"):
        return _lock(seating, guests, is_locked=entry.kind == "lock")
    places = _swap(seating, guests, entry.other) if entry.kind == "swap" else _move(seating, guests, entry)
    places = {guest: place for guest, place in places.items() if place != seating.places.get(guest)}
    locks = list(find_locks(seating, places)) if seating.has_locks else []
    if locks:
        raise Refused(locks)
    return Change(places)


def find_locks(seating: Seating, places: Places) -> Iterator[Broken]:
    """Yield what is locked and in the way of a change of places."""
    for guest, place in places.items():
        now = seating.places.get(guest)
        if now is not None and now.locked:
            yield _locked(f"guest:{guest}", f"{seating.names[guest]} is locked. Unlock them to move them.", guest)
        if place is not None and place.key in seating.blocked_seats:
            text = f"Seat {place.seat + 1} at {seating.tables[place.table_id].name} is kept empty. Free it first."
            yield _locked(f"seat:{place.table_id}:{place.seat}", text, table=place.table_id)
    touched = {
        place.table_id for guest in places for place in (seating.places.get(guest), places[guest]) if place is not None
    }
    for table in touched & seating.locked_tables:
        if seating.open_table(table) is None:
            continue  # nobody could unlock it any more
        text = f"{seating.tables[table].name} is locked. Unlock it first."
        yield _locked(f"table:{table}", text, table=table)


def touched_by(entry: MoveEntry) -> tuple[set[UUID], set[SeatKey], set[UUID]]:
    """Return the guests, the seats and the tables that are named: another's change of these comes in between."""
    guests = {*entry.all_guests, *([entry.other] if entry.other else [])}
    is_table = entry.kind in ("lock_table", "unlock_table")
    seats = {(entry.table, entry.seat)} if entry.table and entry.seat is not None else set()
    return guests, seats, {entry.table} if entry.table and is_table else set()


def _move(seating: Seating, guests: Sequence[UUID], entry: MoveEntry) -> dict[UUID, Place | None]:
    if entry.table is None:
        return dict.fromkeys(guests)
    table = _open_table(seating, entry)
    if entry.seat is not None and not 0 <= entry.seat < table.seats:
        raise Invalid(FieldError("seat", f"{table.name} has {table.seats} seats."))
    if entry.seat is None:  # whoever sits there already keeps their seat
        guests = [guest for guest in guests if _table_of(seating, guest) != table.id]
    elif len(guests) == 1:
        sitting = seating.guests_at[table.id].get(entry.seat, guests[0])
        if sitting != guests[0]:
            raise Conflict(f"{seating.names[sitting]} sits there. Swap the two instead.")
        return {guests[0]: _place(seating, guests[0], table.id, entry.seat)}
    leaving = dict.fromkeys(guests)
    free = seating.free_seats(table.id, leaving)
    empty = [seat for seat in free if seat not in seating.kept_seats or seat == entry.seat]
    seats = seats_near(table, empty if len(empty) >= len(guests) else free, len(guests), entry.seat)
    if len(seats) < len(guests):
        seats += seating.extra_chairs(table.id, len(guests) - len(seats), leaving)
    return {guest: _place(seating, guest, table.id, seat) for guest, seat in zip(guests, seats, strict=True)}


def swap_partners(seating: Seating, guests: Sequence[UUID], other: UUID) -> tuple[UUID, ...]:
    """Return the household of the other guest at their table, if it is as large as the guests who swap with it."""
    place, home = seating.places.get(other), seating.homes.get(other)
    if place is None or other in guests or any(guest not in seating.places for guest in guests):
        return ()
    beside = [one for one in home.guests if _table_of(seating, one) == place.table_id] if home else [other]
    if len(beside) != len(guests) or any(one in guests for one in beside):
        return ()
    return (other, *(one for one in beside if one != other))


def _swap(seating: Seating, guests: Sequence[UUID], other: UUID | None) -> Mapping[UUID, Place | None]:
    if other is None:
        raise Invalid(FieldError("other", "Choose a guest."))
    if other not in seating.names:
        raise Invalid(FieldError("other", "Guest not found in this plan."))
    if len(guests) == 1:
        return _swap_two(seating, guests[0], other)
    partners = swap_partners(seating, guests, other)
    if not partners:
        raise Conflict(
            f"{len(guests)} guests swap only with a household of {len(guests)}. "
            f"Move {seating.names[other]} and others to the unseated tray first, then move your guests."
        )
    pairs = zip(guests, partners, strict=True)
    places = {guest: place for one, two in pairs for guest, place in _swap_two(seating, one, two).items()}
    return {**places, **_side_by_side(seating, guests, partners), **_side_by_side(seating, partners, guests)}


def _side_by_side(seating: Seating, guests: Sequence[UUID], leaving: Sequence[UUID]) -> dict[UUID, Place]:
    """Return seats next to each other for guests who take the table of those who leave it, if the free ones help."""
    tables = {place.table_id for place in map(seating.places.get, leaving) if place}
    table = seating.open_table(next(iter(tables))) if len(tables) == 1 else None
    if table is None or are_side_by_side(table, [seating.places[guest].seat for guest in leaving]):
        return {}
    seats = seats_near(table, seating.free_seats(table.id, dict.fromkeys(leaving)), len(guests), None)
    if not are_side_by_side(table, seats):
        return {}
    return {guest: Place(table.id, seat) for guest, seat in zip(guests, seats, strict=True)}


def _swap_two(seating: Seating, guest: UUID, other: UUID) -> Mapping[UUID, Place | None]:
    one, two = seating.places.get(guest), seating.places.get(other)
    if guest == other or (one is None and two is None):
        return {}
    return {guest: two and Place(two.table_id, two.seat), other: one and Place(one.table_id, one.seat)}


def _lock(seating: Seating, guests: Sequence[UUID], *, is_locked: bool) -> Change:
    unseated = [seating.names[guest] for guest in guests if guest not in seating.places]
    if unseated:
        raise Invalid(FieldError("guests", f"{unseated[0]} has no seat yet. Seat them first."))
    places = {guest: seating.places[guest] for guest in guests}
    return Change(
        {guest: replace(place, locked=is_locked) for guest, place in places.items() if place.locked != is_locked}
    )


def _lock_table(seating: Seating, entry: MoveEntry) -> Change:
    table, is_locked = _open_table(seating, entry), entry.kind == "lock_table"
    return Change() if (table.id in seating.locked_tables) == is_locked else Change(tables={table.id: is_locked})


def _block_seat(seating: Seating, entry: MoveEntry) -> Change:
    table, is_blocked = _open_table(seating, entry), entry.kind == "block_seat"
    if entry.seat is None or (is_blocked and not 0 <= entry.seat < table.seats):
        raise Invalid(FieldError("seat", f"Choose a seat from 1 to {table.seats}."))
    sitting = seating.guests_at[table.id].get(entry.seat)
    if is_blocked and sitting is not None:
        raise Conflict(f"{seating.names[sitting]} sits there. Move them first.")
    key = table.id, entry.seat
    return Change() if (key in seating.blocked_seats) == is_blocked else Change(seats={key: is_blocked})


def _guests(seating: Seating, entry: MoveEntry) -> list[UUID]:
    guests = list(entry.all_guests)
    where = "guest" if not entry.guests else "guests"
    if not guests:
        raise Invalid(FieldError(where, "Choose a guest."))
    if len(guests) > MOST_MOVED:
        raise Invalid(FieldError(where, f"Maximum {MOST_MOVED} guests at once."))
    if any(guest not in seating.names for guest in guests):
        raise Invalid(FieldError(where, "Guest not found in this plan."))
    return guests


def _open_table(seating: Seating, entry: MoveEntry) -> SeatingTable:
    table = seating.open_table(entry.table)
    if table is None:
        raise Invalid(FieldError("table", "Choose a table of this event."))
    return table


def _place(seating: Seating, guest: UUID, table: UUID, seat: int) -> Place:
    now = seating.places.get(guest)
    return Place(table, seat, now is not None and now.locked and now.key == (table, seat))


def _table_of(seating: Seating, guest: UUID) -> UUID | None:
    place = seating.places.get(guest)
    return place.table_id if place else None


def _locked(key: str, text: str, guest: UUID | None = None, table: UUID | None = None) -> Broken:
    return Broken("locked", key, text, text, (guest,) if guest else (), table)

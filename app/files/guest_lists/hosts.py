"""Names for the seats of unnamed guests: “Guest of Grace Chen”, with Grace's household."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from app.files.guest_lists.guest_row import GuestRow, RowRead
from app.files.guest_lists.people import GUEST_OF, HIS_OR_HER, PLACEHOLDER, seat_name

CHILD = "child"


def name_seats(rows: Sequence[RowRead]) -> list[RowRead]:
    """Return the rows with a name for each seat, and one household for whoever brings somebody and their guests."""
    if not any(guest.is_seat for row in rows for guest in row.guests):
        return list(rows)
    people = _Named(rows)
    counts: Counter[tuple[str, str, str]] = Counter()
    found = [list(row.guests) for row in rows]
    for place, row in enumerate(rows):
        for number, guest in enumerate(row.guests):
            if guest.is_seat:
                # Lists side by side have several households in a row.
                host = next((one for one in row.guests if not one.is_seat and one.party == guest.party), None)
                found[place][number] = _named(guest, host, place, people, counts, found)
    return [replace(row, guests=tuple(guests)) for row, guests in zip(rows, found, strict=True)]


def _named(
    seat: GuestRow,
    beside: GuestRow | None,
    place: int,
    people: _Named,
    counts: Counter[tuple[str, str, str]],
    found: list[list[GuestRow]],
) -> GuestRow:
    what = CHILD if seat.name == CHILD else "guest"
    if beside is None and seat.name in ("guest", CHILD):  # a family without a name of anybody
        return replace(seat, name=_next(counts, seat.host or seat.party or "a guest", seat.party, what))
    spot = None if beside else people.find(seat, place)
    if spot is None:
        host = beside.name if beside else _said_host(seat.name)
        return replace(seat, name=_next(counts, host, seat.party, what) if host else "Guest")
    row, number = spot
    bringer = found[row][number]
    party = seat.party or bringer.party
    if party is None:
        party = bringer.name
        found[row] = [replace(one, party=one.party or party, made_party=one.party is None) for one in found[row]]
    named = replace(seat, name=_next(counts, bringer.name, party, what), party=party, made_party=seat.party is None)
    return replace(named, groups=named.groups or bringer.groups, reply=named.reply or bringer.reply)


def _next(counts: Counter[tuple[str, str, str]], host: str, party: str | None, what: str) -> str:
    counts[host, party or "", what] += 1
    return seat_name(host, counts[host, party or "", what], what)


def _said_host(text: str) -> str:
    found = PLACEHOLDER.fullmatch(text) or GUEST_OF.fullmatch(text) or HIS_OR_HER.fullmatch(text)
    return (found["host"] or "").strip() if found else ""


class _Named:
    """The guests with names, by name and first name, to find who brings whom: above first, then below."""

    def __init__(self, rows: Sequence[RowRead]) -> None:
        self._spots: dict[str, list[tuple[int, int]]] = {}
        self._all: list[tuple[int, int]] = []
        self._party: dict[tuple[int, int], str | None] = {}
        for place, row in enumerate(rows):
            for number, guest in enumerate(row.guests):
                if guest.is_seat or not guest.name:
                    continue
                spot = (place, number)
                self._all.append(spot)
                self._party[spot] = guest.party
                words = guest.name.casefold().split()
                for key in {" ".join(words[:end]) for end in (1, 2, len(words))}:
                    self._spots.setdefault(key, []).append(spot)

    def find(self, seat: GuestRow, place: int) -> tuple[int, int] | None:
        """Return where the guest is who brings this one: the nearest of that name, in the same household if any is."""
        host = _said_host(seat.name).casefold()
        spots = self._spots.get(" ".join(host.split()), []) if host else self._all
        behind = bisect_right(spots, (place, -1))
        near = [*reversed(spots[max(0, behind - 50) : behind]), *(spots[behind : behind + 50] if host else ())]
        same = [spot for spot in near if seat.party and self._party[spot] == seat.party]
        return next(iter(same or near), None)

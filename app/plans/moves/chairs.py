"""Which chairs guests take who sit down together: next to each other wherever that is possible."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from app.plans.seating import SeatingTable

Distance = Callable[[int, int], int]


def seats_near(table: SeatingTable, free: Sequence[int], number: int, seat: int | None) -> list[int]:
    """Return `number` free seats of a table next to each other, as near as possible to the wanted seat."""
    if number < 1 or (number == 1 and seat is None):
        return list(free[:number])
    apart = _distances(table)
    starts = list(free) if seat is None else sorted(free, key=lambda one: apart(one, seat))
    best: list[int] = []
    shortest: int | None = None
    for start in starts:
        seats, length = _grow(start, free, number, apart)
        if shortest is None or length < shortest:
            best, shortest = seats, length
        if length <= number - 1:  # all of them side by side
            break
    return sorted(best)


def are_side_by_side(table: SeatingTable, seats: Sequence[int]) -> bool:
    """Return whether the guests on these seats form one row of neighbours."""
    if len(seats) == 2:  # the usual case, and quick
        return _distances(table)(*seats) <= 1
    return not seats or _grow(seats[0], seats, len(seats), _distances(table))[1] <= len(seats) - 1


def _grow(start: int, free: Sequence[int], number: int, apart: Distance) -> tuple[list[int], int]:
    """Return seats around a start, each the nearest to one taken before, and the sum of these distances."""
    seats, length = [start], 0
    left = {one: apart(one, start) for one in free if one != start}
    while left and len(seats) < number:
        nearest = min(left, key=lambda one: left[one])
        length += left.pop(nearest)
        seats.append(nearest)
        left = {one: min(distance, apart(one, nearest)) for one, distance in left.items()}
    return seats, length


def _distances(table: SeatingTable) -> Distance:
    """Return what tells how far two seats are apart, along the side of a long table or around any other one."""
    number, layout = table.seats, table.layout
    first = None if layout.goes_around else layout.sides[0]

    def distance(one: int, other: int) -> int:
        apart = abs(one - other)
        if first is None:
            return min(apart, number - apart)
        return apart if (one < first) == (other < first) else apart + number

    return distance

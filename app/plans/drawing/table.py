"""A table of a plan as a drawing: its cloth, its seats and the names of the guests. Pure geometry.

Seats and names are relative to the middle of their table, in floor units, 60 to the metre.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from app.bounded_cache import emptied_when_erased
from app.plans.drawing.boxes import Box
from app.plans.drawing.labels import Label, place_labels
from app.tables.entries import MAX_SEATS
from app.tables.layout import Reach
from app.tables.shapes import SEAT_RADIUS, Outline, Seat, outline_of
from app.web.html.text_metrics import fit_title, initial, initials

MOST_KEPT_SEATS = 40  # a table with more is drawn each time: what is kept has a bound
RING = 5.0  # around a seat, for marks of guests who were moved or are locked


class Sitter(NamedTuple):
    """A guest to be drawn, or with an empty name a place that is offered; `effect` stands in the seat."""

    key: str
    name: str
    state: str = ""
    words: str = ""
    effect: str = ""
    effect_tone: str = ""
    locked: bool = False
    moved: bool = False
    data: tuple[tuple[str, str], ...] = ()
    """What the seat carries for its colours and badges."""


class FloorTable(NamedTuple):
    """A table to be drawn, with the guests at their seats (counted from 0)."""

    name: str
    sub: str
    shape: str
    seats: int
    sitters: tuple[tuple[int, Sitter], ...]
    x: float | None = None
    y: float | None = None
    rotation: float = 0.0
    end_seats: bool = False
    key: str = ""
    locked: bool = False
    blocked: tuple[int, ...] = ()
    """Seats that stay empty."""


class DrawnSeat(NamedTuple):
    """A seat relative to the middle of its table, the name beside it, and where its mark goes, towards the table."""

    number: int
    x: float
    y: float
    mark_x: float
    mark_y: float
    sitter: Sitter | None = None
    initial: str = ""
    initials: str = ""
    label: Label | None = None
    blocked: bool = False


@dataclass(frozen=True)
class DrawnTable:
    """A table at its place. A box has rounded corners; the cloth is turned, the texts are not."""

    key: str
    x: float
    y: float
    outline: Outline
    title: tuple[str, ...]
    small_title: bool
    name: str
    sub: str
    seats: tuple[DrawnSeat, ...]
    reach: Reach
    is_placed: bool = False
    locked: bool = False

    @property
    def rotation(self) -> float:
        """Degrees clockwise."""
        return self.outline.rotation

    @property
    def box(self) -> Box:
        """The room that the table takes with seats and names."""
        return self.x - self.reach.left, self.y - self.reach.up, self.x + self.reach.right, self.y + self.reach.down


def draw_table(table: FloorTable) -> DrawnTable:
    """Draw one table around its own middle."""
    highest = max([table.seats, *(seat + 1 for seat, _ in table.sitters)])
    return _draw_again(table) if highest <= MOST_KEPT_SEATS else _draw(table)


@emptied_when_erased
@lru_cache(maxsize=1024)
def _draw_again(table: FloorTable) -> DrawnTable:
    return _draw(table)


def _draw(table: FloorTable) -> DrawnTable:
    sitters = dict(_seated(table))
    count = max([table.seats, *(seat + 1 for seat in sitters)])
    outline = outline_of(table.shape, count, table.rotation, table.end_seats)
    blocked = frozenset(table.blocked)
    labels = place_labels(outline.seats, {seat: sitter.name for seat, sitter in sitters.items() if sitter.name})
    seats = tuple(
        DrawnSeat(
            *(number, seat.x, seat.y, *_mark(seat)),
            *_named(sitters.get(number)),
            labels.get(number),
            number in blocked and number not in sitters,
        )
        for number, seat in enumerate(outline.seats)
    )
    lines, small = fit_title(table.name, outline.title_width)
    reach = _reach(outline, labels)
    return DrawnTable(
        *(table.key, 0.0, 0.0, outline, lines, small, table.name, table.sub, seats, reach), locked=table.locked
    )


def _mark(seat: Seat) -> tuple[float, float]:
    return seat.x - seat.out_x * SEAT_RADIUS, seat.y - seat.out_y * SEAT_RADIUS


def _named(sitter: Sitter | None) -> tuple[Sitter | None, str, str]:
    return (sitter, initial(sitter.name), initials(sitter.name)) if sitter else (None, "", "")


def _reach(outline: Outline, labels: dict[int, Label]) -> Reach:
    across, down = outline.extent
    round_seat = SEAT_RADIUS + RING
    boxes: list[Box] = [(-across, -down, across, down)]
    boxes += [(s.x - round_seat, s.y - round_seat, s.x + round_seat, s.y + round_seat) for s in outline.seats]
    boxes += [label.box for label in labels.values()]
    return Reach(
        -min(box[0] for box in boxes),
        -min(box[1] for box in boxes),
        max(box[2] for box in boxes),
        max(box[3] for box in boxes),
    )


def _seated(table: FloorTable) -> list[tuple[int, Sitter]]:
    # Two can hold the same seat when a removed guest came back: the second takes the next free one.
    taken: dict[int, Sitter] = {}
    for seat, sitter in table.sitters:
        place = min(seat, MAX_SEATS)  # a table may have lost chairs, but none ever had more
        while place in taken:
            place += 1
        taken[place] = sitter
    return list(taken.items())

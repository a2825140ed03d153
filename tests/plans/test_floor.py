"""The geometry of the floor: nothing overlaps, everything is inside, names stay readable."""

from __future__ import annotations

import itertools
import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.plans.drawing.floor import (
    LINE_HEIGHT,
    SEAT_RADIUS,
    SMALLEST_SCALE,
    DrawnSeat,
    DrawnTable,
    FloorTable,
    Sitter,
    choose_rows,
    draw_floor,
    draw_table,
)

Box = tuple[float, float, float, float]
SHORT, LONG = "Mei", "Wilhelmina Montgomery-Featherstone"


def table(seats: int, *, name: str = SHORT, shape: str = "round", guests: int | None = None) -> FloorTable:
    sitters = tuple((n, Sitter(f"{n}", f"{name} {n}")) for n in range(seats if guests is None else guests))
    return FloorTable("Birch", f"{len(sitters)} of {seats}", shape, seats, sitters)


def name_box(seat: DrawnSeat) -> Box:
    start = {"start": 0.0, "middle": seat.label_width / 2, "end": seat.label_width}[seat.anchor]
    left = seat.label_x - start
    return left, seat.label_y - LINE_HEIGHT / 2, left + seat.label_width, seat.label_y + LINE_HEIGHT / 2


def overlap(one: Box, other: Box) -> bool:
    slack = 0.01
    across = one[0] < other[2] - slack and other[0] < one[2] - slack
    return across and one[1] < other[3] - slack and other[1] < one[3] - slack


def distance(box: Box, x: float, y: float) -> float:
    return math.hypot(max(box[0] - x, 0, x - box[2]), max(box[1] - y, 0, y - box[3]))


def table_box(drawn: DrawnTable) -> Box:
    across, up, down = drawn.reach
    return drawn.x - across, drawn.y - up, drawn.x + across, drawn.y + down


@pytest.mark.parametrize("name", [SHORT, LONG])
@pytest.mark.parametrize("shape", ["round", "long"])
@pytest.mark.parametrize("seats", range(1, 25))
def test_names_and_seats_of_a_table_never_overlap(seats: int, shape: str, name: str) -> None:
    drawn = draw_table(table(seats, shape=shape, name=name))
    for one, other in itertools.combinations(drawn.seats, 2):
        assert math.hypot(one.x - other.x, one.y - other.y) >= 2 * SEAT_RADIUS + 4
        assert not overlap(name_box(one), name_box(other))
    for named, seat in itertools.product(drawn.seats, repeat=2):
        assert distance(name_box(named), seat.x, seat.y) >= SEAT_RADIUS
        assert distance((-drawn.half_width, -drawn.half_height, drawn.half_width, drawn.half_height),
                        seat.x, seat.y) >= SEAT_RADIUS or shape == "round"  # fmt: skip
        assert math.hypot(seat.x, seat.y) - SEAT_RADIUS >= drawn.half_width or shape == "long"


@pytest.mark.parametrize("seats", range(1, 25))
@pytest.mark.parametrize("shape", ["round", "long"])
def test_everything_of_a_table_is_within_its_reach(seats: int, shape: str) -> None:
    drawn = draw_table(table(seats, shape=shape, name=LONG))
    for seat in drawn.seats:
        left, top, right, bottom = name_box(seat)
        assert -drawn.reach.across <= left
        assert right <= drawn.reach.across
        assert -drawn.reach.up <= min(top, seat.y - SEAT_RADIUS)
        assert max(bottom, seat.y + SEAT_RADIUS) <= drawn.reach.down


def test_spare_seats_are_drawn_empty_and_removed_neighbours_leave_a_gap() -> None:
    drawn = draw_table(FloorTable("Oak", "2 of 4", "round", 4, ((0, Sitter("a", "Aino")), (2, Sitter("b", "Bo")))))
    assert [seat.label for seat in drawn.seats] == ["Aino", "", "Bo", ""]
    assert [seat.initial for seat in drawn.seats] == ["A", "", "B", ""]


def test_two_guests_on_one_seat_are_both_drawn() -> None:
    drawn = draw_table(FloorTable("Oak", "2 of 2", "round", 2, ((0, Sitter("a", "Aino")), (0, Sitter("b", "Bo")))))
    assert [seat.label for seat in drawn.seats] == ["Aino", "Bo"]


def test_long_names_are_cut_where_they_are_drawn() -> None:
    drawn = draw_table(table(1, name=LONG))
    assert drawn.seats[0].label == "Wilhelmina Mont…"
    assert drawn.seats[0].sitter is not None
    assert drawn.seats[0].sitter.name == f"{LONG} 0"


@pytest.mark.parametrize(
    ("sizes", "room", "rows"),
    [
        ([4, 4, 5, 6, 3], 740, [3, 2]),
        ([3], 740, [1]),
        ([10] * 12, 1190, [4, 4, 4]),
        ([20, 20], 740, [2]),
    ],
)
def test_tables_stand_in_rows_that_suit_the_room(sizes: list[int], room: float, rows: list[int]) -> None:
    reaches = [draw_table(table(size)).reach for size in sizes]
    assert choose_rows(reaches, room)[0] == rows


@settings(deadline=None, max_examples=60)
@given(
    st.lists(st.tuples(st.integers(1, 20), st.sampled_from(["round", "long"]), st.sampled_from([SHORT, LONG])),
             max_size=50),
    st.sampled_from([740.0, 1190.0]),
)  # fmt: skip
def test_tables_never_overlap_and_are_all_inside(kinds: list[tuple[int, str, str]], room: float) -> None:
    floor = draw_floor([table(size, shape=shape, name=name) for size, shape, name in kinds], room)
    boxes = [table_box(drawn) for drawn in floor.tables]
    assert len(boxes) == len(kinds)
    assert not any(overlap(one, other) for one, other in itertools.combinations(boxes, 2))
    for left, top, right, bottom in boxes:
        assert floor.left <= left
        assert right <= floor.left + floor.width + 0.01
        assert floor.top <= top
        assert bottom <= floor.top + floor.height + 0.01


def test_fifty_tables_stay_readable() -> None:
    floor = draw_floor([table(10, name=LONG) for _ in range(50)], 1190)
    assert floor.least_width <= 1190
    assert floor.width * SMALLEST_SCALE <= 1190


def test_tables_stand_where_they_were_put_and_the_others_below() -> None:
    put = FloorTable("Oak", "", "round", 4, (), x=500.0, y=300.0)
    floor = draw_floor([table(4), put, table(4)], 740)
    assert (floor.tables[1].x, floor.tables[1].y) == (500.0, 300.0)
    boxes = [table_box(drawn) for drawn in floor.tables]
    assert not any(overlap(one, other) for one, other in itertools.combinations(boxes, 2))


def test_small_drawing_is_not_blown_up() -> None:
    floor = draw_floor([table(3)], 740)
    assert floor.width >= 0.9 * 740


def test_floor_without_tables_is_empty() -> None:
    assert draw_floor([], 740).tables == ()

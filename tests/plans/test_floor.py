"""The geometry of the floor: nothing overlaps, everything is inside, names are whole, tables keep their order."""

from __future__ import annotations

import itertools
import math
import statistics
from collections.abc import Iterator
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.plans.drawing.floor import SMALLEST_SCALE, Floor, draw_floor
from app.plans.drawing.label_text import split_name, texts_of
from app.plans.drawing.table import DrawnTable, FloorTable, Sitter, draw_table
from app.plans.drawing.thumbnail import SmallTable, draw_thumbnail
from app.tables.room_items import RoomItem
from app.tables.rooms import RoomView
from app.tables.shapes import METRE, SEAT_RADIUS
from app.web.html.rendering import render_macro

Box = tuple[float, float, float, float]
SHAPES = [("round", False), ("square", False), ("long", False), ("long", True), ("head", False), ("oval", False)]
SHORT, LONG = "Mei", "Wilhelmina Montgomery-Featherstone"
WORDS = st.text("abcdefgilmnorstuwABCDEFGMW-'éøü", min_size=1, max_size=20)
NAMES = st.lists(WORDS, min_size=1, max_size=6).map(" ".join).filter(lambda name: len(name) <= 60)
ROTATIONS = st.one_of(st.floats(0, 359.9), st.sampled_from([0.0, 2.0, 15.0, 45.0, 90.0, 180.0, 270.0]))


def table(
    seats: int,
    *,
    name: str = SHORT,
    shape: str = "round",
    rotation: float = 0.0,
    end_seats: bool = False,
    x: float | None = None,
    y: float | None = None,
) -> FloorTable:
    sitters = tuple((n, Sitter(f"{n}", f"{name} {n}")) for n in range(seats))
    return FloorTable("Birch", f"{seats} of {seats}", shape, seats, sitters, x, y, rotation, end_seats, "b")


@pytest.mark.parametrize("seat", [500, 99_999])
def test_high_seat_number_draws_no_more_chairs_than_a_table_can_have(seat: int) -> None:
    drawn = draw_table(FloorTable("Birch", "", "round", 4, ((0, Sitter("a", "Aino")), (seat, Sitter("b", "Bo")))))
    assert [one.number for one in drawn.seats if one.sitter] == [0, 500]
    assert len(drawn.seats) == 501


def overlap(one: Box, other: Box) -> bool:
    slack = 0.01
    across = one[0] < other[2] - slack and other[0] < one[2] - slack
    return across and one[1] < other[3] - slack and other[1] < one[3] - slack


def distance(box: Box, x: float, y: float) -> float:
    return math.hypot(max(box[0] - x, 0, x - box[2]), max(box[1] - y, 0, y - box[3]))


def check_table(drawn: DrawnTable) -> None:
    """Names cover no other name and no seat; seats cover nothing; all of it is within the reach."""
    boxes = [seat.label.box for seat in drawn.seats if seat.label]
    assert not any(overlap(one, other) for one, other in itertools.combinations(boxes, 2))
    for one, other in itertools.combinations(drawn.seats, 2):
        assert math.hypot(one.x - other.x, one.y - other.y) >= 2 * SEAT_RADIUS + 2
    for box, seat in itertools.product(boxes, drawn.seats):
        assert distance(box, seat.x, seat.y) >= SEAT_RADIUS
    for seat in drawn.seats:
        assert not drawn.outline.covers(seat.x, seat.y)
    left, top, right, bottom = drawn.box
    for box in [*boxes, *((s.x - 13, s.y - 13, s.x + 13, s.y + 13) for s in drawn.seats)]:
        assert left - 0.01 <= box[0]
        assert top - 0.01 <= box[1]
        assert box[2] <= right + 0.01
        assert box[3] <= bottom + 0.01


@settings(max_examples=400)
@given(st.sampled_from(SHAPES), ROTATIONS, st.lists(st.one_of(NAMES, st.none()), min_size=1, max_size=40))
def test_names_and_seats_of_a_table_never_overlap(
    shape: tuple[str, bool], rotation: float, names: list[str | None]
) -> None:
    sitters = tuple((n, Sitter(f"{n}", name)) for n, name in enumerate(names) if name)
    drawn = draw_table(FloorTable("Oak", "", shape[0], len(names), sitters, None, None, rotation, shape[1]))
    check_table(drawn)
    assert {n: " ".join(seat.label.text.lines) for n, seat in enumerate(drawn.seats) if seat.label} == {
        n: name for n, name in enumerate(names) if name
    }


@pytest.mark.parametrize("name", [SHORT, LONG])
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("rotation", [0.0, 30.0, 90.0])
def test_tables_of_all_sizes_are_drawn_without_overlaps(shape: tuple[str, bool], rotation: float, name: str) -> None:
    for seats in [*range(1, 25), 41, 60]:
        check_table(draw_table(table(seats, shape=shape[0], end_seats=shape[1], rotation=rotation, name=name)))


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("seats", [1, 2, 3, 5, 8, 12])
def test_turning_a_table_turns_its_seats_and_keeps_names_upright(shape: tuple[str, bool], seats: int) -> None:
    straight = draw_table(table(seats, shape=shape[0], end_seats=shape[1]))
    turned = draw_table(table(seats, shape=shape[0], end_seats=shape[1], rotation=90.0))
    assert [(round(s.x, 6), round(s.y, 6)) for s in turned.seats] == [
        (round(-s.y, 6), round(s.x, 6)) for s in straight.seats
    ]
    for seat in turned.seats:
        assert seat.label
        assert seat.label.box[2] - seat.label.box[0] == pytest.approx(seat.label.text.width)


def sides(drawn: DrawnTable) -> list[tuple[int, int]]:
    """Return on which side of the cloth each seat is."""
    outline = drawn.outline
    return [
        (
            0 if abs(seat.x) <= outline.half_width else round(math.copysign(1, seat.x)),
            0 if abs(seat.y) <= outline.half_height else round(math.copysign(1, seat.y)),
        )
        for seat in drawn.seats
    ]


TOP, RIGHT, BOTTOM, LEFT = (0, -1), (1, 0), (0, 1), (-1, 0)


@pytest.mark.parametrize(
    ("shape", "seats", "expected"),
    [
        ("head", 4, [TOP] * 4),
        ("long", 5, [RIGHT] * 3 + [LEFT] * 2),
        ("square", 8, [TOP] * 2 + [RIGHT] * 2 + [BOTTOM] * 2 + [LEFT] * 2),
        ("square", 2, [TOP, BOTTOM]),
        ("square", 5, [TOP] * 2 + [RIGHT, BOTTOM, LEFT]),
    ],
)
def test_seats_are_on_the_sides_of_their_shape(shape: str, seats: int, expected: list[tuple[int, int]]) -> None:
    assert sides(draw_table(table(seats, shape=shape))) == expected


def test_long_table_with_end_seats_has_one_at_each_end() -> None:
    drawn = draw_table(table(6, shape="long", end_seats=True))
    assert sides(drawn) == [RIGHT, RIGHT, BOTTOM, LEFT, LEFT, TOP]


@pytest.mark.parametrize(
    ("name", "lines"),
    [
        ("Mei", ("Mei",)),
        ("Patrick Rochefoucauld-Montmorency", ("Patrick", "Rochefoucauld-Montmorency")),
        ("Aunt Zainab Rahman", ("Aunt Zainab", "Rahman")),
        ("Ludwig van der Rohe", ("Ludwig", "van der Rohe")),
        ("A B C D Montgomery", ("A B C D", "Montgomery")),
        ("Wilhelmina Alexandra Theodora Constance Li", ("Wilhelmina Alexandra", "Theodora Constance Li")),
    ],
)
def test_names_are_broken_before_the_last_name_or_evenly(name: str, lines: tuple[str, ...]) -> None:
    assert split_name(name) == lines


def test_name_of_sixty_letters_is_whole_and_a_longer_one_is_cut() -> None:
    assert texts_of("x" * 60)[0].lines == ("x" * 60,)
    assert texts_of("x" * 90)[0].lines == ("x" * 63 + "…",)


def test_short_names_stay_on_one_line_where_there_is_room() -> None:
    drawn = draw_table(table(4, name="Bo"))
    assert [seat.label.text.lines for seat in drawn.seats if seat.label] == [(f"Bo {n}",) for n in range(4)]


def test_spare_seats_are_drawn_empty_and_removed_neighbours_leave_a_gap() -> None:
    drawn = draw_table(FloorTable("Oak", "2 of 4", "round", 4, ((0, Sitter("a", "Aino")), (2, Sitter("b", "Bo")))))
    assert [seat.label.text.lines if seat.label else None for seat in drawn.seats] == [("Aino",), None, ("Bo",), None]
    assert [seat.initial for seat in drawn.seats] == ["A", "", "B", ""]


def test_two_guests_on_one_seat_are_both_drawn() -> None:
    drawn = draw_table(FloorTable("Oak", "2 of 2", "round", 2, ((0, Sitter("a", "Aino")), (0, Sitter("b", "Bo")))))
    assert [seat.initial for seat in drawn.seats] == ["A", "B"]


def check_floor(floor: Floor, count: int) -> None:
    boxes = [drawn.box for drawn in floor.tables]
    assert len(boxes) == count
    assert not any(overlap(one, other) for one, other in itertools.combinations(boxes, 2))
    for left, top, right, bottom in boxes:
        assert floor.left <= left
        assert right <= floor.left + floor.width + 0.01
        assert floor.top <= top
        assert bottom <= floor.top + floor.height + 0.01


def rows_of(tables: list[DrawnTable]) -> Iterator[list[DrawnTable]]:
    for _, row in itertools.groupby(tables, key=lambda one: one.y):
        yield list(row)


def test_tall_table_stands_beside_the_rows_so_that_names_can_be_read() -> None:
    tables = [table(9, shape="head"), table(20, shape="long", end_seats=True), *(table(8) for _ in range(12))]
    floor = draw_floor(tables, proportion=1.7)
    check_floor(floor, 14)
    head, long, *rounds = floor.tables
    assert head.box[3] <= long.box[1]
    assert [len(row) for row in rows_of(rounds)] == [4, 4, 4]
    assert all(long.box[2] < one.box[0] for one in rounds)
    assert 12 * 1064 / floor.width > 8  # pixels of a name in a window of 1440 by 900


LEAST_WIDTH = 10 * METRE
KINDS = st.tuples(st.integers(1, 20), st.sampled_from(SHAPES), ROTATIONS, st.sampled_from([SHORT, LONG]))


@settings(max_examples=80)
@given(st.lists(KINDS, max_size=50), st.floats(0.6, 2.5))
def test_tables_never_overlap_keep_their_order_and_suit_the_window(
    kinds: list[tuple[int, tuple[str, bool], float, str]], proportion: float
) -> None:
    tables = [table(n, shape=s[0], end_seats=s[1], rotation=r, name=name) for n, s, r, name in kinds]
    floor = draw_floor(tables, proportion=proportion)
    check_floor(floor, len(kinds))
    assert proportion / 1.2 <= floor.width / floor.height <= proportion * 1.2
    others = [one for one, kind in zip(floor.tables, kinds, strict=True) if kind[1][0] != "head"]
    usual = statistics.median_low([one.reach.height for one in others]) if others else 0
    others = [one for one in others if one.reach.height <= 1.4 * usual]  # taller ones may stand beside the rows
    rows = list(rows_of(others))
    assert [one.y for one in others] == sorted(one.y for one in others)
    assert all([one.x for one in row] == sorted(one.x for one in row) for row in rows)
    used = sum((box[2] - box[0]) * (box[3] - box[1]) for box in (one.box for one in floor.tables))
    alike = len({kind[1:3] for kind in kinds}) == 1 and len({kind[0] for kind in kinds}) == 1
    is_least = floor.width <= LEAST_WIDTH  # a room is at least so wide, however small its tables are
    assert not alike or len(kinds) < 4 or is_least or used > 0.25 * floor.width * floor.height


@pytest.mark.parametrize("count", [1, 3, 14, 40])
def test_head_table_is_at_the_top_in_the_middle(count: int) -> None:
    head = table(10, shape="head")
    floor = draw_floor([*(table(8) for _ in range(count)), head], proportion=1.5)
    last = floor.tables[-1]
    assert all(last.box[3] < other.box[1] for other in floor.tables[:-1])
    assert (last.box[0] + last.box[2]) / 2 == pytest.approx(floor.left + floor.width / 2, abs=20)


def test_sixty_tables_stay_readable_in_a_wide_window() -> None:
    floor = draw_floor([table(10) for _ in range(60)], proportion=1.7)
    check_floor(floor, 60)
    assert floor.least_width == round(floor.width * SMALLEST_SCALE)
    assert floor.width < 60 * 300 / 5  # rows of about ten


def test_tables_stand_where_they_were_put_and_the_others_below() -> None:
    floor = draw_floor([table(4), table(4, x=500.0, y=300.0), table(4)])
    assert (floor.tables[1].x, floor.tables[1].y) == (500.0, 300.0)
    assert [one.is_placed for one in floor.tables] == [False, True, False]
    check_floor(floor, 3)


def test_tables_are_spread_over_a_room_of_known_size() -> None:
    room = RoomView(width=1800.0, height=1200.0)
    floor = draw_floor([table(8) for _ in range(6)], room)
    check_floor(floor, 6)
    assert floor.outline == (0.0, 0.0, 1800.0, 1200.0)
    assert all(
        one.box[0] >= 0 and one.box[2] <= 1800 and one.box[1] >= 0 and one.box[3] <= 1200 for one in floor.tables
    )


def test_drawing_includes_the_room_and_what_stands_in_it() -> None:
    bar = RoomItem("bar", 3000.0, 100.0, 60.0, 400.0, 90.0, "Bar", "bar")
    floor = draw_floor([table(4)], RoomView(items=(bar,)))
    assert floor.left + floor.width >= 3200
    assert floor.items == (bar,)
    assert not bar.is_upright


def test_drawing_includes_the_texts_of_items() -> None:
    label = RoomItem("label", 0.0, 0.0, 30.0, 20.0, 0.0, "W" * 60, "label")
    door = RoomItem("door", 0.0, -400.0, 60.0, 12.0, 0.0, "Entrance", "door")
    floor = draw_floor([], RoomView(items=(label, door)))
    assert floor.left <= -label.text_width / 2
    assert floor.left + floor.width >= label.text_width / 2
    assert floor.top <= -426


SIZES = st.one_of(st.none(), st.tuples(st.floats(600, 4000), st.floats(600, 4000)))
ITEMS = st.builds(
    RoomItem,
    st.sampled_from(["dance_floor", "stage", "bar"]),
    *(st.floats(0, 2500), st.floats(0, 2500), st.floats(20, 900), st.floats(20, 900), ROTATIONS),
)


@settings(max_examples=100)
@given(st.lists(KINDS, max_size=20), st.lists(ITEMS, min_size=1, max_size=4), SIZES)
def test_tables_are_laid_out_around_what_stands_in_the_room(
    kinds: list[tuple[int, tuple[str, bool], float, str]], items: list[RoomItem], size: tuple[float, float] | None
) -> None:
    tables = [table(n, shape=s[0], end_seats=s[1], rotation=r, name=name) for n, s, r, name in kinds]
    width, height = size or (None, None)
    floor = draw_floor(tables, RoomView(width=width, height=height, items=tuple(items)))
    check_floor(floor, len(kinds))
    for one, item in itertools.product(floor.tables, items):
        assert not overlap(one.box, item.box)
    others = [one for one, kind in zip(floor.tables, kinds, strict=True) if kind[1][0] != "head"]
    assert [(round(one.y, 3), one.x) for one in others] == sorted((round(one.y, 3), one.x) for one in others)


def test_small_drawing_is_not_blown_up() -> None:
    assert draw_floor([table(3)]).width >= 600


def test_floor_without_tables_is_empty() -> None:
    assert draw_floor([]).tables == ()


def test_items_are_labelled_by_their_kind_in_every_drawing() -> None:
    floor = RoomItem("dance_floor", 900.0, 100.0, 300.0, 240.0, 0.0, "", "dance")
    wall = RoomItem("wall", 900.0, 400.0, 300.0, 12.0, 0.0, "", "wall")
    assert [item.shown_text for item in (floor, replace(floor, text="Disco"), wall)] == ["Dance floor", "Disco", ""]
    drawn = draw_thumbnail([SmallTable("Table 1", "round", 4, ())], RoomView(items=(floor, wall)))
    assert drawn.items == (floor, wall)
    assert floor.text_width > 0
    page = render_macro("plans/_thumbnail.html", "thumbnail", drawn, "Plan")
    assert ">Dance floor</text>" in page
    assert page.count('<text class="room-text"') == 1

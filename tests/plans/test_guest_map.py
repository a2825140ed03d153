"""The geometry of the map of the guests."""

from __future__ import annotations

import itertools
import math
import random

import numpy as np

from app.plans.drawing.boxes import Box, Boxes
from app.plans.drawing.guest_map import LABEL_SIZE, MAP_HEIGHT, MAP_WIDTH, MapGuest, MapMark, draw_map
from app.web.html.text_metrics import width


def guests(count: int, *, tables: int = 5) -> list[MapGuest]:
    points = np.random.default_rng(1).normal(size=(count, 2)) * 3
    return [MapGuest(f"Guest {n}", float(x), float(y), n % tables) for n, (x, y) in enumerate(points)]


def label_box(mark: MapMark) -> tuple[float, float, float, float]:
    wide = width(mark.label, LABEL_SIZE)
    left = {"start": mark.x + 10, "end": mark.x - 10 - wide, "middle": mark.x - wide / 2}[mark.anchor]
    top = mark.y - 21 if mark.anchor == "middle" else mark.y - 6
    return left, top, left + wide, top + 12


def test_map_keeps_the_distances() -> None:
    some = guests(22)
    marks = draw_map(some).marks
    shares = [
        math.dist((a.x, a.y), (b.x, b.y)) / math.dist((some[i].x, some[i].y), (some[j].x, some[j].y))
        for (i, a), (j, b) in itertools.combinations(enumerate(marks), 2)
    ]
    assert max(shares) - min(shares) < 0.05 * min(shares)


def test_names_never_cover_each_other_and_all_marks_are_inside() -> None:
    marks = draw_map(guests(80)).marks
    boxes = [label_box(mark) for mark in marks if mark.label]
    assert len(boxes) > 20
    for one, other in itertools.combinations(boxes, 2):
        apart = one[2] <= other[0] or other[2] <= one[0] or one[3] <= other[1] or other[3] <= one[1]
        assert apart
    assert all(0 <= mark.x <= MAP_WIDTH and 0 <= mark.y <= MAP_HEIGHT for mark in marks)


def test_few_guests_all_have_their_name() -> None:
    corners = [MapGuest(name, x, y, 0) for name, x, y in (("Aino", 0, 0), ("Bo", 1, 0), ("Cleo", 0, 1))]
    assert [mark.label for mark in draw_map(corners).marks] == ["Aino", "Bo", "Cleo"]


def test_many_guests_lose_their_names_and_very_many_become_dots() -> None:
    assert not any(mark.label for mark in draw_map(guests(200)).marks)
    crowd = draw_map(guests(5000))
    assert (crowd.marks, len(crowd.dots)) == ((), 5)
    assert sum(len(dots.path) for dots in crowd.dots) < 5000 * 18


def test_guests_at_one_point_stand_around_it_and_hide_nobody() -> None:
    crowd = [MapGuest(f"G{number}", 2.0, 2.0, 0) for number in range(12)]
    marks = draw_map([*crowd, MapGuest("Far", 9.0, 2.0, 0)]).marks
    spots = [(mark.x, mark.y) for mark in marks]
    assert min(math.dist(one, other) for one, other in itertools.combinations(spots, 2)) > 12
    assert max(math.dist(spots[0], spot) for spot in spots[:12]) < 60
    assert [mark.label for mark in draw_map(crowd[:4]).marks] == ["G0", "G1", "G2", "G3"]


def test_guests_without_a_place_are_told_aside() -> None:
    few = draw_map(guests(3), guests(2))
    assert (len(few.marks), [guest.name for guest in few.aside], few.others_aside) == (3, ["Guest 0", "Guest 1"], 0)
    many = draw_map(guests(3), guests(100))
    assert (len(many.aside), many.others_aside) == (60, 40)


def test_map_without_guests_is_empty() -> None:
    assert draw_map([]).marks == ()


def test_map_is_no_higher_than_its_guests_need() -> None:
    line = [MapGuest(name, x, 0.01 * x, 0) for name, x in (("Aino", 0), ("Bo", 1), ("Cleo", 3))]
    flat, full = draw_map(line), draw_map(guests(22))
    assert flat.height < MAP_HEIGHT / 3
    assert flat.top + flat.height / 2 == MAP_HEIGHT / 2
    assert all(flat.top <= mark.y <= flat.top + flat.height for mark in flat.marks)
    assert full.height > 0.6 * MAP_HEIGHT


def test_marks_that_would_hide_each_other_go_around_the_first_of_them() -> None:
    pairs = [MapGuest(f"G{n}", float(n % 40), float(n % 40 % 7), 0) for n in range(120)]
    marks = draw_map(pairs).marks
    assert len({(mark.x, mark.y) for mark in marks}) == 120
    for n in range(40):  # three at each point: the first stays, the others stand at the distance of the sunflower
        first, *others = marks[n::40]
        assert [round(math.dist((first.x, first.y), (one.x, one.y)), 0) for one in others] == [14, 20]


def test_a_box_is_free_only_where_no_other_is() -> None:
    rng = random.Random(3)
    for _ in range(50):
        boxes = [_random_box(rng) for _ in range(30)]
        taken = Boxes(boxes[1:])
        assert taken.is_free(boxes[0], boxes[0]) == (not any(_overlap(boxes[0], other) for other in boxes[1:]))
        assert Boxes(boxes[:1]).is_free(boxes[0], boxes[0])


def _random_box(rng: random.Random) -> Box:
    left, top = rng.uniform(-20, 700), rng.uniform(-20, 440)
    return left, top, left + rng.uniform(1, 120), top + rng.uniform(1, 60)


def _overlap(one: Box, other: Box) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]

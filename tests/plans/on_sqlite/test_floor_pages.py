"""The floor and the map of a plan's page."""

from __future__ import annotations

import re

import numpy as np
import pytest
from fastapi.testclient import TestClient

from app.accounts.actor import Actor
from app.db import models
from app.db.session import Sessions, transaction
from app.events.context import open_event
from app.files.images import EncodedImage
from app.solver import Kind
from app.tables.room_items import RoomItem
from app.tables.rooms import RoomEntry, change_room, set_background
from tests.factories import NAMES, Planned, make_plan
from tests.plans.on_sqlite.plan_pages import SCORES, address, explanation, problems, rows, text_of


def test_legend_tells_of_the_grey_ring_only_where_there_is_one(
    web: TestClient, made: Planned, sessions: Sessions, owner: Actor
) -> None:
    with transaction(sessions) as session:
        unknown = make_plan(session, owner, sizes=(3, 3), names=["Aino", "Bo", "Cleo", "Dan", "Eve"], matrix=SCORES,
                            assignment=[0, 0, 1, 0, 1])  # fmt: skip
    marks = [
        re.findall(
            r'class="seat( h\d)?"><circle r="13"/></g></svg><bdi>([^<]+)</bdi></button></li>',
            web.get(address(plan)).text,
        )
        for plan in (made, unknown)
    ]
    known = [(" h2", "with someone they like"), (" h1", "with their household"), (" h0", "needs attention")]
    assert marks == [known, [*known, ("", "no likes entered")]]


def test_floor_and_map_are_drawn_with_every_name(web: TestClient, made: Planned) -> None:
    page = web.get(address(made)).text
    floor = re.search(r'<svg class="floor-picture".*?</svg>', page, flags=re.S)
    explained = explanation(web, made)
    marks = re.search(r'<svg class="map".*?</svg>', explained, flags=re.S)
    assert floor
    assert marks
    for name in ("Aino", "Bo", "Cleo", "Dan", "Eve"):
        assert f">{name}</text>" in floor[0]
        assert f">{name}</text>" in marks[0]
    assert floor[0].count('class="seat ') == 6
    assert floor[0].count('class="seat empty"') == 1
    assert "data-chart-line" in explained


def test_floor_carries_what_scripts_need_to_move_tables_and_guests(
    web: TestClient, made: Planned, sessions: Sessions, owner: Actor
) -> None:
    with transaction(sessions) as session:
        table = session.get_one(models.Table, made.tables[0].id)
        table.x, table.y, table.rotation, table.shape = 120.0, 60.5, 45.0, "head"
    page = web.get(address(made)).text
    key, guest = made.tables[0].id, made.guests[0].id
    assert (
        f'<g class="table" id="t-{key}" data-table="{key}" data-x="120.0" data-y="60.5" data-rotation="45.0" '
        'data-placed transform="translate(120.0 60.5)">'
    ) in page
    assert f'data-table="{key}" data-seat-number="1" data-seat="{guest}"' in page
    assert 'transform="rotate(45.0)"' in page
    other = re.search(rf'<g class="table" id="t-{made.tables[1].id}"[^>]*>', page)
    assert other
    assert "data-placed" not in other[0]


def test_room_is_drawn_under_the_tables(web: TestClient, made: Planned, sessions: Sessions, owner: Actor) -> None:
    event = made.event.id
    with transaction(sessions) as session:
        ctx = open_event(session, owner, event)
        bar = RoomItem("bar", 30.0, 40.0, 60.0, 20.0, 0.0, "Bar & <grill>", "bar-1")
        change_room(ctx, RoomEntry(width=1200.0, height=900.0, items=[bar], background_width=10.0))
        view = set_background(ctx, EncodedImage("image/png", 4, 2, b"picture")).background
    page = web.get(address(made)).text
    assert view is not None
    assert view.address.startswith(f"/events/{event}/room/background?v=")
    picture = f'<image class="room-picture" href="{view.address}" width="600.0" height="300.0" opacity="0.5"'
    outline = '<rect class="room-outline" x="0.0" y="0.0" width="1200.0" height="900.0"'
    item = '<g class="room-item room-bar" data-item="bar-1" data-x="30.0" data-y="40.0" data-width="60.0"'
    places = [
        page.index(part) for part in (picture, outline, item, "Bar &amp; &lt;grill&gt;</text>", '<g class="table"')
    ]
    assert places == sorted(places)


@pytest.mark.parametrize("kind", ["score", "distance"])
def test_guests_without_ratings_stand_beside_the_map(
    web: TestClient, sessions: Sessions, owner: Actor, kind: Kind
) -> None:
    unrated = 0.0 if kind == "score" else 2.0
    values = np.full((5, 5), unrated)
    values[:3, :3] = [[0, 2, 1], [2, 0, 3], [1, 3, 0]]
    with transaction(sessions) as session:
        made = make_plan(session, owner, sizes=(3, 2), names=["Aino", "Bo", "Cleo", "Dan", "<Eve>"], kind=kind,
                         matrix=values)  # fmt: skip
    page = explanation(web, made)
    marks = re.search(r'<svg class="map".*?</svg>', page, flags=re.S)
    assert marks
    assert re.findall(r">(\w+)</text>", marks[0]) == ["Aino", "Bo", "Cleo"]
    assert "Not on the map, because they have no ratings yet: Dan &lt;Eve&gt;" in text_of(page)


def test_big_plan_comes_in_pages_without_the_floor(web: TestClient, sessions: Sessions, owner: Actor) -> None:
    scores = np.zeros((700, 700))
    scores[0, 699] = scores[699, 0] = 2
    with transaction(sessions) as session:
        made = make_plan(session, owner, sizes=[10] * 70, names=[f"Guest {n}" for n in range(700)], matrix=scores)
    first = web.get(address(made))
    assert len(first.content) < 400_000
    assert "floor-picture" not in first.text
    assert "The floor plan is not shown for this many guests" in first.text
    assert (len(rows(first.text)), "Page 1 of 3" in first.text) == (240, True)
    last = made.guests[699].id
    assert f'href="{address(made)}?tab=guest&amp;guest={last}"' in problems(web, made)
    assert f'id="g-{last}"' in web.get(address(made), params={"page": 3}).text


def test_twenty_two_guests_fit_a_small_page(web: TestClient, sessions: Sessions, owner: Actor) -> None:
    rng = np.random.default_rng(2)
    with transaction(sessions) as session:
        made = make_plan(session, owner, matrix=rng.uniform(-2, 2, (22, 22)))
    page = web.get(address(made))
    assert len(page.content) < 60_000
    assert [row.split(" (")[0] for row in rows(page.text)] == list(NAMES)


def test_names_are_escaped_and_emoji_and_right_to_left_work(web: TestClient, sessions: Sessions, owner: Actor) -> None:
    names = ["<b>Bobby</b>", "נועה", "👩‍👩‍👧 Family", "W" * 200]
    with transaction(sessions) as session:
        made = make_plan(session, owner, sizes=(4,), names=names)
    page = web.get(address(made)).text
    assert "<b>Bobby" not in page
    for name in ("&lt;b&gt;Bobby", "<bdi>נועה</bdi>", "👩‍👩‍👧 Family", "W" * 200, "W" * 15 + "…"):
        assert name in page

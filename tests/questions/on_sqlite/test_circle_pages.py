"""The page of circles: a plain form, with undo, and what was ticked stays after a mistake."""

from __future__ import annotations

import re

import pytest
from fastapi.testclient import TestClient

from tests.pages import fields_of, words_of

GUESTS = ["Aino", "Bo", "Cleo", "Dan", "Eve", "Fay"]


@pytest.fixture
def event(web: TestClient, api: TestClient) -> str:
    """The address of an event with six guests of one group."""
    event = api.post("events", json={"name": "Party"}).json()["id"]
    guests = [{"name": name, "groups": ["Choir"]} for name in GUESTS]
    assert api.put(f"events/{event}/guests", json={"guests": guests}).is_success
    return f"/events/{event}"


def households(page: str) -> list[str]:
    """Return the values of the boxes to tick."""
    return re.findall(r'name="guest" value="([^"]+)"', page)


def groups(api: TestClient, event: str) -> dict[str, int]:
    return {group["name"]: len(group["guests"]) for group in api.get(f"{event[1:]}/groups").json()["groups"]}


def test_circle_is_saved_undone_and_saved_again(web: TestClient, api: TestClient, event: str) -> None:
    page = web.get(f"{event}/ratings/circles").text
    assert "Which guests in Choir are close to each other?" in words_of(page)
    ticked = {"group": fields_of(page)["group"][0], "guest": households(page)[:3]}
    saved = web.post(f"{event}/ratings/circles", data=ticked)
    assert saved.status_code == 303
    assert groups(api, event) == {"Choir": 6, "Aino and others": 3}
    after = web.get(saved.headers["location"]).text
    assert "“Aino and others” saved. Its guests count as close to each other." in words_of(after)
    assert "1 circle, 3 not in a circle" not in words_of(after)  # there is no other group to go to
    assert "Circles so far Choir Aino and others 3 guests" in words_of(after)
    undo = {name: fields_of(after)[name][0] for name in ("circle", "version", "group")}
    undone = web.post(f"{event}/ratings/circles/undo", data=undo)
    assert (undone.status_code, groups(api, event)) == (303, {"Choir": 6})
    again = web.post(f"{event}/ratings/circles/undo", data=undo)
    assert (again.status_code, groups(api, event)) == (303, {"Choir": 6})
    assert "changed meanwhile" not in web.get(again.headers["location"]).text


def test_group_without_circles_left_is_named_before_the_next_one(web: TestClient, api: TestClient, event: str) -> None:
    page = web.get(f"{event}/ratings/circles").text
    for few in (slice(0, 3), slice(3, 6)):
        ticked = {"group": fields_of(page)["group"][0], "guest": households(page)[few]}
        saved = web.post(f"{event}/ratings/circles", data=ticked)
    after = words_of(web.get(saved.headers["location"]).text)
    assert re.search("Choir ?: no circles are left to mark", after)
    assert "No circles left to mark" in after
    assert "Circles so far Choir Aino and others 3 guests Dan and others 3 guests" in after


def test_only_circles_that_were_just_saved_can_be_undone(web: TestClient, api: TestClient, event: str) -> None:
    choir = api.get(f"{event[1:]}/groups").json()["groups"][0]["id"]
    page = web.get(f"{event}/ratings/circles?saved={choir}").text
    assert "Undo" not in words_of(page)
    stayed = web.post(f"{event}/ratings/circles/undo", data={"circle": choir, "version": "2"})
    assert "was changed meanwhile, so it was not deleted" in words_of(web.get(stayed.headers["location"]).text)
    assert groups(api, event) == {"Choir": 6}


def test_selection_stays_when_somebody_else_has_marked_some_of_them(
    web: TestClient, api: TestClient, event: str
) -> None:
    page = web.get(f"{event}/ratings/circles").text
    group, boxes = fields_of(page)["group"][0], households(page)
    web.post(f"{event}/ratings/circles", data={"group": group, "guest": boxes[:5]})
    refused = web.post(f"{event}/ratings/circles", data={"group": group, "guest": boxes[3:], "name": "Mine"})
    assert refused.status_code == 422
    assert "Dan and Eve are in the circle “Aino and others” already." in words_of(refused.text)
    assert "Which guests in Choir are close to each other?" in words_of(refused.text)
    assert refused.text.count(" checked") == 3
    assert 'value="Mine"' in refused.text


@pytest.mark.parametrize("group", ["x", "é", "1#&kept=2", "x" * 3000])
def test_group_that_is_none_gets_into_no_address(web: TestClient, event: str, group: str) -> None:
    boxes = households(web.get(f"{event}/ratings/circles").text)
    refused = web.post(f"{event}/ratings/circles", data={"group": group, "guest": boxes[:2]})
    assert refused.status_code == 422
    undone = web.post(f"{event}/ratings/circles/undo", data={"group": group})
    assert undone.headers["location"].endswith("/ratings/circles?group=none")


def test_mistake_keeps_what_was_entered(web: TestClient, api: TestClient, event: str) -> None:
    before = web.get(f"{event}/ratings/circles").text
    entered = {"group": fields_of(before)["group"][0], "guest": households(before)[1:2], "name": "Altos"}
    page = web.post(f"{event}/ratings/circles", data=entered)
    assert page.status_code == 422
    assert "Choose guests of at least two households." in words_of(page.text)
    assert 'value="Altos"' in page.text
    assert page.text.count(" checked") == 1
    taken = web.post(f"{event}/ratings/circles", data={**entered, "guest": households(before)[:2], "name": "choir"})
    assert taken.status_code == 422
    assert "already exists as “Choir”" in words_of(taken.text)
    assert groups(api, event) == {"Choir": 6}


@pytest.mark.parametrize("group", ["", "none", "x", "00000000-0000-0000-0000-000000000000"])
def test_unknown_group_shows_the_first_one(web: TestClient, event: str, group: str) -> None:
    assert "Which guests in Choir are close to each other?" in words_of(
        web.get(f"{event}/ratings/circles?group={group}").text
    )


def test_names_are_shown_as_text(web: TestClient, api: TestClient) -> None:
    event = api.post("events", json={"name": "Party"}).json()["id"]
    guests = [{"name": f"<b>{number}</b>, “x”", "groups": ["<i>G</i>"]} for number in range(5)]
    assert api.put(f"events/{event}/guests", json={"guests": guests}).is_success
    page = web.get(f"/events/{event}/ratings/circles").text
    assert "<b>0" not in page
    assert "<i>G" not in page
    ticked = {"group": fields_of(page)["group"][0], "guest": households(page)[:2]}
    saved = web.post(f"/events/{event}/ratings/circles", data=ticked)
    assert "“<b>0</b> “x” and others” saved" in words_of(web.get(saved.headers["location"]).text)

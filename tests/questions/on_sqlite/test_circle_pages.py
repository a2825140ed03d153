"""The page of circles: a plain form, with undo, and what was ticked stays after a mistake."""

from __future__ import annotations

import re
from uuid import UUID, uuid4

import pytest
from fastapi.testclient import TestClient

from app.db.session import Sessions, transaction
from app.events.queries import revision_of
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


def rate(api: TestClient, event: str, group: str, score: int) -> None:
    """Say how the guests of a group get along."""
    rating = {"ratings": [{"a": group, "b": group, "score": score}]}
    answer = api.put(f"{event[1:]}/groups/ratings", json=rating, headers={"If-Match": "*"})
    assert answer.is_success, answer.text


def scores(api: TestClient, event: str) -> list[float]:
    return [one["score"] for one in api.get(f"{event[1:]}/groups/ratings").json()["ratings"]]


def groups(api: TestClient, event: str) -> dict[str, int]:
    return {group["name"]: len(group["guests"]) for group in api.get(f"{event[1:]}/groups").json()["groups"]}


def test_circle_is_saved_undone_and_saved_again(web: TestClient, api: TestClient, event: str) -> None:
    page = web.get(f"{event}/ratings/circles").text
    assert "Which guests in Choir are close to each other?" in words_of(page)
    ticked = {"group": fields_of(page)["group"][0], "guest": households(page)[:3]}
    saved = web.post(f"{event}/ratings/circles", data=ticked)
    assert saved.status_code == 303
    assert groups(api, event) == {"Choir": 6, "Choir circle 1": 3}
    after = web.get(saved.headers["location"]).text
    assert "“Choir circle 1” saved. Its guests count as close to each other." in words_of(after)
    assert "not in a circle" not in words_of(after)  # there is no other group to go to
    assert "Circles so far Choir Choir circle 1 3 guests: Aino, Bo, Cleo" in words_of(after)
    undo = {name: fields_of(after)[name][0] for name in ("circle", "version", "undo", "group")}
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
    assert re.search("Choir circle 1 3 guests: Aino, .* Choir circle 2 3 guests: Dan, ", after)


def test_only_circles_that_were_made_here_can_be_undone(web: TestClient, api: TestClient, event: str) -> None:
    choir = api.get(f"{event[1:]}/groups").json()["groups"][0]["id"]
    rate(api, event, choir, 2)
    for guessed in ("", "&undo=x", "&undo=é"):
        page = web.get(f"{event}/ratings/circles?saved={choir}{guessed}").text
        assert "The guests of “Choir” count as close to each other." in words_of(page)
        assert "circles/undo" not in page
    for undo in ("", "x", "é"):
        form = {"circle": choir, "version": "2", "undo": undo}
        stayed = web.post(f"{event}/ratings/circles/undo", data=form)
        assert "so it was not deleted" in words_of(web.get(stayed.headers["location"]).text)
    assert groups(api, event) == {"Choir": 6}


def test_circle_of_everyone_is_an_answer_and_deletes_no_group(web: TestClient, api: TestClient, event: str) -> None:
    page = web.get(f"{event}/ratings/circles").text
    everyone = {"group": fields_of(page)["group"][0], "guest": households(page)}
    saved = web.post(f"{event}/ratings/circles", data=everyone).headers["location"]
    after = web.get(saved).text
    assert "The guests of “Choir” count as close to each other." in words_of(after)
    assert "circles/undo" not in after
    assert (groups(api, event), scores(api, event)) == ({"Choir": 6}, [2])
    assert web.post(f"{event}/ratings/circles", data=everyone).headers["location"] == saved


def test_page_says_close_only_of_what_is_rated_close(web: TestClient, api: TestClient, event: str) -> None:
    page = web.get(f"{event}/ratings/circles").text
    ticked = {"group": fields_of(page)["group"][0], "guest": households(page)[:2]}
    saved = web.post(f"{event}/ratings/circles", data=ticked).headers["location"]
    circle = next(one["id"] for one in api.get(f"{event[1:]}/groups").json()["groups"] if len(one["guests"]) == 2)
    rate(api, event, circle, -2)
    words = words_of(web.get(saved).text)
    assert "count as close to each other" not in words
    assert "Choir circle 1 answered otherwise: Aino, Bo" in words
    refused = web.post(f"{event}/ratings/circles", data=ticked)
    assert refused.status_code == 422
    assert "for which another answer was given" in words_of(refused.text)
    copy = api.post(f"{event[1:]}/duplicate", json={"name": "B", "parts": ["guests", "groups"]}).json()["id"]
    copied = web.get(f"/events/{copy}/ratings/circles").text
    assert "Choir circle 1 not rated: Aino, Bo" in words_of(copied)
    assert len(households(copied)) == 6


def test_circle_keeps_no_name_of_an_erased_guest(web: TestClient, api: TestClient, event: str) -> None:
    page = web.get(f"{event}/ratings/circles").text
    ticked = {"group": fields_of(page)["group"][0], "guest": households(page)[:3]}
    web.post(f"{event}/ratings/circles", data=ticked)
    ids = {guest["name"]: guest["id"] for guest in api.get(f"{event[1:]}/guests").json()["guests"]}
    assert "Choir circle 1" in words_of(web.get(f"{event}/guests/{ids['Bo']}/data").text)
    assert web.post(f"{event}/guests/{ids['Aino']}/erase", data={"sure": "on"}).status_code == 303
    for address in ("groups", "ratings/circles", f"guests/{ids['Bo']}/data"):
        assert "Aino" not in words_of(web.get(f"{event}/{address}").text)


def test_page_with_ticks_is_not_reloaded(web: TestClient, api: TestClient, event: str) -> None:
    tables = {"tables": [{"name": name, "seats": 3} for name in ("Birch", "Oak")]}
    assert api.put(f"{event[1:]}/tables", json=tables).is_success
    assert 'http-equiv="refresh"' in web.get(f"{event}/ratings").text  # the progress is on its way
    assert 'http-equiv="refresh"' not in web.get(f"{event}/ratings/circles").text


def test_guests_are_counted_and_small_groups_explained(web: TestClient, api: TestClient, event: str) -> None:
    assert "Groups of fewer than four" not in web.get(f"{event}/ratings/circles").text
    guests = [{"name": name, "groups": ["Choir"], "party": "Home" if name in "AinoBo" else None} for name in GUESTS]
    guests += [{"name": f"W{number}", "groups": ["Work"]} for number in range(4)]
    guests += [{"name": f"T{number}", "groups": ["Twins"]} for number in range(2)]
    assert api.put(f"{event[1:]}/guests", json={"guests": guests}, headers={"If-Match": "*"}).is_success
    page = web.get(f"{event}/ratings/circles").text
    assert "Choir 6 guests not in a circle Work 4 guests not in a circle" in words_of(page)
    assert re.findall(r'data-guests="(\d)"', page) == ["2", "1", "1", "1", "1"]
    assert "Groups of fewer than four households need no circles." in words_of(page)


def test_foreign_guests_are_refused_and_more_than_a_page_has_are_not_read(web: TestClient, event: str) -> None:
    group = fields_of(web.get(f"{event}/ratings/circles").text)["group"][0]
    for number, error in ((1000, "no longer in this group"), (1001, "Nothing was changed")):
        foreign = [str(uuid4()) for _ in range(number)]
        refused = web.post(f"{event}/ratings/circles", data={"group": group, "guest": foreign})
        assert refused.status_code == 422
        assert error in words_of(refused.text)


def test_selection_stays_when_somebody_else_has_marked_some_of_them(
    web: TestClient, api: TestClient, event: str
) -> None:
    page = web.get(f"{event}/ratings/circles").text
    group, boxes = fields_of(page)["group"][0], households(page)
    web.post(f"{event}/ratings/circles", data={"group": group, "guest": boxes[:5]})
    refused = web.post(f"{event}/ratings/circles", data={"group": group, "guest": boxes[3:], "name": "Mine"})
    assert refused.status_code == 422
    assert "Dan and Eve are in the circle “Choir circle 1” already." in words_of(refused.text)
    assert "Which guests in Choir are close to each other?" in words_of(refused.text)
    assert refused.text.count(" checked") == 3
    assert 'value="Mine"' in refused.text


def test_selection_stays_in_a_group_of_more_than_a_page_shows(web: TestClient, api: TestClient) -> None:
    event = api.post("events", json={"name": "Party"}).json()["id"]
    guests = [{"name": f"Guest {number}", "groups": ["Choir"]} for number in range(1005)]
    assert api.put(f"events/{event}/guests", json={"guests": guests}).is_success
    boxes = api.get(f"events/{event}/groups").json()["groups"][0]["guests"]
    address = f"/events/{event}/ratings/circles"
    group = fields_of(web.get(address).text)["group"][0]
    web.post(address, data={"group": group, "guest": boxes[:2]})
    refused = web.post(address, data={"group": group, "guest": [boxes[0], boxes[2], boxes[1004]]})
    assert "Guest 0 is in the circle “Choir circle 1” already." in words_of(refused.text)
    assert re.findall(r'name="guest" value="([^"]+)" checked', refused.text) == [boxes[2], boxes[1004], boxes[0]]
    assert len(households(refused.text)) == 1000


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
    assert re.search(r'<fieldset[^>]* id="f-guest" tabindex="-1"[^>]* aria-describedby="f-guest-error"', page.text)
    assert re.search(r'<div id="f-guest-error">.*?Choose guests of at least two households', page.text)
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
    after = web.get(saved.headers["location"]).text
    assert "“<i>G</i> circle 1” saved" in words_of(after)
    assert "<b>0" not in after


def test_next_group_saves_what_is_selected(web: TestClient, api: TestClient, event: str) -> None:
    page = web.get(f"{event}/ratings/circles").text
    assert 'name="next" value="questions"' in page
    form = {"group": fields_of(page)["group"][0], "next": "questions"}
    assert web.post(f"{event}/ratings/circles", data=form).headers["location"] == f"{event}/ratings/questions"
    assert groups(api, event) == {"Choir": 6}
    form["next"] = form["group"]
    saved = web.post(f"{event}/ratings/circles", data={**form, "guest": households(page)[:3], "name": "Altos"})
    assert "“Altos” saved" in words_of(web.get(saved.headers["location"]).text)
    assert groups(api, event) == {"Choir": 6, "Altos": 3}


def test_refused_circle_changes_nothing(web: TestClient, sessions: Sessions, event: str) -> None:
    def revision() -> int | None:
        with transaction(sessions) as session:
            return revision_of(session, UUID(event.removeprefix("/events/")))

    before = revision()
    page = web.get(f"{event}/ratings/circles").text
    refused = web.post(f"{event}/ratings/circles", data={"group": fields_of(page)["group"][0]})
    assert refused.status_code == 422
    assert revision() == before


def test_households_in_a_circle_already_are_named_in_full(web: TestClient, api: TestClient, event: str) -> None:
    guests = [{"name": name, "groups": ["Choir"], "party": "Home" if name in "AinoBo" else None} for name in GUESTS]
    assert api.put(f"{event[1:]}/guests", json={"guests": guests}, headers={"If-Match": "*"}).is_success
    page = web.get(f"{event}/ratings/circles").text
    group, boxes = fields_of(page)["group"][0], households(page)
    web.post(f"{event}/ratings/circles", data={"group": group, "guest": boxes[:2]})
    refused = web.post(f"{event}/ratings/circles", data={"group": group, "guest": [boxes[0], boxes[4]]})
    assert "Aino and Bo are in the circle “Choir circle 1” already." in words_of(refused.text)


def test_circle_larger_than_every_table_is_pointed_out(web: TestClient, api: TestClient, event: str) -> None:
    page = web.get(f"{event}/ratings/circles").text
    web.post(f"{event}/ratings/circles", data={"group": fields_of(page)["group"][0], "guest": households(page)[:4]})
    assert "the largest table seats" not in words_of(web.get(f"{event}/ratings/circles").text)
    assert api.put(f"{event[1:]}/tables", json={"tables": [{"name": "Oak", "seats": 3}]}).is_success
    words = words_of(web.get(f"{event}/ratings/circles").text)
    assert "This circle has 4 guests; the largest table seats 3." in words

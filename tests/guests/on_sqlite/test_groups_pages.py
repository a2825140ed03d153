"""The pages of groups, without JavaScript."""

from __future__ import annotations

import re
from uuid import UUID

import pytest
from fastapi.testclient import TestClient

from app.guests.entries import MAX_GUESTS
from tests.factories import ANY_VERSION
from tests.pages import actions_of, faults_of, fields_of, words_of


@pytest.fixture
def event(web: TestClient) -> str:
    """The address of an event with three guests."""
    address = str(web.post("/events", data={"name": "Party"}).headers["location"]).removesuffix("/guests")
    web.post(f"{address}/guests/paste", data={"lines": "Aino\nEero\nOlli"})
    return address


def guest_ids(web: TestClient, event: str) -> list[str]:
    return re.findall(r'id="guest-([0-9a-f-]+)"', web.get(f"{event}/guests").text)


def test_group_is_made_and_filled_by_ticking_guests(web: TestClient, event: str) -> None:
    aino, _, olli = guest_ids(web, event)
    made = web.post(f"{event}/groups", data={"name": "Choir"}).headers["location"]
    form = fields_of(web.get(made).text)
    assert (form["name"], form.get("guest", [])) == (["Choir"], [])
    saved = web.post(made, data={"name": "Singers", "guest": [aino, olli], "version": form["version"][0]})
    assert saved.status_code == 303
    assert "Singers 2 guests Aino, Olli" in words_of(web.get(f"{event}/groups").text)
    page = web.get(made).text
    assert fields_of(page)["guest"] == [aino, olli]
    assert re.findall("<bdi>(Aino|Eero|Olli)</bdi>", page) == ["Aino", "Olli", "Eero"]  # members first
    web.post(made, data={"name": "Singers"})
    assert "Singers 0 guests No members yet." in words_of(web.get(f"{event}/groups").text)


def test_as_many_guests_can_be_ticked_as_an_event_may_have(web: TestClient, api: TestClient, event: str) -> None:
    guests = [{"name": f"Guest {number}"} for number in range(1200)]
    ids = [
        guest["id"]
        for guest in api.put(f"{event[1:]}/guests", json={"guests": guests}, headers=ANY_VERSION).json()["guests"]
    ]
    made = web.post(f"{event}/groups", data={"name": "Everybody"}).headers["location"]
    assert web.post(made, data={"name": "Everybody", "guest": ids}).status_code == 303
    assert "Everybody 1,200 guests" in words_of(web.get(f"{event}/groups").text)
    strangers = [str(UUID(int=number)) for number in range(MAX_GUESTS)]
    assert web.post(made, data={"name": "Everybody", "guest": strangers}).status_code == 422
    assert web.post(made, data={"name": "Everybody", "guest": strangers * 2}).status_code == 413


def test_faults_keep_the_name_and_the_ticks(web: TestClient, event: str) -> None:
    aino, eero, _ = guest_ids(web, event)
    web.post(f"{event}/groups", data={"name": "Choir"})
    made = web.post(f"{event}/groups", data={"name": "Family"}).headers["location"]
    again = web.post(f"{event}/groups", data={"name": "CHOIR"})
    assert (again.status_code, faults_of(again.text)) == (422, ["“CHOIR” already exists as “Choir”."])
    refused = web.post(made, data={"name": "choir", "guest": [aino, eero]})
    assert (refused.status_code, faults_of(refused.text)) == (422, ["“choir” already exists as “Choir”."])
    kept = fields_of(refused.text)
    assert (kept["name"], kept["guest"]) == (["choir"], [aino, eero])


def test_deletion_asks_first_and_leaves_the_guests(web: TestClient, event: str) -> None:
    made = web.post(f"{event}/groups", data={"name": "Choir"}).headers["location"]
    web.post(made, data={"name": "Choir", "guest": guest_ids(web, event)})
    assert "This deletes the group. 3 guests stay in the event. You can undo it." in words_of(web.get(made).text)
    assert web.post(f"{made}/delete").status_code == 303
    assert web.get(made).status_code == 404
    assert len(guest_ids(web, event)) == 3


def test_deletion_says_what_goes_with_the_group_and_undo_brings_it_back(
    web: TestClient, api: TestClient, event: str
) -> None:
    made = web.post(f"{event}/groups", data={"name": "Choir"}).headers["location"]
    web.post(made, data={"name": "Choir", "guest": guest_ids(web, event)[:2], "colour": "green"})
    group = made.rpartition("/")[2]
    rule = {"kind": "at_most", "values": [{"field": "group", "value": group}], "limit": 1}
    assert api.post(f"{event[1:]}/rules", json=rule).status_code == 201
    api.put(f"{event[1:]}/groups/ratings", json={"ratings": [{"a": group, "b": group, "score": 2}]})
    table = api.post(f"{event[1:]}/tables", json={"name": "T", "seats": 4, "reserved_for": group})
    assert table.status_code == 201, table.text

    def everything() -> list[object]:
        paths = ("groups", "groups/ratings", "rules", "tables", "guests")
        found = [api.get(f"{event[1:]}/{path}").json()[path.rpartition("/")[2]] for path in paths]
        return [[{key: value for key, value in one.items() if key != "version"} for one in part] for part in found]

    before = everything()
    said = "1 rule about it, 1 rating of groups and the reservation of 1 table no longer count."
    assert f"This deletes the group. 2 guests stay in the event. {said} You can undo it." in words_of(
        web.get(made).text
    )
    listed = web.get(web.post(f"{made}/delete").headers["location"]).text
    assert f"Choir deleted. {said}" in words_of(listed)
    assert everything()[:3] == [[], [], []]
    undo = next(address for address in actions_of(listed) if "/groups/undo/" in address)
    assert [web.post(undo).status_code for _ in range(2)] == [303, 303]
    assert everything() == before


def test_deleted_group_whose_name_is_taken_stays_away(web: TestClient, event: str) -> None:
    made = web.post(f"{event}/groups", data={"name": "Choir"}).headers["location"]
    listed = web.get(web.post(f"{made}/delete").headers["location"]).text
    web.post(f"{event}/groups", data={"name": "choir"})
    undo = next(address for address in actions_of(listed) if "/groups/undo/" in address)
    refused = web.post(undo)
    assert (refused.status_code, faults_of(refused.text)) == (422, ["“Choir” already exists as “choir”."])
    assert undo in actions_of(refused.text)  # once the other one has another name


def test_deleted_group_comes_back_without_guests_who_were_erased(web: TestClient, api: TestClient, event: str) -> None:
    made = web.post(f"{event}/groups", data={"name": "Choir"}).headers["location"]
    erased, stays = guest_ids(web, event)[:2]
    web.post(made, data={"name": "Choir", "guest": [erased, stays]})
    listed = web.get(web.post(f"{made}/delete").headers["location"]).text
    assert api.post(f"{event[1:]}/guests/{erased}/erase").status_code == 204
    web.post(next(address for address in actions_of(listed) if "/groups/undo/" in address))
    (group,) = api.get(f"{event[1:]}/groups").json()["groups"]
    assert (group["name"], group["guests"]) == ("Choir", [stays])


def test_stranger_sees_and_changes_no_group(web: TestClient, stranger_web: TestClient, event: str) -> None:
    made = web.post(f"{event}/groups", data={"name": "Choir"}).headers["location"]
    assert [stranger_web.get(path).status_code for path in (f"{event}/groups", made)] == [404, 404]
    posts = (f"{event}/groups", made, f"{made}/delete")
    assert [stranger_web.post(path, data={"name": "x"}).status_code for path in posts] == [404] * 3
    assert web.get(made).status_code == 200

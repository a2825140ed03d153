"""/api/v1/events/{event}/groups."""

from __future__ import annotations

from typing import Any
from uuid import UUID

import pytest
from fastapi.testclient import TestClient

from app.accounts.actor import Actor
from app.db.session import Sessions, transaction
from app.events.context import open_event
from app.guests import groups
from app.guests.groups import GroupEntry
from tests.conftest import api_client
from tests.factories import ANY_VERSION, make_member


@pytest.fixture
def event(api: TestClient) -> str:
    """The address of an event with the guests Aino, Eero and Olli."""
    address = f"events/{api.post('events', json={'name': 'Party'}).json()['id']}"
    api.put(f"{address}/guests", json={"guests": [{"name": name} for name in ("Aino", "Eero", "Olli")]})
    return address


@pytest.fixture
def ids(api: TestClient, event: str) -> list[str]:
    """Guest ids."""
    return [guest["id"] for guest in api.get(f"{event}/guests").json()["guests"]]


def errors_of(answer: Any) -> list[dict[str, str]]:
    assert answer.status_code == 422
    return list(answer.json()["errors"])


def test_group_is_made_and_shows_at_its_guests(api: TestClient, event: str, ids: list[str]) -> None:
    made = api.post(f"{event}/groups", json={"name": "Choir", "guests": [ids[2], ids[0]]})
    assert (made.status_code, made.json()["guests"]) == (201, [ids[0], ids[2]])
    assert made.headers["location"] == f"/api/v1/{event}/groups/{made.json()['id']}"
    assert api.get(made.headers["location"].removeprefix("/api/v1/")).json() == made.json()
    assert [guest["groups"] for guest in api.get(f"{event}/guests").json()["guests"]] == [["Choir"], [], ["Choir"]]


def test_group_is_changed_with_its_present_version(api: TestClient, event: str, ids: list[str]) -> None:
    made = api.post(f"{event}/groups", json={"name": "Choir", "guests": ids[:2]})
    address = f"{event}/groups/{made.json()['id']}"
    changed = api.patch(address, json={"guests": ids[1:]}, headers={"If-Match": made.headers["etag"]})
    assert (changed.status_code, changed.json()["guests"]) == (200, ids[1:])
    assert changed.headers["etag"] != made.headers["etag"]
    assert api.patch(address, json={"name": "x"}, headers={"If-Match": made.headers["etag"]}).status_code == 412
    named = api.patch(address, json={"name": "Singers"}, headers={"If-Match": changed.headers["etag"]})
    assert named.json() == changed.json() | {"name": "Singers"}


def test_editors_see_which_groups_are_circles_and_viewers_do_not(
    api: TestClient, sessions: Sessions, owner: Actor, event: str, ids: list[str]
) -> None:
    group = api.post(f"{event}/groups", json={"name": "Choir", "guests": ids}).json()
    with transaction(sessions) as session:
        ctx = open_event(session, owner, UUID(event.partition("/")[2]))
        entry = GroupEntry("Altos", guest_ids=[UUID(one) for one in ids[:2]], circle_of=UUID(group["id"]))
        circle = groups.add_group(ctx, entry).id
        viewer = make_member(session, ctx.event_id, "viewer")
    assert group["circle_of"] is None
    listed = api.get(f"{event}/groups").json()["groups"]
    assert [(one["name"], one["circle_of"]) for one in listed] == [("Choir", None), ("Altos", group["id"])]
    assert api.get(f"{event}/groups/{circle}").json()["circle_of"] == group["id"]
    changed = api.patch(f"{event}/groups/{circle}", json={"name": "Sopranos"}, headers=ANY_VERSION)
    assert (changed.status_code, changed.json()["circle_of"]) == (200, group["id"])
    sent = {"groups": [{"id": one["id"], "name": one["name"]} for one in listed]}
    replaced = api.put(f"{event}/groups", json=sent, headers=ANY_VERSION).json()["groups"]
    assert [one["circle_of"] for one in replaced] == [None, group["id"]]
    theirs = api_client(api, sessions, viewer)
    seen = [*theirs.get(f"{event}/groups").json()["groups"], theirs.get(f"{event}/groups/{circle}").json()]
    assert [(one["name"], one["circle_of"]) for one in seen] == [("Choir", None), ("Altos", None), ("Altos", None)]


def test_a_guest_who_joins_by_their_own_page_makes_a_new_version_of_the_group(
    api: TestClient, event: str, ids: list[str]
) -> None:
    made = api.post(f"{event}/groups", json={"name": "Choir"})
    address = f"{event}/groups/{made.json()['id']}"
    api.patch(f"{event}/guests/{ids[0]}", json={"groups": ["choir"]}, headers={"If-Match": "*"})
    assert api.get(address).headers["etag"] != made.headers["etag"]
    assert api.get(address).json()["guests"] == [ids[0]]


def test_deleted_group_leaves_its_guests(api: TestClient, event: str, ids: list[str]) -> None:
    made = api.post(f"{event}/groups", json={"name": "Choir", "guests": ids})
    address = f"{event}/groups/{made.json()['id']}"
    assert api.delete(address).status_code == 428
    assert api.delete(address, headers={"If-Match": made.headers["etag"]}).status_code == 204
    assert api.get(address).status_code == 404
    assert [guest["groups"] for guest in api.get(f"{event}/guests").json()["guests"]] == [[], [], []]


def test_removed_guest_leaves_the_group_and_comes_back_to_it(api: TestClient, event: str, ids: list[str]) -> None:
    address = f"{event}/groups/{api.post(f'{event}/groups', json={'name': 'Choir', 'guests': ids}).json()['id']}"
    api.delete(f"{event}/guests/{ids[1]}", headers={"If-Match": "*"})
    assert api.get(address).json()["guests"] == [ids[0], ids[2]]
    api.patch(address, json={"guests": [ids[0]]}, headers={"If-Match": "*"})
    api.put(
        f"{event}/guests",
        json={"guests": [{"id": ids[0], "name": "Aino"}, {"id": ids[1], "name": "Eero"}]},
        headers=ANY_VERSION,
    )
    assert api.get(address).json()["guests"] == ids[:2]


def test_all_groups_are_set_in_one_and_may_swap_names(api: TestClient, event: str, ids: list[str]) -> None:
    choir, family, work = (
        api.post(f"{event}/groups", json={"name": name, "guests": ids[:1]}).json()
        for name in ("Choir", "Family", "Work")
    )
    sent = [
        {"name": "Family", "id": choir["id"]},
        {"name": "Choir", "id": family["id"]},
        {"name": "New", "guests": ids},
    ]
    answer = api.put(f"{event}/groups", json={"groups": sent}, headers=ANY_VERSION).json()["groups"]
    assert answer[:2] == [choir | {"name": "Family"}, family | {"name": "Choir"}]
    assert (answer[2]["name"], answer[2]["guests"]) == ("New", ids)
    assert [group["name"] for group in api.get(f"{event}/groups").json()["groups"]] == ["Family", "Choir", "New"]
    assert api.get(f"{event}/groups/{work['id']}").status_code == 404


def test_faults_point_to_their_place(api: TestClient, event: str, ids: list[str]) -> None:
    api.post(f"{event}/groups", json={"name": "Choir"})
    nobody = "00000000-0000-7000-8000-000000000000"
    assert errors_of(api.post(f"{event}/groups", json={"name": "choir"})) == [
        {"pointer": "#/name", "detail": "“choir” already exists as “Choir”."}
    ]
    assert errors_of(api.post(f"{event}/groups", json={"name": "x", "guests": [ids[0], nobody]})) == [
        {"pointer": "#/guests/1", "detail": "Guest not found in this event."}
    ]
    sent = [{"name": "A"}, {"name": "a"}, {"name": "b,c"}]
    found = errors_of(api.put(f"{event}/groups", json={"groups": sent}, headers=ANY_VERSION))
    assert [fault["pointer"] for fault in found] == ["#/groups/1/name", "#/groups/2/name"]
    assert [group["name"] for group in api.get(f"{event}/groups").json()["groups"]] == ["Choir"]


def test_list_comes_in_pages(api: TestClient, event: str) -> None:
    api.put(f"{event}/groups", json={"groups": [{"name": name} for name in "ABCDE"]})
    first = api.get(f"{event}/groups", params={"limit": 3}).json()
    rest = api.get(f"{event}/groups", params={"limit": 3, "after": first["next"]}).json()
    assert [group["name"] for group in first["groups"] + rest["groups"]] == list("ABCDE")


def test_stranger_sees_and_changes_no_group(api: TestClient, event: str, stranger_api: TestClient) -> None:
    address = f"{event}/groups/{api.post(f'{event}/groups', json={'name': 'Choir'}).json()['id']}"
    assert stranger_api.get(f"{event}/groups").status_code == 404
    assert stranger_api.post(f"{event}/groups", json={"name": "x"}).status_code == 404
    assert stranger_api.put(f"{event}/groups", json={"groups": []}).status_code == 404
    assert stranger_api.get(address).status_code == 404
    assert stranger_api.patch(address, json={"name": "x"}, headers={"If-Match": "*"}).status_code == 404
    assert stranger_api.delete(address, headers={"If-Match": "*"}).status_code == 404
    assert api.get(address).status_code == 200


def circles_of(api: TestClient, event: str) -> dict[str, str]:
    """Return the larger group of each circle, both by name."""
    found = api.get(f"{event}/event.json").json()["groups"]
    return {group["name"]: group["circle_of"] for group in found if group.get("circle_of")}


def test_circle_is_made_within_a_group(api: TestClient, event: str, ids: list[str]) -> None:
    family = api.post(f"{event}/groups", json={"name": "Family", "guests": ids}).json()["id"]
    made = api.post(f"{event}/groups", json={"name": "Cousins", "guests": ids[:2], "circle_of": family})
    assert (made.status_code, made.json()["circle_of"]) == (201, family)
    assert circles_of(api, event) == {"Cousins": "Family"}
    address = f"{event}/groups/{made.json()['id']}"
    api.patch(address, json={"name": "The cousins"}, headers={"If-Match": "*"})
    assert circles_of(api, event) == {"The cousins": "Family"}
    left = api.patch(address, json={"circle_of": None}, headers={"If-Match": "*"})
    assert (left.status_code, left.json()["circle_of"], circles_of(api, event)) == (200, None, {})
    again = api.patch(address, json={"circle_of": family}, headers={"If-Match": "*"})
    assert (again.status_code, again.json()["circle_of"]) == (200, family)
    assert circles_of(api, event) == {"The cousins": "Family"}


def test_circle_has_guests_of_its_group_and_no_circles(api: TestClient, event: str, ids: list[str]) -> None:
    def add(name: str, guests: list[str], of: str | None = None) -> Any:
        return api.post(f"{event}/groups", json={"name": name, "guests": guests, "circle_of": of})

    def within(group: str, larger: str) -> Any:
        return api.patch(f"{event}/groups/{group}", json={"circle_of": larger}, headers={"If-Match": "*"})

    family, work = (add(name, guests).json()["id"] for name, guests in (("Family", ids[:2]), ("Work", ids)))
    cousins = add("Cousins", ids[:2], family).json()["id"]
    nobody = "00000000-0000-7000-8000-000000000000"
    not_in = {"pointer": "#/guests/1", "detail": "This guest isn't in the larger group."}
    assert errors_of(add("Friends", [ids[0], ids[2]], family)) == [not_in]
    unknown = {"pointer": "#/circle_of", "detail": "No other group of this event has this id."}
    assert errors_of(add("Friends", ids[:2], nobody)) == [unknown]
    assert errors_of(within(work, work)) == [unknown]
    nested = {"pointer": "#/circle_of", "detail": "The larger group is a circle itself."}
    assert errors_of(add("Twins", ids[:1], cousins)) == [nested]
    larger = {"pointer": "#/circle_of", "detail": "This group has circles, so it can't be one."}
    assert errors_of(within(family, work)) == [larger]
    api.delete(f"{event}/groups/{cousins}", headers={"If-Match": "*"})
    others = {"pointer": "#/circle_of", "detail": "1 guest of this group is not in the larger group."}
    assert errors_of(within(work, family)) == [others]
    assert circles_of(api, event) == {}

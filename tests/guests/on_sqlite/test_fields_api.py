"""/api/v1/events/{event}/fields, and what guests have in them."""

from __future__ import annotations

from typing import Any

import pytest
from fastapi.testclient import TestClient

from app.accounts.actor import Actor
from app.db.session import Sessions
from tests.conftest import api_client
from tests.factories import ANY_VERSION
from tests.rating_helpers import give_role


@pytest.fixture
def event(api: TestClient) -> str:
    """The address of an event with two sides, a menu and two fields of its own."""
    address = f"events/{api.post('events', json={'name': 'Party'}).json()['id']}"
    for kind, name, options in (
        ("side", "", ("Bride", "Groom")),
        ("course", "Main course", ("Fish", "Beef")),
        ("choice", "Hotel", ("Ritz",)),
        ("text", "Song", ()),
    ):
        body = {"kind": kind, "name": name, "options": [{"name": option} for option in options]}
        assert api.post(f"{address}/fields", json=body).status_code == 201
    return address


def errors_of(answer: Any) -> list[str]:
    assert (answer.status_code, answer.headers["content-type"]) == (422, "application/problem+json")
    return [error["pointer"].removeprefix("#/") for error in answer.json()["errors"]]


def test_fields_are_listed_changed_ordered_and_deleted(api: TestClient, event: str) -> None:
    listed = api.get(f"{event}/fields").json()["fields"]
    assert [(field["kind"], field["name"]) for field in listed] == [
        ("side", "Side"),
        ("course", "Main course"),
        ("choice", "Hotel"),
        ("text", "Song"),
    ]
    assert [field["key"] for field in listed] == ["side", *(field["id"] for field in listed[1:])]
    menu = f"{event}/fields/{listed[1]['id']}"
    fish, beef = listed[1]["options"]
    before = api.get(menu).headers["etag"]
    options = [{"id": beef["id"], "name": "Ox", "mark": "O"}, {"id": fish["id"], "name": "Fish", "colour": "blue"}]
    changed = api.patch(menu, json={"options": options}, headers={"If-Match": before})
    assert [(one["name"], one["mark"], one["colour"]) for one in changed.json()["options"]] == [
        ("Ox", "O", beef["colour"]),
        ("Fish", "", "blue"),
    ]
    assert api.patch(menu, json={"name": "Late"}, headers={"If-Match": before}).status_code == 412
    assert api.patch(menu, json={"kind": "text"}, headers=ANY_VERSION).status_code == 422
    ordered = api.put(f"{event}/fields/order", json={"fields": [listed[3]["id"]]}).json()["fields"]
    assert [field["name"] for field in ordered] == ["Song", "Side", "Main course", "Hotel"]
    assert api.put(f"{event}/fields/balanced", json={"balanced": ["side", "group"]}).json() == {
        "balanced": ["group", "side"]
    }
    assert errors_of(api.put(f"{event}/fields/balanced", json={"balanced": ["side", "x"]})) == ["balanced/1"]
    assert api.delete(f"{event}/fields/{listed[0]['id']}", headers=ANY_VERSION).status_code == 204
    assert api.get(f"{event}/fields/balanced").json() == {"balanced": ["group"]}


def test_guest_is_sent_and_read_back_with_every_field(api: TestClient, event: str) -> None:
    whole = {
        "name": "Anna van Dyk",
        "title": "Dr",
        "first_name": "Anna",
        "last_name": "van Dyk",
        "email": "anna@example.org",
        "phone": "+31 20 123 4567",
        "note": "sings",
        "party": "van Dyk",
        "groups": ["Choir"],
        "side": "Bride",
        "reply": "yes",
        "age_group": "teenager",
        "child": False,
        "diet": "vegan",
        "allergies": ["peanuts", "milk"],
        "other_allergies": "kiwi",
        "meals": {"Main course": "Fish"},
        "high_chair": False,
        "wheelchair": True,
        "public_name": "Anna",
        "fields": {"Hotel": "Ritz", "Song": "Waterloo"},
    }
    made = api.post(f"{event}/guests", json=whole)
    assert made.json() == whole | {"id": made.json()["id"]}
    [listed] = api.get(f"{event}/guests").json()["guests"]
    assert listed == made.json()
    put = api.put(f"{event}/guests", json={"guests": [listed]}, headers=ANY_VERSION)
    assert put.json()["guests"] == [listed]
    address = f"{event}/guests/{listed['id']}"
    same = api.get(address).headers["etag"]
    api.patch(address, json=whole, headers=ANY_VERSION)
    assert api.get(address).headers["etag"] == same  # nothing changed
    patch = {"side": None, "meals": {"Main course": None}, "fields": {"Song": None}, "allergies": None, "email": None}
    after = api.patch(address, json=patch, headers={"If-Match": same}).json()
    assert after == listed | {"side": None, "meals": {}, "fields": {"Hotel": "Ritz"}, "allergies": [], "email": ""}


@pytest.mark.parametrize(
    ("body", "fields"),
    [
        ({}, ["name"]),
        ({"name": "A", "side": "Cook"}, ["side"]),
        ({"name": "A", "meals": {"Soup": "Pea"}}, ["meals/Soup"]),
        ({"name": "A", "fields": {"Hotel": "Savoy", "Song": "x" * 501}}, ["fields/Hotel", "fields/Song"]),
        ({"name": "A", "fields": {"Main course": "Fish"}}, ["fields/Main course"]),
        ({"name": "A", "child": True, "age_group": "adult"}, ["child"]),
        ({"name": "A", "allergies": ["cats"]}, ["allergies/0"]),
        ({"name": "A", "allergies": ["milk"] * 15}, ["allergies"]),
        ({"name": "A", "email": "x", "phone": "y"}, ["email", "phone"]),
        ({"name": "A", "shoe_size": 43}, ["shoe_size"]),
        ({"name": "A", "wheelchair": "yes"}, ["wheelchair"]),
    ],
)
def test_what_is_wrong_is_named_by_its_place(api: TestClient, event: str, body: object, fields: list[str]) -> None:
    assert errors_of(api.post(f"{event}/guests", json=body)) == fields
    assert api.get(f"{event}/guests").json()["guests"] == []


@pytest.mark.parametrize("text", ["=cmd()", "a\u202eb", "x\u0000y", "<b>", "💒" * 100])
def test_odd_texts_come_back_as_one_line(api: TestClient, event: str, text: str) -> None:
    body = {"name": "A", "title": text[:3], "other_allergies": text, "fields": {"Song": text}}
    made = api.post(f"{event}/guests", json=body).json()
    tidy = text.replace("\u0000", " ")
    assert (made["other_allergies"], made["fields"]["Song"]) == (tidy, tidy)


def test_viewer_sees_neither_contact_nor_health_nor_texts(
    client: TestClient, sessions: Sessions, api: TestClient, event: str, stranger: Actor
) -> None:
    body = {"name": "A", "email": "a@example.org", "phone": "123", "allergies": ["milk"], "other_allergies": "kiwi"}
    api.post(f"{event}/guests", json={**body, "side": "Bride", "fields": {"Song": "Secret", "Hotel": "Ritz"}})
    give_role(sessions, event.removeprefix("events/"), stranger, "viewer")
    [guest] = api_client(client, sessions, stranger).get(f"{event}/guests").json()["guests"]
    assert [guest[name] for name in ("email", "phone", "allergies", "other_allergies")] == [None] * 4
    assert (guest["side"], guest["fields"]) == ("Bride", {"Hotel": "Ritz"})

"""/api/v1/events/{event}/guests."""

from __future__ import annotations

import threading
from typing import Any

import pytest
from fastapi.testclient import TestClient

from app.accounts.actor import Actor
from app.db.session import Sessions, transaction
from app.errors import Invalid
from app.events.context import open_event
from app.events.edit import create_event
from app.guests.edit import add_guest, list_guests
from app.guests.entries import GuestEntry
from tests.conftest import api_client
from tests.factories import ANY_VERSION
from tests.rating_helpers import give_role


@pytest.fixture
def event_id(api: TestClient) -> str:
    """An event without guests."""
    return str(api.post("events", json={"name": "Party"}).json()["id"])


@pytest.fixture
def guests(event_id: str) -> str:
    """The address of its guests."""
    return f"events/{event_id}/guests"


def names_at(api: TestClient, address: str) -> list[str]:
    return [guest["name"] for guest in api.get(address, params={"limit": 1000}).json()["guests"]]


def errors_of(answer: Any) -> list[dict[str, str]]:
    assert (answer.status_code, answer.headers["content-type"]) == (422, "application/problem+json")
    return list(answer.json()["errors"])


def test_guest_is_added_with_party_and_groups_and_read_back(api: TestClient, guests: str) -> None:
    body = {"name": " Aino  Mäkelä ", "note": "sings", "party": "Mäkelä", "groups": ["Family", "Choir"]}
    made = api.post(guests, json=body)
    assert (made.status_code, made.headers["etag"]) == (201, '"1"')
    assert made.json() | {"id": ""} == {
        "id": "",
        "name": "Aino Mäkelä",
        "title": "",
        "first_name": "",
        "last_name": "",
        "email": "",
        "phone": "",
        "note": "sings",
        "party": "Mäkelä",
        "groups": ["Family", "Choir"],
        "side": None,
        "reply": "invited",
        "age_group": "adult",
        "child": False,
        "diet": "",
        "allergies": [],
        "other_allergies": "",
        "meals": {},
        "high_chair": False,
        "wheelchair": False,
        "public_name": "",
        "fields": {},
    }
    assert made.headers["location"] == f"/api/v1/{guests}/{made.json()['id']}"
    assert api.get(f"{guests}/{made.json()['id']}").json() == made.json()


def test_a_known_party_or_group_is_taken_whatever_its_case(api: TestClient, guests: str) -> None:
    api.post(guests, json={"name": "Aino", "party": "Mäkelä", "groups": ["Family"]})
    second = api.post(guests, json={"name": "Eero", "party": "MÄKELÄ", "groups": ["family", "FAMILY"]}).json()
    assert (second["party"], second["groups"]) == ("Mäkelä", ["Family"])


def test_bad_names_are_refused_with_a_pointer(api: TestClient, guests: str) -> None:
    api.post(guests, json={"name": "Aino"})
    assert errors_of(api.post(guests, json={"name": "  "})) == [{"pointer": "#/name", "detail": "The name is empty."}]
    assert errors_of(api.post(guests, json={"name": "\u200b\u2060"}))[0]["detail"] == "The name is empty."
    [long] = errors_of(api.post(guests, json={"name": "a" * 10_000}))
    assert long["detail"] == f"The name “{'a' * 20}…” has 10,000 characters; maximum 200."
    [twice] = errors_of(api.post(guests, json={"name": "AINO"}))
    assert twice["pointer"] == "#/name"
    assert twice["detail"].startswith("“AINO” already exists as “Aino”.")
    [comma] = errors_of(api.post(guests, json={"name": "Eero", "groups": ["choir", "one, two"]}))
    assert comma["pointer"] == "#/groups/1"
    assert names_at(api, guests) == ["Aino"]


@pytest.mark.parametrize(
    "name", ["👩‍👩‍👧 Ines & Hugo", "محمد العلي", "דוד כהן", "<b>Bobby</b>", "O’Brien; DROP", "%_\\"]
)
def test_names_of_all_kinds_come_back_as_they_were(api: TestClient, guests: str, name: str) -> None:
    assert api.post(guests, json={"name": name, "note": name, "party": name}).json()["name"] == name
    [read] = api.get(guests).json()["guests"]
    assert (read["name"], read["note"], read["party"]) == (name, name, name)


def test_change_needs_the_present_version_and_keeps_what_is_left_out(api: TestClient, guests: str) -> None:
    made = api.post(guests, json={"name": "Aino", "note": "late", "party": "M", "groups": ["Choir"]})
    address = f"{guests}/{made.json()['id']}"
    assert api.patch(address, json={"name": "Eero"}).status_code == 428
    changed = api.patch(address, json={"name": "Eero"}, headers={"If-Match": '"1"'})
    assert (changed.status_code, changed.headers["etag"]) == (200, '"2"')
    assert changed.json() == made.json() | {"name": "Eero"}
    assert api.patch(address, json={"name": "Olli"}, headers={"If-Match": '"1"'}).status_code == 412
    regrouped = api.patch(address, json={"groups": [], "party": None}, headers={"If-Match": '"2"'})
    assert (regrouped.json()["groups"], regrouped.json()["party"]) == ([], None)
    assert regrouped.headers["etag"] == '"3"'


def test_a_change_of_groups_alone_is_a_new_version(api: TestClient, guests: str) -> None:
    address = f"{guests}/{api.post(guests, json={'name': 'Aino'}).json()['id']}"
    assert api.patch(address, json={"groups": ["Choir"]}, headers={"If-Match": "*"}).headers["etag"] == '"2"'
    assert api.patch(address, json={"groups": ["Choir"]}, headers={"If-Match": "*"}).headers["etag"] == '"2"'


def test_removed_guest_is_gone_and_frees_the_name(api: TestClient, guests: str) -> None:
    address = f"{guests}/{api.post(guests, json={'name': 'Aino'}).json()['id']}"
    assert api.delete(address, headers={"If-Match": '"7"'}).status_code == 412
    assert api.delete(address, headers={"If-Match": '"1"'}).status_code == 204
    assert api.get(address).status_code == 404
    assert api.post(guests, json={"name": "aino"}).status_code == 201


def test_list_comes_in_pages_in_the_order_of_adding(api: TestClient, guests: str) -> None:
    for name in "EDCBA":
        api.post(guests, json={"name": name})
    first = api.get(guests, params={"limit": 3}).json()
    rest = api.get(guests, params={"limit": 3, "after": first["next"]}).json()
    assert [guest["name"] for guest in first["guests"] + rest["guests"]] == ["E", "D", "C", "B", "A"]
    assert rest["next"] is None


def test_whole_list_keeps_by_name_and_id_removes_and_adds(api: TestClient, guests: str) -> None:
    before = {
        name: api.post(guests, json={"name": name, "note": f"about {name}"}).json() for name in ("Aino", "Eero", "Olli")
    }
    sent = [{"name": "Sari"}, {"name": "Eeva", "id": before["Eero"]["id"]}, {"name": "AINO", "groups": ["Choir"]}]
    answer = api.put(guests, json={"guests": sent}, headers=ANY_VERSION).json()["guests"]
    assert [guest["name"] for guest in answer] == ["Sari", "Eeva", "AINO"]
    assert answer[1] == before["Eero"] | {"name": "Eeva"}
    assert answer[2] == before["Aino"] | {"name": "AINO", "groups": ["Choir"]}
    assert names_at(api, guests) == ["Sari", "Eeva", "AINO"]
    assert api.get(f"{guests}/{before['Olli']['id']}").status_code == 404


def test_two_guests_can_swap_their_names_in_one(api: TestClient, guests: str) -> None:
    aino, eero = (api.post(guests, json={"name": name}).json()["id"] for name in ("Aino", "Eero"))
    sent = [{"id": aino, "name": "Eero"}, {"id": eero, "name": "Aino"}]
    answer = api.put(guests, json={"guests": sent}, headers=ANY_VERSION).json()["guests"]
    assert [(guest["id"], guest["name"]) for guest in answer] == [(aino, "Eero"), (eero, "Aino")]


def test_an_id_in_the_whole_list_brings_a_removed_guest_back(api: TestClient, guests: str) -> None:
    made = api.post(guests, json={"name": "Aino", "note": "sings"}).json()
    api.put(guests, json={"guests": []}, headers=ANY_VERSION)
    assert names_at(api, guests) == []
    assert api.put(guests, json={"guests": [{"id": made["id"], "name": "Aino"}]}, headers=ANY_VERSION).json()[
        "guests"
    ] == [made]


def test_faults_in_the_whole_list_name_the_place_and_change_nothing(
    api: TestClient, guests: str, stranger_api: TestClient
) -> None:
    other = stranger_api.post("events", json={"name": "Other"}).json()["id"]
    foreign = stranger_api.post(f"events/{other}/guests", json={"name": "Aino"}).json()["id"]
    api.post(guests, json={"name": "Olli"})
    sent = [{"name": "Aino"}, {"name": ""}, {"name": "aino"}, {"name": "Eero", "groups": [" "]}]
    assert errors_of(api.put(guests, json={"guests": sent}, headers=ANY_VERSION)) == [
        {"pointer": "#/guests/1/name", "detail": "The name is empty."},
        {"pointer": "#/guests/2/name", "detail": "“aino” is a duplicate (also guests/0 as “Aino”)."},
        {"pointer": "#/guests/3/groups/0", "detail": "The group name is empty."},
    ]
    [unknown] = errors_of(api.put(guests, json={"guests": [{"name": "Aino", "id": foreign}]}, headers=ANY_VERSION))
    assert unknown["pointer"] == "#/guests/0/id"
    assert names_at(api, guests) == ["Olli"]


def test_ten_thousand_guests_are_set_and_turned_around_in_one(api: TestClient, guests: str) -> None:
    sent = [{"name": f"Guest {number}"} for number in range(10_000)]
    first = api.put(guests, json={"guests": sent}, headers=ANY_VERSION).json()["guests"]
    assert [guest["name"] for guest in first] == [guest["name"] for guest in sent]
    turned = api.put(guests, json={"guests": sent[::-1]}, headers=ANY_VERSION).json()["guests"]
    assert turned == first[::-1]


def test_more_guests_than_an_event_takes_are_refused(api: TestClient, guests: str) -> None:
    sent = [{"name": f"G{number}"} for number in range(20_001)]
    assert errors_of(api.put(guests, json={"guests": sent}))[0]["pointer"] == "#/guests"


def test_two_writers_at_once_cannot_take_one_name(sessions: Sessions, owner: Actor) -> None:
    with transaction(sessions) as session:
        event_id = create_event(session, owner, name="Party").id
    refused: list[str] = []
    start = threading.Barrier(8)

    def add() -> None:
        start.wait()
        try:
            with transaction(sessions) as session:
                add_guest(open_event(session, owner, event_id), GuestEntry("Aino"))
        except Invalid as error:
            refused.append(error.message)

    writers = [threading.Thread(target=add) for _ in range(8)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    with transaction(sessions) as session:
        assert [guest.name for guest in list_guests(open_event(session, owner, event_id))] == ["Aino"]
    assert len(refused) == 7


def test_stranger_sees_and_changes_no_guest(api: TestClient, guests: str, stranger_api: TestClient) -> None:
    address = f"{guests}/{api.post(guests, json={'name': 'Aino'}).json()['id']}"
    assert stranger_api.get(guests).status_code == 404
    assert stranger_api.post(guests, json={"name": "x"}).status_code == 404
    assert stranger_api.put(guests, json={"guests": []}).status_code == 404
    assert stranger_api.get(address).status_code == 404
    assert stranger_api.patch(address, json={"name": "x"}, headers={"If-Match": "*"}).status_code == 404
    assert stranger_api.delete(address, headers={"If-Match": "*"}).status_code == 404
    assert names_at(api, guests) == ["Aino"]


def test_guest_of_one_event_is_not_found_in_another(api: TestClient, guests: str) -> None:
    made = api.post(guests, json={"name": "Aino"}).json()["id"]
    other = api.post("events", json={"name": "Other"}).json()["id"]
    assert api.get(f"events/{other}/guests/{made}").status_code == 404


def test_viewer_sees_guests_without_notes_and_changes_nothing(
    api: TestClient, client: TestClient, sessions: Sessions, stranger: Actor, event_id: str, guests: str
) -> None:
    api.post(guests, json={"name": "Aino", "note": "owes money", "party": "M"})
    give_role(sessions, event_id, stranger, "viewer")
    viewer = api_client(client, sessions, stranger)
    [seen] = viewer.get(guests).json()["guests"]
    assert (seen["name"], seen["party"], seen["note"]) == ("Aino", "M", None)
    assert viewer.post(guests, json={"name": "Eero"}).status_code == 403
    assert viewer.put(guests, json={"guests": []}).status_code == 403
    assert viewer.delete(f"{guests}/{seen['id']}", headers={"If-Match": "*"}).status_code == 403


def test_several_guests_are_changed_in_one_step_and_changed_back(api: TestClient) -> None:
    guests = f"events/{api.post('events', json={'name': 'Party'}).json()['id']}/guests"
    people = [{"name": name, "groups": ["Choir"]} for name in ("Aino", "Bo", "Cleo")]
    made = api.put(guests, json={"guests": people})
    a, b, _ = (guest["id"] for guest in made.json()["guests"])
    changes = {"guests": [{"id": b, "name": "Aino", "diet": "vegan"}, {"id": a, "name": "Bo", "groups": None}]}
    assert api.patch(guests, json=changes).status_code == 428
    assert api.patch(guests, json=changes, headers={"If-Match": '"999"'}).status_code == 412
    changed = api.patch(guests, json=changes, headers={"If-Match": made.headers["etag"]})
    assert changed.status_code == 200, changed.text
    assert [(one["name"], one["groups"], one["diet"]) for one in changed.json()["guests"]] == [
        ("Bo", [], ""),
        ("Aino", ["Choir"], "vegan"),
    ]
    assert changed.headers["etag"] == api.get(guests).headers["etag"]
    api.post(f"{guests}/import/{changed.json()['undo']}/undo")
    assert api.get(guests).json()["guests"] == made.json()["guests"]


def test_a_fault_in_one_of_several_guests_changes_none(api: TestClient) -> None:
    guests = f"events/{api.post('events', json={'name': 'Party'}).json()['id']}/guests"
    made = api.put(guests, json={"guests": [{"name": name} for name in ("Aino", "Bo", "Cleo")]}).json()["guests"]
    changes = [{"id": made[0]["id"], "note": "x"}, {"id": made[1]["id"], "name": "cleo"}]
    match = {"If-Match": "*"}
    refused = api.patch(guests, json={"guests": changes}, headers=match)
    assert (refused.status_code, refused.json()["errors"][0]["pointer"]) == (422, "#/guests/1/name")
    unknown = {"id": "01890000-0000-7000-8000-000000000000", "note": "x"}
    assert api.patch(guests, json={"guests": [unknown]}, headers=match).status_code == 422
    assert api.get(guests).json()["guests"] == made

"""/api/v1/events/{event}/tables."""

from __future__ import annotations

from typing import Any

import pytest
from fastapi.testclient import TestClient

from tests.factories import ANY_VERSION


@pytest.fixture
def tables(api: TestClient) -> str:
    """The address of the tables of an event that has none yet."""
    return f"events/{api.post('events', json={'name': 'Party'}).json()['id']}/tables"


def errors_of(answer: Any) -> list[dict[str, str]]:
    assert answer.status_code == 422
    return list(answer.json()["errors"])


def test_table_is_added_and_read_back(api: TestClient, tables: str) -> None:
    body = {"name": "Birch", "seats": 4, "min_seats": 4, "shape": "long", "x": 1.5, "y": -2}
    body |= {"rotation": 45.5, "end_seats": True, "reserved_for": None}
    made = api.post(tables, json=body)
    assert (made.status_code, made.headers["etag"]) == (201, '"1"')
    assert made.json() == {"id": made.json()["id"], "reserved_for": None} | body
    assert made.headers["location"] == f"/api/v1/{tables}/{made.json()['id']}"
    assert api.get(f"{tables}/{made.json()['id']}").json() == made.json()


def test_what_is_left_out_gets_its_default(api: TestClient, tables: str) -> None:
    api.post(tables, json={"name": "table 2", "seats": 3})
    made = api.post(tables, json={"seats": 5}).json()
    assert made == {
        "id": made["id"],
        "name": "Table 3",
        "seats": 5,
        "min_seats": 1,
        "shape": "round",
        "x": None,
        "y": None,
        "rotation": 0,
        "end_seats": False,
        "reserved_for": None,
    }


def test_table_is_reserved_for_a_group_until_that_is_deleted(api: TestClient, tables: str) -> None:
    groups = tables.replace("/tables", "/groups")
    choir = api.post(groups, json={"name": "Choir"}).json()["id"]
    made = api.post(tables, json={"seats": 4, "reserved_for": choir}).json()
    assert made["reserved_for"] == choir
    address = f"{tables}/{made['id']}"
    renamed = api.patch(address, json={"name": "Birch"}, headers=ANY_VERSION).json()
    assert renamed["reserved_for"] == choir
    assert api.post(f"{address}/duplicate").json()["reserved_for"] == choir
    for body in ({"reserved_for": made["id"]}, {"seats": 3, "reserved_for": made["id"]}):
        refused = errors_of(api.patch(address, json=body, headers=ANY_VERSION))
        assert refused == [{"detail": "Group not found in this event.", "pointer": "#/reserved_for"}]
    listed = {"tables": [{"id": made["id"], "seats": 4, "reserved_for": made["id"]}]}
    assert errors_of(api.put(tables, json=listed, headers=ANY_VERSION))[0]["pointer"] == "#/tables/0/reserved_for"
    freed = api.patch(address, json={"reserved_for": None}, headers=ANY_VERSION).json()
    assert freed["reserved_for"] is None
    api.patch(address, json={"reserved_for": choir}, headers=ANY_VERSION)
    assert api.get(tables).json()["tables"][0]["reserved_for"] == choir
    api.delete(f"{groups}/{choir}", headers=ANY_VERSION)
    assert [table["reserved_for"] for table in api.get(tables).json()["tables"]] == [None, None]


@pytest.mark.parametrize(("sent", "kept"), [(0, 0), (359.5, 359.5), (360, 0), (-90, 270), (725, 5), (-0.001, 0)])
def test_rotation_is_kept_within_one_turn(api: TestClient, tables: str, sent: float, kept: float) -> None:
    assert api.post(tables, json={"seats": 4, "shape": "head", "rotation": sent}).json()["rotation"] == kept


@pytest.mark.parametrize(
    ("body", "pointer", "detail"),
    [
        ({"seats": 0}, "#/seats", "A table needs at least 1 seat."),
        ({"seats": -3}, "#/seats", "A table needs at least 1 seat."),
        ({"seats": 501}, "#/seats", "Maximum 500 seats per table; this one has 501."),
        ({"seats": 4, "min_seats": 5}, "#/min_seats", "The fewest guests (5) cannot be more than the 4 seats."),
        ({"seats": 4, "min_seats": -1}, "#/min_seats", "The fewest guests must be 0 or more."),
        ({"seats": 4, "name": " "}, "#/name", "The table name is empty."),
        ({"seats": 4, "name": "BIRCH"}, "#/name", "“BIRCH” already exists as “Birch”."),
        ({"seats": 4, "rotation": 1e300}, "#/rotation", "The rotation must be a number of degrees, such as 90."),
        ({"seats": 4, "x": 1e300}, "#/x", "The position must be between −1,000,000 and 1,000,000."),
    ],
)
def test_bad_tables_are_refused_with_a_pointer(
    api: TestClient, tables: str, body: dict[str, Any], pointer: str, detail: str
) -> None:
    api.post(tables, json={"name": "Birch", "seats": 4})
    assert errors_of(api.post(tables, json=body)) == [{"pointer": pointer, "detail": detail}]
    assert len(api.get(tables).json()["tables"]) == 1


@pytest.mark.parametrize("body", [{}, {"seats": "four"}, {"seats": 4, "shape": "star"}, {"seats": 4, "legs": 4}])
def test_bodies_of_the_wrong_form_are_refused(api: TestClient, tables: str, body: dict[str, Any]) -> None:
    assert len(errors_of(api.post(tables, json=body))) == 1


def test_change_needs_the_present_version_and_keeps_what_is_left_out(api: TestClient, tables: str) -> None:
    made = api.post(tables, json={"name": "Birch", "seats": 4, "min_seats": 4, "x": 3}).json()
    address = f"{tables}/{made['id']}"
    assert api.patch(address, json={"seats": 6}).status_code == 428
    changed = api.patch(address, json={"seats": 6, "x": None}, headers={"If-Match": '"1"'})
    assert (changed.json(), changed.headers["etag"]) == (made | {"seats": 6, "x": None}, '"2"')
    assert api.patch(address, json={"seats": 7}, headers={"If-Match": '"1"'}).status_code == 412
    [fault] = errors_of(api.patch(address, json={"seats": 3}, headers={"If-Match": '"2"'}))
    assert fault == {"pointer": "#/min_seats", "detail": "The fewest guests (4) cannot be more than the 3 seats."}
    assert api.get(address).json() == changed.json()


def test_removed_table_is_gone(api: TestClient, tables: str) -> None:
    address = f"{tables}/{api.post(tables, json={'seats': 4}).json()['id']}"
    assert api.delete(address, headers={"If-Match": '"1"'}).status_code == 204
    assert api.get(address).status_code == 404
    assert api.get(tables).json() == {"tables": [], "next": None}


def test_all_tables_are_set_in_one(api: TestClient, tables: str) -> None:
    birch, oak, elm = (
        api.post(tables, json={"name": name, "seats": 4, "shape": "long"}).json() for name in ("Birch", "Oak", "Elm")
    )
    sent = [{"seats": 9}, {"name": "Rowan", "seats": 5, "id": oak["id"]}, {"name": "birch", "seats": 6, "min_seats": 0}]
    answer = api.put(tables, json={"tables": sent}, headers=ANY_VERSION).json()["tables"]
    assert answer[1:] == [oak | {"name": "Rowan", "seats": 5}, birch | {"name": "birch", "seats": 6, "min_seats": 0}]
    assert (answer[0]["name"], answer[0]["shape"]) == ("Table 1", "round")
    assert api.get(tables).json()["tables"] == answer
    back = api.put(tables, json={"tables": [{"id": elm["id"], "seats": 4}]}, headers=ANY_VERSION).json()["tables"]
    assert back == [elm]


def test_unnamed_tables_sent_again_stay_the_same(api: TestClient, tables: str) -> None:
    sent = {"tables": [{"seats": seats} for seats in (4, 4, 5, 6, 3)]}
    first = api.put(tables, json=sent, headers=ANY_VERSION).json()
    assert [table["name"] for table in first["tables"]] == [f"Table {number}" for number in range(1, 6)]
    assert api.put(tables, json=sent, headers=ANY_VERSION).json() == first


def test_faults_in_the_whole_list_name_the_place_and_change_nothing(api: TestClient, tables: str) -> None:
    api.post(tables, json={"name": "Birch", "seats": 4, "min_seats": 4})
    sent = [{"name": "A", "seats": 0}, {"name": "B", "seats": 4}, {"name": "b", "seats": 4}]
    assert errors_of(api.put(tables, json={"tables": sent}, headers=ANY_VERSION)) == [
        {"pointer": "#/tables/0/seats", "detail": "A table needs at least 1 seat."},
        {"pointer": "#/tables/2/name", "detail": "“b” is a duplicate (also tables/1 as “B”)."},
    ]
    [fault] = errors_of(
        api.put(tables, json={"tables": [{"seats": 1}, {"name": "Birch", "seats": 3}]}, headers=ANY_VERSION)
    )
    assert fault["pointer"] == "#/tables/1/min_seats"
    assert [table["name"] for table in api.get(tables).json()["tables"]] == ["Birch"]


def test_all_faults_of_the_whole_list_come_in_one_answer(api: TestClient, tables: str) -> None:
    birch = api.post(tables, json={"name": "Birch", "seats": 4, "min_seats": 4}).json()["id"]
    unknown = "00000000-0000-7000-8000-000000000000"
    sent = [
        {"name": "birch ", "seats": 3},
        {"name": "A", "seats": 4, "reserved_for": unknown, "x": 1e300},
        {"name": "a", "seats": 0},
        {"name": "C", "seats": 4, "id": unknown},
        {"name": "D", "seats": 2, "min_seats": 3, "id": birch},
        {"name": "E", "seats": 501, "id": birch},
        {"name": "\u200b", "seats": 2, "min_seats": 3},
    ]
    refused = errors_of(api.put(tables, json={"tables": sent}, headers=ANY_VERSION))
    assert [(fault["pointer"].removeprefix("#/tables/"), fault["detail"]) for fault in refused] == [
        ("1/x", "The position must be between −1,000,000 and 1,000,000."),
        ("1/reserved_for", "Group not found in this event."),
        ("2/seats", "A table needs at least 1 seat."),
        ("2/name", "“a” is a duplicate (also tables/1 as “A”)."),
        ("3/id", "No table with this id in this event. Leave the id out to add a new one."),
        ("4/min_seats", "The fewest guests (3) cannot be more than the 2 seats."),
        ("5/seats", "Maximum 500 seats per table; this one has 501."),
        ("5/id", "Duplicate id (also tables/4)."),
        ("6/name", "The table name is empty."),
        ("6/min_seats", "The fewest guests (3) cannot be more than the 2 seats."),
    ]
    by_name = [{"name": "birch ", "seats": 3}, {"name": "Oak", "seats": 0}]
    pointers = [one["pointer"] for one in errors_of(api.put(tables, json={"tables": by_name}, headers=ANY_VERSION))]
    assert pointers == ["#/tables/0/min_seats", "#/tables/1/seats"]


def test_more_tables_than_an_event_takes_are_refused(api: TestClient, tables: str) -> None:
    sent = {"tables": [{"seats": 1}] * 2001}
    assert errors_of(api.put(tables, json=sent))[0]["pointer"] == "#/tables"


def test_list_comes_in_pages(api: TestClient, tables: str) -> None:
    api.put(tables, json={"tables": [{"seats": 4}] * 5})
    first = api.get(tables, params={"limit": 3}).json()
    rest = api.get(tables, params={"limit": 3, "after": first["next"]}).json()
    assert [table["name"][-1] for table in first["tables"] + rest["tables"]] == list("12345")


def test_stranger_sees_and_changes_no_table(api: TestClient, tables: str, stranger_api: TestClient) -> None:
    address = f"{tables}/{api.post(tables, json={'seats': 4}).json()['id']}"
    assert stranger_api.get(tables).status_code == 404
    assert stranger_api.post(tables, json={"seats": 4}).status_code == 404
    assert stranger_api.put(tables, json={"tables": []}).status_code == 404
    assert stranger_api.get(address).status_code == 404
    assert stranger_api.patch(address, json={"seats": 5}, headers={"If-Match": "*"}).status_code == 404
    assert stranger_api.delete(address, headers={"If-Match": "*"}).status_code == 404
    assert api.get(address).json()["seats"] == 4


def test_table_is_reserved_for_a_group_of_its_event(api: TestClient) -> None:
    root, other = (f"events/{api.post('events', json={'name': name}).json()['id']}" for name in ("Party", "Other"))
    group = api.post(f"{root}/groups", json={"name": "Family"}).json()["id"]
    stranger = api.post(f"{other}/groups", json={"name": "Family"}).json()["id"]
    made = api.post(f"{root}/tables", json={"seats": 4, "reserved_for": group}).json()
    table = f"{root}/tables/{made['id']}"
    assert made["reserved_for"] == group
    assert api.patch(table, json={"seats": 5}, headers=ANY_VERSION).json()["reserved_for"] == group
    assert api.post(f"{table}/duplicate").json()["reserved_for"] == group
    entry = {"seats": 5, "reserved_for": stranger}
    refused = [
        api.patch(table, json={"reserved_for": stranger}, headers=ANY_VERSION),
        api.post(f"{root}/tables", json=entry),
        api.put(f"{root}/tables", json={"tables": [{"seats": 2}, entry]}, headers=ANY_VERSION),
    ]
    pointers = [answer.json()["errors"][0]["pointer"] for answer in refused]
    assert pointers == ["#/reserved_for", "#/reserved_for", "#/tables/1/reserved_for"]
    assert api.patch(table, json={"reserved_for": None}, headers=ANY_VERSION).json()["reserved_for"] is None

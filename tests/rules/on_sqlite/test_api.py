"""/api/v1/events/{event}/rules."""

from __future__ import annotations

from typing import Any

import pytest
from fastapi.testclient import TestClient

from app.accounts.actor import Actor
from app.db.session import Sessions
from tests.conftest import api_client
from tests.factories import ANY_VERSION
from tests.rating_helpers import give_role

NOBODY = "00000000-0000-7000-8000-000000000000"


@pytest.fixture
def event(api: TestClient) -> str:
    """The address of an event with four guests and two tables."""
    address = f"events/{api.post('events', json={'name': 'Party'}).json()['id']}"
    api.put(f"{address}/guests", json={"guests": [{"name": name} for name in ("Aino", "Eero", "Olli", "Sari")]})
    api.put(f"{address}/tables", json={"tables": [{"seats": 4}, {"seats": 4}]})
    return address


@pytest.fixture
def guests(api: TestClient, event: str) -> list[str]:
    """Guest ids."""
    return [guest["id"] for guest in api.get(f"{event}/guests").json()["guests"]]


@pytest.fixture
def tables(api: TestClient, event: str) -> list[str]:
    """The ids of its tables."""
    return [table["id"] for table in api.get(f"{event}/tables").json()["tables"]]


def rules_at(api: TestClient, event: str) -> list[dict[str, Any]]:
    return list(api.get(f"{event}/rules").json()["rules"])


def errors_of(answer: Any) -> list[str]:
    assert answer.status_code == 422
    return [error["pointer"] for error in answer.json()["errors"]]


def test_rules_of_every_kind_are_made_and_read_back(
    api: TestClient, event: str, guests: list[str], tables: list[str]
) -> None:
    bodies = [
        {"kind": "together", "guests": guests[:3], "tables": []},
        {"kind": "apart", "guests": guests[1:3], "tables": []},
        {"kind": "side_by_side", "guests": guests[:2], "tables": []},
        {"kind": "pinned", "guests": guests[:1], "tables": tables},
    ]
    made = [api.post(f"{event}/rules", json=body) for body in bodies]
    assert [answer.status_code for answer in made] == [201] * 4
    assert [{**answer.json(), "id": None} for answer in made] == [{**body, "id": None} for body in bodies]
    assert rules_at(api, event) == [answer.json() for answer in made]
    assert api.get(made[3].headers["location"].removeprefix("/api/v1/")).json() == made[3].json()


def test_rules_that_make_no_sense_are_refused(
    api: TestClient, event: str, guests: list[str], tables: list[str]
) -> None:
    def faults(kind: str, who: list[str], at: list[str]) -> list[str]:
        return errors_of(api.post(f"{event}/rules", json={"kind": kind, "guests": who, "tables": at}))

    assert faults("together", guests[:1], []) == ["#/guests"]
    assert faults("apart", [guests[0], guests[0]], []) == ["#/guests"]
    assert faults("side_by_side", guests[:3], []) == ["#/guests"]
    assert faults("pinned", [], tables) == ["#/guests"]
    assert faults("pinned", guests[:1], []) == ["#/tables"]
    assert faults("together", guests[:2], tables) == ["#/tables"]
    assert faults("together", [guests[0], NOBODY], []) == ["#/guests/1"]
    assert faults("pinned", guests[:1], [NOBODY]) == ["#/tables/0"]
    assert faults("near", guests[:2], []) == ["#/kind"]
    assert rules_at(api, event) == []


def test_the_same_rule_is_not_taken_twice(api: TestClient, event: str, guests: list[str]) -> None:
    api.post(f"{event}/rules", json={"kind": "apart", "guests": guests[:2]})
    assert errors_of(api.post(f"{event}/rules", json={"kind": "apart", "guests": guests[1::-1]})) == ["#/guests"]
    assert api.post(f"{event}/rules", json={"kind": "together", "guests": guests[:2]}).status_code == 201


def test_rule_is_changed_with_its_present_version(
    api: TestClient, event: str, guests: list[str], tables: list[str]
) -> None:
    made = api.post(f"{event}/rules", json={"kind": "together", "guests": guests[:2]})
    address = f"{event}/rules/{made.json()['id']}"
    changed = api.patch(address, json={"guests": guests[2:]}, headers={"If-Match": made.headers["etag"]})
    assert changed.json() == made.json() | {"guests": guests[2:]}
    assert api.patch(address, json={"kind": "apart"}, headers={"If-Match": made.headers["etag"]}).status_code == 412
    pinned = {"kind": "pinned", "tables": tables[:1]}
    assert api.patch(address, json=pinned, headers={"If-Match": changed.headers["etag"]}).json() == (
        changed.json() | pinned
    )
    assert api.delete(address, headers={"If-Match": "*"}).status_code == 204
    assert rules_at(api, event) == []


def test_rule_rests_while_too_few_are_left_and_comes_back(
    api: TestClient, event: str, guests: list[str], tables: list[str]
) -> None:
    pair = api.post(f"{event}/rules", json={"kind": "apart", "guests": guests[:2]}).json()
    three = api.post(f"{event}/rules", json={"kind": "together", "guests": guests[:3]}).json()
    pinned = api.post(f"{event}/rules", json={"kind": "pinned", "guests": guests[3:], "tables": tables[:1]}).json()
    api.delete(f"{event}/guests/{guests[0]}", headers={"If-Match": "*"})
    api.delete(f"{event}/tables/{tables[0]}", headers={"If-Match": "*"})
    assert rules_at(api, event) == [three | {"guests": guests[1:3]}]
    everybody = [{"id": key, "name": name} for key, name in zip(guests, ("A", "B", "C", "D"), strict=True)]
    api.put(f"{event}/guests", json={"guests": everybody}, headers=ANY_VERSION)
    api.put(f"{event}/tables", json={"tables": [{"id": key, "seats": 4} for key in tables]}, headers=ANY_VERSION)
    assert rules_at(api, event) == [pair, three, pinned]


def test_all_rules_are_set_in_one_and_those_that_say_the_same_stay(
    api: TestClient, event: str, guests: list[str]
) -> None:
    kept = api.post(f"{event}/rules", json={"kind": "apart", "guests": guests[:2]}).json()
    api.post(f"{event}/rules", json={"kind": "together", "guests": guests[2:]})
    sent = [{"kind": "side_by_side", "guests": guests[2:]}, {"kind": "apart", "guests": guests[:2]}]
    answer = api.put(f"{event}/rules", json={"rules": sent}, headers=ANY_VERSION).json()["rules"]
    assert kept in answer
    assert sorted(rule["kind"] for rule in rules_at(api, event)) == ["apart", "side_by_side"]
    broken = [*sent, {"kind": "apart", "guests": guests[1::-1]}, {"kind": "pinned", "guests": guests}]
    assert errors_of(api.put(f"{event}/rules", json={"rules": broken}, headers=ANY_VERSION)) == [
        "#/rules/2",
        "#/rules/3/tables",
    ]
    assert rules_at(api, event) == answer


def test_list_comes_in_pages(api: TestClient, event: str, guests: list[str]) -> None:
    pairs = [[guests[i], guests[j]] for i in range(4) for j in range(i)][:5]
    api.put(f"{event}/rules", json={"rules": [{"kind": "together", "guests": pair} for pair in pairs]})
    first = api.get(f"{event}/rules", params={"limit": 3}).json()
    rest = api.get(f"{event}/rules", params={"limit": 3, "after": first["next"]}).json()
    assert first["rules"] + rest["rules"] == rules_at(api, event)
    assert (len(rest["rules"]), rest["next"]) == (2, None)


def test_stranger_sees_and_changes_no_rule(
    api: TestClient, event: str, guests: list[str], stranger_api: TestClient
) -> None:
    body = {"kind": "apart", "guests": guests[:2]}
    address = f"{event}/rules/{api.post(f'{event}/rules', json=body).json()['id']}"
    assert stranger_api.get(f"{event}/rules").status_code == 404
    assert stranger_api.post(f"{event}/rules", json=body).status_code == 404
    assert stranger_api.put(f"{event}/rules", json={"rules": []}).status_code == 404
    assert stranger_api.get(address).status_code == 404
    assert stranger_api.patch(address, json={"kind": "together"}, headers={"If-Match": "*"}).status_code == 404
    assert stranger_api.delete(address, headers={"If-Match": "*"}).status_code == 404
    assert len(rules_at(api, event)) == 1


def test_viewer_is_not_told_who_must_not_meet(
    api: TestClient, client: TestClient, sessions: Sessions, stranger: Actor, event: str, guests: list[str]
) -> None:
    made = api.post(f"{event}/rules", json={"kind": "apart", "guests": guests[:2]}).json()["id"]
    give_role(sessions, event.removeprefix("events/"), stranger, "viewer")
    viewer = api_client(client, sessions, stranger)
    assert viewer.get(f"{event}/rules").status_code == 403
    assert viewer.get(f"{event}/rules/{made}").status_code == 403

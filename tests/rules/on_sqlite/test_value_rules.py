"""Rules about groups and other values that guests share: the API, the page without JavaScript, files and copies."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from fastapi.testclient import TestClient

from tests.factories import ANY_VERSION
from tests.pages import actions_of, faults_of, fields_of, kept_of, words_of
from tests.rules.on_sqlite.test_api import errors_of, rules_at

GUESTS = [
    {"name": "Aino", "groups": ["Choir"], "side": "Bride", "party": "Virtanen"},
    {"name": "Bo", "groups": ["Choir"], "side": "Groom", "party": "Virtanen"},
    {"name": "Cleo", "groups": ["Choir", "Hosts"], "side": "Bride"},
    {"name": "Dan", "groups": ["Hosts"], "side": "Groom"},
    {"name": "Eve", "groups": ["Work"], "side": "Bride", "reply": "no"},
    {"name": "Finn", "groups": ["Work"], "age_group": "child"},
]


@pytest.fixture
def event(api: TestClient) -> str:
    """The address of an event with six guests, groups, sides and two tables."""
    address = f"events/{api.post('events', json={'name': 'Party'}).json()['id']}"
    sides = {"kind": "side", "options": [{"name": "Bride"}, {"name": "Groom"}]}
    assert api.post(f"{address}/fields", json=sides).status_code == 201
    assert api.put(f"{address}/guests", json={"guests": GUESTS}).is_success
    api.put(f"{address}/tables", json={"tables": [{"seats": 4}, {"seats": 4}]})
    return address


@pytest.fixture
def groups(api: TestClient, event: str) -> dict[str, str]:
    """The ids of groups by their names."""
    return {group["name"]: group["id"] for group in api.get(f"{event}/groups").json()["groups"]}


@pytest.fixture
def tables(api: TestClient, event: str) -> list[str]:
    """The ids of the tables."""
    return [table["id"] for table in api.get(f"{event}/tables").json()["tables"]]


def of(*groups: str) -> list[dict[str, str]]:
    return [{"field": "group", "value": group} for group in groups]


def every_kind(groups: dict[str, str], tables: list[str]) -> list[dict[str, Any]]:
    """Return a rule of each kind as sent."""
    return [
        {"kind": "group_at", "values": of(groups["Work"]), "tables": tables[:1]},
        {"kind": "groups_apart", "values": of(groups["Hosts"], groups["Work"])},
        {"kind": "at_most", "values": of(groups["Choir"]), "limit": 2},
        {"kind": "at_most", "values": [{"field": "age_group", "value": "child"}], "limit": 0, "tables": tables[1:]},
        {"kind": "at_least", "values": of(groups["Hosts"])},
        {"kind": "spread", "field": "side", "limit": 0},
        {"kind": "alternate", "field": "side"},
    ]


def test_rules_of_every_kind_are_made_read_back_and_changed(
    api: TestClient, event: str, groups: dict[str, str], tables: list[str]
) -> None:
    bodies = every_kind(groups, tables)
    made = [api.post(f"{event}/rules", json=body) for body in bodies]
    assert [answer.status_code for answer in made] == [201] * len(bodies)
    empty: dict[str, Any] = {"id": None, "values": [], "field": None, "limit": None, "tables": [], "guest_count": None}
    expected = [{**empty, **body} for body in bodies]
    expected[4]["limit"] = 1
    assert [{**answer.json(), "id": None, "guest_count": None} for answer in made] == expected
    assert [answer.json()["guest_count"] for answer in made] == [2, 4, 3, 1, 2, 5, 5]
    assert rules_at(api, event) == [answer.json() for answer in made]
    again = api.put(f"{event}/rules", json={"rules": bodies}, headers=ANY_VERSION)
    assert again.json()["rules"] == [answer.json() for answer in made]
    address = f"{event}/rules/{made[2].json()['id']}"
    changed = api.patch(address, json={"limit": 1}, headers={"If-Match": made[2].headers["etag"]})
    assert changed.json() == made[2].json() | {"limit": 1}
    at_least = {"kind": "at_least", "values": of(groups["Work"]), "limit": None, "tables": tables}
    assert api.patch(address, json=at_least, headers=ANY_VERSION).json()["limit"] == 1


@pytest.mark.parametrize(
    ("body", "pointers"),
    [
        ({"kind": "at_most", "limit": 2}, ["#/values"]),
        ({"kind": "at_most", "values": ["Choir", "Work"], "limit": 2}, ["#/values"]),
        ({"kind": "at_most", "values": ["Choir"]}, ["#/limit"]),
        ({"kind": "at_most", "values": ["Choir"], "limit": 0}, ["#/limit"]),
        ({"kind": "at_most", "values": ["Choir"], "limit": 1001}, ["#/limit"]),
        ({"kind": "at_most", "values": ["nobody"], "limit": 2}, ["#/values/0/value"]),
        ({"kind": "at_least", "values": ["Choir"], "limit": 0}, ["#/limit"]),
        ({"kind": "at_least", "values": ["Choir"], "field": "side"}, ["#/field"]),
        ({"kind": "groups_apart", "values": ["Choir"]}, ["#/values"]),
        ({"kind": "groups_apart", "values": ["Choir", "Choir"]}, ["#/values"]),
        ({"kind": "groups_apart", "values": ["Choir", "Work"], "limit": 3}, ["#/limit"]),
        ({"kind": "groups_apart", "values": ["Choir", "Work"], "tables": True}, ["#/tables"]),
        ({"kind": "group_at", "values": ["Choir"]}, ["#/tables"]),
        ({"kind": "group_at", "values": ["Choir"], "guests": True, "tables": True}, ["#/guests"]),
        ({"kind": "spread"}, ["#/field"]),
        ({"kind": "spread", "field": "household"}, ["#/field"]),
        ({"kind": "spread", "field": "hair"}, ["#/field"]),
        ({"kind": "alternate", "field": "side", "values": ["Choir"]}, ["#/values"]),
        ({"kind": "alternate", "field": "side", "limit": 1}, ["#/limit"]),
        ({"kind": "together", "guests": True, "values": ["Choir"], "field": "side"}, ["#/values", "#/field"]),
        ({"kind": "apart", "guests": True, "limit": 1}, ["#/limit"]),
        ({"kind": "near", "values": ["Choir"]}, ["#/kind"]),
    ],
)
def test_combinations_that_make_no_sense_are_refused(
    api: TestClient, event: str, groups: dict[str, str], tables: list[str], body: dict[str, Any], pointers: list[str]
) -> None:
    sent = dict(body)
    if "values" in body:
        sent["values"] = of(*(groups.get(name, tables[0]) for name in body["values"]))
    if "tables" in body:
        sent["tables"] = tables
    if "guests" in body:
        sent["guests"] = [guest["id"] for guest in api.get(f"{event}/guests").json()["guests"]][:2]
    assert errors_of(api.post(f"{event}/rules", json=sent)) == pointers
    assert rules_at(api, event) == []


def test_a_field_is_spread_once_and_one_alternates(api: TestClient, event: str) -> None:
    assert api.put(f"{event}/fields/balanced", json={"balanced": ["side"]}).is_success
    [rule] = rules_at(api, event)
    assert (rule["kind"], rule["field"], rule["limit"]) == ("spread", "side", 1)
    for limit in (1, 2):
        spread = {"kind": "spread", "field": "side", "limit": limit}
        assert errors_of(api.post(f"{event}/rules", json=spread)) == ["#/field"]
    assert api.post(f"{event}/rules", json={"kind": "alternate", "field": "side"}).status_code == 201
    assert errors_of(api.post(f"{event}/rules", json={"kind": "alternate", "field": "group"})) == ["#/field"]
    both = [{"kind": "alternate", "field": field} for field in ("side", "group")]
    assert errors_of(api.put(f"{event}/rules", json={"rules": both}, headers=ANY_VERSION)) == ["#/rules/1/field"]
    assert api.delete(f"{event}/rules/{rule['id']}", headers=ANY_VERSION).status_code == 204
    assert api.get(f"{event}/fields/balanced").json() == {"balanced": []}


def test_rules_go_with_what_they_are_about(
    api: TestClient, web: TestClient, event: str, groups: dict[str, str], tables: list[str]
) -> None:
    three = of(groups["Choir"], groups["Hosts"], groups["Work"])
    bodies = [*every_kind(groups, tables), {"kind": "groups_apart", "values": three}]
    api.put(f"{event}/rules", json={"rules": bodies})
    assert api.delete(f"{event}/groups/{groups['Work']}", headers=ANY_VERSION).status_code == 204
    assert api.delete(f"{event}/tables/{tables[1]}", headers=ANY_VERSION).status_code == 204
    left = rules_at(api, event)
    assert [rule["kind"] for rule in left] == ["at_most", "at_least", "spread", "alternate", "groups_apart"]
    assert len(left[-1]["values"]) == 2
    side = api.get(f"{event}/fields").json()["fields"][0]["id"]
    assert api.delete(f"{event}/fields/{side}", headers=ANY_VERSION).status_code == 204
    assert [rule["kind"] for rule in rules_at(api, event)] == ["at_most", "at_least", "groups_apart"]
    api.put(f"{event}/guests", json={"guests": [{"name": "Gail"}]}, headers=ANY_VERSION)
    page = words_of(web.get(f"/{event}/rules").text)
    assert "At most 2 of Choir sit at each table Nobody to seat has Choir now, so this rule does not apply." in page
    assert "These rules conflict" not in page
    assert web.get(f"/{event}/plan").status_code == 200


def test_event_file_workbook_and_copy_have_the_rules(
    api: TestClient, web: TestClient, event: str, groups: dict[str, str], tables: list[str]
) -> None:
    household = {"field": "household", "value": household_of(api, web, event)}
    bodies = [*every_kind(groups, tables), {"kind": "group_at", "values": [household], "tables": tables}]
    api.put(f"{event}/rules", json={"rules": bodies})
    file = json.loads(api.get(f"{event}/event.json").content)
    assert {"kind": "at_most", "values": [["group", "Choir"]], "limit": 2} in file["rules"]
    assert {"kind": "alternate", "field": "side"} in file["rules"]
    copy = api.post(f"{event}/duplicate", json={"name": "Copy"}).json()["id"]
    assert json.loads(api.get(f"events/{copy}/event.json").content)["rules"] == file["rules"]
    few = {"name": "Few", "parts": ["guests", "rules"]}
    copy = api.post(f"{event}/duplicate", json=few).json()["id"]
    assert rules_at(api, f"events/{copy}") == []
    sheet = web.get(f"/{event}/event.xlsx").content
    made = web.post("/import", files={"file": ("event.xlsx", sheet)})
    moved = made.headers["location"].split("/")[2]
    assert json.loads(api.get(f"events/{moved}/event.json").content)["rules"] == file["rules"]


def household_of(api: TestClient, web: TestClient, event: str) -> str:
    """Return the id of the household, from the form that offers it."""
    return str(re.findall(r'value="household!([0-9a-f-]{36})"', web.get(f"/{event}/rules").text)[0])


def test_sentences_make_rules_that_are_told_in_words(
    web: TestClient, event: str, groups: dict[str, str], tables: list[str]
) -> None:
    address = f"/{event}/rules"
    choir, hosts, work = (f"group!{groups[name]}" for name in ("Choir", "Hosts", "Work"))
    forms = [
        {"kind": "at_most", "at_most-value": choir, "at_most-limit": "2"},
        {"kind": "at_most", "at_most-value": "age_group!child", "at_most-limit": "0", "at_most-table": tables[0]},
        {"kind": "at_least", "at_least-value": hosts, "at_least-limit": "1"},
        {"kind": "groups_apart", "groups_apart-value": hosts, "groups_apart-other": work},
        {"kind": "group_at", "group_at-value": work, "group_at-table": tables[1]},
        {"kind": "spread", "spread-field": "side", "spread-limit": ""},
        {"kind": "alternate", "alternate-field": "side"},
    ]
    made = [web.post(f"{address}/groups", data=form) for form in forms]
    assert [answer.status_code for answer in made] == [303] * len(forms)
    words = words_of(web.get(made[-1].headers["location"]).text)
    assert "Rule added: Guests alternate by Side around each table." in words
    for sentence in (
        "At most 2 of Choir sit at each table 3 guests now.",
        "Nobody of Child (Age group) sits at Table 1 1 guest now.",
        "At least one of Hosts sits at each table 2 guests now.",
        "Hosts and Work never share a table 3 guests now.",
        "All of Work sit at Table 2 1 guest now.",
        "Each side is spread evenly over the tables, give or take 1 guest 4 guests now.",
    ):
        assert sentence in words


def test_rule_that_cannot_hold_alone_says_so_with_the_numbers(
    api: TestClient, web: TestClient, event: str, groups: dict[str, str]
) -> None:
    body = {"kind": "at_least", "values": of(groups["Choir"]), "limit": 2}
    assert api.post(f"{event}/rules", json=body).status_code == 201
    words = words_of(web.get(f"/{event}/rules").text)
    assert (
        "This rule cannot hold No plan can follow this rule: at least 2 of Choir sit at each table. "
        "2 tables × 2 = 4, but only 3 are coming. Change or delete it. Delete this rule"
    ) in words
    assert "Cannot hold: At least 2 of Choir" in words
    assert "onflict" not in words


def test_values_are_ids_and_the_answer_says_so(api: TestClient, event: str) -> None:
    for value, message in (
        ({"value": "Choir"}, "Expected the id of a group."),
        ({"field": "age_group", "value": "old"}, "Age group has no such value."),
        ("Choir", '“values/0” must be a JSON object such as {"value": "<group id>"}.'),
    ):
        answer = api.post(f"{event}/rules", json={"kind": "at_most", "limit": 1, "values": [value]})
        assert [fault["detail"] for fault in answer.json()["errors"]] == [message]


def test_contradiction_of_groups_names_the_fewest_rules_and_can_be_undone(
    web: TestClient, event: str, groups: dict[str, str], tables: list[str]
) -> None:
    address = f"/{event}/rules"
    choir, hosts = (f"group!{groups[name]}" for name in ("Choir", "Hosts"))
    web.post(f"{address}/groups", data={"kind": "group_at", "group_at-value": choir, "group_at-table": tables[0]})
    web.post(address, data={"kind": "apart", "first": "Dan", "second": "Finn"})
    web.post(f"{address}/groups", data={"kind": "at_most", "at_most-value": choir, "at_most-limit": "2"})
    page = web.get(address).text
    conflict = words_of(page.partition('aria-labelledby="rule-conflict"')[2].partition("</section>")[0])
    assert "all of Choir sit at Table 1 and at most 2 of Choir sit at each table." in conflict
    assert "Dan" not in conflict
    delete = next(action for action in actions_of(page) if action.endswith("/delete"))
    gone = web.post(delete).headers["location"]
    assert "These rules conflict" not in words_of(web.get(gone).text)
    restored = web.post(f"{address}/restore", data={"rule": gone.partition("removed=")[2]})
    assert "These rules conflict" in words_of(web.get(restored.headers["location"]).text)
    web.post(
        f"{address}/groups", data={"kind": "groups_apart", "groups_apart-value": choir, "groups_apart-other": hosts}
    )
    assert "Cleo is in two of these, so no plan can follow this rule." in words_of(web.get(address).text)


def test_faults_in_a_sentence_keep_everything_entered(web: TestClient, event: str, groups: dict[str, str]) -> None:
    address = f"/{event}/rules"
    entered = {"kind": "at_most", "at_most-limit": "many", "at_most-value": f"group!{groups['Work']}", "first": "Ain"}
    refused = web.post(f"{address}/groups", data=entered)
    assert refused.status_code == 422
    assert faults_of(refused.text) == ["Enter a whole number."]
    assert fields_of(refused.text)["at_most-limit"] == ["many"]
    assert fields_of(refused.text)["first"][0] == "Ain"
    assert kept_of(refused.text)["first"] == "Ain"
    for form in (
        {"kind": "at_most", "at_most-limit": "2"},
        {"kind": "groups_apart", "groups_apart-value": entered["at_most-value"]},
        {"kind": "group_at", "group_at-value": "group!nobody", "group_at-table": "x"},
        {"kind": "spread"},
        {"kind": "x"},
    ):
        assert web.post(f"{address}/groups", data=form).status_code == 422
    for undo in ("at_most~~", "at_most~~~group", "at_most~~~a!b!c~~", "spread~~~~side~x", "~~~~~"):
        assert web.post(f"{address}/restore", data={"rule": undo}).status_code == 422


def test_there_are_not_more_rules_for_groups_than_a_plan_can_be_compared_with(
    api: TestClient, event: str, groups: dict[str, str]
) -> None:
    many = [{"kind": "at_most", "values": of(groups["Choir"]), "limit": number} for number in range(1, 202)]
    refused = api.put(f"{event}/rules", json={"rules": many}, headers=ANY_VERSION)
    assert errors_of(refused) == ["#/rules"]
    assert "That would be 201 rules for groups; maximum 200 per event." in refused.json()["detail"]
    assert api.put(f"{event}/rules", json={"rules": many[1:]}, headers=ANY_VERSION).is_success
    assert errors_of(api.post(f"{event}/rules", json=many[0])) == ["#/values"]

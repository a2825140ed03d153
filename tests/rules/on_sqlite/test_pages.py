"""The page of rules, without JavaScript."""

from __future__ import annotations

import re

import pytest
from fastapi.testclient import TestClient

from app.accounts.actor import Actor
from app.db.session import Sessions
from tests.conftest import signed_in_client
from tests.pages import actions_of, faults_of, fields_of, kept_of, words_of
from tests.rating_helpers import give_role


@pytest.fixture
def event(web: TestClient) -> str:
    """The address of an event with four guests and two tables."""
    address = str(web.post("/events", data={"name": "Party"}).headers["location"]).removesuffix("/guests")
    web.post(f"{address}/guests/paste", data={"lines": "Aino\nEero\nOlli\nמרים"})
    web.post(f"{address}/tables/sizes", data={"sizes": "4 4"})
    return address


@pytest.fixture
def rules(event: str) -> str:
    """The address of its rules."""
    return f"{event}/rules"


def table_ids(web: TestClient, rules: str) -> list[str]:
    return re.findall(r'<option value="([0-9a-f-]{36})"', web.get(rules).text)


def test_rules_are_made_by_names_and_told_in_words(web: TestClient, rules: str) -> None:
    forms = [
        {"kind": "together", "first": "Aino", "second": " eero ", "third": "מרים"},
        {"kind": "apart", "first": "Aino", "second": "Olli"},
        {"kind": "side_by_side", "first": "Aino", "second": "Eero"},
        {"kind": "pinned", "guest": "olli", "table": table_ids(web, rules)[1]},
    ]
    assert [web.post(rules, data=form).status_code for form in forms] == [303] * 4
    words = words_of(web.get(rules).text)
    assert "Aino, Eero and מרים sit together" in words
    assert "Aino and Olli sit apart" in words
    assert "Aino and Eero sit side by side" in words
    assert "Olli sits at Table 2" in words
    assert "4 rules" in words


@pytest.mark.parametrize(
    ("kind", "message"),
    [
        ("together", "Aino, Olli and מרים sit together"),
        ("apart", "Aino, Olli and מרים sit apart"),
        ("pinned", "Eero sits at Table 1"),
    ],
)
def test_a_new_rule_is_confirmed_in_words_and_its_kind_stays(
    web: TestClient, rules: str, kind: str, message: str
) -> None:
    pair, pinned = {"first": "aino", "second": "olli", "third": "מרים"}, {"guest": "Eero"}
    form = pinned if kind == "pinned" else pair
    added = web.post(rules, data={**form, "kind": kind, "table": table_ids(web, rules)[0]})
    page = web.get(added.headers["location"]).text
    assert f"Rule added: {message}." in words_of(page)
    assert fields_of(page)["kind"][0] == ("together" if kind == "pinned" else kind)
    assert fields_of(page)["first"] == [""]
    delete = next(action for action in actions_of(page) if action.endswith("/delete"))
    web.post(delete)
    assert "Rule added" not in words_of(web.get(added.headers["location"]).text)


def test_faults_name_the_guest_and_keep_what_was_entered(web: TestClient, rules: str) -> None:
    refused = web.post(rules, data={"kind": "apart", "first": "Ain", "second": "", "fourth": "Olli"})
    assert refused.status_code == 422
    assert faults_of(refused.text) == [
        "No guest called “Ain”. Do you mean “Aino”?",
        "Enter a guest name.",
    ]
    unlike = web.post(rules, data={"kind": "apart", "first": "Xu", "second": "Olli"})
    assert faults_of(unlike.text) == ["No guest called “Xu”. Enter the name as it appears in the guest list."]
    kept = fields_of(refused.text)
    assert (kept["first"], kept["fourth"], kept["kind"][:2]) == (["Ain"], ["Olli"], ["apart", "pinned"])
    same = web.post(rules, data={"kind": "apart", "first": "Aino", "second": "AINO"})
    assert faults_of(same.text) == ["Duplicate guest."]
    tableless = web.post(rules, data={"kind": "pinned", "guest": "Aino"})
    assert faults_of(tableless.text) == ["Choose a table."]
    assert fields_of(tableless.text)["guest"] == ["Aino"]
    three = web.post(rules, data={"kind": "side_by_side", "first": "Aino", "second": "Eero", "third": "Olli"})
    assert faults_of(three.text) == ["Side by side is for two guests. Add one rule per pair."]
    unknown = web.post(rules, data={"kind": "near", "first": "Aino", "second": "Eero"})
    assert unknown.status_code == 422
    assert "No rules yet" in words_of(web.get(rules).text)


def test_removal_can_be_undone_from_the_page(web: TestClient, rules: str) -> None:
    web.post(rules, data={"kind": "pinned", "guest": "Olli", "table": table_ids(web, rules)[0]})
    [delete] = [action for action in actions_of(web.get(rules).text) if action.endswith("/delete")]
    page = web.get(web.post(delete).headers["location"]).text
    assert "Rule deleted." in words_of(page)
    assert "No rules yet" in words_of(page)
    undone = web.post(f"{rules}/restore", data={"rule": fields_of(page)["rule"][0]})
    assert undone.status_code == 303
    assert "Olli sits at Table 1" in words_of(web.get(rules).text)


@pytest.mark.parametrize("rule", ["", "x", "apart~x~", "near~00000000-0000-7000-8000-000000000000~"])
def test_an_undo_that_cannot_be_done_says_so(web: TestClient, rules: str, rule: str) -> None:
    refused = web.post(f"{rules}/restore", data={"rule": rule})
    assert (refused.status_code, len(faults_of(refused.text))) == (422, 1)


def test_without_guests_the_page_leads_to_them(web: TestClient) -> None:
    event = str(web.post("/events", data={"name": "Empty"}).headers["location"]).removesuffix("/guests")
    page = web.get(f"{event}/rules").text
    assert "Add guests first" in words_of(page)
    assert f"{event}/rules" not in actions_of(page)


def test_stranger_sees_and_changes_no_rule(web: TestClient, stranger_web: TestClient, rules: str) -> None:
    web.post(rules, data={"kind": "apart", "first": "Aino", "second": "Olli"})
    [delete] = [action for action in actions_of(web.get(rules).text) if action.endswith("/delete")]
    assert stranger_web.get(rules).status_code == 404
    form = {"kind": "together", "first": "Aino", "second": "Eero", "rule": "x"}
    posts = (rules, f"{rules}/restore", delete)
    assert [stranger_web.post(path, data=form).status_code for path in posts] == [404] * 3
    assert "1 rule" in words_of(web.get(rules).text)


def test_viewer_is_not_told_who_must_not_meet(
    web: TestClient, client: TestClient, sessions: Sessions, stranger: Actor, event: str, rules: str
) -> None:
    give_role(sessions, event.removeprefix("/events/"), stranger, "viewer")
    viewer = signed_in_client(client, sessions, stranger)
    assert viewer.get(rules).status_code == 403
    assert f'href="{rules}"' not in viewer.get(f"{event}/guests").text
    assert viewer.post(rules, data={"kind": "apart", "first": "nobody"}).status_code == 403


def test_neither_form_loses_what_stands_in_the_other(web: TestClient, rules: str) -> None:
    table = table_ids(web, rules)[0]
    pair = {"first": "Aino", "second": "Eeor", "pair_kind": "apart"}
    refused = web.post(
        rules, data={"kind": "apart", "first": "Aino", "second": "Eeor", "guest": "Olli", "table": table}
    )
    assert [fields_of(refused.text)[key] for key in ("guest", "table")] == [["Olli"], [table]]
    assert kept_of(refused.text) == {**pair, "third": "", "fourth": "", "guest": "Olli", "table": table}
    added = web.post(rules, data={"kind": "pinned", "guest": "Olli", "table": table, **pair})
    assert "Rule added: Olli sits at Table 1." in words_of(added.text)
    shown = fields_of(added.text)
    assert [shown[key] for key in ("first", "second", "guest")] == [["Aino"], ["Eeor"], [""]]
    assert shown["kind"][:2] == ["apart", "pinned"]
    [delete] = {action for action in actions_of(added.text) if action.endswith("/delete")}
    removed = web.post(delete, data={"kind": "apart", "first": "Aino", "second": "Eeor"})
    assert ("Rule deleted." in words_of(removed.text), fields_of(removed.text)["second"]) == (True, ["Eeor"])
    undone = web.post(f"{rules}/restore", data={"rule": fields_of(removed.text)["rule"][0], "guest": "Olli"})
    assert fields_of(undone.text)["guest"] == ["Olli"]


def test_rules_that_contradict_each_other_are_told_at_once_with_the_way_out(
    web: TestClient, event: str, rules: str
) -> None:
    web.post(rules, data={"kind": "apart", "first": "Eero", "second": "Olli"})
    web.post(rules, data={"kind": "together", "first": "Aino", "second": "Olli"})
    added = web.post(rules, data={"kind": "apart", "first": "Aino", "second": "Olli"})
    words = words_of(web.get(added.headers["location"]).text)
    both = "No plan can satisfy all of these: Aino and Olli sit together and Aino and Olli sit apart."
    assert "These rules conflict" in words
    assert f"{both} The smallest change: don't require that Aino and Olli sit" in words
    assert words.count("Conflicts with other rules:") == 2
    assert both in words_of(web.get(f"{event}/plan").text)
    page = web.get(rules).text
    remove = re.search(r'formaction="([^"]+/delete)">Delete that rule<', page)
    assert remove
    web.post(remove[1])
    assert [both in words_of(web.get(f"{event}/{path}").text) for path in ("rules", "plan")] == [False, False]


@pytest.mark.parametrize("sizes", [None, "2"])
def test_contradiction_is_told_before_there_are_seats_for_all(web: TestClient, sizes: str | None) -> None:
    event = str(web.post("/events", data={"name": "Early"}).headers["location"]).removesuffix("/guests")
    web.post(f"{event}/guests/paste", data={"lines": "Aino\nEero\nOlli"})
    if sizes:
        web.post(f"{event}/tables/sizes", data={"sizes": sizes})
    web.post(f"{event}/rules", data={"kind": "apart", "first": "Aino", "second": "Eero", "third": "Olli"})
    assert "These rules conflict" not in words_of(web.get(f"{event}/rules").text)
    web.post(f"{event}/rules", data={"kind": "together", "first": "Aino", "second": "Eero"})
    assert "These rules conflict" in words_of(web.get(f"{event}/rules").text)


def test_rule_is_given_up_rather_than_a_party_and_pages_and_runs_say_the_same(web: TestClient, event: str) -> None:
    for name in ("Ben", "Amy"):
        web.post(f"{event}/guests", data={"name": name, "party": "Carter"})
    ids = dict(
        re.findall(
            r'id="guest-([0-9a-f-]{36})".*?<bdi class="guest-name">(\w+)</bdi>', web.get(f"{event}/guests").text, re.S
        )
    )
    ben, amy = (next(key for key, name in ids.items() if name == wanted) for wanted in ("Ben", "Amy"))
    web.post(f"{event}/ratings/pairs", data={"a": ben, "b": amy, "score": "-2"})
    web.post(f"{event}/rules", data={"kind": "apart", "first": "Ben", "second": "Amy"})
    message = (
        "No plan can satisfy all of these: Ben and Amy sit apart and the household of Ben and Amy sits together. "
        "The smallest change: don't require that Ben and Amy sit apart. "
        "Or let Amy sit apart from their household: clear “Household” on their page."
    )
    refused = web.post(f"{event}/runs", data={"restarts": "5"})
    assert refused.status_code == 422
    for page in (web.get(f"{event}/rules").text, web.get(f"{event}/guests/{amy}/rules").text, refused.text):
        assert message in words_of(page)
        assert f'href="{event}/guests/{amy}#f-party">Let Amy sit apart from their household<' in page
    assert 'id="f-party"' in web.get(f"{event}/guests/{amy}").text


def test_party_that_fits_at_no_table_is_told_with_how_to_split_it(web: TestClient, event: str) -> None:
    for name in ("Ann", "Bob", "Cid", "Dee", "Eva"):
        web.post(f"{event}/guests", data={"name": name, "party": "Carter"})
    web.post(f"{event}/tables/sizes", data={"sizes": "4 4 4"})
    refused = web.post(f"{event}/runs", data={"restarts": "5"})
    message = "To do this, let Eva sit apart from their household: clear “Household” on their page."
    assert message in words_of(refused.text)


def test_rule_about_somebody_who_does_not_come_says_that_it_rests(web: TestClient, event: str, rules: str) -> None:
    web.post(rules, data={"kind": "apart", "first": "Aino", "second": "Olli"})
    web.post(rules, data={"kind": "together", "first": "Aino", "second": "Eero", "third": "Olli"})
    olli = re.findall(r'id="guest-([0-9a-f-]{36})"', web.get(f"{event}/guests").text)[2]
    assert "this rule" not in words_of(web.get(rules).text)
    web.post(f"{event}/guests/{olli}", data={"name": "Olli", "reply": "no"})
    for page in (rules, f"{event}/guests/{olli}/rules"):
        words = words_of(web.get(page).text)
        assert "Olli is not attending, so this rule does not apply." in words
        assert "Olli is not attending, so this rule applies to the others only." in words

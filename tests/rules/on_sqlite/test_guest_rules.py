"""The rules about one guest, from the guest's page and from a plan, without JavaScript."""

from __future__ import annotations

import re

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import select

from app.accounts.actor import Actor
from app.db import models
from app.db.session import Sessions, transaction
from tests.factories import Planned, make_plan
from tests.pages import faults_of, fields_of, words_of
from tests.security.sqlite_only import database

__all__ = ["database"]


@pytest.fixture
def made(sessions: Sessions, owner: Actor) -> Planned:
    """A plan with Aino and Bo at one table, Cleo and Dan at the other."""
    with transaction(sessions) as session:
        return make_plan(session, owner, sizes=(2, 2), names=["Aino", "Bo", "Cleo", "Dan"])


@pytest.fixture
def address(made: Planned) -> str:
    """The address of the rules about Aino."""
    return f"/events/{made.event.id}/guests/{made.guests[0].id}/rules"


def rules_in(sessions: Sessions) -> list[str]:
    with transaction(sessions) as session:
        return sorted(session.scalars(select(models.Rule.kind)))


def button_action(html: str, label: str) -> str:
    """Return where the form goes that has this button."""
    found = re.search(rf'action="([^"]+)"(?:(?!</form>).)*?>{label}</button>', html, re.DOTALL)
    assert found
    return found[1]


def test_every_kind_of_rule_is_made_about_the_guest(
    web: TestClient, address: str, made: Planned, sessions: Sessions
) -> None:
    forms = [
        {"kind": "together", "other": "bo"},
        {"kind": "apart", "other": "Cleo"},
        {"kind": "side_by_side", "other": "Bo"},
        {"kind": "pinned", "table": str(made.tables[1].id)},
    ]
    for form in forms:
        added = web.post(address, data=form)
        page = web.get(added.headers["location"]).text
        assert "Rule added: Aino" in words_of(page)
        assert fields_of(page)["kind"] == [form["kind"]]
        assert "These rules conflict" not in page
    assert rules_in(sessions) == ["apart", "pinned", "side_by_side", "together"]
    guest_page = words_of(web.get(address.removesuffix("/rules")).text)
    assert "Aino and Bo sit side by side" in guest_page
    assert "Edit rules" in guest_page


def test_contradiction_is_told_at_once_and_one_button_ends_it(
    web: TestClient, address: str, sessions: Sessions
) -> None:
    web.post(address, data={"kind": "together", "other": "Bo"})
    added = web.post(address, data={"kind": "apart", "other": "Bo"})
    page = web.get(added.headers["location"]).text
    words = words_of(page)
    assert "These rules conflict" in words
    assert "Aino and Bo" in words
    assert rules_in(sessions) == ["apart", "together"]
    gone = web.post(button_action(page, "Delete that rule"))
    assert "These rules conflict" not in web.get(gone.headers["location"]).text
    assert len(rules_in(sessions)) == 1


def test_rule_is_undone_and_brought_back(web: TestClient, address: str, sessions: Sessions) -> None:
    added = web.post(address, data={"kind": "apart", "other": "Bo"})
    gone = web.post(button_action(web.get(added.headers["location"]).text, "Undo"))
    assert rules_in(sessions) == []
    page = web.get(gone.headers["location"]).text
    assert "Rule deleted." in words_of(page)
    web.post(f"{address}/restore", data={"rule": fields_of(page)["rule"][0]})
    assert rules_in(sessions) == ["apart"]
    again = web.post(f"{address}/restore", data={"rule": fields_of(page)["rule"][0]})
    assert faults_of(again.text) == ["This rule already exists."]


@pytest.mark.parametrize(
    ("form", "message"),
    [
        ({"kind": "apart", "other": "Eve"}, "No guest called “Eve”. Enter the name as it appears in the guest list."),
        ({"kind": "apart", "other": ""}, "Enter a guest name."),
        ({"kind": "apart", "other": "Aino"}, "Duplicate guest."),
        ({"kind": "pinned", "table": ""}, "Choose a table."),
    ],
)
def test_faults_keep_what_was_entered(web: TestClient, address: str, form: dict[str, str], message: str) -> None:
    refused = web.post(address, data=form)
    assert (refused.status_code, faults_of(refused.text)) == (422, [message])
    assert fields_of(refused.text)["kind"] == [form["kind"]]
    assert fields_of(refused.text)["other"] == [form.get("other", "")]


def test_plan_leads_to_the_rules_of_a_guest_and_back(web: TestClient, address: str, made: Planned) -> None:
    plan = f"/events/{made.event.id}/plans/{made.plan.id}"
    held = web.get(f"{plan}?guest={made.guests[0].id}").text
    assert f'href="{address}?plan={made.plan.id}"' in held
    page = web.get(f"{address}?plan={made.plan.id}").text
    assert "At the same table now Bo Keep apart Keep together" in words_of(page)
    added = web.post(address, data={"kind": "apart", "other": "Bo", "plan": str(made.plan.id)})
    page = web.get(added.headers["location"]).text
    assert "Rule added: Aino and Bo sit apart." in words_of(page)
    assert f"{plan}#g-{made.guests[0].id}" in page
    assert "Plan again" in words_of(page)

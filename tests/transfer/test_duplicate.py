"""A copy of an event: what comes along, what never does, and who may make one."""

from __future__ import annotations

from typing import Any

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import select

from app.accounts.actor import Actor
from app.db.models import AuditEntry, Link, Member
from app.db.session import Sessions, transaction
from tests.conftest import signed_in_client
from tests.factories import make_member
from tests.pages import faults_of, words_of

ALL = ["guests", "groups", "fields", "ratings", "rules", "tables", "plan", "wishes"]


@pytest.fixture
def source(api: TestClient) -> str:
    """The address of an event with something of everything."""
    event = f"events/{api.post('events', json={'name': 'Wedding', 'date': '2027-06-19'}).json()['id']}"
    names = {"Aino": "yes", "Bo": "no", "Cleo": "maybe", "Dan": "yes"}
    guests = [
        {"name": name, "groups": ["Family" if name in "Aino Bo" else "Work"], "party": "Virtanen", "reply": reply}
        if name in "Aino Bo"
        else {"name": name, "groups": ["Work"], "reply": reply, "diet": "vegan"}
        for name, reply in names.items()
    ]
    ids = [guest["id"] for guest in api.put(f"{event}/guests", json={"guests": guests}).json()["guests"]]
    groups = [group["id"] for group in api.get(f"{event}/groups").json()["groups"]]
    matrix = [[None if a == b else a + b for b in range(4)] for a in range(4)]
    assert api.put(f"{event}/ratings/matrix", json={"guests": ids, "matrix": matrix}).is_success
    pair = {"a": ids[0], "b": ids[2], "score": -1.5}
    assert api.patch(f"{event}/ratings", json={"ratings": [pair]}).is_success
    cell = {"a": groups[0], "b": groups[1], "score": 1.0}
    assert api.put(f"{event}/groups/ratings", json={"ratings": [cell]}).is_success
    tables = api.put(f"{event}/tables", json={"tables": [{"name": "Oak", "seats": 6}]}).json()["tables"]
    rules = [
        {"kind": "apart", "guests": [ids[2], ids[3]]},
        {"kind": "pinned", "guests": [ids[0]], "tables": [tables[0]["id"]]},
    ]
    assert api.put(f"{event}/rules", json={"rules": rules}).is_success
    return event


def copied(api: TestClient, source: str, **wanted: Any) -> dict[str, Any]:
    made = api.post(f"{source}/duplicate", json={"name": "Brunch", **wanted})
    assert made.status_code == 201, made.text
    content: dict[str, Any] = api.get(f"events/{made.json()['id']}/event.json").json()
    return content


def test_copy_of_everything_is_the_same_file_but_for_name_day_and_replies(api: TestClient, source: str) -> None:
    before = api.get(f"{source}/event.json").json()
    copy = copied(api, source, date="2027-06-20", parts=ALL, keep_replies=True)
    expected = {**before["event"], "name": "Brunch", "date": "2027-06-20"}
    assert copy == {**before, "event": expected}
    assert copied(api, source, date="2027-06-20", parts=ALL)["guests"] == [
        {**guest, "reply": "invited"} for guest in before["guests"]
    ]
    assert api.get(f"{source}/event.json").json() == before


@pytest.mark.parametrize(
    ("parts", "empty"),
    [
        ([], ["guests", "groups", "ratings", "matrix", "group_ratings", "tables", "rules", "plans"]),
        (["guests"], ["groups", "ratings", "matrix", "group_ratings", "tables", "rules", "plans"]),
        (["groups", "tables"], ["guests", "ratings", "matrix", "group_ratings", "rules", "plans"]),
        (["guests", "ratings"], ["groups", "group_ratings", "tables", "rules"]),
    ],
)
def test_only_what_is_wanted_comes_along(api: TestClient, source: str, parts: list[str], empty: list[str]) -> None:
    copy = copied(api, source, parts=parts)
    assert {name: copy[name] for name in empty if copy[name]} == {}
    if "groups" not in parts:
        assert not any({"groups", "household"} & set(guest) for guest in copy["guests"])


def test_rules_about_tables_stay_behind_without_the_tables(api: TestClient, source: str) -> None:
    copy = copied(api, source, parts=["guests", "rules"])
    assert [rule["kind"] for rule in copy["rules"]] == ["apart"]


def test_parts_that_need_others_are_refused(api: TestClient, source: str) -> None:
    refused = api.post(f"{source}/duplicate", json={"name": "Brunch", "parts": ["ratings", "plan"]})
    assert refused.status_code == 422
    assert "Ratings need guests." in refused.text
    assert len(api.get("events").json()["events"]) == 1


def test_links_members_and_activity_stay_behind(api: TestClient, source: str, sessions: Sessions) -> None:
    with transaction(sessions) as session:
        link = session.scalars(select(Member.event_id)).one()
        make_member(session, link, "editor")
    made = api.post(f"{source}/duplicate", json={"name": "Brunch"}, headers={"Idempotency-Key": "once"})
    again = api.post(f"{source}/duplicate", json={"name": "Brunch"}, headers={"Idempotency-Key": "once"})
    assert (made.status_code, again.json()) == (201, made.json())
    shared = api.post(f"{source}/duplicate", json={"name": "Gala", "parts": ["members"]}).json()["id"]
    with transaction(sessions) as session:
        ids = {str(key): key for key in session.scalars(select(Member.event_id))}
        copy, gala = ids[made.json()["id"]], ids[shared]
        assert session.scalars(select(Link).where(Link.event_id == copy)).all() == []
        assert session.scalars(select(Member.role).where(Member.event_id == copy)).all() == ["owner"]
        roles = session.scalars(select(Member.role).where(Member.event_id == gala)).all()
        assert sorted(roles) == ["editor", "owner"]
        actions = session.scalars(select(AuditEntry.action).where(AuditEntry.event_id == copy)).all()
        assert actions == ["event-copied"]
        of_source = session.scalars(select(AuditEntry.action).where(AuditEntry.event_id == link)).all()
        assert of_source.count("event-duplicated") == 2


def test_editor_makes_a_copy_of_their_own_and_a_viewer_none(
    client: TestClient, api: TestClient, source: str, sessions: Sessions, owner: Actor
) -> None:
    with transaction(sessions) as session:
        event_id = session.scalars(select(Member.event_id)).one()
        editor, viewer = (make_member(session, event_id, role) for role in ("editor", "viewer"))
    page = f"/{source}/duplicate"
    browser = signed_in_client(client, sessions, editor)
    assert "Members" not in words_of(browser.get(page).text).split("What comes along")[1]
    made = browser.post(page, data={"name": "Brunch", "part": ["guests", "ratings"], "on": "2027-06-20"})
    assert made.status_code == 303
    copy = made.headers["location"].partition("/guests")[0]
    assert "Aino" in browser.get(f"{copy}/guests").text
    assert api.get(copy[1:]).status_code == 404
    assert browser.post(page, data={"name": "Brunch", "part": ["members"]}).status_code == 403
    wrong = browser.post(page, data={"name": "", "part": ["guests"]})
    assert (wrong.status_code, bool(faults_of(wrong.text))) == (422, True)
    looking = signed_in_client(client, sessions, viewer)
    assert (looking.get(page).status_code, looking.post(page, data={"name": "x"}).status_code) == (403, 403)

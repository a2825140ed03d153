"""Events very far in the future: refused, and those that are stored already keep working."""

from __future__ import annotations

import datetime as dt
from uuid import UUID

import pytest
from fastapi.testclient import TestClient

from app.accounts.actor import Actor
from app.clock import now
from app.db.models import Event
from app.db.session import Sessions, transaction
from app.events.days import LAST_DAY
from tests.conftest import api_client, signed_in_client
from tests.factories import make_member
from tests.pages import faults_of, fields_of

TOO_LATE = [{"pointer": "#/date", "detail": "The date can be up to 2200-12-31."}]
END = dt.date.max.isoformat()


@pytest.mark.parametrize("body", [{"date": END}, {"date": "9990-12-31", "erase_after_days": 3650}])
def test_date_that_is_too_late_is_refused(api: TestClient, body: dict[str, object]) -> None:
    refused = api.post("events", json={"name": "Party", **body})
    assert (refused.status_code, refused.json()["errors"]) == (422, TOO_LATE)
    made = api.post("events", json={"name": "Party", "date": LAST_DAY.isoformat(), "erase_after_days": 3650})
    assert made.status_code == 201
    changed = api.patch(f"events/{made.json()['id']}", json=body, headers={"If-Match": "*"})
    assert (changed.status_code, changed.json()["errors"]) == (422, TOO_LATE)


def test_forms_refuse_a_date_that_is_too_late(web: TestClient) -> None:
    refused = web.post("/events", data={"name": "Party", "on": END})
    assert (refused.status_code, faults_of(refused.text)) == (422, ["The date can be up to 2200-12-31."])
    event = web.post("/events", data={"name": "Party"}).headers["location"].removesuffix("/guests")
    for path, field in (("settings", "on"), ("wishes/until", "until")):
        refused = web.post(f"{event}/{path}", data={"name": "Party", field: END, "version": "1"})
        assert (refused.status_code, faults_of(refused.text)) == (422, ["The date can be up to 2200-12-31."])


def test_stored_event_at_the_end_of_the_calendar_works(client: TestClient, sessions: Sessions, owner: Actor) -> None:
    api = api_client(client, sessions, owner)
    event = api.post("events", json={"name": "Party"}).json()["id"]
    api.post(f"events/{event}/guests", json={"name": "Aino"})
    with transaction(sessions) as session:
        session.get_one(Event, UUID(event)).date = dt.date.max
    any_version = {"If-Match": "*"}
    assert api.patch(f"events/{event}", json={"erase_after_days": 3650}, headers=any_version).status_code == 200
    assert api.patch(f"events/{event}", json={"date": END, "name": "Gala"}, headers=any_version).status_code == 200
    calendar = api.get(f"events/{event}/event.ics")
    assert (calendar.status_code, "DTSTART;VALUE=DATE:99991231" in calendar.text) == (200, True)
    web = signed_in_client(client, sessions, owner)
    for path in ("settings", "wishes", "share", "guests", "event.ics", "tables"):
        assert web.get(f"/events/{event}/{path}").status_code == 200
    assert web.post(f"/events/{event}/wishes/links", data={"per": "guest"}).status_code in (200, 201)
    version = fields_of(web.get(f"/events/{event}/settings").text)["version"][0]
    saved = web.post(f"/events/{event}/settings", data={"name": "Ball", "on": END, "version": version})
    assert saved.status_code == 303


def test_editor_brings_no_erasure_forward_by_a_new_date(
    client: TestClient, api: TestClient, sessions: Sessions
) -> None:
    today = now().date()

    def days_from_now(days: int) -> dict[str, str]:
        return {"date": (today + dt.timedelta(days=days)).isoformat()}

    made = api.post("events", json={"name": "Party", **days_from_now(60), "erase_after_days": 20})
    event = f"events/{made.json()['id']}"
    with transaction(sessions) as session:
        helper = make_member(session, UUID(made.json()["id"]), "editor")
    editor = api_client(client, sessions, helper)
    any_version = {"If-Match": "*"}

    def save(who: TestClient, days: int) -> tuple[int, bool]:
        saved = who.patch(event, json=days_from_now(days), headers=any_version)
        return saved.status_code, "in less than 30 days. Only an owner" in saved.text

    assert save(editor, 11) == (200, False)  # erased in 31 days: the pages warn for as long as always
    assert save(editor, 5) == (422, True)
    assert save(api, 5) == (200, False)
    assert save(editor, 4) == (422, True)
    assert save(editor, 6) == (200, False)  # later than before
    page = signed_in_client(client, sessions, helper)
    version = fields_of(page.get(f"/{event}/settings").text)["version"][0]
    form = {"name": "Party", "on": today.isoformat(), "version": version}
    assert "Only an owner can set it." in faults_of(page.post(f"/{event}/settings", data=form).text)[0]

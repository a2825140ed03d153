"""Requests that are sent twice with the same Idempotency-Key have one effect and one answer."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import func, select

from app.accounts.actor import Actor
from app.db import models
from app.db.session import Sessions, transaction
from tests.factories import make_event, make_guests

KEY = {"Idempotency-Key": "key-1"}
CSV = {**KEY, "Content-Type": "text/csv"}


@pytest.fixture
def event(sessions: Sessions, owner: Actor) -> str:
    """An event where the first guest wishes for the second."""
    with transaction(sessions) as session:
        event = make_event(session, owner)
        guests = make_guests(session, event, ["Aino", "Bo"])
        session.add(models.Wish(event_id=event.id, guest_id=guests[0].id, other_id=guests[1].id))
        return f"events/{event.id}"


def outcome(answer: Any) -> tuple[int, str, str | None, str | None]:
    return answer.status_code, answer.text, answer.headers.get("location"), answer.headers.get("etag")


def test_import_that_is_sent_twice_is_done_once(api: TestClient, event: str) -> None:
    first, second = (api.post(f"{event}/guests/import", content="Name\nCleo\n", headers=CSV) for _ in range(2))
    assert outcome(first) == outcome(second)
    assert (first.json()["added"], len(api.get(f"{event}/guests").json()["guests"])) == (1, 3)


def test_file_of_a_form_can_be_sent_twice_too(api: TestClient, event: str) -> None:
    body = b'--x\r\nContent-Disposition: form-data; name="file"; filename="a.csv"\r\n\r\nName\nCleo\n\r\n--x--\r\n'
    headers = {**KEY, "Content-Type": "multipart/form-data; boundary=x"}
    first, second = (api.post(f"{event}/guests/import", content=body, headers=headers) for _ in range(2))
    assert outcome(first) == outcome(second)
    assert (first.json()["added"], len(api.get(f"{event}/guests").json()["guests"])) == (1, 3)


def test_same_key_with_other_options_is_refused(api: TestClient, event: str) -> None:
    tried = api.post(f"{event}/guests/import?dry_run=true", content="Name\nCleo\n", headers=CSV)
    done = api.post(f"{event}/guests/import", content="Name\nCleo\n", headers=CSV)
    assert (tried.status_code, done.status_code) == (200, 409)


def test_undo_that_is_sent_twice_succeeds_twice(api: TestClient, event: str) -> None:
    done = api.post(f"{event}/guests/import", content="Name\nCleo\n", headers={"Content-Type": "text/csv"}).json()
    undo = f"{event}/guests/import/{done['id']}/undo"
    first, second = (api.post(undo, headers=KEY) for _ in range(2))
    assert outcome(first) == outcome(second) == (204, "", None, None)


def test_decision_about_wishes_that_is_sent_twice_gets_the_same_answer(api: TestClient, event: str) -> None:
    wish = api.get(f"{event}/wishes").json()["wishes"][0]
    body = {"wishes": [{"guest": wish["guest"], "other": wish["other"]}]}
    first, second = (api.post(f"{event}/wishes/accept", json=body, headers=KEY) for _ in range(2))
    assert outcome(first) == outcome(second)
    assert first.json() == {"changed": 1, "undecided": 0}


def test_key_with_an_address_that_has_no_id_is_not_found(api: TestClient) -> None:
    assert api.post("events/nonsense/guests", json={"name": "Aino"}, headers=KEY).status_code == 404


def test_fifty_at_once_have_one_effect_and_equal_answers(api: TestClient, event: str, sessions: Sessions) -> None:
    with ThreadPoolExecutor(50) as pool:
        answers = list(pool.map(lambda _: api.post(f"{event}/guests", json={"name": "Cleo"}, headers=KEY), range(50)))
    assert {outcome(answer) for answer in answers} == {outcome(answers[0])}
    assert answers[0].status_code == 201
    with transaction(sessions, read_only=True) as session:
        assert session.scalar(select(func.count()).where(models.Guest.name == "Cleo")) == 1

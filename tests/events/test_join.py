"""Joining by invitation while others do the same, and what a refusal tells."""

from __future__ import annotations

import re
import threading
from uuid import UUID

import pytest
from fastapi.testclient import TestClient

from app.accounts.actor import Actor
from app.db.models import User
from app.db.session import Sessions, transaction
from app.events import invitations
from app.events.context import open_event
from tests.factories import make_event

FORM = {"name": "Olli", "email": "olli@example.org", "password": "three unrelated words"}
SAME_SITE = {"Sec-Fetch-Site": "same-origin"}


@pytest.fixture
def event_id(sessions: Sessions, owner: Actor) -> UUID:
    """An event whose owner has an account of their own."""
    with transaction(sessions) as session:
        session.get_one(User, owner.user_id).email = "host@example.org"
        return make_event(session, owner).id


def invite(sessions: Sessions, owner: Actor, event_id: UUID, email: str = "") -> str:
    with transaction(sessions) as session:
        ctx = open_event(session, owner, event_id)
        made = invitations.create_invitation(ctx, role="editor", key=b"k" * 32, email=email)
    return f"/join/{made.token}"


@pytest.mark.parametrize(("number", "others"), [(1, 404), (4, 422)])
def test_one_account_is_made_by_whoever_sends_the_form_several_times(
    client: TestClient, sessions: Sessions, owner: Actor, event_id: UUID, number: int, others: int
) -> None:
    """With one invitation or with several: the first is in, and the others are refused without an error of ours."""
    addresses = [invite(sessions, owner, event_id) for _ in range(number)] * (4 // number)
    start, codes = threading.Barrier(4), []

    def join(address: str) -> None:
        start.wait()
        codes.append(client.post(address, data=FORM, headers=SAME_SITE).status_code)

    threads = [threading.Thread(target=join, args=(address,)) for address in addresses]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(codes) == [303, others, others, others]


def test_invitation_for_an_address_says_nothing_about_other_accounts(
    client: TestClient, sessions: Sessions, owner: Actor, event_id: UUID, stranger: Actor
) -> None:
    address = invite(sessions, owner, event_id, email="partner@example.org")
    answers = set()
    for email in ("stranger@example.org", "nobody@example.org"):
        refused = client.post(address, data=FORM | {"email": email}, headers=SAME_SITE)
        assert (refused.status_code, invitations.OTHER_ADDRESS in refused.text) == (422, True)
        answers.add(re.sub(r"<head>.*</head>", "", refused.text.replace(email, ""), flags=re.S))
    assert len(answers) == 1
    assert client.post(address, data=FORM | {"email": "partner@example.org"}, headers=SAME_SITE).status_code == 303


def test_limit_says_how_long_it_lasts(
    client: TestClient, sessions: Sessions, owner: Actor, event_id: UUID, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.events.pages.join.MOST_TRIES", 1)
    address = invite(sessions, owner, event_id)
    assert client.post(address, data=FORM | {"password": "short"}, headers=SAME_SITE).status_code == 422
    refused = client.post(address, data=FORM, headers=SAME_SITE)
    assert (refused.status_code, "Wait 60 minutes" in refused.text) == (429, True)


def test_address_that_no_database_takes_belongs_to_nobody(web: TestClient, api: TestClient, event_id: UUID) -> None:
    wrong = {"role": "editor", "email": "a\0@example.org"}
    assert web.post(f"/events/{event_id}/invitations", data={**wrong, "days": "7"}).status_code == 422
    assert api.post(f"events/{event_id}/members", json=wrong).status_code == 422
    assert api.post(f"events/{event_id}/invitations", json=wrong).status_code == 422

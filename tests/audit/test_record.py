"""The audit log is written with what it records, and has no room for names, addresses or ratings."""

from __future__ import annotations

from dataclasses import fields
from typing import get_args, get_type_hints

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import select
from sqlalchemy.orm import Session

from app.accounts.actor import Actor
from app.audit.actions import Action, Details
from app.audit.record import WORD, record
from app.db.models import AuditEntry
from app.db.session import Sessions, transaction
from app.events.context import open_event
from app.events.edit import create_event, delete_event
from app.web.networks import network_of


def entries(session: Session) -> list[tuple[str, dict[str, object]]]:
    """Return what is recorded, the oldest first."""
    return [(row.action, row.details) for row in session.scalars(select(AuditEntry).order_by(AuditEntry.id))]


def test_entry_is_kept_when_its_event_is_deleted(session: Session, owner: Actor) -> None:
    event = create_event(session, owner, name="Canary wedding")
    delete_event(open_event(session, owner, event.id, "owner"))
    rows = session.scalars(select(AuditEntry).order_by(AuditEntry.id)).all()
    assert [(row.action, row.user_id, row.event_id) for row in rows] == [
        ("event-created", owner.user_id, event.id),
        ("event-deleted", owner.user_id, event.id),
    ]


def test_nothing_is_recorded_when_the_change_is_rolled_back(sessions: Sessions, owner: Actor) -> None:
    def fail() -> None:
        with transaction(sessions) as session:
            create_event(session, owner, name="Party")
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    with transaction(sessions) as session:
        assert entries(session) == []


def test_details_take_numbers_and_a_few_words_only(session: Session, owner: Actor) -> None:
    kinds = {word for hint in get_type_hints(Details).values() for word in _words(hint)}
    assert kinds
    assert [word for word in kinds if not WORD.fullmatch(word)] == []
    assert {field.name for field in fields(Details) if not _is_closed(get_type_hints(Details)[field.name])} == set()
    for text in ("Aino Virtanen", "aino@example.org", "cv_abc", "1.5"):
        with pytest.raises(TypeError):
            record(session, Action.EXPORTED, by=owner.user_id, details=Details(content=text))  # type: ignore[arg-type]


def test_every_action_has_a_subject() -> None:
    assert all(action.subject for action in Action)


@pytest.mark.parametrize(
    ("address", "network"),
    [
        ("203.0.113.77", "203.0.113.0/24"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1::/48"),
        ("::ffff:203.0.113.77", "203.0.113.0/24"),
        ("fe80::1%eth0", "fe80::/48"),
        ("testclient", ""),
        ("", ""),
    ],
)
def test_only_the_network_of_an_address_is_kept(address: str, network: str) -> None:
    assert network_of(address) == network


def test_request_is_recorded_with_its_network(client: TestClient, api: TestClient, sessions: Sessions) -> None:
    own = TestClient(client.app, base_url="http://localhost/api/v1/", client=("203.0.113.77", 5000))
    own.headers["Authorization"] = api.headers["Authorization"]
    own.portal = client.portal
    assert own.post("events", json={"name": "Party"}).status_code == 201
    with transaction(sessions) as session:
        found = session.scalars(select(AuditEntry.network).where(AuditEntry.action == "event-created")).all()
    assert found == ["203.0.113.0/24"]


def test_network_of_a_proxy_that_nobody_named_is_not_recorded(
    client: TestClient, api: TestClient, sessions: Sessions
) -> None:
    state = client.app.state  # type: ignore[attr-defined]  # typed as any ASGI application
    state.settings = state.settings.model_copy(update={"base_url": "https://seating.example.org"})
    own = TestClient(client.app, base_url="http://localhost/api/v1/", client=("172.18.0.2", 5000))
    own.headers["Authorization"] = api.headers["Authorization"]
    own.portal = client.portal
    assert own.post("events", json={"name": "Party"}).status_code == 201
    with transaction(sessions) as session:
        found = session.scalars(select(AuditEntry.network).where(AuditEntry.action == "event-created")).all()
    assert found == [""]


def _words(hint: object) -> list[str]:
    return [word for part in get_args(hint) for word in get_args(part)]


def _is_closed(hint: object) -> bool:
    return all(part in (int, type(None)) or get_args(part) for part in get_args(hint))

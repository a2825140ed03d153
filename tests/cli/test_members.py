"""convive member …, as a person types it."""

from __future__ import annotations

import datetime as dt
from pathlib import Path

import pytest
from sqlalchemy import select

from app.accounts.passwords import hash_password
from app.accounts.users import actor_of, create_account
from app.db.models import AuditEntry
from app.db.session import make_engine, make_sessions, transaction
from app.events.edit import create_event
from tests.cli.test_accounts import convive
from tests.conftest import sqlite_copy

HOST, HELPER = "host@example.org", "helper@example.org"


@pytest.fixture
def event_id(tmp_path: Path, request: pytest.FixtureRequest) -> str:
    sqlite_copy(request, tmp_path)
    with transaction(make_sessions(make_engine(f"sqlite:///{tmp_path}/convive.db"))) as session:
        host = actor_of(create_account(session, HOST, hash_password("a long password"), "Maija"))
        create_account(session, HELPER, hash_password("a long password"), "Olli")
        return str(create_event(session, host, name="Midsummer", on=dt.date(2027, 6, 19)).id)


def test_members_are_listed_added_changed_and_removed(tmp_path: Path, event_id: str) -> None:
    def member(*words: str) -> str:
        done = convive(tmp_path, "member", *words)
        return f"{done.stdout}{done.stderr}"

    assert member("list") == f"{event_id}  2027-06-19     1 member  Midsummer\n"
    assert member("add", event_id, HELPER) == "Member added.\n"
    assert [line.split() for line in member("list", event_id).splitlines()] == [
        ["owner", HOST, "Maija"],
        ["editor", HELPER, "Olli"],
    ]
    assert member("remove", event_id, HOST).startswith("convive: An event needs an owner.")
    assert member("role", event_id, HELPER, "owner") == "Role changed.\n"
    assert member("remove", event_id, HOST) == "Member removed.\n"
    assert member("remove", event_id, HOST).startswith("convive: There is no such member.")
    assert member("add", event_id, "nobody@example.org") == "convive: No account with that e-mail address.\n"
    assert "“convive member list” shows all events" in member("list", "00000000-0000-7000-8000-000000000000")
    with transaction(make_sessions(make_engine(f"sqlite:///{tmp_path}/convive.db"))) as session:
        recorded = session.execute(select(AuditEntry.action, AuditEntry.user_id).order_by(AuditEntry.id)).all()[-3:]
    assert [tuple(row) for row in recorded] == [
        ("member-added", None),
        ("role-changed", None),
        ("member-removed", None),
    ]

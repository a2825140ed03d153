"""Accounts as the operator manages them."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import partial
from uuid import UUID

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import select
from sqlalchemy.orm import Session

from app.accounts.actor import Actor
from app.accounts.passwords import hash_password
from app.accounts.users import actor_of, create_account, make_operator
from app.admin.accounts import delete_account, disable
from app.db.models import Event, Member, User
from app.db.session import Sessions, transaction
from app.errors import Conflict, NotSignedIn
from app.events.context import open_event
from app.events.edit import create_event
from app.events.members import leave_event, transfer_ownership
from tests.conftest import api_client, signed_in_client
from tests.factories import make_member


@pytest.fixture
def boss(client: TestClient, sessions: Sessions, owner: Actor) -> TestClient:
    """The operator, with a password."""
    with transaction(sessions) as session:
        create_account(session, "boss@example.org", hash_password("four unrelated words"))
    return signed_in_client(client, sessions, owner)


@pytest.fixture
def helper(sessions: Sessions, boss: TestClient) -> Actor:
    with transaction(sessions) as session:
        return actor_of(create_account(session, "helper@example.org", hash_password("four unrelated words")))


def owners(sessions: Sessions) -> dict[str, set[UUID]]:
    with transaction(sessions) as session:
        rows = session.execute(
            select(Event.name, Member.user_id).join(Member, Member.event_id == Event.id).where(Member.role == "owner")
        ).all()
    return {name: {user for other, user in rows if other == name} for name, _ in rows}


@contextmanager
def meanwhile(sessions: Sessions, other: Callable[[Session], None]) -> Iterator[Session]:
    """Give a session that is committed while somebody else's transaction has begun and has to wait for it."""

    def go() -> None:
        with transaction(sessions) as session:
            other(session)

    with ThreadPoolExecutor(1) as pool:
        with transaction(sessions) as session:
            yield session
            session.flush()
            begun = pool.submit(go)
            threading.Event().wait(0.3)  # by then it waits
        begun.result()


def test_invited_person_chooses_a_password_and_is_in(boss: TestClient, client: TestClient) -> None:
    made = boss.post("/admin/accounts", data={"email": " New@example.org ", "name": "New Person"})
    (key,) = re.findall(r"/reset\?key=([\w-]{43})", made.text)
    listed = boss.get("/admin/accounts").text
    assert ("New Person" in listed, "invited" in listed, key in listed) == (True, True, False)
    assert "Choose a password" in client.get("/reset", params={"key": key}).text
    assert client.post("/reset", data={"key": key, "password": "five unrelated words"}).status_code == 303
    assert client.get("/").status_code == 200
    assert client.get("/admin/accounts").status_code == 404
    assert boss.post("/admin/accounts", data={"email": "new@example.org"}).status_code == 422


@pytest.mark.parametrize(("name", "status"), [("New\0 Person", 200), ("x" * 201, 422), ("\t\u200b", 422)])
def test_names_of_invited_people_are_checked(boss: TestClient, name: str, status: int) -> None:
    assert boss.post("/admin/accounts", data={"email": "new@example.org", "name": name}).status_code == status


def test_address_that_no_database_takes_is_that_of_nobody(boss: TestClient, sessions: Sessions, helper: Actor) -> None:
    with transaction(sessions) as session:
        create_event(session, helper, name="Party")
    refused = boss.post(f"/admin/accounts/{helper.user_id}/delete", data={"heir": "a\0@example.org"})
    assert (refused.status_code, "not disabled" in refused.text) == (422, True)


def test_operator_without_a_password_cannot_invite(web: TestClient) -> None:
    refused = web.post("/admin/accounts", data={"email": "new@example.org"})
    assert (refused.status_code, "Give your own account a password first" in refused.text) == (422, True)


def test_disabled_account_is_stopped_at_once_and_comes_back(
    boss: TestClient, client: TestClient, sessions: Sessions, helper: Actor
) -> None:
    api, web = api_client(client, sessions, helper), signed_in_client(client, sessions, helper)
    form = {"email": "helper@example.org", "password": "four unrelated words"}
    assert (api.get("events").status_code, web.get("/").status_code) == (200, 200)
    assert boss.post(f"/admin/accounts/{helper.user_id}/disable").status_code == 303
    assert (api.get("events").status_code, web.get("/").status_code) == (401, 303)
    assert client.post("/sign-in", data=form).status_code == 401
    assert boss.post(f"/admin/accounts/{helper.user_id}/reset").status_code == 409
    assert boss.post(f"/admin/accounts/{helper.user_id}/enable").status_code == 303
    assert api.get("events").status_code == 200
    assert client.post("/sign-in", data=form).status_code == 303


def test_events_of_a_deleted_account_go_to_another(
    boss: TestClient, sessions: Sessions, helper: Actor, owner: Actor
) -> None:
    with transaction(sessions) as session:
        create_event(session, helper, name="Own")
        shared = create_event(session, helper, name="Shared")
        second = make_member(session, shared.id, "owner")
    address = f"/admin/accounts/{helper.user_id}/delete"
    assert "1 event has no other owner" in boss.get(address).text
    assert boss.post(address, data={"events": "transfer", "heir": "helper@example.org"}).status_code == 422
    assert boss.post(address, data={"events": "transfer", "heir": "Boss@example.org"}).status_code == 303
    assert owners(sessions) == {"Own": {owner.user_id}, "Shared": {second.user_id}}
    with transaction(sessions) as session:
        assert session.get(User, helper.user_id) is None


def test_disabled_owner_keeps_no_event_alone(boss: TestClient, sessions: Sessions, helper: Actor, owner: Actor) -> None:
    with transaction(sessions) as session:
        event = create_event(session, helper, name="Shared")
        other = make_member(session, event.id, "owner")
    boss.post(f"/admin/accounts/{other.user_id}/disable")
    address = f"/admin/accounts/{helper.user_id}/delete"
    assert boss.post(address, data={"events": "transfer", "heir": "boss@example.org"}).status_code == 303
    assert owners(sessions) == {"Shared": {other.user_id, owner.user_id}}


def test_owner_who_leaves_while_the_other_is_deleted_leaves_no_event_without_one(
    boss: TestClient, sessions: Sessions, helper: Actor, owner: Actor
) -> None:
    with transaction(sessions) as session:
        event_id = create_event(session, helper, name="Shared").id
        second = make_member(session, event_id, "owner")
    done = threading.Event()

    def delete() -> None:
        with transaction(sessions) as session:
            delete_account(session, owner_now, helper.user_id, heir_email="boss@example.org")
        done.set()

    owner_now = Actor(owner.user_id, is_operator=True)
    with transaction(sessions) as session:
        leave_event(open_event(session, second, event_id))
        thread = threading.Thread(target=delete)
        thread.start()
        done.wait(0.3)  # it waits for whoever leaves
    thread.join()
    assert owners(sessions) == {"Shared": {owner.user_id}}


@pytest.mark.parametrize("stop", [disable, partial(delete_account, heir_email=None)])
def test_of_two_operators_who_stop_each_other_one_stays(
    sessions: Sessions, owner: Actor, helper: Actor, stop: Callable[[Session, Actor, UUID], None]
) -> None:
    first, second = replace(owner, is_operator=True), replace(helper, is_operator=True)
    with transaction(sessions) as session:
        make_operator(session, "helper@example.org")

    def answer_back(session: Session) -> None:
        with pytest.raises(NotSignedIn):
            stop(session, second, first.user_id)

    with meanwhile(sessions, answer_back) as session:
        stop(session, first, second.user_id)
    with transaction(sessions) as session:
        assert session.get_one(User, first.user_id).disabled_at is None


def test_owner_cannot_leave_while_the_other_one_is_disabled(sessions: Sessions, owner: Actor, helper: Actor) -> None:
    with transaction(sessions) as session:
        event_id = create_event(session, helper, name="Shared").id
        second = make_member(session, event_id, "owner")

    def leave(session: Session) -> None:
        with pytest.raises(Conflict, match="An event needs an owner"):
            leave_event(open_event(session, second, event_id))

    with meanwhile(sessions, leave) as session:
        disable(session, replace(owner, is_operator=True), helper.user_id)
    assert owners(sessions) == {"Shared": {helper.user_id, second.user_id}}


def test_event_given_to_an_account_that_is_deleted_at_that_moment_keeps_an_owner(
    sessions: Sessions, owner: Actor, helper: Actor
) -> None:
    with transaction(sessions) as session:
        event_id = create_event(session, owner, name="Shared").id
        session.add(Member(event_id=event_id, user_id=helper.user_id, role="editor"))

    def delete(session: Session) -> None:
        with suppress(Conflict):  # on SQLite it comes later and gives the event to the heir
            delete_account(session, replace(owner, is_operator=True), helper.user_id, heir_email="boss@example.org")

    with meanwhile(sessions, delete) as session:
        transfer_ownership(open_event(session, owner, event_id), helper.user_id)
    assert owners(sessions) in ({"Shared": {helper.user_id}}, {"Shared": {owner.user_id}})


def test_operator_sees_which_events_a_disabled_account_alone_owns(
    boss: TestClient, sessions: Sessions, helper: Actor
) -> None:
    with transaction(sessions) as session:
        create_event(session, helper, name="Own")
        make_member(session, create_event(session, helper, name="Shared").id, "owner")
    assert "Nobody else owns" not in boss.get("/admin/accounts").text
    boss.post(f"/admin/accounts/{helper.user_id}/disable")
    assert "Nobody else owns 1 event:" in boss.get("/admin/accounts").text


def test_events_are_deleted_with_the_account_if_chosen(boss: TestClient, sessions: Sessions, helper: Actor) -> None:
    with transaction(sessions) as session:
        create_event(session, helper, name="Own")
        second = make_member(session, create_event(session, helper, name="Shared").id, "owner")
    assert boss.post(f"/admin/accounts/{helper.user_id}/delete", data={"events": "delete"}).status_code == 303
    assert owners(sessions) == {"Shared": {second.user_id}}


def test_operator_cannot_remove_themselves(boss: TestClient, owner: Actor) -> None:
    for what in ("disable", "delete"):
        assert boss.post(f"/admin/accounts/{owner.user_id}/{what}", data={"events": "delete"}).status_code == 409
    assert boss.get("/").status_code == 200

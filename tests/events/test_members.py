"""Members and invitations: who may change whom, and that there is always an owner."""

from __future__ import annotations

import threading
from collections.abc import Callable
from datetime import timedelta
from uuid import uuid4

import pytest
from sqlalchemy import select, update
from sqlalchemy.orm import Session

from app.accounts.actor import Actor
from app.clock import now
from app.db.models import AuditEntry, Event, Invitation, Member, PlanEditor, User
from app.db.session import Sessions, transaction
from app.errors import Conflict, ConviveError, Forbidden, Invalid, NotFound
from app.events import invitations, members
from app.events.context import open_event
from app.events.member_queries import members_of
from app.plans.live.presence import announce
from tests.factories import make_event, make_member, make_plan

KEY = b"k" * 32


@pytest.fixture(autouse=True)
def _accounts(owner: Actor, stranger: Actor) -> None:
    """Make the accounts before the session of a test begins: SQLite takes one writer at a time."""


@pytest.fixture
def host(session: Session, owner: Actor) -> Actor:
    """An owner with an account of their own."""
    session.get_one(User, owner.user_id).email = "host@example.org"
    session.flush()
    return owner


@pytest.fixture
def event(session: Session, host: Actor) -> Event:
    return make_event(session, host)


def roles(session: Session, event: Event) -> list[str]:
    return [row.role for row in members_of(session, event.id)]


def test_owner_changes_roles_and_removes_members(session: Session, host: Actor, event: Event) -> None:
    helper = make_member(session, event.id, "viewer")
    ctx = open_event(session, host, event.id)
    members.change_role(ctx, helper.user_id, "editor")
    assert roles(session, event) == ["owner", "editor"]
    members.remove_member(ctx, helper.user_id)
    assert roles(session, event) == ["owner"]
    with pytest.raises(NotFound):
        open_event(session, helper, event.id)
    with pytest.raises(NotFound):
        members.remove_member(ctx, helper.user_id)


@pytest.mark.parametrize("role", ["viewer", "editor"])
def test_only_owners_manage_members(session: Session, host: Actor, event: Event, role: str) -> None:
    helper = make_member(session, event.id, role)
    ctx = open_event(session, helper, event.id)
    tries: list[Callable[[], object]] = [
        lambda: members.change_role(ctx, helper.user_id, "owner"),
        lambda: members.remove_member(ctx, host.user_id),
        lambda: members.transfer_ownership(ctx, helper.user_id),
        lambda: members.add_member(ctx, "host@example.org", "viewer"),
        lambda: invitations.create_invitation(ctx, role="owner", key=KEY),
        lambda: invitations.list_invitations(ctx),
        lambda: invitations.close_invitation(ctx, uuid4()),
    ]
    for attempt in tries:
        with pytest.raises(Forbidden):
            attempt()
    members.leave_event(ctx)
    assert roles(session, event) == ["owner"]


def test_last_owner_stays(session: Session, host: Actor, event: Event) -> None:
    helper = make_member(session, event.id, "editor")
    ctx = open_event(session, host, event.id)
    tries: list[Callable[[], None]] = [
        lambda: members.leave_event(ctx),
        lambda: members.remove_member(ctx, host.user_id),
        lambda: members.change_role(ctx, host.user_id, "editor"),
    ]
    for attempt in tries:
        with pytest.raises(Conflict):
            attempt()
    members.transfer_ownership(ctx, helper.user_id)
    assert {row.user_id: row.role for row in members_of(session, event.id)} == {
        host.user_id: "editor",
        helper.user_id: "owner",
    }


def test_ownership_goes_to_members_only(session: Session, host: Actor, event: Event, stranger: Actor) -> None:
    ctx = open_event(session, host, event.id)
    with pytest.raises(NotFound):
        members.transfer_ownership(ctx, stranger.user_id)
    with pytest.raises(Invalid):
        members.transfer_ownership(ctx, host.user_id)
    with pytest.raises(Invalid):
        members.change_role(ctx, host.user_id, "admin")


@pytest.mark.parametrize("removes_other", [True, False])
def test_two_owners_who_go_at_once_leave_one(sessions: Sessions, owner: Actor, removes_other: bool) -> None:
    with transaction(sessions) as session:
        event_id = make_event(session, owner).id
        other = make_member(session, event_id, "owner")
    start, failed = threading.Barrier(2), []

    def go(actor: Actor, whom: Actor) -> None:
        try:
            with transaction(sessions) as session:
                start.wait()
                ctx = open_event(session, actor, event_id)
                members.remove_member(ctx, whom.user_id) if removes_other else members.leave_event(ctx)
        except ConviveError as error:
            failed.append(type(error))

    pairs = [(owner, other), (other, owner)]
    threads = [threading.Thread(target=go, args=pair) for pair in pairs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with transaction(sessions) as session:
        assert [row.role for row in members_of(session, event_id)] == ["owner"]
    assert len(failed) == 1


def test_accounts_that_share_an_event_are_added(session: Session, host: Actor, event: Event) -> None:
    known = make_member(session, make_event(session, host, "Another").id, "viewer")
    email = session.get_one(User, known.user_id).email
    assert email is not None
    ctx = open_event(session, Actor(host.user_id), event.id)
    assert members.add_member(ctx, f" {email.upper()} ", "editor") == known.user_id
    assert roles(session, event) == ["owner", "editor"]
    with pytest.raises(Invalid, match="already a member"):
        members.add_member(ctx, email, "viewer")


def test_answer_does_not_say_whether_an_address_has_an_account(
    session: Session, host: Actor, event: Event, stranger: Actor
) -> None:
    ctx = open_event(session, Actor(host.user_id), event.id)
    answers = set()
    for email in ("stranger@example.org", "nobody@example.org"):
        with pytest.raises(Invalid) as refused:
            members.add_member(ctx, email, "viewer")
        answers.add(refused.value.message)
    assert answers == {members.UNKNOWN_ADDRESS}


def test_operator_adds_any_account(session: Session, host: Actor, event: Event, stranger: Actor) -> None:
    ctx = open_event(session, Actor(host.user_id, is_operator=True), event.id)
    assert members.add_member(ctx, "stranger@example.org", "viewer") == stranger.user_id


def test_invitation_is_used_once(session: Session, host: Actor, event: Event, stranger: Actor) -> None:
    made = invitations.create_invitation(open_event(session, host, event.id), role="editor", key=KEY)
    assert invitations.token_again(KEY, made.invitation) == made.token
    assert made.token not in str(vars(made.invitation))
    assert invitations.accept_invitation(session, stranger, made.token) == event.id
    assert roles(session, event) == ["owner", "editor"]
    with pytest.raises(NotFound):
        invitations.accept_invitation(session, Actor(make_member(session, event.id, "viewer").user_id), made.token)
    assert invitations.event_behind(session, stranger, made.token) == event.id
    assert invitations.event_behind(session, host, made.token) is None


def test_two_people_who_accept_at_once(sessions: Sessions, owner: Actor, stranger: Actor) -> None:
    with transaction(sessions) as session:
        session.get_one(User, owner.user_id).email = "host@example.org"
        event_id = make_event(session, owner).id
        token = invitations.create_invitation(open_event(session, owner, event_id), role="viewer", key=KEY).token
        third = make_member(session, make_event(session, owner).id, "viewer")
    start, joined = threading.Barrier(2), []

    def accept(actor: Actor) -> None:
        try:
            with transaction(sessions) as session:
                start.wait()
                joined.append(invitations.accept_invitation(session, actor, token))
        except NotFound:
            pass

    threads = [threading.Thread(target=accept, args=(actor,)) for actor in (stranger, third)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with transaction(sessions) as session:
        assert len(members_of(session, event_id)) == 2
    assert joined == [event_id]


def test_invitation_ends(session: Session, host: Actor, event: Event, stranger: Actor) -> None:
    ctx = open_event(session, host, event.id)
    closed = invitations.create_invitation(ctx, role="viewer", key=KEY)
    invitations.close_invitation(ctx, closed.invitation.id)
    expired = invitations.create_invitation(ctx, role="viewer", key=KEY)
    session.execute(update(Invitation).values(expires_at=now() - timedelta(seconds=1)))
    for token in (closed.token, expired.token, "unknown"):
        with pytest.raises(NotFound):
            invitations.accept_invitation(session, stranger, token)
    assert roles(session, event) == ["owner"]
    assert invitations.list_invitations(ctx) == []


@pytest.mark.parametrize("ends", ["removed", "demoted", "disabled", "deleted"])
def test_invitation_ends_when_its_maker_no_longer_owns_the_event(
    session: Session, host: Actor, event: Event, ends: str
) -> None:
    other = make_member(session, event.id, "owner")
    token = invitations.create_invitation(open_event(session, other, event.id), role="owner", key=KEY).token
    ctx = open_event(session, host, event.id)
    assert len(invitations.list_invitations(ctx)) == 1
    if ends == "removed":
        members.remove_member(ctx, other.user_id)
    elif ends == "demoted":
        members.change_role(ctx, other.user_id, "viewer")
    elif ends == "disabled":
        session.get_one(User, other.user_id).disabled_at = now()
    else:
        session.delete(session.get_one(User, other.user_id))
    session.flush()
    with pytest.raises(NotFound):
        invitations.open_invitation(session, token)
    with pytest.raises(NotFound):
        invitations.accept_invitation(session, other, token)
    assert invitations.list_invitations(ctx) == []


def test_disabled_owner_is_not_enough(session: Session, host: Actor, event: Event) -> None:
    other = make_member(session, event.id, "owner")
    session.get_one(User, other.user_id).disabled_at = now()
    session.flush()
    ctx = open_event(session, host, event.id)
    with pytest.raises(Conflict):
        members.leave_event(ctx)
    with pytest.raises(Conflict), session.begin_nested():
        members.transfer_ownership(ctx, other.user_id)
    members.remove_member(ctx, other.user_id)
    assert roles(session, event) == ["owner"]


def test_invitation_for_an_address_is_for_that_account(
    session: Session, host: Actor, event: Event, stranger: Actor
) -> None:
    ctx = open_event(session, host, event.id)
    token = invitations.create_invitation(ctx, role="viewer", key=KEY, email="Partner@Example.org").token
    with pytest.raises(Forbidden):
        invitations.accept_invitation(session, stranger, token)
    session.get_one(User, stranger.user_id).email = "partner@example.org"
    session.flush()
    invitations.accept_invitation(session, stranger, token)
    assert session.scalars(select(Invitation.email)).all() == [None]


def test_invitation_never_lowers_a_role(session: Session, host: Actor, event: Event) -> None:
    token = invitations.create_invitation(open_event(session, host, event.id), role="viewer", key=KEY).token
    invitations.accept_invitation(session, host, token)
    assert roles(session, event) == ["owner"]


def test_person_at_this_machine_needs_an_account_of_their_own_first(session: Session, owner: Actor) -> None:
    ctx = open_event(session, owner, make_event(session, owner).id)
    with pytest.raises(Conflict, match="e-mail address and a password"):
        invitations.create_invitation(ctx, role="editor", key=KEY)


def test_removed_member_is_at_no_plan(session: Session, host: Actor) -> None:
    made = make_plan(session, host)
    helper = make_member(session, made.event.id, "editor")
    announce(open_event(session, helper, made.event.id), made.plan.id, uuid4())
    members.remove_member(open_event(session, host, made.event.id), helper.user_id)
    assert session.scalars(select(PlanEditor.user_id)).all() == []


def test_everything_about_members_is_recorded(session: Session, host: Actor, event: Event, stranger: Actor) -> None:
    ctx = open_event(session, host, event.id)
    token = invitations.create_invitation(ctx, role="viewer", key=KEY, days=3).token
    invitations.accept_invitation(session, stranger, token)
    members.change_role(ctx, stranger.user_id, "editor")
    members.remove_member(ctx, stranger.user_id)
    session.flush()
    rows = session.scalars(select(AuditEntry).where(AuditEntry.subject == "member").order_by(AuditEntry.id))
    assert [(row.action, row.user_id, row.details) for row in rows] == [
        ("member-invited", host.user_id, {"role": "viewer", "days": 3}),
        ("member-joined", stranger.user_id, {"role": "viewer"}),
        ("role-changed", host.user_id, {"role": "editor", "earlier_role": "viewer"}),
        ("member-removed", host.user_id, {}),
    ]


def test_presence_is_noted_twice_a_minute_at_most(session: Session, host: Actor, event: Event) -> None:
    ctx = open_event(session, host, event.id)
    members.note_presence(ctx)
    seen = session.scalar(select(Member.seen_at))
    members.note_presence(ctx)
    assert session.scalar(select(Member.seen_at)) == seen
    assert seen is not None
    assert [members.is_here(row) for row in members.list_members(ctx)] == [True]
    session.execute(update(Member).values(seen_at=now() - members.HERE_FOR))
    assert [members.is_here(row) for row in members.list_members(ctx)] == [False]

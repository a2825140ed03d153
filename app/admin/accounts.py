"""Accounts as whoever runs the installation manages them: invite, disable, reset, delete."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from sqlalchemy import delete, func, select
from sqlalchemy.orm import Session

from app.accounts.actor import Actor, require_operator
from app.accounts.queries import user_by_email
from app.accounts.reset_links import create_reset_link
from app.accounts.second_factors.factors import HAS_FACTORS, has_second_factors
from app.accounts.users import account_with, called, clean_email
from app.audit.actions import Action
from app.audit.record import record
from app.clock import now
from app.config import Settings
from app.db.conditions import hold_runs
from app.db.erased_bytes import note_erasure
from app.db.models import Event, Member, Run, SignInKey, User, UserSession
from app.db.upsert import insert_new, upsert
from app.errors import Conflict, FieldError, Invalid, NotFound
from app.web.names import plain_email

MOST_ACCOUNTS = 500


@dataclass(frozen=True)
class ManagedAccount:
    """An account in the operator's list: never what its events are about."""

    id: UUID
    name: str
    email: str
    is_operator: bool
    is_disabled: bool
    has_password: bool
    has_factors: bool
    events: int
    last_used_at: datetime | None


def list_accounts(session: Session, actor: Actor) -> Sequence[ManagedAccount]:
    """Return the accounts by name, with how many events each is a member of."""
    require_operator(actor)
    events = select(func.count()).where(Member.user_id == User.id).scalar_subquery()
    used = select(func.max(UserSession.last_used_at)).where(UserSession.user_id == User.id).scalar_subquery()
    query = select(User, events, used, HAS_FACTORS).order_by(User.name, User.id).limit(MOST_ACCOUNTS)
    return [_managed(user, count, last, factors) for user, count, last, factors in session.execute(query)]


def find_account(session: Session, actor: Actor, user_id: UUID) -> ManagedAccount:
    """Return one account."""
    require_operator(actor)
    events = session.scalar(select(func.count()).where(Member.user_id == user_id)) or 0
    return _managed(_other(session, actor, user_id), events, None, has_second_factors(session, user_id))


def invite(session: Session, actor: Actor, settings: Settings, email: str, name: str) -> str:
    """Make an account without a password and return the link with which its owner chooses one."""
    require_operator(actor)
    if session.get_one(User, actor.user_id).password_hash is None:
        raise Invalid(
            "Give your own account a password first: run “convive user create you@example.org” on the server. "
            "Once somebody has a password, everyone needs one to sign in."
        )
    email = clean_email(email)
    row = {"email": email, "name": called(name, email)}
    if not insert_new(session, User, row):  # also where two are invited at once
        raise Invalid(FieldError("email", "An account with that e-mail address already exists."))
    user = account_with(session, email)
    record(session, Action.ACCOUNT_INVITED, by=actor.user_id, subject_id=user.id)
    return create_reset_link(session, user, settings, by=actor.user_id)


def reset(session: Session, actor: Actor, settings: Settings, user_id: UUID, *, removes_factors: bool = False) -> str:
    """Return a link with which the account chooses a new password, and loses its codes and passkeys if you say so."""
    require_operator(actor)
    user = _other(session, actor, user_id)
    if user.email is None or user.disabled_at is not None:
        raise Conflict("This account is disabled or has no e-mail address, so it cannot get a link.")
    return create_reset_link(session, user, settings, by=actor.user_id, removes_factors=removes_factors)


def disable(session: Session, actor: Actor, user_id: UUID) -> None:
    """Stop an account at once: its sessions end, and its API keys work no more until it is enabled again."""
    require_operator(actor)
    user = _other(session, actor, user_id)
    user.disabled_at = user.disabled_at or now()
    session.execute(delete(UserSession).where(UserSession.user_id == user.id))
    session.execute(delete(SignInKey).where(SignInKey.user_id == user.id, SignInKey.used_at.is_(None)))
    session.flush()
    record(session, Action.ACCOUNT_DISABLED, by=actor.user_id, subject_id=user.id)


def enable(session: Session, actor: Actor, user_id: UUID) -> None:
    """Let a disabled account sign in again."""
    require_operator(actor)
    _other(session, actor, user_id).disabled_at = None
    session.flush()
    record(session, Action.ACCOUNT_ENABLED, by=actor.user_id, subject_id=user_id)


def count_sole_events(session: Session, actor: Actor, user_id: UUID) -> int:
    """Return how many events have no other owner than this account."""
    require_operator(actor)
    return len(_sole_events(session, user_id))


def delete_account(session: Session, actor: Actor, user_id: UUID, *, heir_email: str | None) -> None:
    """Delete an account. Events that only it owns go to the account `heir_email`, or are deleted with it."""
    require_operator(actor)
    user = _other(session, actor, user_id)
    owned = Event.id.in_(select(Member.event_id).where(Member.user_id == user_id, Member.role == "owner"))
    hold_runs(session, Run.event_id.in_(select(Event.id).where(owned)))
    # No other owner leaves an event while it is decided what becomes of it.
    session.execute(select(Event.id).where(owned).order_by(Event.id).with_for_update(key_share=True))
    events = _sole_events(session, user_id)
    if heir_email is None:
        session.execute(delete(Event).where(Event.id.in_(events)))
    elif events:
        heir = _heir(session, user, heir_email)
        rows = [{"event_id": event, "user_id": heir.id, "role": "owner"} for event in events]
        upsert(session, Member, rows, ["role"])
        for event in events:
            record(session, Action.OWNERSHIP_TRANSFERRED, by=actor.user_id, event_id=event, subject_id=heir.id)
    session.delete(user)
    note_erasure(session)  # a worker rewrites the SQLite file
    session.flush()
    record(session, Action.ACCOUNT_DELETED, by=actor.user_id, subject_id=user_id)


def _heir(session: Session, user: User, email: str) -> User:
    heir = user_by_email(session, plain_email(email))
    if heir is None or heir.id == user.id or heir.disabled_at is not None:
        raise Invalid(FieldError("heir", "Enter the e-mail address of another account that is not disabled."))
    return heir


def _sole_events(session: Session, user_id: UUID) -> list[UUID]:
    """Return the events that nobody else owns who can sign in."""
    is_other = Member.role == "owner", Member.user_id != user_id, User.disabled_at.is_(None)
    owners = select(Member.event_id).join(User, User.id == Member.user_id).where(*is_other)
    own = select(Member.event_id).where(Member.user_id == user_id, Member.role == "owner")
    return list(session.scalars(own.where(Member.event_id.not_in(owners))))


def _other(session: Session, actor: Actor, user_id: UUID) -> User:
    user = session.get(User, user_id)
    if user is None:
        raise NotFound("There is no such account.")
    if user.id == actor.user_id:
        raise Conflict("You cannot do this to your own account.")
    return user


def _managed(user: User, events: int, last: datetime | None, has_factors: bool) -> ManagedAccount:
    return ManagedAccount(
        user.id,
        user.name or user.email or "",
        user.email or "",
        user.is_operator,
        user.disabled_at is not None,
        user.password_hash is not None,
        has_factors,
        events,
        last,
    )

"""Accounts as whoever runs the installation manages them: invite, disable, reset, delete."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from sqlalchemy import Select, delete, func, select
from sqlalchemy.orm import Session

from app.accounts.actor import Actor, require_operator
from app.accounts.queries import hold_accounts, user_by_email
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
from app.errors import Conflict, FieldError, Invalid, NotFound, NotSignedIn
from app.events.member_queries import sole_events
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
    sole_events: int
    """Events that nobody else owns who can sign in."""
    last_used_at: datetime | None


def list_accounts(session: Session, actor: Actor) -> Sequence[ManagedAccount]:
    """Return the accounts by name, with how many events each is a member of."""
    require_operator(actor)
    events = select(func.count()).where(Member.user_id == User.id).scalar_subquery()
    used = select(func.max(UserSession.last_used_at)).where(UserSession.user_id == User.id).scalar_subquery()
    sole = sole_events(User.id).with_only_columns(func.count()).scalar_subquery()
    query = select(User, HAS_FACTORS, events, sole, used).order_by(User.name, User.id).limit(MOST_ACCOUNTS)
    return [_managed(*row) for row in session.execute(query)]


def find_account(session: Session, actor: Actor, user_id: UUID) -> ManagedAccount:
    """Return one account."""
    require_operator(actor)
    user, factors = _another(session.get(User, user_id), actor), has_second_factors(session, user_id)
    events = session.scalar(select(func.count()).where(Member.user_id == user_id)) or 0
    return _managed(user, factors, events, len(_sole_events(session, user_id)))


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
    user = _hold(session, actor, user_id)
    if user.email is None or user.disabled_at is not None:
        raise Conflict("This account is disabled or has no e-mail address, so it cannot get a link.")
    return create_reset_link(session, user, settings, by=actor.user_id, removes_factors=removes_factors)


def disable(session: Session, actor: Actor, user_id: UUID) -> None:
    """Stop an account at once: its sessions end, and its API keys work no more until it is enabled again."""
    user = _hold(session, actor, user_id)
    user.disabled_at = user.disabled_at or now()
    session.execute(delete(UserSession).where(UserSession.user_id == user.id))
    session.execute(delete(SignInKey).where(SignInKey.user_id == user.id, SignInKey.used_at.is_(None)))
    session.flush()
    record(session, Action.ACCOUNT_DISABLED, by=actor.user_id, subject_id=user.id)


def enable(session: Session, actor: Actor, user_id: UUID) -> None:
    """Let a disabled account sign in again."""
    _hold(session, actor, user_id).disabled_at = None
    session.flush()
    record(session, Action.ACCOUNT_ENABLED, by=actor.user_id, subject_id=user_id)


def delete_account(session: Session, actor: Actor, user_id: UUID, *, heir_email: str | None) -> None:
    """Delete an account. Events that only it owns go to the account `heir_email`, or are deleted with it."""
    require_operator(actor)
    hold_runs(session, Run.event_id.in_(_owned(user_id)))
    # No other owner leaves an event while it is decided what becomes of it.
    events = select(Event.id).where(Event.id.in_(_owned(user_id))).order_by(Event.id)
    held = set(session.scalars(events.with_for_update(key_share=True)))
    heir = user_by_email(session, plain_email(heir_email)) if heir_email else None
    user = _hold(session, actor, user_id, *([heir.id] if heir else []))  # an heir who is deleted would own nothing
    if not held.issuperset(session.scalars(_owned(user_id))):
        raise Conflict("This account became the owner of an event a moment ago. Nothing was deleted; try again.")
    _leave_events(session, actor, user, heir_email)
    session.delete(user)
    note_erasure(session)  # a worker rewrites the SQLite file
    session.flush()
    record(session, Action.ACCOUNT_DELETED, by=actor.user_id, subject_id=user_id)


def _leave_events(session: Session, actor: Actor, user: User, heir_email: str | None) -> None:
    """Delete the events that nobody else owns who can sign in, or give them to the heir."""
    events = _sole_events(session, user.id)
    if heir_email is None:
        session.execute(delete(Event).where(Event.id.in_(events)))
    elif events:
        heir = _heir(session, user, heir_email)
        rows = [{"event_id": event, "user_id": heir.id, "role": "owner"} for event in events]
        upsert(session, Member, rows, ["role"])
        for event in events:
            record(session, Action.OWNERSHIP_TRANSFERRED, by=actor.user_id, event_id=event, subject_id=heir.id)


def _heir(session: Session, user: User, email: str) -> User:
    heir = user_by_email(session, plain_email(email))
    if heir is None or heir.id == user.id or heir.disabled_at is not None:
        raise Invalid(FieldError("heir", "Enter the e-mail address of another account that is not disabled."))
    return heir


def _owned(user_id: UUID) -> Select[UUID]:
    return select(Member.event_id).where(Member.user_id == user_id, Member.role == "owner")


def _sole_events(session: Session, user_id: UUID) -> list[UUID]:
    return list(session.scalars(sole_events(user_id)))


def _hold(session: Session, actor: Actor, user_id: UUID, *others: UUID) -> User:
    """Return another account, held until the transaction ends, as are the operator's own and these others.

    If two operators disable or delete each other, the second one is no longer an operator by then.
    """
    require_operator(actor)
    held = hold_accounts(session, [actor.user_id, user_id, *others])
    own = held.get(actor.user_id)
    if own is None or own.disabled_at is not None or not own.is_operator:
        raise NotSignedIn
    return _another(held.get(user_id), actor)


def _another(user: User | None, actor: Actor) -> User:
    if user is None:
        raise NotFound("There is no such account.")
    if user.id == actor.user_id:
        raise Conflict("You cannot do this to your own account.")
    return user


def _managed(
    user: User, has_factors: bool, events: int, sole_events: int, last: datetime | None = None
) -> ManagedAccount:
    return ManagedAccount(
        user.id,
        user.name or user.email or "",
        user.email or "",
        user.is_operator,
        user.disabled_at is not None,
        user.password_hash is not None,
        has_factors,
        events,
        sole_events,
        last,
    )

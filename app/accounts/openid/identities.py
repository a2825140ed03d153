"""Which account a person of the provider has: by issuer and subject, never by an address alone (decision 79)."""

from __future__ import annotations

from uuid import UUID

from sqlalchemy import delete
from sqlalchemy.orm import Session

from app.accounts import queries
from app.accounts.actor import Actor
from app.accounts.openid.id_token import Person
from app.accounts.users import account_with, called, clean_email
from app.audit.actions import Action, Details, Reason
from app.audit.record import record
from app.clock import now
from app.config import Settings
from app.db.models import OpenIdIdentity, User
from app.db.upsert import insert_new
from app.errors import Conflict, FieldError, Forbidden, Invalid

UNKNOWN = (
    "No account here is connected to this sign-in. If you have a password, sign in with it and connect the two on "
    "your account page. Else ask your administrator for an invitation."
)


class NoAccount(Forbidden):
    """No account may be opened for this person."""

    def __init__(self, message: str, *, user_id: UUID | None = None, reason: Reason = "wrong") -> None:
        super().__init__(message)
        self.user_id, self.reason = user_id, reason


def account_for(session: Session, settings: Settings, person: Person) -> User:
    """Return the account of a person; where the settings allow it, connect an invited one or make a new one."""
    identity = session.get(OpenIdIdentity, (person.issuer, person.subject))
    user = session.get(User, identity.user_id) if identity else _by_email(session, settings, person)
    if user is not None and user.disabled_at is not None:
        raise NoAccount("This account is disabled. Ask your administrator.", user_id=user.id, reason="disabled")
    if user is None:
        user = _create(session, settings, person)
    if identity is None:
        _connect(session, user, person)
    return user


def _by_email(session: Session, settings: Settings, person: Person) -> User | None:
    """Return the invited account with the person's verified address.

    One with a password stays apart: whoever chose that password may not be the owner of the address, and the other
    way round. Its owner connects the two after signing in.
    """
    user = queries.user_by_email(session, person.email.strip().lower()) if person.email else None
    if user is None:
        return None
    is_free = user.password_hash is None and not queries.has_openid(session, user.id)
    if settings.openid_accounts == "connected" or not is_free:
        raise NoAccount(UNKNOWN, user_id=user.id)
    return user


def _create(session: Session, settings: Settings, person: Person) -> User:
    if settings.openid_accounts != "anyone":
        raise NoAccount(UNKNOWN)
    if not queries.has_password_account(session):
        raise NoAccount("Set up the first account first, with the address that the server printed when it started.")
    try:
        email = clean_email(person.email)
        name = called(person.name or "", email)
    except Invalid:
        raise NoAccount("The sign-in service has not confirmed your e-mail address, so no account was made.") from None
    if not insert_new(session, User, {"name": name, "email": email}):
        raise NoAccount(UNKNOWN)
    user = account_with(session, email)
    record(session, Action.ACCOUNT_CREATED, by=user.id, subject_id=user.id, details=Details(way="openid"))
    return user


def connect(session: Session, actor: Actor, person: Person) -> None:
    """Let a person of the provider sign in to the account that is signed in here."""
    identity = session.get(OpenIdIdentity, (person.issuer, person.subject))
    if identity is not None and identity.user_id != actor.user_id:
        raise Conflict("This sign-in is connected to another account here. Nothing was changed.")
    session.execute(delete(OpenIdIdentity).where(OpenIdIdentity.user_id == actor.user_id))
    _connect(session, session.get_one(User, actor.user_id), person)
    record(session, Action.ACCOUNT_CHANGED, by=actor.user_id, subject_id=actor.user_id, details=Details(way="openid"))


def disconnect(session: Session, actor: Actor) -> None:
    """End signing in through the provider; an account without a password would have no way in."""
    if session.get_one(User, actor.user_id).password_hash is None:
        raise Invalid(FieldError("openid", "You have no password, so you could not sign in any more."))
    session.execute(delete(OpenIdIdentity).where(OpenIdIdentity.user_id == actor.user_id))
    record(session, Action.ACCOUNT_CHANGED, by=actor.user_id, subject_id=actor.user_id, details=Details(way="openid"))


def is_own(session: Session, actor: Actor, person: Person) -> bool:
    """Return whether this person of the provider is connected to the account."""
    identity = session.get(OpenIdIdentity, (person.issuer, person.subject))
    return identity is not None and identity.user_id == actor.user_id


def _connect(session: Session, user: User, person: Person) -> None:
    row = {"issuer": person.issuer, "subject": person.subject, "user_id": user.id, "created_at": now()}
    if not insert_new(session, OpenIdIdentity, row):
        raise Conflict("You signed in twice at the same moment. Start again.")

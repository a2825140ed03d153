"""Accounts of people who were invited to an event."""

from __future__ import annotations

from sqlalchemy.orm import Session

from app.accounts.passwords import HashedPassword
from app.accounts.users import account_with, clean_email
from app.audit.actions import Action, Details
from app.audit.record import record
from app.db.models import User
from app.db.upsert import insert_new
from app.errors import FieldError, Invalid, collected
from app.web.names import clean_name

TAKEN = "This address can’t be used for a new account. If you have an account, sign in instead."


def check_invited(name: str, email: str) -> tuple[str, str]:
    """Return name and e-mail address as they are stored, or say everything that is wrong with them."""
    faults: list[FieldError] = []
    found = (
        collected(faults, lambda: clean_name(name, what="Your name"), ""),
        collected(faults, lambda: clean_email(email), ""),
    )
    if faults:
        raise Invalid(faults)
    return found


def create_invited_account(session: Session, name: str, email: str, password: HashedPassword) -> User:
    """Make an account with a password. It is always a new one: that of the person at this machine stays theirs."""
    name, email = check_invited(name, email)
    if not insert_new(session, User, {"name": name, "email": email, "password_hash": password}):
        raise Invalid(FieldError("email", TAKEN))
    user = account_with(session, email)
    record(session, Action.ACCOUNT_CREATED, by=user.id, subject_id=user.id, details=Details(way="invitation"))
    return user

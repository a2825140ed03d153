"""Signing in with a password: compared outside of any transaction, and slower after failures."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from uuid import UUID

from fastapi import Request
from sqlalchemy.orm import Session

from app.accounts import queries
from app.accounts.attempts import count_attempt
from app.accounts.known_browsers import known_account
from app.accounts.passwords import PasswordQueue, matches, password_queue
from app.accounts.slow_down import ComeBackLater, Slowed, check_pace, count_failures, forget_failures, take_back
from app.accounts.visitor import limited_network
from app.audit.actions import Action, Details, Reason
from app.audit.record import record
from app.db.models import User
from app.errors import NotSignedIn, TooMany
from app.web.names import plain_email
from app.web.one_hop import read_database, write_database
from app.web.tokens import hash_token

MOST_OF_NOBODY = 1000
"""Failures in a day that are recorded though they fit no account."""
FREE_FOR_ACCOUNT, FREE_FOR_NETWORK, FREE_FOR_BROWSER = 5, 20, 10
WRONG = "Incorrect e-mail or password."


@dataclass(frozen=True)
class Entered:
    """An attempt to sign in: the e-mail address, where it comes from, and the cookie of a known browser."""

    email: str
    address: str = ""
    browser: str = ""

    @property
    def account(self) -> Slowed:
        """Failures for this e-mail address; stored as a hash, for people also type passwords into that field."""
        return Slowed(f"sign-in:{hash_token(self.email)}", FREE_FOR_ACCOUNT)

    def slowed(self, *, known: bool) -> list[Slowed]:
        """Return what is counted: a browser that signed in before is slowed by its own failures only."""
        if known:
            return [Slowed(f"sign-in with:{hash_token(self.email + self.browser)}", FREE_FOR_BROWSER)]
        network = limited_network(self.address)
        return [self.account, *([Slowed(f"sign-in from:{network}", FREE_FOR_NETWORK)] if network else [])]


@dataclass(frozen=True)
class _Found:
    user_id: UUID | None
    stored: str | None


@dataclass(frozen=True)
class Matched:
    """An account whose password was right when it was compared, and what was stored of it then."""

    user_id: UUID
    stored: str

    def hold(self, session: Session) -> User:
        """Return the account; refuse it if it was disabled or got another password since, which ended all sessions."""
        user = queries.hold_accounts(session, [self.user_id]).get(self.user_id)
        if user is None or user.disabled_at is not None or user.password_hash != self.stored:
            raise NotSignedIn(WRONG)
        return user


def enter(email: str, address: str, browser: str) -> Entered:
    """Return an attempt with the e-mail address as it is stored."""
    return Entered(plain_email(email)[:320], address, browser)


async def check_sign_in(request: Request, entered: Entered, password: str) -> Matched:
    """Return the account that the e-mail address and password open, or refuse both alike.

    The try is counted as a failure first; `note_success` takes that back.
    """
    queue = password_queue(request)
    if not entered.browser:
        queue.refusals.check(entered.slowed(known=False))
    try:
        found, is_right = await _compare(request, queue, entered, password)
    except ComeBackLater as refused:
        queue.refusals.note(refused)
        raise
    if found.user_id is None or found.stored is None or not is_right:
        await write_database(request, partial(note_failure, user_id=found.user_id, reason="wrong"))
        raise NotSignedIn(WRONG)
    return Matched(found.user_id, found.stored)


async def _compare(request: Request, queue: PasswordQueue, entered: Entered, password: str) -> tuple[_Found, bool]:
    """Look up whether the try may be made now, count it, and compare the password, each when it is its turn."""
    async with queue.look_up(has_cookie=bool(entered.browser)):
        known = await read_database(request, partial(_admit, entered=entered))
    async with queue.place(known):
        found = await write_database(request, partial(_count, entered=entered, known=known is not None))
        return found, await queue.run(partial(matches, password, found.stored), known)


def _admit(session: Session, *, entered: Entered) -> UUID | None:
    """Return the account if the browser is known there; refuse a try that comes too early."""
    known = known_account(session, entered.email, entered.browser)
    check_pace(session, entered.slowed(known=known is not None))
    return known


def _count(session: Session, *, entered: Entered, known: bool) -> _Found:
    count_failures(session, entered.slowed(known=known))
    user = queries.user_by_email(session, entered.email)
    return _Found(user.id, user.password_hash) if user and not user.disabled_at else _Found(None, None)


def note_failure(session: Session, *, user_id: UUID | None, reason: Reason) -> None:
    """Record a failed sign-in; what was typed is not kept.

    Tries that fit no account are recorded up to a number: strangers must not fill the log.
    """
    if user_id is None:
        try:
            count_attempt(session, "failures of nobody", most=MOST_OF_NOBODY, window=timedelta(days=1))
        except TooMany:
            return
    record(session, Action.SIGN_IN_FAILED, by=None, subject_id=user_id, details=Details(reason=reason))


def note_success(session: Session, entered: Entered) -> None:
    """Take the counted failure back, and forget those of the account."""
    known = known_account(session, entered.email, entered.browser)
    own, *others = entered.slowed(known=known is not None)
    forget_failures(session, own)
    take_back(session, others)

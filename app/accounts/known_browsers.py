"""Browsers that signed in to an account before: wrong passwords from elsewhere do not slow them down."""

from __future__ import annotations

from datetime import timedelta
from uuid import UUID

from sqlalchemy import delete, select, update
from sqlalchemy.orm import Session

from app.clock import now
from app.db.models import KnownBrowser, User
from app.db.upsert import upsert
from app.web.tokens import hash_token, new_token

KNOWN_FOR = timedelta(days=365)


def known_account(session: Session, email: str, browser: str) -> UUID | None:
    """Return the account with that e-mail address, if this browser signed in to it before."""
    if not browser:
        return None
    query = (
        select(KnownBrowser.user_id)
        .join(User, User.id == KnownBrowser.user_id)
        .where(User.email == email, KnownBrowser.token_hash == hash_token(browser), KnownBrowser.expires_at > now())
    )
    return session.scalar(query)


def remember_browser(session: Session, user: User, browser: str) -> str:
    """Remember this browser and return its secret: a new one, unless this account already knows the browser.

    With a secret that somebody else had put into the browser, they could try passwords as if they were there.
    """
    session.execute(delete(KnownBrowser).where(KnownBrowser.expires_at < now()))
    if known_account(session, user.email or "", browser) is None:
        is_this = KnownBrowser.token_hash == hash_token(browser)  # as other accounts know it
        browser = new_token()
        session.execute(update(KnownBrowser).where(is_this).values(token_hash=hash_token(browser)))
    row = {"user_id": user.id, "token_hash": hash_token(browser), "expires_at": now() + KNOWN_FOR}
    upsert(session, KnownBrowser, [row], ["expires_at"])
    return browser


def forget_other_browsers(session: Session, user_id: UUID, browser: str) -> None:
    """Forget all browsers of this account except this one."""
    others = KnownBrowser.user_id == user_id, KnownBrowser.token_hash != hash_token(browser)
    session.execute(delete(KnownBrowser).where(*others))

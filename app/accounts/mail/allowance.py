"""How many people an account may write to, so that nobody sends unwanted e-mails through this server."""

from __future__ import annotations

from datetime import timedelta

from sqlalchemy.orm import Session

from app.accounts.actor import Actor
from app.accounts.attempts import count_attempt
from app.config import Settings
from app.errors import TooMany

MOST_A_DAY = 30


def may_mail(session: Session, actor: Actor, settings: Settings) -> bool:
    """Return whether an e-mail for this account is sent, and count it; past the limit people send links themselves."""
    if not settings.sends_mail:
        return False
    try:
        count_attempt(session, f"mail by:{actor.user_id}", most=MOST_A_DAY, window=timedelta(days=1))
    except TooMany:
        return False
    return True

"""The second step of signing in: after the right password, a code from an app or a recovery code."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

from sqlalchemy import delete, select
from sqlalchemy.orm import Session

from app.accounts.known_browsers import known_account
from app.accounts.second_factors.code_apps import use_code
from app.accounts.second_factors.recovery_codes import use_recovery_code
from app.accounts.sign_in import FREE_FOR_ACCOUNT, FREE_FOR_BROWSER, FREE_FOR_NETWORK, note_failure
from app.accounts.slow_down import Slowed, count_failures, forget_failures, take_back
from app.accounts.visitor import limited_network
from app.clock import now
from app.config import Settings
from app.db.models import PendingSignIn, User
from app.db.session import is_read_only
from app.web.tokens import hash_token, new_token

PENDING_FOR = timedelta(minutes=10)
LONGEST_DELAY = 15 * 60.0
"""Three codes of a million are valid: one guess in a quarter of an hour takes about ten years to find one."""
LONGEST_CODE = 100


@dataclass(frozen=True)
class EnteredCode:
    """An attempt to enter a code: the pending sign-in, where it comes from, and the browser's own cookie."""

    token: str
    code: str
    address: str = ""
    browser: str = ""

    def slowed(self, user: User, *, known: bool) -> list[Slowed]:
        """Return what is counted: apart from passwords, since each right password would begin it again."""
        if known:
            return [Slowed(f"code with:{hash_token(user.id.hex + self.browser)}", FREE_FOR_BROWSER, LONGEST_DELAY)]
        network = limited_network(self.address)
        networks = [Slowed(f"sign-in from:{network}", FREE_FOR_NETWORK)] if network else []
        return [Slowed(f"code:{user.id}", FREE_FOR_ACCOUNT, LONGEST_DELAY), *networks]


def start_pending(session: Session, user: User) -> str:
    """Store that the password was right, and return the secret for the cookie. This is not a session yet."""
    session.execute(delete(PendingSignIn).where(PendingSignIn.expires_at < now()))
    token = new_token()
    session.add(PendingSignIn(user_id=user.id, token_hash=hash_token(token), expires_at=now() + PENDING_FOR))
    session.flush()
    return token


def owner_of_pending(session: Session, token: str) -> User | None:
    """Return who gave the right password just now; whoever writes holds the account, before anything else."""
    query = (
        select(User)
        .join(PendingSignIn, PendingSignIn.user_id == User.id)
        .where(
            PendingSignIn.token_hash == hash_token(token),
            PendingSignIn.expires_at > now(),
            User.disabled_at.is_(None),
        )
    )
    held = query if is_read_only(session) else query.with_for_update(key_share=True, of=User)
    return session.scalars(held).one_or_none()


def check_code(session: Session, user: User, settings: Settings, entered: EnteredCode) -> bool:
    """Return whether the code is right, and use it up with the pending sign-in. A wrong one slows down the next."""
    known = known_account(session, user.email or "", entered.browser)
    own, *others = entered.slowed(user, known=known is not None)
    count_failures(session, [own, *others])
    code = entered.code[:LONGEST_CODE]
    if not use_code(session, user.id, settings, code) and not use_recovery_code(session, user.id, code):
        note_failure(session, user_id=user.id, reason="code")
        return False
    forget_failures(session, own)
    take_back(session, others)
    pending = delete(PendingSignIn).where(PendingSignIn.token_hash == hash_token(entered.token))
    return session.scalar(pending.returning(PendingSignIn.user_id)) is not None  # a new password ends it

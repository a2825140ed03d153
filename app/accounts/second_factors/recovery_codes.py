"""Recovery codes: each works once in place of a code from the app."""

from __future__ import annotations

import secrets
from uuid import UUID

from sqlalchemy import delete, func, select
from sqlalchemy.orm import Session

from app.db.models import RecoveryCode
from app.web.tokens import hash_token

COUNT = 10
LETTERS = "abcdefghijkmnpqrstuvwxyz23456789"
"""Without l, o, 0 and 1, which look alike."""
GROUPS, GROUP_LENGTH = 4, 4
"""80 random bits: too many to guess from the hash."""


def replace_recovery_codes(session: Session, user_id: UUID) -> list[str]:
    """Return new codes to show this once; the earlier ones end."""
    remove_recovery_codes(session, user_id)
    codes = [_new_code() for _ in range(COUNT)]
    session.add_all(RecoveryCode(user_id=user_id, code_hash=hash_token(_plain(code))) for code in codes)
    session.flush()
    return codes


def remove_recovery_codes(session: Session, user_id: UUID) -> None:
    session.execute(delete(RecoveryCode).where(RecoveryCode.user_id == user_id))


def count_recovery_codes(session: Session, user_id: UUID) -> int:
    """Return how many are left."""
    return session.scalar(select(func.count()).where(RecoveryCode.user_id == user_id)) or 0


def use_recovery_code(session: Session, user_id: UUID, entered: str) -> bool:
    """Use a code up, if it is one of the account; of two requests at once, one gets it."""
    is_it = (RecoveryCode.user_id == user_id, RecoveryCode.code_hash == hash_token(_plain(entered)))
    return session.scalar(delete(RecoveryCode).where(*is_it).returning(RecoveryCode.id)) is not None


def _new_code() -> str:
    groups = ("".join(secrets.choice(LETTERS) for _ in range(GROUP_LENGTH)) for _ in range(GROUPS))
    return "-".join(groups)


def _plain(code: str) -> str:
    return "".join(letter for letter in code.lower() if letter.isalnum())

"""Everything besides a password that an account signs in with."""

from __future__ import annotations

from uuid import UUID

from sqlalchemy import ColumnElement, exists, or_, select
from sqlalchemy.orm import Session

from app.accounts.second_factors.code_apps import remove_code_app
from app.accounts.second_factors.passkeys import remove_passkeys
from app.db.models import CodeApp, Passkey, User

HAS_FACTORS: ColumnElement[bool] = or_(
    exists().where(CodeApp.user_id == User.id, CodeApp.confirmed_at.is_not(None)),
    exists().where(Passkey.user_id == User.id),
)
"""For a query of accounts."""


def has_second_factors(session: Session, user_id: UUID) -> bool:
    return bool(session.scalar(select(HAS_FACTORS).where(User.id == user_id)))


def remove_second_factors(session: Session, user_id: UUID, *, by: UUID | None) -> None:
    """Remove all second factors and keep the password: for people who lost their phone and recovery codes."""
    remove_code_app(session, user_id, by=by)
    remove_passkeys(session, user_id, by=by)

"""More than a password: codes from an app, recovery codes and passkeys, and sign-ins that wait for one of them."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from sqlalchemy import BigInteger, ForeignKey, LargeBinary, String
from sqlalchemy.orm import Mapped, mapped_column

from app.db.models.base import NAME_LENGTH, Base, Identified


class CodeApp(Base):
    """The app that shows an account's six-digit codes; the secret is encrypted with a key outside of the database."""

    __tablename__ = "code_apps"
    user_id: Mapped[UUID] = mapped_column(ForeignKey("users.id", ondelete="CASCADE"), primary_key=True)
    secret: Mapped[bytes] = mapped_column(LargeBinary)
    confirmed_at: Mapped[datetime | None]  # before that, no code is asked for
    last_step: Mapped[int] = mapped_column(BigInteger, default=0)  # of the code used last: none works twice


class RecoveryCode(Identified, Base):
    """A code that works once in place of one from the app; stored as a hash."""

    __tablename__ = "recovery_codes"
    user_id: Mapped[UUID] = mapped_column(ForeignKey("users.id", ondelete="CASCADE"), index=True)
    code_hash: Mapped[str] = mapped_column(String(64))


class PendingSignIn(Identified, Base):
    """A browser that gave the right password and has yet to give a code; its cookie holds the token."""

    __tablename__ = "pending_sign_ins"
    user_id: Mapped[UUID] = mapped_column(ForeignKey("users.id", ondelete="CASCADE"), index=True)
    token_hash: Mapped[str] = mapped_column(String(64), unique=True)
    expires_at: Mapped[datetime] = mapped_column(index=True)


class Passkey(Identified, Base):
    """A passkey: the public half of a key that a device or password manager keeps."""

    __tablename__ = "passkeys"
    user_id: Mapped[UUID] = mapped_column(ForeignKey("users.id", ondelete="CASCADE"), index=True)
    name: Mapped[str] = mapped_column(String(NAME_LENGTH))
    credential_id: Mapped[bytes] = mapped_column(LargeBinary(1023), unique=True)
    public_key: Mapped[bytes] = mapped_column(LargeBinary)
    sign_count: Mapped[int] = mapped_column(BigInteger, default=0)
    last_used_at: Mapped[datetime | None]


class PasskeyChallenge(Base):
    """What a passkey has to sign; works once. Without an account it is for signing in."""

    __tablename__ = "passkey_challenges"
    challenge_hash: Mapped[str] = mapped_column(String(64), primary_key=True)
    purpose: Mapped[str] = mapped_column(String(10))
    user_id: Mapped[UUID | None] = mapped_column(ForeignKey("users.id", ondelete="CASCADE"), index=True)
    expires_at: Mapped[datetime] = mapped_column(index=True)

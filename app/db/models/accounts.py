"""Users, and how they and programs sign in."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from sqlalchemy import ForeignKey, String, Text
from sqlalchemy.orm import Mapped, mapped_column

from app.clock import now
from app.db.models.base import NAME_LENGTH, Base, Identified


class User(Identified, Base):
    """An account. The person at this machine has one without e-mail and password."""

    __tablename__ = "users"
    name: Mapped[str] = mapped_column(String(NAME_LENGTH), default="")
    email: Mapped[str | None] = mapped_column(String(320), unique=True)
    password_hash: Mapped[str | None] = mapped_column(Text)
    is_operator: Mapped[bool] = mapped_column(default=False)
    disabled_at: Mapped[datetime | None]


class UserSession(Identified, Base):
    """A signed-in browser; the cookie holds the token, the row its hash."""

    __tablename__ = "sessions"
    user_id: Mapped[UUID] = mapped_column(ForeignKey("users.id", ondelete="CASCADE"), index=True)
    token_hash: Mapped[str] = mapped_column(String(64), unique=True)
    expires_at: Mapped[datetime]
    idle_until: Mapped[datetime]  # later with each use, never after `expires_at`
    last_used_at: Mapped[datetime] = mapped_column(default=now)
    authenticated_at: Mapped[datetime] = mapped_column(default=now)  # when the password was last entered
    device: Mapped[str] = mapped_column(String(60), default="")
    network: Mapped[str] = mapped_column(String(50), default="")


class KnownBrowser(Base):
    """A browser that signed in to an account before; its cookie holds the token, the row its hash."""

    __tablename__ = "known_browsers"
    user_id: Mapped[UUID] = mapped_column(ForeignKey("users.id", ondelete="CASCADE"), primary_key=True)
    token_hash: Mapped[str] = mapped_column(String(64), primary_key=True)
    expires_at: Mapped[datetime]


class OpenIdIdentity(Base):
    """Somebody at an OpenID Connect provider, and the account that they sign in to."""

    __tablename__ = "openid_identities"
    issuer: Mapped[str] = mapped_column(String(300), primary_key=True)
    subject: Mapped[str] = mapped_column(String(255), primary_key=True)
    user_id: Mapped[UUID] = mapped_column(ForeignKey("users.id", ondelete="CASCADE"), unique=True)
    created_at: Mapped[datetime] = mapped_column(default=now)


class SignInKey(Identified, Base):
    """A one-time key: `local` signs the person at this machine in, `setup` makes the first account.

    With `reset` the account `user_id` chooses a new password, and loses its second factors if the link says so.
    """

    __tablename__ = "sign_in_keys"
    user_id: Mapped[UUID | None] = mapped_column(ForeignKey("users.id", ondelete="CASCADE"), index=True)
    purpose: Mapped[str] = mapped_column(String(10))
    removes_factors: Mapped[bool] = mapped_column(default=False)
    token_hash: Mapped[str] = mapped_column(String(64), unique=True)
    expires_at: Mapped[datetime]
    used_at: Mapped[datetime | None]


class ApiKey(Identified, Base):
    """A key for programs; shown once, stored as a hash."""

    __tablename__ = "api_keys"
    user_id: Mapped[UUID] = mapped_column(ForeignKey("users.id", ondelete="CASCADE"), index=True)
    name: Mapped[str] = mapped_column(String(NAME_LENGTH))
    token_hash: Mapped[str] = mapped_column(String(64), unique=True)
    scopes: Mapped[str] = mapped_column(String(40), default="read write solve")
    event_id: Mapped[UUID | None] = mapped_column(ForeignKey("events.id", ondelete="CASCADE"), index=True)
    expires_at: Mapped[datetime | None]
    revoked_at: Mapped[datetime | None]
    last_used_at: Mapped[datetime | None]


class Attempt(Base):
    """Tries at something that is limited, counted in windows of time; of failures the last one starts the window."""

    __tablename__ = "attempts"
    subject: Mapped[str] = mapped_column(String(200), primary_key=True)
    window_start: Mapped[datetime] = mapped_column(index=True)
    count: Mapped[int]


class IdempotencyKey(Base):
    """What was answered to a POST with an Idempotency-Key, so that a repeat gets the same answer."""

    __tablename__ = "idempotency_keys"
    user_id: Mapped[UUID] = mapped_column(ForeignKey("users.id", ondelete="CASCADE"), primary_key=True)
    key: Mapped[str] = mapped_column(String(200), primary_key=True)
    event_id: Mapped[UUID | None] = mapped_column(ForeignKey("events.id", ondelete="CASCADE"), index=True)
    fingerprint: Mapped[str] = mapped_column(String(64))
    status: Mapped[int | None]
    etag: Mapped[str | None] = mapped_column(String(40))
    location: Mapped[str | None] = mapped_column(Text)
    body: Mapped[str | None] = mapped_column(Text)
    created_at: Mapped[datetime] = mapped_column(default=now, index=True)

"""When sessions and API keys were last used: noted in memory, stored once a minute. Use prolongs a session."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from threading import Lock

from sqlalchemy import bindparam, case, update
from sqlalchemy.orm import Session

from app.clock import now
from app.db.models import ApiKey, UserSession
from app.web.write_behind import StoredLater


@dataclass
class LastUses:
    """By the hash of the token: when it was last used."""

    sessions: dict[str, datetime] = field(default_factory=dict)
    keys: dict[str, datetime] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.sessions or self.keys)


class LastUse(StoredLater[LastUses]):
    """The uses that are not yet stored, of one server process."""

    def __init__(self, idle_days: int) -> None:
        self._idle = timedelta(days=idle_days)
        self._waiting = LastUses()
        self._lock = Lock()

    def of_session(self, token_hash: str) -> None:
        with self._lock:
            self._waiting.sessions[token_hash] = now()

    def of_key(self, token_hash: str) -> None:
        with self._lock:
            self._waiting.keys[token_hash] = now()

    def take(self) -> LastUses:
        with self._lock:
            noted, self._waiting = self._waiting, LastUses()
        return noted

    def put_back(self, notes: LastUses) -> None:
        with self._lock:
            self._waiting.sessions = notes.sessions | self._waiting.sessions
            self._waiting.keys = notes.keys | self._waiting.keys

    def write(self, session: Session, notes: LastUses) -> None:
        """Store the uses in one order, so that two processes never wait for each other."""
        connection = session.connection()
        if notes.sessions:
            rows = [
                {"token": token, "last": last, "idle": last + self._idle}
                for token, last in sorted(notes.sessions.items())
            ]
            connection.execute(_SESSION_USED, rows)
        if notes.keys:
            connection.execute(_KEY_USED, [{"token": token, "last": at} for token, at in sorted(notes.keys.items())])


_SESSIONS, _KEYS = (row.metadata.tables[row.__tablename__] for row in (UserSession, ApiKey))
_IDLE = bindparam("idle", type_=_SESSIONS.c.idle_until.type)
_LAST = bindparam("last", type_=_SESSIONS.c.last_used_at.type)
_SESSION_USED = (
    update(_SESSIONS)
    .where(_SESSIONS.c.token_hash == bindparam("token"))
    .values(
        last_used_at=_LAST,
        idle_until=case(
            (_SESSIONS.c.idle_until > _IDLE, _SESSIONS.c.idle_until),
            (_SESSIONS.c.expires_at < _IDLE, _SESSIONS.c.expires_at),
            else_=_IDLE,
        ),
    )
)
_KEY_USED = update(_KEYS).where(_KEYS.c.token_hash == bindparam("token")).values(last_used_at=_LAST)

"""Write to the audit log, in the transaction of what is recorded: both are stored, or neither."""

from __future__ import annotations

import re
from dataclasses import asdict
from typing import Any
from uuid import UUID

from sqlalchemy.orm import Session

from app.audit.actions import NO_DETAILS, Action, Details
from app.db.models import AuditEntry
from app.web.networks import network_of_session

WORD = re.compile(r"[a-z-]{1,30}")


def record(
    session: Session,
    action: Action,
    *,
    by: UUID | None,
    event_id: UUID | None = None,
    subject_id: UUID | None = None,
    details: Details = NO_DETAILS,
) -> None:
    """Record what an account did, or None for somebody without one; `subject_id` is what it was done to.

    The network is that of the request whose session this is.
    """
    session.add(
        AuditEntry(
            action=str(action),
            subject=action.subject,
            user_id=by,
            event_id=event_id,
            subject_id=subject_id,
            network=network_of_session(session),
            details=_plain(details),
        )
    )


def _plain(details: Details) -> dict[str, Any]:
    """Return the details as they are stored; free text is refused even where type checks were bypassed."""
    given = {name: value for name, value in asdict(details).items() if value is not None}
    for name, value in given.items():
        if not isinstance(value, int) and not (isinstance(value, str) and WORD.fullmatch(value)):
            raise TypeError(f"{name} isn't one of the words that the audit log takes")
    return given

"""The audit log as pages show it: for owners of an event, and for operators."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from sqlalchemy.orm import Session

from app.audit.queries import Entry, entries
from app.audit.text import OF_EVENT, SUBJECTS, describe_account, describe_action, describe_details
from app.web.html.filters import moment
from app.web.html.forms import read_id


@dataclass(frozen=True)
class AuditLine:
    """One line as it is shown."""

    moment: str
    account: str
    action: str
    details: str
    network: str


@dataclass(frozen=True)
class AuditLog:
    """Some lines of the log, and the subject they are filtered by; an unknown subject filters nothing."""

    lines: Sequence[AuditLine]
    subjects: Sequence[tuple[str, str]]
    subject: str
    next: UUID | None
    is_first_page: bool
    kept_days: int


def read_log(
    session: Session, event_id: UUID | None, subject: str, after: str, *, size: int, kept_days: int
) -> AuditLog:
    """Return `size` lines of an event, or without one of the whole installation, the newest first."""
    start = read_id(after)
    chosen = next((one for one in SUBJECTS if one == subject), None)
    found = entries(session, event_id=event_id, subject=chosen, after=start, limit=size)
    return AuditLog(
        lines=[_line_of(entry) for entry in found],
        subjects=[(key, SUBJECTS[key]) for key in (OF_EVENT if event_id else SUBJECTS)],
        subject=chosen or "",
        next=found[-1].id if len(found) == size else None,
        is_first_page=start is None,
        kept_days=kept_days,
    )


def _line_of(entry: Entry) -> AuditLine:
    return AuditLine(
        moment(entry.at), describe_account(entry), describe_action(entry), describe_details(entry), entry.network
    )

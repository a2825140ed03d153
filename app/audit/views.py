"""Lines of the audit log as pages show them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast, get_args

from app.audit.actions import Subject
from app.audit.queries import Entry
from app.audit.text import describe_account, describe_action, describe_details
from app.web.html.filters import moment


@dataclass(frozen=True)
class AuditLine:
    """One line as it is shown."""

    moment: str
    account: str
    action: str
    details: str
    network: str


def line_of(entry: Entry) -> AuditLine:
    """Return a line in words."""
    return AuditLine(
        moment(entry.at), describe_account(entry), describe_action(entry), describe_details(entry), entry.network
    )


def read_subject(text: str) -> Subject | None:
    """Read what a page is filtered by; anything unknown filters nothing."""
    return cast("Subject", text) if text in get_args(Subject) else None

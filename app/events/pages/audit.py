"""What was done in an event, for its owners: a page with filters, and a file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from fastapi import Depends, Request, Response

from app.audit import queries
from app.audit.text import OF_EVENT, SUBJECTS, table_rows
from app.audit.views import AuditLine, line_of, read_subject
from app.db.models import Event
from app.events.context import OwnerContext
from app.events.exports import recorded_export
from app.files.csv_out import CSV_TYPE, write_csv
from app.web.deps import AppSettings, guard_form
from app.web.html.forms import read_id
from app.web.html.rendering import render
from app.web.one_hop import Router

router = Router(prefix="/events/{event_id}", dependencies=[Depends(guard_form)])
PAGE_SIZE, MOST_IN_FILE = 50, 100_000


@dataclass(frozen=True)
class AuditPage:
    """Some lines of the log, and what they are filtered by."""

    event: Event
    lines: Sequence[AuditLine]
    subjects: Sequence[tuple[str, str]]
    subject: str
    next: UUID | None
    is_first_page: bool
    kept_days: int
    section: str = "settings"


@router.get("/audit")
def show_audit(
    request: Request, ctx: OwnerContext, settings: AppSettings, subject: str = "", after: str = ""
) -> Response:
    """Show what was done, the newest first."""
    start, chosen = read_id(after), read_subject(subject)
    found = queries.entries(ctx.session, event_id=ctx.event_id, subject=chosen, after=start, limit=PAGE_SIZE)
    page = AuditPage(
        event=ctx.event,
        lines=[line_of(entry) for entry in found],
        subjects=[(key, SUBJECTS[key]) for key in OF_EVENT],
        subject=chosen or "",
        next=found[-1].id if len(found) == PAGE_SIZE else None,
        is_first_page=start is None,
        kept_days=settings.keep_audit_days,
    )
    return render(request, "events/audit.html", page)


@router.get("/audit.csv")
def export_audit(request: Request, ctx: OwnerContext) -> Response:
    """Give everything that was done as a file."""
    found = queries.entries(ctx.session, event_id=ctx.event_id, limit=MOST_IN_FILE)
    headers = {"Content-Disposition": 'attachment; filename="audit.csv"'}
    answer = Response(write_csv(table_rows(found)), media_type=CSV_TYPE, headers=headers)
    return recorded_export(request, ctx, answer, "audit", "csv")

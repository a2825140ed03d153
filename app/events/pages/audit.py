"""What was done in an event, for its owners: a page with filters, and a file."""

from __future__ import annotations

from dataclasses import dataclass

from fastapi import Depends, Request, Response

from app.audit import queries
from app.audit.text import table_rows
from app.audit.views import AuditLog, read_log
from app.db.models import Event
from app.events.context import OwnerContext
from app.events.exports import recorded_export
from app.files.csv_out import CSV_TYPE, write_csv
from app.web.deps import AppSettings, guard_form
from app.web.html.rendering import render
from app.web.one_hop import Router

router = Router(prefix="/events/{event_id}", dependencies=[Depends(guard_form)])
PAGE_SIZE, MOST_IN_FILE = 50, 100_000


@dataclass(frozen=True)
class AuditPage:
    """The log of an event."""

    event: Event
    log: AuditLog
    section: str = "settings"


@router.get("/audit")
def show_audit(
    request: Request, ctx: OwnerContext, settings: AppSettings, subject: str = "", after: str = ""
) -> Response:
    """Show what was done, the newest first."""
    log = read_log(ctx.session, ctx.event_id, subject, after, size=PAGE_SIZE, kept_days=settings.keep_audit_days)
    return render(request, "events/audit.html", AuditPage(ctx.event, log))


@router.get("/audit.csv")
def export_audit(request: Request, ctx: OwnerContext) -> Response:
    """Send everything that was done as a file."""
    found = queries.entries(ctx.session, event_id=ctx.event_id, limit=MOST_IN_FILE)
    headers = {"Content-Disposition": 'attachment; filename="audit.csv"'}
    answer = Response(write_csv(table_rows(found)), media_type=CSV_TYPE, headers=headers)
    return recorded_export(request, ctx, answer, "audit", "csv")

"""What was done in the whole installation, for operators: a page with filters, and a file."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from uuid import UUID

from fastapi import Depends, Request, Response
from sqlalchemy.orm import Session

from app.accounts.actor import require_operator
from app.accounts.current_user import CurrentUser
from app.audit import queries
from app.audit.actions import Action, Details
from app.audit.record import record
from app.audit.text import table_rows
from app.audit.views import AuditLog, read_log
from app.files.csv_out import CSV_TYPE, write_csv
from app.web.after_transaction import AfterTransaction
from app.web.deps import AppSettings, Db, guard_form
from app.web.html.rendering import render
from app.web.one_hop import Router, write_database

router = Router(prefix="/admin", dependencies=[Depends(guard_form)])
PAGE_SIZE, MOST_IN_FILE = 100, 100_000


@dataclass(frozen=True)
class AuditPage:
    """The log of the whole installation."""

    log: AuditLog


@router.get("/audit")
def show_audit(
    request: Request, session: Db, actor: CurrentUser, settings: AppSettings, subject: str = "", after: str = ""
) -> Response:
    """Show what was done, the newest first."""
    require_operator(actor)
    log = read_log(session, None, subject, after, size=PAGE_SIZE, kept_days=settings.keep_audit_days)
    return render(request, "admin/audit.html", AuditPage(log))


@router.get("/audit.csv")
def export_audit(request: Request, session: Db, actor: CurrentUser) -> Response:
    """Send everything that was done as a file."""
    require_operator(actor)
    found = queries.entries(session, limit=MOST_IN_FILE)
    headers = {"Content-Disposition": 'attachment; filename="audit.csv"'}
    answer = Response(write_csv(table_rows(found)), media_type=CSV_TYPE, headers=headers)

    async def write_and_answer() -> Response:
        await write_database(request, partial(_record_export, by=actor.user_id))
        return answer

    return AfterTransaction(write_and_answer)


def _record_export(session: Session, by: UUID) -> None:
    record(session, Action.EXPORTED, by=by, details=Details(content="audit", format="csv"))

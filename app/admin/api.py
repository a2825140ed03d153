"""/audit: what was done in the whole installation, for operators."""

from __future__ import annotations

from typing import Annotated

from fastapi import Query

from app.accounts.actor import require_operator
from app.accounts.current_user import ApiUser
from app.audit import queries
from app.audit.actions import Subject
from app.errors import FieldError, Invalid
from app.events.api.audit import AuditLog, log_of
from app.web.cursors import UNKNOWN
from app.web.deps import Db
from app.web.json_api.conditional import After, Limit
from app.web.one_hop import Router

router = Router(prefix="/api/v1/audit", tags=["audit log"])


@router.get("")
def list_installation_audit(
    session: Db,
    actor: ApiUser,
    subject: Annotated[Subject | None, Query(description="Only what is about this")] = None,
    limit: Limit = 100,
    after: After = None,
) -> AuditLog:
    """List what was done in the whole installation. Only operators see it; for others it does not exist."""
    require_operator(actor)
    if after is not None and not queries.has_entry(session, after, None):
        raise Invalid(FieldError("after", UNKNOWN))
    return log_of(queries.entries(session, subject=subject, after=after, limit=limit), limit)

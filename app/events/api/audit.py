"""/events/{event}/audit: what was done, by whom and from which network."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from typing import Annotated, Any
from uuid import UUID

from fastapi import Query
from pydantic import Field

from app.audit import queries
from app.audit.actions import Action, Subject
from app.errors import FieldError, Invalid
from app.events.context import ApiOwnerContext
from app.web.cursors import UNKNOWN
from app.web.json_api.conditional import After, Limit
from app.web.json_api.schemas import Answer
from app.web.one_hop import Router

router = Router(prefix="/api/v1/events/{event_id}/audit", tags=["audit log"])


class AuditEntryOut(Answer):
    """One thing that was done. Guests and links are named by their ids alone."""

    id: UUID
    at: dt.datetime
    action: Action
    subject: Subject
    by: UUID | None = Field(description="The account; null if it was deleted")
    by_name: str | None
    event: UUID | None = Field(description="The event; null for what concerns accounts")
    concerns: UUID | None = Field(description="The member, link, plan or guest")
    network: str = Field(description="The network of the request: /24 of IPv4, /48 of IPv6")
    details: dict[str, Any]


class AuditLog(Answer):
    """A page of what was done, newest first."""

    entries: list[AuditEntryOut]
    next: UUID | None


@router.get("")
def list_audit(
    ctx: ApiOwnerContext,
    subject: Annotated[Subject | None, Query(description="Only what is about this")] = None,
    limit: Limit = 100,
    after: After = None,
) -> AuditLog:
    """List what was done in the event."""
    if after is not None and not queries.has_entry(ctx.session, after, ctx.event_id):
        raise Invalid(FieldError("after", UNKNOWN))
    found = queries.entries(ctx.session, event_id=ctx.event_id, subject=subject, after=after, limit=limit)
    return log_of(found, limit)


def log_of(found: Sequence[queries.Entry], limit: int) -> AuditLog:
    """Return lines of the log as the API shows them."""
    return AuditLog(entries=[_out(one) for one in found], next=found[-1].id if len(found) == limit else None)


def _out(one: queries.Entry) -> AuditEntryOut:
    return AuditEntryOut(
        id=one.id,
        at=one.at,
        action=Action(one.action),
        subject=Action(one.action).subject,
        by=one.user_id,
        by_name=one.user_name,
        event=one.event_id,
        concerns=one.subject_id,
        network=one.network,
        details=one.details,
    )

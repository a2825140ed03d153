"""Exports are recorded in the audit log before their first byte is sent."""

from __future__ import annotations

from uuid import UUID

from fastapi import Request, Response

from app.audit.actions import Action, Content, Details, Format
from app.audit.record import record
from app.events.context import EventContext
from app.web.after_transaction import AfterTransaction
from app.web.one_hop import write_database


def recorded_export(
    request: Request, ctx: EventContext, answer: Response, content: Content, file_format: Format
) -> Response:
    """Return an export that is recorded first, in a short transaction of its own: what it read took no write lock."""
    by, event_id = ctx.actor.user_id, ctx.event_id

    async def write_and_answer() -> Response:
        await record_export(request, by, event_id, content, file_format)
        return answer

    return AfterTransaction(write_and_answer)


async def record_export(request: Request, by: UUID, event_id: UUID, content: Content, file_format: Format) -> None:
    """Record an export that was made after its transaction had ended."""
    details = Details(content=content, format=file_format)
    await write_database(
        request, lambda session: record(session, Action.EXPORTED, by=by, event_id=event_id, details=details)
    )

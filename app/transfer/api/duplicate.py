"""/events/{event}/duplicate."""

from __future__ import annotations

from typing import Annotated
from uuid import UUID

from fastapi import Depends, Header, Request, Response
from pydantic import Field
from sqlalchemy.orm import Session

from app.audit.actions import Action
from app.events.context import ApiEditorContext
from app.events.idempotency import claim_once, replay_known, request_digest
from app.transfer.answers import write_staged
from app.transfer.api.files import ImportedEvent
from app.transfer.duplicate import USUAL_PARTS, CopyPart, CopyWish, stage_copy
from app.transfer.staged_events import StagedEvent
from app.web.after_transaction import AfterTransaction
from app.web.json_api.schemas import Body, Day
from app.web.one_hop import Before, Router
from app.web.tried import Tried, tried

router = Router(prefix="/api/v1/events/{event_id}/duplicate", tags=["events"])


class CopyIn(Body):
    """The copy of an event."""

    name: str
    date: Day | None = None
    parts: list[CopyPart] = Field(
        default=sorted(USUAL_PARTS),
        max_length=20,
        description="What comes along. Ratings, rules and wishes need guests; the plan in use needs guests and tables. "
        "Only owners take members along.",
    )
    keep_replies: bool = Field(default=False, description="Otherwise nobody has replied yet.")


def prepare_copy(ctx: ApiEditorContext, body: CopyIn) -> Tried[StagedEvent]:
    """Build the copy before the request begins to write."""
    wish = CopyWish(body.name, body.date, frozenset(body.parts), body.keep_replies)
    return tried(lambda: stage_copy(ctx, wish))


@router.post("", status_code=201, response_model=ImportedEvent)
def duplicate_event(
    request: Request,
    ctx: ApiEditorContext,
    body: CopyIn,
    prepared: Annotated[Tried[StagedEvent], Before(prepare_copy)],
    digest: Annotated[str, Depends(request_digest)],
    idempotency_key: Annotated[str | None, Header()] = None,
) -> Response:
    """Create a copy of the event that is yours alone. Links, arrivals and the audit log never come along."""
    if idempotency_key is not None:
        replay_known(ctx.session, ctx.actor.user_id, idempotency_key, digest)
    staged, actor = prepared.get(), ctx.actor
    ctx.record(Action.EVENT_DUPLICATED)

    async def write_and_answer() -> Response:
        answers: list[Response] = []

        def claim(session: Session, event_id: UUID) -> None:
            once = claim_once(session, actor, idempotency_key, digest)
            answers.append(once.answer(ImportedEvent(id=event_id), location=f"/api/v1/events/{event_id}"))

        await write_staged(request, staged, at_end=claim)
        return answers[0]

    return AfterTransaction(write_and_answer)

"""/events/{event}/plans/{plan}/events and …/editors: who works on a plan, and a stream of what changes."""

from __future__ import annotations

from typing import Annotated
from uuid import UUID

from fastapi import Depends, Request, Response
from pydantic import Field

from app.accounts.current_user import ApiAccount, ApiCredential, with_api_key
from app.events.context import ApiEditorContext, open_event
from app.events.streams import EventStreamType, event, follow
from app.plans.live.presence import MOST_GUESTS, announce, follow_plan, leave
from app.plans.live.queries import LivePlan
from app.web.json_api.schemas import Answer, Body, Id
from app.web.one_hop import Router, read_database

router = Router(prefix="/api/v1/events/{event_id}/plans/{plan_id}", tags=["plans"])


class EditorIn(Body):
    """What a tab or program does with the plan."""

    guests: list[Id] = Field(default=[], max_length=MOST_GUESTS, description="The guests that are picked up")


class EditorOut(Answer):
    """Somebody who works on the plan."""

    tab: UUID
    name: str
    guests: tuple[str, ...] = Field(description="The guests they have picked up")


class LivePlanOut(Answer):
    """A plan as it is followed."""

    version: int = Field(description="Counts up with every change of the plan")
    revision: int = Field(description="Counts up with every change of the event, of its guests and tables too")
    editors: tuple[EditorOut, ...]


async def one_plan(request: Request, event_id: UUID, plan_id: UUID) -> LivePlan:
    """Return the plan that the address names, if it may be seen."""
    return await read_database(
        request, lambda session: follow_plan(open_event(session, with_api_key(request, session), event_id), plan_id)
    )


@router.get("/events", response_class=EventStreamType)
async def follow_changes(
    request: Request, plan: Annotated[LivePlan, Depends(one_plan)], who: ApiCredential, account: ApiAccount
) -> Response:
    """Stream the plan's version and its editors as events `plan`, whenever one of them changes."""
    return follow(request.app.state.plan_feed, account, who, plan, _write_event)


@router.put("/editors/{tab}", status_code=204)
def announce_editor(ctx: ApiEditorContext, plan_id: UUID, tab: UUID, body: EditorIn) -> None:
    """Show the other editors that you work on the plan; repeat it every 10 seconds. `tab` is any UUID of yours."""
    announce(ctx, plan_id, tab, body.guests)


@router.delete("/editors/{tab}", status_code=204)
def remove_editor(ctx: ApiEditorContext, plan_id: UUID, tab: UUID) -> None:
    """Show that you no longer work on the plan."""
    leave(ctx, plan_id, tab)


def _write_event(plan: LivePlan) -> bytes:
    return event("plan", LivePlanOut.model_validate(plan).model_dump_json())

"""What of the workspace is different since somebody saw it: a page that follows the plan puts it in its places."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Annotated
from uuid import UUID

from fastapi import Query, Request, Response

from app.db.models import Move
from app.events.context import EventContext, ViewerContext
from app.plans import read as plans
from app.plans.moves.change_wording import say_what_happened
from app.plans.moves.history import read_names, touched_tables
from app.plans.pages.workspace import places_of, read_extras, render_parts, render_room
from app.plans.queries.moves import moves_since
from app.plans.read import PlanView
from app.plans.views.page import Chosen, build_page
from app.web.html.forms import read_id
from app.web.one_hop import Router

router = Router(prefix="/events/{event_id}/plans/{plan_id}")
Count = Annotated[int, Query(ge=0, lt=2**31)]


@router.get("/parts")
def show_parts(
    request: Request,
    ctx: ViewerContext,
    plan_id: UUID,
    version: Count = 0,
    revision: Count = 0,
    tab: str = "",
    guest: str = "",
    table: str = "",
    page: Count = 1,
) -> Response:
    """Send the parts that changed after this version of the plan and this revision of the event."""
    chosen = Chosen(tab, read_id(guest), read_id(table), page=page)
    view = plans.read_plan(ctx, plan_id)
    shown = build_page(ctx.event, view, chosen, read_extras(ctx, view, chosen))
    moves = moves_since(ctx.session, view.plan.id, version)
    tables = _changed_tables(ctx, view, moves, version, revision)
    content = {
        "version": view.plan.version,
        "revision": ctx.event.revision,
        "fragments": render_room(request, shown) if tables is None else render_parts(request, shown, tables),
        "places": places_of(shown),
        "message": _news(ctx, view, moves),
    }
    return Response(json.dumps(content), media_type="application/json", headers={"Cache-Control": "no-store"})


def _news(ctx: EventContext, view: PlanView, moves: Sequence[Move]) -> str:
    """Say to an editor what somebody else did last."""
    theirs = [move for move in moves if move.user_id not in (None, ctx.actor.user_id)][:1]
    if not theirs or not view.can_edit:
        return ""
    return say_what_happened(theirs[0], read_names(ctx.session, ctx.event_id, theirs))


def _changed_tables(
    ctx: EventContext, view: PlanView, moves: Sequence[Move], version: int, revision: int
) -> set[UUID] | None:
    """Return the tables that changed; None where more than the moves of this plan was changed in the event."""
    is_all = len(moves) == view.plan.version - version == ctx.event.revision - revision
    return touched_tables(moves) if is_all else None

"""What the page of a plan follows while it is open, and says about itself."""

from __future__ import annotations

import json
from typing import Annotated, Any
from uuid import UUID

from fastapi import Depends, Form, Request, Response

from app.accounts.current_user import Account, BrowserCredential, signed_in
from app.events.context import EditorContext, open_event
from app.events.streams import EventStreamType, event, follow
from app.plans.live.presence import announce, follow_plan, leave
from app.plans.live.queries import Editor, LivePlan
from app.web.deps import guard_form
from app.web.html.forms import read_id
from app.web.html.text_metrics import LONGEST_IN_TEXT, initials, shorten
from app.web.one_hop import Router, read_database

router = Router(prefix="/events/{event_id}/plans/{plan_id}", dependencies=[Depends(guard_form)])

NAMELESS = ("Someone", "You")
"""What accounts without a name are called; the person at this machine is not “you” to others."""


async def one_plan(request: Request, event_id: UUID, plan_id: UUID) -> LivePlan:
    """Return the plan that the address names, if it may be seen."""
    return await read_database(
        request, lambda session: follow_plan(open_event(session, signed_in(request, session), event_id), plan_id)
    )


@router.get("/live", response_class=EventStreamType)
async def follow_changes(
    request: Request, plan: Annotated[LivePlan, Depends(one_plan)], who: BrowserCredential, account: Account
) -> Response:
    """Send the version of the plan and who works on it, as they change."""
    return follow(request.app.state.plan_feed, account, who, plan, _write_event)


@router.post("/live/{tab}")
def announce_tab(
    ctx: EditorContext,
    plan_id: UUID,
    tab: UUID,
    guest: Annotated[list[str] | None, Form()] = None,
    closed: Annotated[str, Form()] = "",
) -> Response:
    """Take note that the plan is open in this tab with these guests picked up, or that the tab was closed."""
    if closed:
        leave(ctx, plan_id, tab)
    else:
        announce(ctx, plan_id, tab, [key for key in map(read_id, guest or ()) if key])
    return Response(status_code=204)


def _write_event(plan: LivePlan) -> bytes:
    editors = [_describe(one) for one in plan.editors]
    return event("plan", json.dumps({"version": plan.version, "revision": plan.revision, "editors": editors}))


def _describe(one: Editor) -> dict[str, Any]:
    """Return an editor as the page shows them to others: `holds` is shown at the guests they have picked up."""
    is_named = one.name not in NAMELESS
    return {
        "tab": str(one.tab),
        "user": str(one.user_id),
        "name": one.name if is_named else "Someone else",
        "initials": initials(one.name) if is_named else "?",
        "guests": one.guests,
        "holds": f"Picked up by {shorten(one.name, LONGEST_IN_TEXT) if is_named else 'someone else'} right now.",
    }

"""Wishes of the guests: what they said, and what the planner says to it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Annotated
from urllib.parse import urlencode
from uuid import UUID

from fastapi import Depends, Form, Query, Request, Response

from app.errors import FieldError, Invalid
from app.events.context import EditorContext
from app.web.deps import LongFormRoute, guard_form
from app.web.html.forms import read_id
from app.web.html.rendering import event_address, redirect
from app.web.one_hop import Router
from app.wishes import decide as wishes
from app.wishes.decide import Decision, Key, State
from app.wishes.views import LastDecision, wishes_page

router = Router(prefix="/events/{event_id}/wishes", dependencies=[Depends(guard_form)], route_class=LongFormRoute)
VERDICTS: dict[str, State] = {"accept": "accepted", "decline": "declined", "withdraw": "undecided"}
MOST_NAMED = 10
CONFIRMED = ("accepted", "declined")


@router.get("")
def show_wishes(
    request: Request,
    ctx: EditorContext,
    done: str = "",
    at: str = "",
    notice: str = "",
    page: Annotated[int, Query(ge=1, le=100_000)] = 1,
) -> Response:
    """Show what guests wish for, and the links; `done` and `at` say what was just decided."""
    moment = _read_moment(at) if done in CONFIRMED else None
    number = len(wishes.keys_decided_at(ctx.session, ctx.event_id, moment)) if moment else 0
    just_done = LastDecision(done, number, at) if number else None
    return wishes_page(request, ctx, page=page, notice=notice, done=just_done)


@router.post("")
def decide(
    request: Request,
    ctx: EditorContext,
    verdict: Annotated[str, Form()] = "",
    wish: Annotated[tuple[str, ...], Form()] = (),
) -> Response:
    """Accept, decline or take back what was said to the wishes that are ticked; those that are gone are named."""
    state = VERDICTS.get(verdict)
    try:
        if state is None:
            raise Invalid("Choose accept, decline or undo. Nothing was changed.")
        there, gone = wishes.part_gone(ctx, _read_keys(wish))
        decision = wishes.decide(ctx, there, state)
    except Invalid as error:
        return wishes_page(request, ctx, faults=[FieldError("", text) for text in _messages(error)])
    if gone:
        at = decision.moment.isoformat()
        done = LastDecision(state, decision.count, at) if state in CONFIRMED and there else None
        return wishes_page(request, ctx, done=done, faults=_gone_errors(gone, len(there)))
    return _decided(ctx.event_id, state, decision)


@router.post("/accept-all")
def accept_all(ctx: EditorContext) -> Response:
    """Accept all that wait and that nothing contradicts."""
    return _decided(ctx.event_id, "accepted", wishes.accept_all(ctx))


@router.post("/undo")
def undo(ctx: EditorContext, at: Annotated[str, Form()] = "") -> Response:
    """Take back what was accepted or declined in one go."""
    moment = _read_moment(at)
    if moment:
        wishes.undo(ctx, moment)
    return redirect(event_address(ctx.event_id, "wishes"))


def _decided(event_id: UUID, state: State, decision: Decision) -> Response:
    is_confirmed = state in CONFIRMED and decision.count
    query = f"?{urlencode({'done': state, 'at': decision.moment.isoformat()})}" if is_confirmed else ""
    return redirect(event_address(event_id, f"wishes{query}"))


def _gone_errors(gone: Sequence[tuple[str, str]], others: int) -> list[FieldError]:
    named = [f"{guest} no longer wishes to sit with {other}, or one of them is not attending." for guest, other in gone]
    more = [f"{len(gone) - MOST_NAMED:,} more wishes no longer exist."] if len(gone) > MOST_NAMED else []
    ending = ["The others were updated."] if others else []
    return [FieldError("", text) for text in (*named[:MOST_NAMED], *more, *ending)]


def _read_keys(texts: Sequence[str]) -> list[Key]:
    """Read the ticked wishes: a tick may stand for several guests of a party."""
    pairs = [tuple(read_id(part) for part in pair.split(".")) for text in texts for pair in text.split("~")]
    keys = [(pair[0], pair[1]) for pair in pairs if len(pair) == 2 and pair[0] and pair[1]]
    if not keys:
        raise Invalid("Select at least one wish.")
    return keys


def _read_moment(text: str) -> datetime | None:
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    return moment if moment.tzinfo else None


def _messages(error: Invalid) -> list[str]:
    return list(dict.fromkeys(fault.message for fault in error.faults))

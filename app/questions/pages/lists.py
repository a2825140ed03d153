"""List cards: one guest with several others on one form, each with a guess to correct."""

from __future__ import annotations

from functools import partial
from typing import Annotated
from uuid import UUID

from fastapi import Depends, Header, Request, Response
from fastapi.responses import JSONResponse

from app.errors import FieldError, Invalid
from app.events.context import EditorContext
from app.questions.answer import LONGEST_RESPONDER, keep_questions_coming, note_responder
from app.questions.list_answers import ListAnswer, give_list, take_list_back
from app.questions.pages.given import JSON, outcome_as_json, refusal, was_undone
from app.questions.pages.shown import SAID, questions_page, shown_deck, submission_of_list, write_list
from app.questions.question_cards import show_deck
from app.questions.submissions import name_of
from app.runs.queue import AppQueue
from app.web.deps import guard_form
from app.web.html.forms import read_id
from app.web.html.rendering import event_address, redirect, render
from app.web.one_hop import Router

router = Router(prefix="/events/{event_id}/ratings/questions/list", dependencies=[Depends(guard_form)])
ROW = "said/"


async def read_fields(request: Request) -> dict[str, str]:
    """Return the fields of the form, which has one for each name."""
    return {name: value for name, value in (await request.form()).items() if isinstance(value, str)}


@router.post("")
def take_list(
    request: Request,
    ctx: EditorContext,
    queue: AppQueue,
    fields: Annotated[dict[str, str], Depends(read_fields)],
    accept: Annotated[str, Header()] = "",
) -> Response:
    """Keep the answers of a list, or take them back, and go on with the next card."""
    responder, undo = fields.get("responder", "")[:LONGEST_RESPONDER], fields.get("undo", "")
    try:
        answer = _read_answer(fields)
        own = submission_of_list(fields.get("submission", ""), answer.guest, answer.said)
        if undo:
            outcome = own.undo(ctx, partial(take_list_back, ctx, answer))
        else:
            outcome = own.write(ctx, partial(give_list, ctx, answer))
    except Invalid as error:
        if JSON in accept:
            return refusal(error)
        page = questions_page(show_deck(ctx, responder=responder), responder, faults=error.faults)
        return render(request, "questions/show.html", page, error.status)
    note_responder(ctx, responder)
    keep_questions_coming(ctx, queue)
    if JSON in accept:
        ids = {name_of(one.pair): str(one.b) for one in answer.answers()}
        return JSONResponse({**shown_deck(show_deck(ctx, responder=responder)), **outcome_as_json(outcome, SAID, ids)})
    listed = f"listed={write_list(answer.guest, answer.said)}&submission={own.id or ''}"
    spot = f"&undone={was_undone(outcome)}" if undo else f"&{listed}"
    return redirect(event_address(ctx.event_id, f"ratings/questions?responder={responder}{spot}"))


def _read_answer(fields: dict[str, str]) -> ListAnswer:
    """Read whom the list is about and what was said; “skip” skips all of its pairs."""
    is_skipped = fields.get("answer") == "skip"
    guest, said = read_id(fields.get("guest", "")), {}
    for name, value in fields.items():
        if name.startswith(ROW):
            said[_other(name.removeprefix(ROW))] = "skip" if is_skipped else value
    if guest is None:
        raise Invalid(FieldError("guest", "Choose a guest of this event."))
    return ListAnswer(guest, said)


def _other(text: str) -> UUID:
    other = read_id(text)
    if other is None:
        raise Invalid(FieldError("guest", "Choose a guest of this event."))
    return other

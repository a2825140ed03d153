"""Quick questions: one pair of guests at a time, as cards. Each is a form; a script sends answers without a reload."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from functools import partial
from secrets import token_hex
from typing import Annotated
from uuid import UUID

from fastapi import Depends, Form, Header, Query, Request, Response
from fastapi.responses import JSONResponse

from app.errors import Invalid
from app.events.context import EditorContext, EventContext
from app.events.progress import Progress, show_progress
from app.questions import answer as questions
from app.questions.answer import Answer, give_answer
from app.questions.pages.given import (
    JSON,
    LONGEST_NUMBER,
    LONGEST_SUBMISSION,
    outcome_as_json,
    read_both,
    read_given,
    read_pair,
    read_was,
    refusal,
    spot_after,
    submission_of,
    undone_text,
)
from app.questions.pages.shown import SAID, Previous, questions_page, read_list, shown_deck
from app.questions.question_cards import show_deck
from app.runs.queue import AppQueue, RunQueue
from app.web.deps import guard_form
from app.web.html.rendering import event_address, redirect, render
from app.web.one_hop import Router

router = Router(prefix="/events/{event_id}/ratings/questions", dependencies=[Depends(guard_form)])


@router.get("")
def show_questions(
    request: Request,
    ctx: EditorContext,
    responder: Annotated[str, Query(max_length=questions.LONGEST_RESPONDER)] = "",
    pair: Annotated[str, Query(max_length=100)] = "",
    given: Annotated[str, Query(max_length=120)] = "",
    listed: Annotated[str, Query(max_length=1000)] = "",
    submission: Annotated[str, Query(max_length=LONGEST_SUBMISSION)] = "",
    undone: Annotated[str, Query(max_length=10)] = "",
    accept: Annotated[str, Header()] = "",
) -> Response:
    deck = show_deck(ctx, responder=responder, first=_read_pair(pair))
    if JSON in accept:
        return JSONResponse(shown_deck(deck))
    before = Previous(
        read_given(ctx, given, submission, SAID), read_list(ctx, listed, submission), notice=undone_text(undone)
    )
    return render(request, "questions/show.html", questions_page(deck, responder or token_hex(8), before))


@router.post("")
def take_answer(
    request: Request,
    ctx: EditorContext,
    queue: AppQueue,
    a: Annotated[str, Form()] = "",
    b: Annotated[str, Form()] = "",
    answer: Annotated[str, Form()] = "",
    was: Annotated[str, Form(max_length=LONGEST_NUMBER)] = "",
    undo: Annotated[str, Form()] = "",
    submission: Annotated[str, Form(max_length=LONGEST_SUBMISSION)] = "",
    responder: Annotated[str, Form(max_length=questions.LONGEST_RESPONDER)] = "",
    accept: Annotated[str, Header()] = "",
) -> Response:
    """Keep an answer, or take one back, and go on with the next card."""
    try:
        said = Answer(*read_both(a, b, "Choose two guests of this event."), answer, read_was(was))
        own = submission_of(submission, said.pair, answer)
        outcome = (
            own.undo(ctx, partial(_take_back, ctx, said)) if undo else own.write(ctx, partial(give_answer, ctx, said))
        )
    except Invalid as error:
        if JSON in accept:
            return refusal(error)
        deck = show_deck(ctx, responder=responder)
        return render(
            request, "questions/show.html", questions_page(deck, responder, faults=error.faults), error.status
        )
    _go_on(ctx, queue, responder)
    if JSON in accept:
        return JSONResponse({**shown_deck(show_deck(ctx, responder=responder)), **outcome_as_json(outcome, SAID)})
    spot = spot_after(a, b, answer, own.id, outcome)
    return redirect(event_address(ctx.event_id, f"ratings/questions?responder={responder}&{spot}"))


@router.post("/prepare")
def prepare(
    ctx: EditorContext, queue: AppQueue, responder: Annotated[str, Form(max_length=questions.LONGEST_RESPONDER)] = ""
) -> Response:
    """Let a worker choose questions if there are none, as the open page asks for."""
    coming, deck = _go_on(ctx, queue, responder), show_deck(ctx, responder=responder)
    return JSONResponse({**shown_deck(deck), "coming": coming or _promises_more(deck.progress)})


@router.post("/progress")
def measure_progress(ctx: EditorContext, queue: AppQueue) -> Response:
    """Let a worker measure how settled the plan is where that is not known, as open pages ask for; tell what is."""
    coming = questions.keep_questions_coming(ctx, queue)
    progress = show_progress(ctx)
    shown = asdict(progress) if progress else None
    return JSONResponse({"progress": shown, "coming": coming or _promises_more(progress)})


@router.post("/skipped")
def ask_skipped_again(ctx: EditorContext, queue: AppQueue) -> Response:
    questions.ask_skipped_again(ctx)
    _go_on(ctx, queue, "")
    return redirect(event_address(ctx.event_id, "ratings/questions"))


def _take_back(ctx: EventContext, said: Answer, written: Mapping[str, float | str | None]) -> list[str]:
    return [name for name, before in written.items() if questions.take_back(ctx, said, before)]


def _promises_more(progress: Progress | None) -> bool:
    """Return whether the page says that a measurement is on its way: it asks until it can say something else."""
    return progress is not None and progress.is_coming


def _go_on(ctx: EventContext, queue: RunQueue, responder: str) -> bool:
    questions.note_responder(ctx, responder)
    return questions.keep_questions_coming(ctx, queue)


def _read_pair(text: str) -> tuple[UUID, UUID] | None:
    pair = read_pair(text)
    return pair if pair and pair[0] != pair[1] else None

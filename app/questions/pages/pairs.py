"""Quick questions: one pair of guests at a time, as cards. Each is a form; a script sends answers without a reload."""

from __future__ import annotations

from dataclasses import asdict
from secrets import token_hex
from typing import Annotated
from uuid import UUID

from fastapi import Depends, Form, Header, Query, Request, Response
from fastapi.responses import JSONResponse

from app.errors import Invalid
from app.events.context import EditorContext, EventContext
from app.events.progress import Progress, show_progress
from app.questions import answer as questions
from app.questions.answer import Answer
from app.questions.pages.given import JSON, read_both, read_pair, refusal, spot_after
from app.questions.pages.shown import questions_page, shown_deck
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
    accept: Annotated[str, Header()] = "",
) -> Response:
    deck = show_deck(ctx, responder=responder, first=_read_pair(pair))
    if JSON in accept:
        return JSONResponse(shown_deck(deck))
    return render(request, "questions/show.html", questions_page(deck, responder or token_hex(8), given, listed))


@router.post("")
def take_answer(
    request: Request,
    ctx: EditorContext,
    queue: AppQueue,
    a: Annotated[str, Form()] = "",
    b: Annotated[str, Form()] = "",
    answer: Annotated[str, Form()] = "",
    undo: Annotated[str, Form()] = "",
    responder: Annotated[str, Form(max_length=questions.LONGEST_RESPONDER)] = "",
    accept: Annotated[str, Header()] = "",
) -> Response:
    """Keep an answer, or take one back, and go on with the next card."""
    try:
        said = Answer(*read_both(a, b, "Choose two guests of this event."), answer)
        kept = (questions.take_back if undo else questions.give_answer)(ctx, said)
    except Invalid as error:
        if JSON in accept:
            return refusal(error)
        deck = show_deck(ctx, responder=responder)
        return render(
            request, "questions/show.html", questions_page(deck, responder, faults=error.faults), error.status
        )
    _go_on(ctx, queue, responder)
    if JSON in accept:
        return JSONResponse({**shown_deck(show_deck(ctx, responder=responder)), "kept": kept})
    spot = spot_after(a, b, answer, undo=bool(undo))
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


def _promises_more(progress: Progress | None) -> bool:
    """Return whether the page says that a measurement is on its way: it asks until it can say something else."""
    return progress is not None and progress.is_coming


def _go_on(ctx: EventContext, queue: RunQueue, responder: str) -> bool:
    questions.note_responder(ctx, responder)
    return questions.keep_questions_coming(ctx, queue)


def _read_pair(text: str) -> tuple[UUID, UUID] | None:
    pair = read_pair(text)
    return pair if pair and pair[0] != pair[1] else None

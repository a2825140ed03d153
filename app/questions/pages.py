"""Quick questions: one pair at a time, as cards. Each answer is a form; a script sends it without a reload."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from secrets import token_hex
from typing import Annotated, Any
from uuid import UUID

from fastapi import Depends, Form, Header, Query, Request, Response
from fastapi.responses import JSONResponse

from app.db.models import Event
from app.errors import FieldError, Invalid
from app.events.context import EditorContext, EventContext
from app.questions import answer as questions
from app.questions.answer import Answer
from app.questions.question_cards import Deck, Person, show_deck
from app.ratings.levels import LEVELS
from app.runs.queue import AppQueue, RunQueue
from app.solver import Reason
from app.web.deps import guard_form
from app.web.html.forms import read_id
from app.web.html.rendering import event_address, redirect, render
from app.web.one_hop import Router

router = Router(prefix="/events/{event_id}/ratings/questions", dependencies=[Depends(guard_form)])
WHY = {
    Reason.TOSS_UP: "Your answer here changes the plan most.",
    Reason.CHECK: "Good plans seat these two together. Is that right?",
    Reason.EXPLORE: "Your answer also helps with similar guests.",
    None: "These two could share a table.",
}
SETTLED = (
    (0.9, "Done: more answers will hardly change the plan."),
    (0.7, "Nearly there: a few more answers could still move someone."),
    (0.4, "Taking shape: your answers still change the plan."),
    (0.0, "Just started: every answer helps."),
)
NO_TABLES = "Progress appears once there are tables for everyone."
NOT_YET = "Progress appears after your first answers, once Convive has compared plans with them."
SAID = {str(level): level.label for level in LEVELS} | {"unknown": "not known", "skip": "skipped"}


@dataclass(frozen=True)
class ShownDeck:
    """The cards as JSON, and how settled the plan is, in per cent and in words: no number while that is not known."""

    cards: list[dict[str, Any]]
    prepared: bool
    percent: int | None
    words: str
    settled: bool
    rated: str


@dataclass(frozen=True)
class Given:
    """The answer before, which can be taken back."""

    a: str
    b: str
    said: str
    words: str


@dataclass(frozen=True)
class QuestionsPage:
    """The next card, those below it for the script, and how far it has come."""

    event: Event
    deck: Deck
    shown: dict[str, Any]
    responder: str
    given: Given | None
    faults: list[FieldError] = field(default_factory=list)
    section: str = "ratings"


@router.get("")
def show_questions(
    request: Request,
    ctx: EditorContext,
    responder: Annotated[str, Query(max_length=questions.LONGEST_RESPONDER)] = "",
    pair: Annotated[str, Query(max_length=100)] = "",
    given: Annotated[str, Query(max_length=120)] = "",
    accept: Annotated[str, Header()] = "",
) -> Response:
    deck = show_deck(ctx, responder=responder, first=_read_pair(pair))
    if "application/json" in accept:
        return JSONResponse(_shown(deck))
    return render(request, "questions/show.html", _page(deck, responder or token_hex(8), given))


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
        said = Answer(_read_guest("a", a), _read_guest("b", b), answer)
        kept = (questions.take_back if undo else questions.give_answer)(ctx, said)
    except Invalid as error:
        if "application/json" in accept:
            return JSONResponse({"detail": error.message}, error.status)
        deck = show_deck(ctx, responder=responder)
        return render(request, "questions/show.html", _page(deck, responder, "", list(error.faults)), error.status)
    _go_on(ctx, queue, responder)
    if "application/json" in accept:
        return JSONResponse({**_shown(show_deck(ctx, responder=responder)), "kept": kept})
    spot = f"pair={a}.{b}" if undo else f"given={a}.{b}.{answer}"
    return redirect(event_address(ctx.event_id, f"ratings/questions?responder={responder}&{spot}"))


@router.post("/prepare")
def prepare(
    ctx: EditorContext, queue: AppQueue, responder: Annotated[str, Form(max_length=questions.LONGEST_RESPONDER)] = ""
) -> Response:
    """Let a worker choose questions if there are none, as the open page asks for."""
    coming = _go_on(ctx, queue, responder)
    return JSONResponse({**_shown(show_deck(ctx, responder=responder)), "coming": coming})


@router.post("/skipped")
def ask_skipped_again(ctx: EditorContext, queue: AppQueue) -> Response:
    questions.ask_skipped_again(ctx)
    _go_on(ctx, queue, "")
    return redirect(event_address(ctx.event_id, "ratings/questions"))


def _go_on(ctx: EventContext, queue: RunQueue, responder: str) -> bool:
    questions.note_responder(ctx, responder)
    return questions.keep_questions_coming(ctx, queue)


def _page(deck: Deck, responder: str, given: str, faults: list[FieldError] | None = None) -> QuestionsPage:
    return QuestionsPage(deck.event, deck, _shown(deck), responder, _given(given), faults or [])


def _shown(deck: Deck) -> dict[str, Any]:
    """Return the deck as the page's script takes it."""
    cards = [{"a": _person(card.a), "b": _person(card.b), "why": WHY[card.reason]} for card in deck.cards]
    rated = f"{deck.rated:,} of {deck.pairs:,} pairs rated"
    if deck.settled is None:
        missing = NO_TABLES if deck.is_prepared else NOT_YET
        return asdict(ShownDeck(cards, deck.is_prepared, None, missing, False, rated))
    words = next(words for least, words in SETTLED if deck.settled >= least)
    is_settled = deck.settled >= SETTLED[0][0]
    return asdict(ShownDeck(cards, deck.is_prepared, round(100 * deck.settled), words, is_settled, rated))


def _person(person: Person) -> dict[str, str]:
    return {"id": str(person.id), "name": person.name, "about": person.about}


def _given(text: str) -> Given | None:
    a, _, rest = text.partition(".")
    b, _, said = rest.partition(".")
    if said not in SAID or read_id(a) is None or read_id(b) is None:
        return None
    return Given(a, b, said, SAID[said])


def _read_pair(text: str) -> tuple[UUID, UUID] | None:
    a, b = (read_id(part) for part in text.partition(".")[::2])
    return (min(a, b), max(a, b)) if a and b and a != b else None


def _read_guest(name: str, text: str) -> UUID:
    guest_id = read_id(text)
    if guest_id is None:
        raise Invalid(FieldError(name, "Choose two guests of this event."))
    return guest_id

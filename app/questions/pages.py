"""Quick questions: one pair at a time, as cards. Each answer is a form; a script sends it without a reload."""

from __future__ import annotations

from dataclasses import dataclass, field
from secrets import token_hex
from typing import Annotated, Any
from uuid import UUID

from fastapi import Depends, Form, Header, Query, Request, Response
from fastapi.responses import JSONResponse

from app.db.models import Event
from app.errors import FieldError, Invalid
from app.events.context import Editor, EventContext
from app.questions import answer as questions
from app.questions.answer import Answer
from app.questions.question_cards import Card, Deck, Person, show_deck
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
NOT_YET = "Progress appears once you have added tables for everyone and answered a few questions."
SAID = {str(level): level.label for level in LEVELS} | {"unknown": "not known", "skip": "skipped"}


@dataclass(frozen=True)
class Progress:
    """How settled the plan is, in per cent and in words; no number while that is not known."""

    percent: int | None
    words: str
    is_settled: bool


@dataclass(frozen=True)
class Given:
    """The answer before, which can be taken back."""

    a: str
    b: str
    said: str
    words: str


@dataclass(frozen=True)
class QuestionsPage:
    """The card on top, those below it for the script, and how far it has come."""

    event: Event
    card: dict[str, Any] | None
    deck: dict[str, Any]
    progress: Progress
    rated: int
    pairs: int
    skipped: int
    obstacle: str
    desk: str
    given: Given | None
    faults: list[FieldError] = field(default_factory=list)
    section: str = "ratings"


@router.get("")
def show_questions(
    request: Request,
    ctx: Editor,
    desk: Annotated[str, Query(max_length=questions.LONGEST_DESK)] = "",
    pair: Annotated[str, Query(max_length=100)] = "",
    given: Annotated[str, Query(max_length=120)] = "",
    accept: Annotated[str, Header()] = "",
) -> Response:
    """Show the next card."""
    deck = show_deck(ctx, desk=desk, first=_read_pair(pair))
    if "application/json" in accept:
        return JSONResponse(_deck(deck))
    return render(request, "questions/show.html", _page(deck, desk or token_hex(8), given))


@router.post("")
def take_answer(
    request: Request,
    ctx: Editor,
    queue: AppQueue,
    a: Annotated[str, Form()] = "",
    b: Annotated[str, Form()] = "",
    answer: Annotated[str, Form()] = "",
    undo: Annotated[str, Form()] = "",
    desk: Annotated[str, Form(max_length=questions.LONGEST_DESK)] = "",
    accept: Annotated[str, Header()] = "",
) -> Response:
    """Keep an answer, or take one back, and go on with the next card."""
    try:
        said = Answer(_read_guest("a", a), _read_guest("b", b), answer)
        kept = (questions.take_back if undo else questions.give_answer)(ctx, said)
    except Invalid as error:
        if "application/json" in accept:
            return JSONResponse({"detail": error.message}, error.status)
        deck = show_deck(ctx, desk=desk)
        return render(request, "questions/show.html", _page(deck, desk, "", list(error.faults)), error.status)
    _go_on(ctx, queue, desk)
    if "application/json" in accept:
        return JSONResponse({**_deck(show_deck(ctx, desk=desk)), "kept": kept})
    spot = f"pair={a}.{b}" if undo else f"given={a}.{b}.{answer}"
    return redirect(event_address(ctx.event_id, f"ratings/questions?desk={desk}&{spot}"))


@router.post("/prepare")
def prepare(
    ctx: Editor, queue: AppQueue, desk: Annotated[str, Form(max_length=questions.LONGEST_DESK)] = ""
) -> Response:
    """Let a worker choose questions if there are none, as the open page asks for."""
    coming = _go_on(ctx, queue, desk)
    return JSONResponse({**_deck(show_deck(ctx, desk=desk)), "coming": coming})


@router.post("/skipped")
def ask_skipped_again(ctx: Editor, queue: AppQueue) -> Response:
    """Let skipped pairs be asked about again."""
    questions.ask_skipped_again(ctx)
    _go_on(ctx, queue, "")
    return redirect(event_address(ctx.event_id, "ratings/questions"))


def _go_on(ctx: EventContext, queue: RunQueue, desk: str) -> bool:
    questions.sit_down(ctx, desk)
    return questions.keep_questions_coming(ctx, queue)


def _page(deck: Deck, desk: str, given: str, faults: list[FieldError] | None = None) -> QuestionsPage:
    cards = _deck(deck)
    return QuestionsPage(
        event=deck.event,
        card=cards["cards"][0] if cards["cards"] else None,
        deck=cards,
        progress=_progress(deck),
        rated=deck.rated,
        pairs=deck.pairs,
        skipped=deck.skipped,
        obstacle=deck.obstacle,
        desk=desk,
        given=_given(given),
        faults=faults or [],
    )


def _deck(deck: Deck) -> dict[str, Any]:
    progress = _progress(deck)
    return {
        "cards": [_card(card) for card in deck.cards],
        "prepared": deck.is_prepared,
        "percent": progress.percent,
        "words": progress.words,
        "settled": progress.is_settled,
        "rated": f"{deck.rated:,} of {deck.pairs:,} pairs rated",
    }


def _card(card: Card) -> dict[str, Any]:
    return {"a": _person(card.a), "b": _person(card.b), "why": WHY[card.reason]}


def _person(person: Person) -> dict[str, str]:
    about = [person.party, *person.groups]
    return {"id": str(person.id), "name": person.name, "about": " · ".join(text for text in about if text)}


def _progress(deck: Deck) -> Progress:
    if deck.settled is None:
        return Progress(None, NOT_YET, False)
    words = next(words for least, words in SETTLED if deck.settled >= least)
    return Progress(round(100 * deck.settled), words, deck.settled >= SETTLED[0][0])


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

"""How groups get along, in sentences: the first page of ratings. One question at a time, as with pairs of guests."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import partial
from typing import Annotated, Any
from uuid import uuid4

from fastapi import Depends, Form, Header, Query, Request, Response
from fastapi.responses import JSONResponse

from app.db.models import Event
from app.errors import FieldError, Invalid
from app.events.context import EditorContext, EventContext
from app.events.progress import Progress
from app.questions.answer import keep_questions_coming
from app.questions.group_answers import (
    SKIP,
    GroupAnswer,
    ask_skipped_groups_again,
    give_group_answer,
    take_group_answer_back,
)
from app.questions.group_cards import GroupCard, GroupDeck, show_group_deck
from app.questions.pages.given import (
    JSON,
    LONGEST_NUMBER,
    LONGEST_SUBMISSION,
    Given,
    as_field,
    outcome_as_json,
    read_both,
    read_given,
    read_pair,
    read_was,
    refusal,
    replaces_text,
    spot_after,
    submission_of,
    undone_text,
    value_words,
)
from app.ratings.levels import LEVELS, RatingLevel
from app.ratings.queries.values import count_undecided
from app.runs.queue import AppQueue
from app.sentences import count
from app.web.deps import guard_form
from app.web.html.rendering import event_address, redirect, render
from app.web.one_hop import Router

router = Router(prefix="/events/{event_id}/ratings", dependencies=[Depends(guard_form)])
CARDS = 40
WITHIN = {
    RatingLevel.KEEP_AWAY: "keep them apart",
    RatingLevel.RATHER_NOT: "rather not together",
    RatingLevel.NEUTRAL: "not really",
    RatingLevel.GET_ALONG: "yes, they get along",
    RatingLevel.CLOSE: "yes, they are close",
}
"""The five levels as answers to whether the guests of one group know each other."""
SAID = {str(level): level.label for level in LEVELS} | {SKIP: "skipped"}
SAID_WITHIN = {str(level): words for level, words in WITHIN.items()}


@dataclass(frozen=True)
class GroupQuestionsPage:
    """The next question about groups, those after it for the script, and how far they have come."""

    event: Event
    deck: GroupDeck
    shown: dict[str, Any]
    progress: Progress | None
    given: Given | None
    notice: str = ""
    submission: str = field(default_factory=lambda: str(uuid4()))
    within: Mapping[RatingLevel, str] = field(default_factory=lambda: WITHIN)
    waiting_wishes: int = 0
    faults: Sequence[FieldError] = field(default_factory=tuple)
    section: str = "ratings"


@router.get("")
def show_group_questions(
    request: Request,
    ctx: EditorContext,
    pair: Annotated[str, Query(max_length=100)] = "",
    given: Annotated[str, Query(max_length=120)] = "",
    submission: Annotated[str, Query(max_length=LONGEST_SUBMISSION)] = "",
    undone: Annotated[str, Query(max_length=10)] = "",
) -> Response:
    """Ask about groups; an event of distances has no such questions, and goes to its grid."""
    if ctx.event.kind != "score":
        return redirect(event_address(ctx.event_id, "ratings/all"))
    before = read_given(ctx, given, submission, SAID)
    return _page(request, ctx, show_group_deck(ctx, first=read_pair(pair)), before, undone_text(undone))


@router.post("")
def take_group_answer(
    request: Request,
    ctx: EditorContext,
    queue: AppQueue,
    a: Annotated[str, Form()] = "",
    b: Annotated[str, Form()] = "",
    answer: Annotated[str, Form()] = "",
    was: Annotated[str, Form(max_length=LONGEST_NUMBER)] = "",
    undo: Annotated[str, Form()] = "",
    submission: Annotated[str, Form(max_length=LONGEST_SUBMISSION)] = "",
    accept: Annotated[str, Header()] = "",
) -> Response:
    """Keep an answer, or take one back, and go on with the next question."""
    try:
        said = GroupAnswer(*read_both(a, b, "Choose groups of this event."), answer, read_was(was))
        own = submission_of(submission, said.pair, answer)
        if undo:
            outcome = own.undo(ctx, partial(_take_back, ctx, said))
        else:
            outcome = own.write(ctx, partial(give_group_answer, ctx, said))
    except Invalid as error:
        if JSON in accept:
            return refusal(error)
        return _page(request, ctx, show_group_deck(ctx), faults=error.faults)
    keep_questions_coming(ctx, queue)
    if JSON in accept:
        words = SAID_WITHIN if said.a == said.b else SAID
        return JSONResponse({**_shown(show_group_deck(ctx)), **outcome_as_json(outcome, words)})
    return redirect(event_address(ctx.event_id, f"ratings?{spot_after(a, b, answer, own.id, outcome)}"))


@router.post("/skipped")
def ask_skipped_again(ctx: EditorContext) -> Response:
    ask_skipped_groups_again(ctx)
    return redirect(event_address(ctx.event_id, "ratings"))


def _take_back(ctx: EventContext, said: GroupAnswer, written: Mapping[str, float | str | None]) -> list[str]:
    return [name for name, before in written.items() if take_group_answer_back(ctx, said, before)]


def _page(
    request: Request,
    ctx: EventContext,
    deck: GroupDeck,
    given: Given | None = None,
    notice: str = "",
    faults: Sequence[FieldError] = (),
) -> Response:
    page = GroupQuestionsPage(
        deck.event,
        deck,
        _shown(deck),
        deck.progress,
        given,
        notice,
        waiting_wishes=count_undecided(ctx.session, ctx.event_id),
        faults=faults,
    )
    return render(request, "questions/groups.html", page, 422 if faults else 200)


def _shown(deck: GroupDeck) -> dict[str, Any]:
    """Return the questions as the page's script takes them."""
    return {
        "cards": [_card(card) for card in deck.cards[:CARDS]],
        "progress": asdict(deck.progress) if deck.progress else None,
        "rated": f"{deck.answered:,} of {count(deck.total, 'question')} about groups answered",
    }


def _card(card: GroupCard) -> dict[str, Any]:
    a, b = ({"id": str(group.id), "name": group.name, "about": ""} for group in (card.a, card.b))
    why = f"Your answer covers {count(card.pairs, 'pair')} of guests." if card.pairs else ""
    if card.was is not None:
        why = replaces_text(value_words(card.was, SAID_WITHIN if card.is_within else SAID))
    was = {} if card.was is None else {"was": as_field(card.was)}
    return {"a": a, "b": b, "why": why, "within": card.is_within, **was}

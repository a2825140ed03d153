"""The page of quick questions, and the deck as its script takes it: lists and pairs of guests share both."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any
from uuid import UUID, uuid4

from app.db.models import Event
from app.errors import FieldError
from app.events.context import EventContext
from app.events.progress import Progress
from app.guests.queries.guests import named_guests
from app.questions.pages.given import Given, as_field, replaces_text, value_words
from app.questions.question_cards import Card, Deck, ListCard, Person
from app.questions.submissions import NOTHING, Outcome, Submission, name_of
from app.ratings.levels import LEVELS
from app.ratings.text import rated_text
from app.sentences import count, list_in_words
from app.solver import Reason
from app.web.html.forms import read_id

WHY = {
    Reason.TOSS_UP: "Your answer here changes the plan most.",
    Reason.CHECK: "Good plans seat these two together. Is that right?",
    Reason.EXPLORE: "Your answer also helps with similar guests.",
    None: "These two could share a table.",
}
SAID = {str(level): level.label for level in LEVELS} | {"unknown": "not known", "skip": "skipped"}


@dataclass(frozen=True)
class GivenList:
    """The answers to the list before, of which those that were written can be taken back."""

    guest: str
    said: Mapping[str, str]
    words: str
    submission: str = ""
    is_written: bool = False
    theirs: str = ""


@dataclass(frozen=True)
class Previous:
    """The answers before, as the address of a page has them, and what could not be taken back."""

    given: Given | None = None
    listed: GivenList | None = None
    notice: str = ""


@dataclass(frozen=True)
class QuestionsPage:
    """The next card, those below it for the script, and how far it has come."""

    event: Event
    deck: Deck
    shown: dict[str, Any]
    responder: str
    before: Previous
    faults: Sequence[FieldError] = field(default_factory=tuple)
    section: str = "ratings"
    submission: str = field(default_factory=lambda: str(uuid4()))


@dataclass(frozen=True)
class ShownDeck:
    """The cards as JSON, lists first, and how settled the plan is."""

    cards: list[dict[str, Any]]
    progress: Progress | None
    rated: str


def questions_page(
    deck: Deck, responder: str, before: Previous | None = None, faults: Sequence[FieldError] = ()
) -> QuestionsPage:
    """Return the page of a deck, with the answer before as its address has it."""
    return QuestionsPage(deck.event, deck, shown_deck(deck), responder, before or Previous(), faults)


def shown_deck(deck: Deck) -> dict[str, Any]:
    """Return the deck as the page's script takes it."""
    cards = [*map(_list, deck.lists), *map(_pair, deck.cards)]
    return asdict(ShownDeck(cards, deck.progress, rated_text(deck.rated, deck.pairs, deck.group_answers)))


def write_list(guest: UUID, said: Mapping[UUID, str]) -> str:
    """Return the answers to a list as an address has them."""
    return ".".join([str(guest), *(f"{other}_{answer}" for other, answer in said.items())])


def read_list(ctx: EventContext, text: str, submission: str) -> GivenList | None:
    """Read what `write_list` wrote, and what became of it; None where it is something else."""
    guest, *rows = text.split(".")
    said = dict(row.partition("_")[::2] for row in rows)
    ids = [found for found in map(read_id, (guest, *said)) if found is not None]
    if not said or not set(said.values()) <= SAID.keys() or len(ids) <= len(said):
        return None
    skipped = set(said.values()) == {"skip"}
    by_id = dict(zip(ids[1:], said.values(), strict=True))
    outcome = submission_of_list(submission, ids[0], by_id).read(ctx) or NOTHING
    words = "list skipped" if skipped else f"list of {count(len(said), 'guest')}"
    return GivenList(guest, said, words, submission, bool(outcome.written), _theirs(ctx, ids[0], by_id, outcome))


def submission_of_list(text: str, guest: UUID, said: Mapping[UUID, str]) -> Submission:
    """Return the submission of the answers to a list."""
    return Submission(read_id(text), write_list(guest, dict(sorted(said.items()))))


def _theirs(ctx: EventContext, guest: UUID, others: Iterable[UUID], outcome: Outcome) -> str:
    """Say what somebody else had answered about whom."""
    names = {one.id: one.name for one in named_guests(ctx.session, ctx.event_id)} if outcome.theirs else {}
    found = {other: outcome.theirs.get(name_of((min(guest, other), max(guest, other)))) for other in others}
    return list_in_words(
        [
            f"{names[other]} ({value_words(value, SAID)})"
            for other, value in found.items()
            if value is not None and other in names
        ]
    )


def _pair(card: Card) -> dict[str, Any]:
    was = {} if card.was is None else {"was": as_field(card.was)}
    why = WHY[card.reason] if card.was is None else replaces_text(value_words(card.was, SAID))
    return {"a": _person(card.a), "b": _person(card.b), "why": why, **was}


def _list(card: ListCard) -> dict[str, Any]:
    rows = [{**_person(person), "guess": str(guess)} for person, guess in card.rows]
    return {"guest": _person(card.guest), "rows": rows}


def _person(person: Person) -> dict[str, str]:
    return {"id": str(person.id), "name": person.name, "about": person.about}

"""The page of quick questions, and the deck as its script takes it: lists and pairs of guests share both."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any
from uuid import UUID

from app.db.models import Event
from app.errors import FieldError
from app.events.progress import Progress
from app.questions.pages.given import Given, read_given
from app.questions.question_cards import Card, Deck, ListCard, Person
from app.ratings.levels import LEVELS
from app.ratings.text import rated_text
from app.sentences import count
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
    """The answers to the list before, which can be taken back."""

    guest: str
    said: Mapping[str, str]
    words: str


@dataclass(frozen=True)
class QuestionsPage:
    """The next card, those below it for the script, and how far it has come."""

    event: Event
    deck: Deck
    shown: dict[str, Any]
    responder: str
    given: Given | None
    given_list: GivenList | None = None
    faults: Sequence[FieldError] = field(default_factory=tuple)
    section: str = "ratings"


@dataclass(frozen=True)
class ShownDeck:
    """The cards as JSON, lists first, and how settled the plan is."""

    cards: list[dict[str, Any]]
    progress: Progress | None
    rated: str


def questions_page(
    deck: Deck, responder: str, given: str = "", listed: str = "", faults: Sequence[FieldError] = ()
) -> QuestionsPage:
    """Return the page of a deck, with the answer before as its address has it."""
    return QuestionsPage(
        deck.event, deck, shown_deck(deck), responder, read_given(given, SAID), read_list(listed), faults
    )


def shown_deck(deck: Deck) -> dict[str, Any]:
    """Return the deck as the page's script takes it."""
    cards = [*map(_list, deck.lists), *map(_pair, deck.cards)]
    return asdict(ShownDeck(cards, deck.progress, rated_text(deck.rated, deck.pairs, deck.group_answers)))


def write_list(guest: UUID, said: Mapping[UUID, str]) -> str:
    """Return the answers to a list as an address has them."""
    return ".".join([str(guest), *(f"{other}_{answer}" for other, answer in said.items())])


def read_list(text: str) -> GivenList | None:
    """Read what `write_list` wrote; None where it is something else."""
    guest, *rows = text.split(".")
    said = dict(row.partition("_")[::2] for row in rows)
    if not said or not set(said.values()) <= SAID.keys() or None in map(read_id, (guest, *said)):
        return None
    skipped = set(said.values()) == {"skip"}
    return GivenList(guest, said, "list skipped" if skipped else f"list of {count(len(said), 'guest')}")


def _pair(card: Card) -> dict[str, Any]:
    return {"a": _person(card.a), "b": _person(card.b), "why": WHY[card.reason]}


def _list(card: ListCard) -> dict[str, Any]:
    rows = [{**_person(person), "guess": str(guess)} for person, guess in card.rows]
    return {"guest": _person(card.guest), "rows": rows}


def _person(person: Person) -> dict[str, str]:
    return {"id": str(person.id), "name": person.name, "about": person.about}

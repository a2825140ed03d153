"""A guest who is held: how certain their place is, and what each other place would do."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from app.plans.effect_wording import gain_words, is_better
from app.plans.move_options import Option
from app.plans.read import PlanTable, PlanView, SeatedGuest
from app.plans.views.certainty import sureness_words
from app.plans.views.text import value_of

MOST_SUGGESTIONS = 3


@dataclass(frozen=True)
class Choice:
    """A place in the menu for a guest who is held."""

    value: str
    words: str
    is_possible: bool


@dataclass(frozen=True)
class Held:
    """The guest who is to be moved: how certain their place is, what would help most, and all places by table."""

    guest: SeatedGuest
    sureness: str
    table: PlanTable
    suggestions: tuple[Choice, ...]
    tables: tuple[tuple[str, tuple[Choice, ...]], ...]


def describe_held(view: PlanView, held: UUID | None, options: Sequence[Option]) -> Held | None:
    """Return the guest who is held with all their places, to whoever may move them."""
    for table in view.tables:
        for guest in table.guests:
            if guest.id == held and view.can_edit:
                suggestions = _suggestions(view, options)
                return Held(guest, sureness_words(guest), table, suggestions, _by_table(view, options))
    return None


def _suggestions(view: PlanView, options: Sequence[Option]) -> tuple[Choice, ...]:
    better = [option for option in options if not option.obstacle and is_better(option.gain, value_of(view))]
    best = sorted(better, key=lambda option: -(option.gain or 0))[:MOST_SUGGESTIONS]
    return tuple(Choice(_value(option), _suggestion(view, option), True) for option in best)


def _suggestion(view: PlanView, option: Option) -> str:
    where = f"Swap with {option.other_name} ({option.table_name})" if option.other else f"Seat at {option.table_name}"
    return f"{where}: {gain_words(option.gain, value_of(view))}"


def _by_table(view: PlanView, options: Sequence[Option]) -> tuple[tuple[str, tuple[Choice, ...]], ...]:
    tables: dict[UUID, tuple[str, list[Choice]]] = {}
    for option in options:
        place = f"swap with {option.other_name}" if option.other else "a free seat"
        words = f"{option.table_name}, {place}"  # a closed menu does not show the heading above it
        effect = option.obstacle or gain_words(option.gain, value_of(view))
        choice = Choice(_value(option), f"{words}: {effect}" if effect else words, not option.obstacle)
        tables.setdefault(option.table_id, (option.table_name, []))[1].append(choice)
    return tuple((name, tuple(choices)) for name, choices in tables.values())


def _value(option: Option) -> str:
    return f"guest:{option.other}" if option.other else f"table:{option.table_id}"

"""Who of another event is here already: by name, and by household where two people have the same name."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from uuid import UUID

from app.events.context import EventContext
from app.guests.guest_view import GuestView, describe
from app.guests.imports.people import MOST_NAMESAKES, Households, Known, likeness
from app.guests.imports.preview import known_guests
from app.guests.queries.guests import find_guests
from app.guests.shared_values import require_value, values_by_guest
from app.web.names import name_key

Value = tuple[str, str]
"""A field and one of its values, by their keys."""


@dataclass(frozen=True)
class Person:
    """A guest, and what they share with namesakes."""

    view: GuestView
    known: Known

    @property
    def called(self) -> str:
        """The name without what tells them apart from a namesake."""
        return self.known.called


@dataclass(frozen=True)
class MatchedGuest:
    """A guest of the other event, and who of this one they are; a namesake has the same name in another household."""

    there: Person
    here: Person | None = None
    is_namesake: bool = False


def everyone(ctx: EventContext) -> list[Person]:
    """Return the guests of an event in their order."""
    views = describe(ctx, find_guests(ctx.session, ctx.event_id))
    return [Person(view, known) for view, known in zip(views, known_guests(ctx), strict=True)]


def choose_people(ctx: EventContext, values: Collection[Value]) -> list[Person]:
    """Return the guests who have one of the values in each field that is named; without any, all of them."""
    wanted: dict[str, set[str]] = {}
    for place, (field, value) in enumerate(values):
        require_value(ctx.session, ctx.event_id, field, value, f"values/{place}/")
        wanted.setdefault(field, set()).add(value)
    chosen = everyone(ctx)
    for field, keys in wanted.items():
        has = values_by_guest(ctx.session, ctx.event_id, field)
        chosen = [one for one in chosen if not keys.isdisjoint(has.get(one.view.id, ()))]
    return chosen


def find_people(chosen: Sequence[Person], present: Sequence[Person]) -> list[MatchedGuest]:
    """Return for each of the chosen guests who they are here; no two of them are the same guest here."""
    return _Finder(chosen, present).find()


class _Finder:
    """Compares the guests of two events: the whole name goes first, then the name alone, then one that is alike."""

    def __init__(self, chosen: Sequence[Person], present: Sequence[Person]) -> None:
        self._chosen = chosen
        self._households = Households(
            [one.known for one in chosen], [name_key(one.called) for one in chosen], [one.known for one in present]
        )
        self._present = {key: _by_key(present, key) for key in KEYS}
        self._used: set[UUID] = set()

    def find(self) -> list[MatchedGuest]:
        """Return the guests with who they are."""
        found: dict[UUID, MatchedGuest] = {}
        for key in KEYS:
            for one in self._chosen:
                match = None if one.view.id in found else self._same(one, self._present[key].get(key(one), ()))
                if match is not None:
                    self._used.add(match.view.id)
                    found[one.view.id] = MatchedGuest(one, match)
        return [found.get(one.view.id) or self._namesake(one) for one in self._chosen]

    def _same(self, one: Person, others: Sequence[Person]) -> Person | None:
        return next((other for other in others[:MOST_NAMESAKES] if self._is_same(one, other)), None)

    def _is_same(self, one: Person, other: Person) -> bool:
        if other.view.id in self._used:
            return False
        mine, theirs = one.view, other.view
        if mine.email and mine.email == theirs.email:
            return True
        if not mine.party or not theirs.party or name_key(mine.party) == name_key(theirs.party):
            return True
        return self._households.are_same(one.known, other.known)

    def _namesake(self, one: Person) -> MatchedGuest:
        """Return the guest as new, with the namesake here whom no other chosen guest is."""
        others = self._present[_by_called].get(_by_called(one), ())[:MOST_NAMESAKES]
        free = next((other for other in others if other.view.id not in self._used), None)
        return MatchedGuest(one, free, is_namesake=free is not None)


def _by_name(one: Person) -> str:
    return name_key(one.view.name)


def _by_called(one: Person) -> str:
    return name_key(one.called)


def _by_likeness(one: Person) -> str:
    return likeness(one.called)


KEYS = (_by_name, _by_called, _by_likeness)


def _by_key(people: Sequence[Person], key: Callable[[Person], str]) -> dict[str, list[Person]]:
    found: dict[str, list[Person]] = {}
    for one in people:
        found.setdefault(key(one), []).append(one)
    return found

"""The colours of seats: by how well guests sit, or by any field whose values guests share; each legend filters."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple
from uuid import UUID

from app.guests.party_and_group_names import COLOURS
from app.guests.shared_values import AGE, GROUP, HOUSEHOLD, REPLY, SIDE, SharedField
from app.plans.guest_details import GuestDetails
from app.plans.satisfaction import Level
from app.plans.views.guest_marks import MarkCount, count_marks, marks_of, tags_of

Carried = tuple[tuple[str, str], ...]
FIT, DIET = "fit", "diet"
VALUES, MARKS, SHADE = "values", "marks", "shade"
"""What seats carry, as names of data attributes."""
MOST_DIETS = 9
"""As people write them; rarer ones share a colour."""
NONE = "none"
TITLES = {GROUP: "Groups", HOUSEHOLD: "Households", SIDE: "Sides", AGE: "Age groups", REPLY: "Replies"}
WITHOUT = {GROUP: "no group", HOUSEHOLD: "coming alone", SIDE: "no side", DIET: "no diet"}
"""What guests without a value are called; in courses and own fields they have not chosen."""


class LegendEntry(NamedTuple):
    """What a colour means; `key` is what seats of this colour carry, `shade` the name of the colour."""

    key: str
    label: str
    shade: str


@dataclass(frozen=True)
class Legend:
    """A way to colour the seats, and what its colours mean; `place` is where seats carry its keys."""

    mode: str
    title: str
    entries: tuple[LegendEntry, ...]
    place: int = -1


@dataclass(frozen=True)
class SeatColours:
    """What each seat carries for the colours, and the legends of those that say something about this event."""

    carried: Mapping[UUID, Carried] = field(default_factory=dict)
    """What seats carry in any colours: the keys of their entries in each legend, in the order of `place`, and marks."""
    legends: tuple[Legend, ...] = ()
    tags: Mapping[UUID, tuple[str, ...]] = field(default_factory=dict)
    """What a list says beside a name."""
    marks: tuple[MarkCount, ...] = ()

    def mode(self, wanted: str) -> str:
        """Return the wanted way to colour, or the first one if there is no such way."""
        modes = [legend.mode for legend in self.legends]
        return wanted if wanted in modes else next(iter(modes), "")

    def seats(self, mode: str) -> Mapping[UUID, Carried]:
        """Return what seats carry where this is the way to colour them."""
        legend = next((one for one in self.legends if one.mode == mode and one.place >= 0), None)
        if legend is None:
            return self.carried
        shades = {entry.key: entry.shade for entry in legend.entries}
        return {guest: (*carried, *_shade(carried, legend.place, shades)) for guest, carried in self.carried.items()}


def colour_guests(details: Mapping[UUID, GuestDetails], fields: Sequence[SharedField]) -> SeatColours:
    """Return the colours by what is known of guests who attend: a move changes none of them."""
    guests = [guest for guest in details.values() if guest.reply != "no"]
    drafts = [*(_of_field(one, guests) for one in fields), _of_diets(guests)]
    useful = [draft for draft in drafts if len(draft.entries) > 1]
    legends = tuple(Legend(one.mode, one.title, one.entries, place) for place, one in enumerate(useful))
    return SeatColours(
        {guest.id: tuple(_carried(guest, useful)) for guest in guests},
        legends,
        {guest.id: tags for guest in guests if (tags := tags_of(guest))},
        count_marks(guests),
    )


def with_levels(colours: SeatColours, levels: Sequence[tuple[Level | None, str]]) -> SeatColours:
    """Return the colours with the one by how well guests sit before the others."""
    entries = tuple(LegendEntry(_level(level), words, "") for level, words in levels)
    first = (Legend(FIT, "How well they sit", entries),) if len(entries) > 1 else ()
    return replace(colours, legends=(*first, *colours.legends))


@dataclass(frozen=True)
class _Draft:
    """A legend before it is known whether it says anything, with the entries of each guest."""

    mode: str
    title: str
    entries: tuple[LegendEntry, ...]
    keys: Mapping[UUID, tuple[str, ...]]


def _of_field(shared: SharedField, guests: Sequence[GuestDetails]) -> _Draft:
    """Return the colours by one field; only values that somebody has, and households of more than one."""
    counts = Counter(value for guest in guests for value in guest.values.get(shared.key, ()))
    least = 2 if shared.key == HOUSEHOLD else 1
    shown = [value for value in shared.values if counts[value.key] >= least]
    numbers = {value.key: str(number) for number, value in enumerate(shown)}
    keys = {
        guest.id: tuple(numbers[value] for value in guest.values.get(shared.key, ()) if value in numbers)
        for guest in guests
    }
    entries = [
        LegendEntry(numbers[value.key], value.name, value.colour or COLOURS[place % len(COLOURS)])
        for place, value in enumerate(shown)
    ]
    return _Draft(
        shared.key,
        TITLES.get(shared.key, shared.name),
        tuple(_with_none(entries, keys, WITHOUT.get(shared.key, "not chosen"))),
        keys,
    )


def _of_diets(guests: Sequence[GuestDetails]) -> _Draft:
    """Return the colours by diet, which people write as they like: the commonest have their own."""
    common = [diet for diet, _ in Counter(guest.diet for guest in guests if guest.diet).most_common(MOST_DIETS)]
    numbers = {diet: str(number) for number, diet in enumerate(common)}
    other = str(len(common))
    keys = {guest.id: (numbers.get(guest.diet, other),) if guest.diet else () for guest in guests}
    entries = [LegendEntry(str(number), diet, COLOURS[number]) for number, diet in enumerate(common)]
    if any(other in of_guest for of_guest in keys.values()):
        entries.append(LegendEntry(other, "other", COLOURS[-1]))
    return _Draft(DIET, "Diets", tuple(_with_none(entries, keys, WITHOUT[DIET])), keys)


def _with_none(
    entries: Sequence[LegendEntry], keys: Mapping[UUID, tuple[str, ...]], words: str
) -> Iterator[LegendEntry]:
    yield from entries
    if entries and any(not of_guest for of_guest in keys.values()):
        yield LegendEntry(NONE, words, NONE)


def _carried(guest: GuestDetails, drafts: Sequence[_Draft]) -> Iterator[tuple[str, str]]:
    """Yield what a seat carries: the keys of all legends as one text such as “0.2;3;;1”, and its marks."""
    if drafts:
        yield VALUES, ";".join(".".join(draft.keys[guest.id]) for draft in drafts)
    if marks := marks_of(guest):
        yield MARKS, " ".join(marks)


def _shade(carried: Carried, place: int, shades: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Yield the colour of the first value of a guest in a legend; nothing for whoever has none."""
    first = dict(carried)[VALUES].split(";")[place].split(".")[0]
    if first in shades:
        yield SHADE, shades[first]


def _level(level: Level | None) -> str:
    return NONE if level is None else f"h{level}"

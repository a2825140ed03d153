"""The colours of seats: by how well guests sit, by group, household, meal or reply, each with a legend that filters."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple
from uuid import UUID

from app.plans.guest_details import GuestDetails
from app.plans.satisfaction import Level

COLOUR_COUNT = 10
MOST_MEALS = 9
NONE = "none"
MODES = {
    "fit": "How well they sit",
    "group": "Groups",
    "household": "Households",
    "meal": "Meals",
    "reply": "Replies",
}
REPLIES = {"yes": "Attending", "invited": "No reply yet", "maybe": "Maybe", "no": "Not attending"}
REPLY_COLOURS = {"yes": "4", "invited": "9", "maybe": "2", "no": "8"}


class LegendEntry(NamedTuple):
    """What a colour means; `key` is what seats of this colour carry."""

    key: str
    label: str
    swatch: str


@dataclass(frozen=True)
class Legend:
    """A way to colour the seats, and what its colours mean."""

    mode: str
    title: str
    entries: tuple[LegendEntry, ...]


@dataclass(frozen=True)
class SeatColours:
    """What each seat carries for the colours, and the legends of those that say something about this event."""

    of_guest: Mapping[UUID, tuple[tuple[str, str], ...]] = field(default_factory=dict)
    legends: tuple[Legend, ...] = ()
    tags: Mapping[UUID, tuple[str, ...]] = field(default_factory=dict)
    """What a list says beside a name."""

    def mode(self, wanted: str) -> str:
        """Return the wanted way to colour, or the first one where there is no such."""
        modes = [legend.mode for legend in self.legends]
        return wanted if wanted in modes else next(iter(modes), "")


def colour_guests(details: Mapping[UUID, GuestDetails]) -> SeatColours:
    """Return the colours by what is known of guests who attend: a move changes none of them."""
    guests = [guest for guest in details.values() if guest.reply != "no"]
    meals = [meal for meal, _ in Counter(guest.diet for guest in guests if guest.diet).most_common(MOST_MEALS)]
    households = _households(guests)
    legends = [
        Legend("group", MODES["group"], tuple(_groups(guests))),
        Legend("household", MODES["household"], tuple(_household_entries(households, guests))),
        Legend("meal", MODES["meal"], tuple(_meals(meals, guests))),
        Legend("reply", MODES["reply"], tuple(_replies(guests))),
    ]
    of_guest = {guest.id: tuple(_data(guest, meals, households)) for guest in guests}
    tags = {guest.id: found for guest in guests if (found := tags_of(guest))}
    return SeatColours(of_guest, tuple(legend for legend in legends if len(legend.entries) > 1), tags)


def with_levels(colours: SeatColours, levels: Sequence[tuple[Level | None, str]]) -> SeatColours:
    """Return the colours with the one by how well guests sit before the others."""
    entries = tuple(LegendEntry(_level(level), words, _level(level)) for level, words in levels)
    first = (Legend("fit", MODES["fit"], entries),) if len(entries) > 1 else ()
    return replace(colours, legends=(*first, *colours.legends))


def tags_of(guest: GuestDetails) -> tuple[str, ...]:
    """Return what a list says beside a name: whether they are a child, and what they eat."""
    return tuple(filter(None, ["child" if guest.child else "", guest.diet]))


def _data(guest: GuestDetails, meals: Sequence[str], households: Mapping[UUID, int]) -> Iterator[tuple[str, str]]:
    yield "group", " ".join(f"{group.colour}" for group in guest.groups) or NONE
    number = households.get(guest.household) if guest.household else None
    yield "household", NONE if number is None else str(number)
    if number is not None:
        yield "shade", str(number % COLOUR_COUNT)
    yield "meal", str(meals.index(guest.diet)) if guest.diet in meals else (NONE if not guest.diet else "other")
    yield "reply", guest.reply
    if guest.child:
        yield "child", "1"


def _level(level: Level | None) -> str:
    return NONE if level is None else f"h{level}"


def _households(guests: Sequence[GuestDetails]) -> dict[UUID, int]:
    sizes = Counter(guest.household for guest in guests if guest.household)
    return {household: number for number, household in enumerate(key for key, size in sizes.items() if size > 1)}


def _groups(guests: Sequence[GuestDetails]) -> Iterator[LegendEntry]:
    colours: dict[str, list[str]] = {}
    for guest in guests:
        for group in guest.groups:
            names = colours.setdefault(group.colour, [])
            if group.name not in names:
                names.append(group.name)
    for colour, names in sorted(colours.items()):
        yield LegendEntry(colour, ", ".join(names), f"group-{colour}")
    if colours and any(not guest.groups for guest in guests):
        yield LegendEntry(NONE, "no group", NONE)


def _household_entries(households: Mapping[UUID, int], guests: Sequence[GuestDetails]) -> Iterator[LegendEntry]:
    names = {guest.household: guest.household_name for guest in guests if guest.household in households}
    for household, number in households.items():
        yield LegendEntry(str(number), names[household], f"table-{number % COLOUR_COUNT}")
    if households:
        yield LegendEntry(NONE, "coming alone", NONE)


def _meals(meals: Sequence[str], guests: Sequence[GuestDetails]) -> Iterator[LegendEntry]:
    for number, meal in enumerate(meals):
        yield LegendEntry(str(number), meal, f"table-{number}")
    if any(guest.diet and guest.diet not in meals for guest in guests):
        yield LegendEntry("other", "other", "table-9")
    if meals:
        yield LegendEntry(NONE, "no wish", NONE)


def _replies(guests: Sequence[GuestDetails]) -> Iterator[LegendEntry]:
    found = {guest.reply for guest in guests}
    for reply, words in REPLIES.items():
        if reply in found:
            yield LegendEntry(reply, words, f"table-{REPLY_COLOURS[reply]}")

"""The pages that take guests over from another event: which one, what of it, and what that would do."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from urllib.parse import urlencode
from uuid import UUID

from app.db.models import Event
from app.errors import FieldError
from app.events.context import EventContext
from app.events.edit import count_contents, list_edited, list_events
from app.guests.shared_values import HOUSEHOLD, REPLY, SharedField, shared_fields, values_by_guest
from app.sentences import count
from app.transfer.take_over.taking import AlreadyHere, Part, Rated, SameName, TakenGuest, TakeOver

MOST_SOURCES = 500
MOST_VALUES = 60
MOST_SHOWN = 300
OPTIONS: dict[Part, tuple[str, str]] = {
    "guests": ("Guests who are not here yet", "Names, titles, age groups, high chairs and wheelchairs."),
    "details": ("Contact details, diets, allergies and notes", ""),
    "groups": ("Groups and households", ""),
    "fields": ("Sides, menu and own fields", ""),
    "ratings": ("Ratings", "Of pairs and groups. Ratings that are here already stay, unless you choose otherwise."),
}
EXPECTED = ("yes", "maybe", "invited")


@dataclass(frozen=True)
class Source:
    """An event to take guests from."""

    event: Event
    guests: int


@dataclass(frozen=True)
class OfferedValue:
    """A value by which guests can be chosen, and how many have it."""

    key: str
    name: str
    guests: int


@dataclass(frozen=True)
class OfferedField:
    """A field by whose values guests can be chosen."""

    name: str
    values: Sequence[OfferedValue]


@dataclass(frozen=True)
class TakeOverForm:
    """The form as it was filled in; `values` are keys of a field and a value with a colon between."""

    source: UUID | None = None
    parts: tuple[str, ...] = tuple(OPTIONS)
    reply: str = "expected"
    values: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()
    keep_replies: bool = False
    already_here: AlreadyHere = "keep"
    same_name: SameName = "add"
    rated: Rated = "keep"
    seen: str = ""

    @property
    def query(self) -> str:
        """The address of the choices, as they were made."""
        return urlencode(list(self.carried))

    @property
    def carried(self) -> Iterator[tuple[str, str]]:
        """Yield what the preview has to send again, as names and values of fields."""
        yield "from", str(self.source or "")
        yield from (("part", part) for part in self.parts)
        yield from (("value", value) for value in self.values)
        yield "reply", self.reply
        yield "replies", "keep" if self.keep_replies else "reset"


@dataclass(frozen=True)
class SourcesPage:
    """The events to take guests from."""

    event: Event
    sources: Sequence[Source]
    faults: Sequence[FieldError] = ()
    section: str = "guests"


@dataclass(frozen=True)
class ChoicePage:
    """What of another event comes along, and which guests."""

    event: Event
    source: Event
    guests: int
    form: TakeOverForm
    offered: Sequence[OfferedField]
    faults: Sequence[FieldError] = ()
    parts: Sequence[tuple[str, str, str]] = tuple((part, *words) for part, words in OPTIONS.items())
    answers: Sequence[tuple[str, str]] = ()
    section: str = "guests"


@dataclass(frozen=True)
class TakeOverView:
    """What taking over would do, sorted by what happens to the guests."""

    preview: TakeOver

    @property
    def new(self) -> list[TakenGuest]:
        """The guests who are not here, namesakes aside."""
        return [one for one in self.preview.guests if one.found.here is None]

    @property
    def namesakes(self) -> list[TakenGuest]:
        return [one for one in self.preview.guests if one.found.is_namesake]

    @property
    def differing(self) -> list[TakenGuest]:
        return [one for one in self._here if one.differences]

    @property
    def fillable(self) -> int:
        """How many guests have nothing here where they have something there."""
        return sum(any(diff.is_empty for diff in one.differences) for one in self.differing)

    @property
    def same(self) -> list[TakenGuest]:
        return [one for one in self._here if not one.differences]

    @property
    def _here(self) -> list[TakenGuest]:
        return [one for one in self.preview.guests if one.found.here and not one.found.is_namesake]

    @property
    def adds_guests(self) -> bool:
        return "guests" in self.preview.wish.parts

    @property
    def figures(self) -> list[tuple[str, str]]:
        """The counts above the lists."""
        ratings = self.preview.ratings
        pairs = [(f"{ratings.added:,}", "new ratings"), (f"{len(ratings.differing):,}", "rated differently")]
        return [
            (f"{len(self.new):,}", "not here yet"),
            (f"{len(self.same) + len(self.differing):,}", "here already"),
            *([(f"{len(self.namesakes):,}", "same name, other household")] if self.namesakes else []),
            *(pairs if "ratings" in self.preview.wish.parts else []),
        ]

    @property
    def ratings_text(self) -> str:
        """What happens to ratings, in a sentence."""
        ratings, groups = self.preview.ratings, len(self.preview.ratings.new_groups)
        known = len(ratings.differing) + len(ratings.differing_groups)
        given = [count(ratings.added, "pair"), *([f"{count(groups, 'pair')} of groups"] if groups else [])]
        parts = [
            f"{' and '.join(given)} {'get' if ratings.added + groups != 1 else 'gets'} a rating.",
            f"{count(ratings.same, 'pair')} already rated the same." if ratings.same else "",
            f"{count(known, 'rating')} here {'differs' if known == 1 else 'differ'}." if known else "",
        ]
        return " ".join(filter(None, parts))


@dataclass(frozen=True)
class PreviewPage:
    """What taking over would do, guest by guest."""

    event: Event
    source: Event
    form: TakeOverForm
    preview: TakeOver
    view: TakeOverView
    is_changed: bool = False
    faults: Sequence[FieldError] = ()
    most_shown: int = MOST_SHOWN
    section: str = "guests"


def list_sources(ctx: EventContext) -> list[Source]:
    """Return the other events that the account edits, the newest first."""
    events = [one for one in list_events(ctx.session, ctx.actor, limit=MOST_SOURCES) if one.id != ctx.event_id]
    edited = set(list_edited(ctx.session, ctx.actor, [event.id for event in events]))
    shown = [event for event in events if event.id in edited]
    counts = count_contents(ctx.session, [event.id for event in shown])
    return [Source(event, counts[event.id].guests) for event in shown]


def offered_answers(source: EventContext) -> list[tuple[str, str]]:
    """Return which guests can be chosen by their reply, with how many; who declined comes only if that is asked for."""
    replies = Counter(key for keys in values_by_guest(source.session, source.event_id, REPLY).values() for key in keys)
    everyone, declined = replies.total(), replies["no"]
    all_words = f"Everyone, with the {declined:,} who declined" if declined else "Everyone"
    return [
        ("expected", f"Everyone who has not declined ({everyone - declined:,})"),
        ("yes", f"Attending ({replies['yes']:,})"),
        ("", f"{all_words} ({everyone:,})"),
    ]


def offered_fields(source: EventContext) -> list[OfferedField]:
    """Return the fields by which the source's guests can be chosen, with the values that somebody has."""
    known = shared_fields(source.session, source.event_id)
    offered = (_offered(source, one) for one in known if one.key not in (REPLY, HOUSEHOLD))
    return [one for one in offered if len(one.values) > 1]


def _offered(source: EventContext, one: SharedField) -> OfferedField:
    numbers: dict[str, int] = {}
    for keys in values_by_guest(source.session, source.event_id, one.key).values():
        for key in keys:
            numbers[key] = numbers.get(key, 0) + 1
    used = [value for value in one.values if value.key in numbers][:MOST_VALUES]
    return OfferedField(
        one.name, [OfferedValue(f"{one.key}:{value.key}", value.name, numbers[value.key]) for value in used]
    )

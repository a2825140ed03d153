"""Guests, groups and ratings of another event: what taking them over into this one would do, and doing it.

Nothing that is entered here is overwritten unless that is asked for.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, get_args
from uuid import UUID

from app.audit.actions import Action, Details
from app.db.models import Group
from app.errors import EventChanged, FieldError, Forbidden, Invalid
from app.events.context import EventContext, open_event
from app.events.queries import revision_of
from app.guests.edit import refuse_too_many
from app.guests.entries import GuestEntry, NewGuest, Written, write_entries
from app.guests.entry_checks import check_entry
from app.guests.groups import mark_circles
from app.guests.imports.undo import keep_undo, remember, touched_before
from app.guests.known_fields import KnownFields
from app.guests.namesakes import Newcomer, tell_apart
from app.guests.party_and_group_names import ensure
from app.guests.queries.groups import circles_of, groups_of
from app.guests.queries.guests import guests_of, last_position
from app.transfer.take_over.details import (
    ALWAYS,
    OF_DETAILS,
    OF_GROUPS,
    Difference,
    differences,
    merged_entry,
    new_entry,
)
from app.transfer.take_over.fields import FieldFit, fit_fields, make_fields
from app.transfer.take_over.people import MatchedGuest, Person, Value, choose_people, everyone, find_people
from app.transfer.take_over.ratings import RatingsBefore, RatingsFit, compare_ratings, write_ratings
from app.web.names import name_key

Part = Literal["guests", "details", "groups", "fields", "ratings"]
PARTS: tuple[Part, ...] = get_args(Part)
AlreadyHere = Literal["keep", "fill", "replace"]
SameName = Literal["add", "same", "skip"]
Rated = Literal["keep", "replace"]
What = Literal["add", "change", "keep", "skip"]


@dataclass(frozen=True)
class TakeOverWish:
    """What somebody wants of another event.

    `already_here` says what happens to guests who are here: nothing, what is empty is filled in, or what differs is
    replaced. `same_name` says what happens to guests with the name of somebody in another household.
    """

    source_id: UUID
    parts: frozenset[Part] = frozenset(PARTS)
    values: Sequence[Value] = ()
    left_out: Collection[UUID] = ()
    keep_replies: bool = False
    already_here: AlreadyHere = "keep"
    same_name: SameName = "add"
    rated: Rated = "keep"

    @property
    def columns(self) -> tuple[str, ...]:
        """The plain fields of guests that come along."""
        return (
            *ALWAYS,
            *(OF_DETAILS if "details" in self.parts else ()),
            *(OF_GROUPS if "groups" in self.parts else ()),
            *(("reply",) if self.keep_replies else ()),
        )


@dataclass(frozen=True)
class TakenGuest:
    """A guest of the other event, what happens to them, and what differs if they are here already."""

    found: MatchedGuest
    what: What
    differences: tuple[Difference, ...] = ()
    taken: tuple[Difference, ...] = ()

    @property
    def here(self) -> Person | None:
        """Whom of this event they are."""
        return self.found.here if self.what in ("change", "keep") else None


@dataclass(frozen=True)
class TakeOver:
    """What taking over would do, as both events are now."""

    wish: TakeOverWish
    guests: Sequence[TakenGuest]
    fields: FieldFit
    ratings: RatingsFit
    new_groups: Sequence[str]
    revision: str

    @property
    def counts(self) -> Counter[str]:
        """How many guests are added, changed, kept and left out."""
        return Counter(one.what for one in self.guests)

    @property
    def problems(self) -> list[str]:
        """What cannot come along, and why."""
        return [*self.fields.problems, *([self.ratings.problem] if self.ratings.problem else [])]

    @property
    def pairs_written(self) -> int:
        return self.ratings.added + (len(self.ratings.differing) if self.wish.rated == "replace" else 0)

    @property
    def group_pairs_written(self) -> int:
        others = self.ratings.differing_groups if self.wish.rated == "replace" else ()
        return len(self.ratings.new_groups) + len(others)

    @property
    def does_nothing(self) -> bool:
        counts = self.counts
        written = self.pairs_written + self.group_pairs_written
        return not (counts["add"] + counts["change"] + len(self.new_groups) + written)


def open_source(ctx: EventContext, source_id: UUID) -> EventContext:
    """Return the other event to somebody who edits both; a key for one event reaches no other."""
    ctx.require("editor")
    if ctx.actor.only_event is not None:
        raise Forbidden("This key is for one event, and guests would come from another one.")
    if source_id == ctx.event_id:
        raise Invalid(FieldError("source", "Choose another event than this one."))
    return open_event(ctx.session, ctx.actor, source_id, "editor")


def preview_take_over(ctx: EventContext, wish: TakeOverWish) -> TakeOver:
    """Return what taking over would do; nothing is changed."""
    source = open_source(ctx, wish.source_id)
    revision = _revision(ctx, source)
    chosen = choose_people(source, wish.values)
    found = find_people(chosen, everyone(ctx))
    views = [one.there.view for one in found]
    fit = fit_fields(source, ctx, views) if "fields" in wish.parts else FieldFit()
    guests = [_taken_guest(one, wish, fit if "fields" in wish.parts else None) for one in found]
    stored = {group.name_key for group in groups_of(ctx.session, ctx.event_id)}
    new_groups = list(_new_groups(guests, stored)) if "groups" in wish.parts else []
    ratings = RatingsFit()
    if "ratings" in wish.parts:
        here = {one.found.there.view.id: one.here.view.id if one.here else None for one in guests if one.what != "skip"}
        ratings = compare_ratings(source, ctx, here, stored | set(map(name_key, new_groups)))
    return TakeOver(wish, guests, fit, ratings, new_groups, revision)


def take_over(ctx: EventContext, known: TakeOver) -> UUID:
    """Do what a preview said, all of it or nothing, and return the id that undoes it."""
    ctx.edit()
    source = open_source(ctx, known.wish.source_id)
    if known.revision != _revision(ctx, source, before_edit=True):
        raise EventChanged
    if known.does_nothing:
        raise Invalid(FieldError("", "Nothing would change: everyone chosen is here already, with the same details."))
    fields, options = make_fields(ctx, known.fields)
    pairs = _entries(ctx, known)
    before = touched_before(ctx, pairs)
    write_entries(ctx.session, ctx.event_id, pairs)
    _make_groups(ctx, source, known.new_groups)
    here = {one.found.there.view.id: one.here.view.id for one in known.guests if one.here}
    added = {one.found.there.view.id: guest.id for one, guest in zip(_added(known), _new(pairs), strict=True)}
    ratings = RatingsBefore()
    if not known.ratings.problem:
        ratings = write_ratings(ctx, known.ratings, here, added, replace=known.wish.rated == "replace")
    linked = {**vars(ratings), "fields": [*map(str, fields)], "options": [*map(str, options)]}
    undo = remember(ctx.session, ctx.event_id, pairs, before, linked=linked)
    return _keep(ctx, source, undo, known)


def _revision(ctx: EventContext, source: EventContext, *, before_edit: bool = False) -> str:
    """Return what changes whenever one of the two events does."""
    own = revision_of(ctx.session, ctx.event_id) or 0
    return f"{revision_of(source.session, source.event_id)}-{own - (1 if before_edit else 0)}"


def _taken_guest(found: MatchedGuest, wish: TakeOverWish, fit: FieldFit | None) -> TakenGuest:
    if found.there.view.id in wish.left_out:
        return TakenGuest(found, "skip")
    is_same = found.here is not None and (not found.is_namesake or wish.same_name == "same")
    if found.here is None or not is_same:
        is_added = "guests" in wish.parts and (found.here is None or wish.same_name == "add")
        return TakenGuest(found, "add" if is_added else "skip")
    differ = differences(found.there.view, found.here.view, wish.columns, fit)
    if wish.already_here == "keep":
        return TakenGuest(found, "keep", differ)
    taken = tuple(one for one in differ if one.is_empty or wish.already_here == "replace")
    return TakenGuest(found, "change" if taken else "keep", differ, taken)


def _new_groups(guests: Sequence[TakenGuest], stored: Collection[str]) -> Iterator[str]:
    """Yield the groups of the chosen guests that this event does not have yet."""
    seen = set(stored)
    for guest in guests:
        for name in guest.found.there.view.groups:
            if guest.what != "skip" and name_key(name) not in seen:
                seen.add(name_key(name))
                yield name


def _added(known: TakeOver) -> list[TakenGuest]:
    return [one for one in known.guests if one.what == "add"]


def _new(pairs: Written) -> list[NewGuest]:
    return [guest for guest, _ in pairs if isinstance(guest, NewGuest)]


def _entries(ctx: EventContext, known: TakeOver) -> Written:
    """Return what is written: the guests who are here and change, and those who are new."""
    stored = {guest.id: guest for guest in guests_of(ctx.session, ctx.event_id)}
    fields = KnownFields.of(ctx.session, ctx.event_id)
    added = _added(known)
    refuse_too_many(len(stored) + len(added), "")
    changed = [
        (stored[one.here.view.id], merged_entry(one.here.view.name, one.taken))
        for one in known.guests
        if one.what == "change" and one.here
    ]
    position = last_position(ctx.session, ctx.event_id) + 1
    fit = known.fields if "fields" in known.wish.parts else None
    new = [new_entry(one.found.there.view, known.wish.columns, fit) for one in added]
    names = _names(added, known.wish, {guest.name_key for guest in stored.values()})
    named = [_renamed(entry, one, name) for entry, one, name in zip(new, added, names, strict=True)]
    made = [(NewGuest(ctx.event_id, position + place), entry) for place, entry in enumerate(named)]
    written: Written = [*changed, *made]
    return [(guest, check_entry(entry, known=fields)) for guest, entry in written]


def _names(added: Sequence[TakenGuest], wish: TakeOverWish, taken: Collection[str]) -> list[str]:
    """Return what the new guests are called here: as there, unless somebody else has that name."""
    used, names = set(taken), dict[int, str]()
    for place, one in enumerate(added):
        key = name_key(one.found.there.view.name)
        if key not in used:
            used.add(key)
            names[place] = one.found.there.view.name
    rest = [place for place in range(len(added)) if place not in names]
    with_groups = "groups" in wish.parts
    newcomers = [
        Newcomer(person.called, person.view.party if with_groups else None, person.view.groups if with_groups else ())
        for person in (added[place].found.there for place in rest)
    ]
    names |= dict(zip(rest, tell_apart(newcomers, used), strict=True))
    return [names[place] for place in range(len(added))]


def _renamed(entry: GuestEntry, one: TakenGuest, name: str) -> GuestEntry:
    """Return the entry under the name that only this guest has; guests read the plain one."""
    if name == entry.name:
        return entry
    return replace(entry, name=name, public_name=entry.public_name or one.found.there.called)


def _make_groups(ctx: EventContext, source: EventContext, names: Sequence[str]) -> None:
    """Make the groups that are missing, and give them the colours that they have there; circles stay circles."""
    if not names:
        return
    ids = ensure(ctx.session, Group, ctx.event_id, names)
    there = groups_of(source.session, source.event_id)
    colours: Mapping[str, str] = {group.name_key: group.colour for group in there}
    here = groups_of(ctx.session, ctx.event_id)
    for group in here:
        if group.id in ids.values() and group.colour != colours[group.name_key]:
            group.colour = colours[group.name_key]
    called = {group.id: group.name for group in there}
    new, known = set(map(name_key, names)), {group.name_key for group in here}
    circles = [(called[one], called[larger]) for one, larger in circles_of(source.session, source.event_id).items()]
    mark_circles(ctx, [(one, of) for one, of in circles if name_key(one) in new and name_key(of) in known])
    ctx.session.flush()


def _keep(ctx: EventContext, source: EventContext, undo: bytes, known: TakeOver) -> UUID:
    kept = keep_undo(ctx, undo, {})
    number = known.counts["add"] + known.counts["change"]
    ctx.record(Action.GUESTS_TAKEN_OVER, details=Details(count=number))
    source.record(Action.GUESTS_COPIED, details=Details(count=len(known.guests) - known.counts["skip"]))
    return kept

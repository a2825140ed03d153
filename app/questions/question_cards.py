"""Decks: the next questions of an event as cards, best first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from itertools import chain
from uuid import UUID

import numpy as np
from sqlalchemy.orm import Session

from app.clock import now
from app.db import models
from app.events.context import EventContext
from app.events.progress import COUNTED_APART, Progress, show_progress
from app.events.queries import revision_without
from app.guests.queries.groups import group_ratings_of
from app.guests.queries.guests import group_names, party_names, seated_guests_of
from app.questions import queries
from app.questions.answered_pairs import closed_among, pairs_without_questions
from app.questions.batches import StoredBatch, read_batch
from app.questions.queries import Pair
from app.ratings.known import count_rated_pairs, known_values, pair_value
from app.ratings.queries.ratings import has_matrix
from app.ratings.values import MOST_GUESSED, known_of, on_levels
from app.solver import (
    BETWEEN_TWO,
    FEWEST_NAMES,
    Inference,
    Known,
    Reason,
    group_and_party_defaults,
    infer,
    next_questions,
    overlay_known,
    rerank,
)
from app.tables.queries import tables_of

Asked = tuple[Pair, Reason | None]
CARDS = 12
LARGEST_LEARNT = 200
"""Up to so many guests the cards before the first batch take the ratings so far into account."""
USUAL_SEATS = 8
"""How many share a table while there are no tables yet."""
AT_ONCE = timedelta(minutes=3)
"""Who answered within this time is still at it."""


@dataclass(frozen=True)
class Person:
    """A guest on a card, and their household and groups, which help to remember who that is."""

    id: UUID
    name: str
    about: str


@dataclass(frozen=True)
class Card:
    """Two guests to be asked about; the reason is None while no worker has looked for one.

    `was` is the rating of a pair that is shown again though it has one.
    """

    a: Person
    b: Person
    reason: Reason | None
    was: float | None = None


@dataclass(frozen=True)
class ListCard:
    """A guest and others, each with the level that is guessed."""

    guest: Person
    rows: tuple[tuple[Person, int], ...]


@dataclass(frozen=True)
class OpenList:
    """A list of which enough names are still open, by ids, with the guesses."""

    guest: UUID
    others: dict[UUID, int]


@dataclass(frozen=True)
class Left:
    """The pairs and lists still to ask, best first, and how many answers came since a worker chose them."""

    pairs: Sequence[Asked]
    answers: int
    is_fresh: bool
    lists: Sequence[OpenList] = ()


@dataclass(frozen=True)
class Deck:
    """The next cards, and how far the questions have come."""

    event: models.Event
    cards: Sequence[Card]
    progress: Progress | None
    rated: int
    pairs: int
    skipped: int
    obstacle: str = ""
    group_answers: int = 0
    lists: Sequence[ListCard] = ()


def show_deck(ctx: EventContext, *, responder: str = "", first: Pair | None = None) -> Deck:
    """Return the next cards for this responder; `first` is a pair that is to come before all others."""
    event = ctx.require("editor")
    guests = seated_guests_of(ctx.session, event)
    rated, pairs = count_rated_pairs(ctx.session, event, guests, only_seated=True)
    skipped = sum(answer == "skipped" for answer in queries.asked_pairs(ctx.session, ctx.event_id).values())
    if obstacle := find_obstacle(ctx.session, event, guests):
        return Deck(event, (), None, rated, pairs, skipped, obstacle)
    left = look_left(ctx.session, event, guests)
    chosen = _for_responder(ctx, responder, left.pairs or _first_questions(ctx, guests))
    if first is not None and {guest.id for guest in guests}.issuperset(first):
        known = dict(chosen)
        chosen = [(first, known.get(first)), *((pair, reason) for pair, reason in chosen if pair != first)]
    lists = _lists_for_responder(ctx, responder, left.lists) if first is None else []
    shown = chosen[:CARDS]
    named = frozenset(
        chain((guest for pair, _ in shown for guest in pair), *((one.guest, *one.others) for one in lists))
    )
    people = _people(ctx, guests, named)
    was = {} if first is None else {first: pair_value(ctx.session, ctx.event_id, *first)}
    cards = tuple(Card(people[a], people[b], reason, was.get((a, b))) for (a, b), reason in shown)
    list_cards = tuple(
        ListCard(people[one.guest], tuple((people[other], guess) for other, guess in one.others.items()))
        for one in lists
    )
    groups = len(group_ratings_of(ctx.session, ctx.event_id))
    return Deck(event, cards, show_progress(ctx), rated, pairs, skipped, group_answers=groups, lists=list_cards)


def find_obstacle(session: Session, event: models.Event, guests: Sequence[models.Guest]) -> str:
    """Say why nothing can be asked in this event, if so."""
    if event.kind != "score":
        return "Questions need scores, and this event uses distances."
    if len(guests) < 2:
        return "Add guests first: questions are about pairs of guests."
    if len(guests) > MOST_GUESSED:
        return f"Questions work for up to {MOST_GUESSED:,} guests. Rate by groups instead."
    if has_matrix(session, event.id) and not on_levels(known_values(session, event.id, [g.id for g in guests])):
        return "The uploaded matrix uses its own scale, so the five answers do not apply."
    return ""


def look_left(session: Session, event: models.Event, guests: Sequence[models.Guest]) -> Left:
    """Return what is left of the stored questions after the answers since."""
    stored = read_batch(session, event.id)
    if stored is None:
        return Left((), 0, False)
    rated, asked = queries.rated_since(session, event.id, stored.asked_at), queries.asked_pairs(session, event.id)
    questions = [stored.pair(question) for question in stored.batch.questions]
    listed = [stored.pair_of(one.guest, other) for one in stored.lists for other in one.others]
    closed = closed_among(session, event.id, {*questions, *listed})
    answers: dict[Pair, float | None] = {**dict.fromkeys(closed.intersection(questions)), **rated}
    left = _reordered(stored, answers)
    here = {guest.id for guest in guests}
    open_pairs = [(pair, reason) for pair, reason in left if here.issuperset(pair)]
    count = len(rated) + sum(pair in asked for pair in {*questions, *listed})
    # Questions about somebody who has come since are missing, and tables, groups or rules change the plans.
    measured = stored.measured
    is_same = here == set(stored.guest_ids)
    is_fresh = is_same and measured is not None and measured.revision == revision_without(event, COUNTED_APART)
    return Left(open_pairs, count, is_fresh, _open_lists(stored, closed, here))


def _reordered(stored: StoredBatch, answers: dict[Pair, float | None]) -> list[Asked]:
    place = {guest: position for position, guest in enumerate(stored.guest_ids)}
    given = {(place[a], place[b]): value for (a, b), value in answers.items() if a in place and b in place}
    return [(stored.pair(question), question.reason) for question in rerank(stored.batch, given)]


def _open_lists(stored: StoredBatch, closed: set[Pair], here: set[UUID]) -> list[OpenList]:
    """Return the lists with the names that are still open, where enough are."""
    found = []
    for one in stored.lists:
        guest = stored.guest_ids[one.guest]
        others = {
            stored.guest_ids[other]: guess
            for other, guess in zip(one.others, one.guesses, strict=True)
            if stored.pair_of(one.guest, other) not in closed and stored.guest_ids[other] in here
        }
        if guest in here and len(others) >= FEWEST_NAMES:
            found.append(OpenList(guest, others))
    return found


def _lists_for_responder(ctx: EventContext, responder: str, lists: Sequence[OpenList]) -> list[OpenList]:
    """Return the lists that fall to this responder when several people answer at once."""
    responders = sorted({responder, *queries.responders_since(ctx.session, ctx.event_id, now() - AT_ONCE)})
    own = responders.index(responder)
    return [one for one in lists if hash(one.guest.int) % len(responders) == own]


def _first_questions(ctx: EventContext, guests: Sequence[models.Guest]) -> list[Asked]:
    """Choose a few questions here and now, while no worker has chosen any: quick, and not as good."""
    place = {guest.id: position for position, guest in enumerate(guests)}
    known, _ = known_of(ctx.session, ctx.event_id, list(place), known_values(ctx.session, ctx.event_id, list(place)))
    asked = [
        (place[a], place[b]) for a, b in pairs_without_questions(ctx.session, ctx.event_id) if a in place and b in place
    ]
    sizes = [table.seats for table in tables_of(ctx.session, ctx.event_id)] or [USUAL_SEATS]
    batch = next_questions(_infer_quickly(known), sizes, [], asked, CARDS, known.parties)
    pairs = [(guests[question.a].id, guests[question.b].id) for question in batch.questions]
    return [((min(a, b), max(a, b)), None) for a, b in pairs]


def _infer_quickly(known: Known) -> Inference:
    """Predict every pair within milliseconds; a large event by its groups and parties alone."""
    if len(known.pairs) and known.guests <= LARGEST_LEARNT:
        return infer(known)
    nothing = np.zeros((known.guests, known.guests))
    return overlay_known(known, group_and_party_defaults(known), nothing, nothing + BETWEEN_TWO**2)


def _for_responder(ctx: EventContext, responder: str, pairs: Sequence[Asked]) -> list[Asked]:
    """Put the pairs first that fall to this responder when several people answer at once."""
    responders = sorted({responder, *queries.responders_since(ctx.session, ctx.event_id, now() - AT_ONCE)})
    own = responders.index(responder)
    # Numbers have the same hash in every process, and pairs of them one that is as good as drawn.
    return sorted(pairs, key=lambda item: hash((item[0][0].int, item[0][1].int)) % len(responders) != own)


def _people(ctx: EventContext, guests: Sequence[models.Guest], named: frozenset[UUID]) -> dict[UUID, Person]:
    """Return the guests as cards show them."""
    groups, parties = group_names(ctx.session, ctx.event_id, named), party_names(ctx.session, ctx.event_id)
    return {
        guest.id: Person(
            guest.id,
            guest.name,
            " · ".join([*([parties[guest.party_id]] if guest.party_id else []), *groups.get(guest.id, ())]),
        )
        for guest in guests
        if guest.id in named
    }

"""What every pair is worth, in layers: own rating, accepted wish, party, guess, group default, nothing.

One place for runs, grids, forms, cards and exports; decision 0021 says why, decision 0143 about answers about groups.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from uuid import UUID

import numpy as np
from numpy.typing import NDArray
from sqlalchemy.orm import Session

from app.db import models
from app.events.progress import MOST_MEASURED
from app.guests.queries import groups as group_queries
from app.guests.queries.guests import Named
from app.guests.queries.parties import parties_of
from app.ratings.known import filled_values, known_values
from app.ratings.pair_values import CachedGuesses, PairValues
from app.ratings.queries import values as queries
from app.solver import (
    HIGHEST,
    PARTY_SCORE,
    WISH_SCORE,
    FloatArray,
    IntArray,
    Known,
    Source,
    as_known,
    group_and_party_defaults,
    infer,
)

MOST_GUESSED = MOST_MEASURED
"""Above that many guests nothing is guessed."""
QUICKLY_GUESSED = 300
"""Up to that many guests guessing takes no noticeable part of a page."""
LEAST_RATINGS = 10
"""Fewer rated pairs tell nothing about the others."""
_kept_guesses = CachedGuesses()
GUESS_STEP = 64
"""Guesses are rounded to this part of a level: exact in single precision, so that they pack well."""


def pair_values(
    session: Session,
    event: models.Event,
    guests: Sequence[models.Guest] | Sequence[Named],
    *,
    most_guessed: int = MOST_GUESSED,
    with_uncertainty: bool = True,
) -> PairValues:
    """Return what each pair of these guests is worth, and from where; nothing is guessed for more than that many.

    The uncertainty of guesses takes most of the time; leave it out where it is not shown.
    """
    ids = [guest.id for guest in guests]
    rated = known_values(session, event.id, ids)
    if event.kind == "distance" or not on_levels(rated):
        return _rated_alone(rated, event.kind)
    known, names = known_of(session, event.id, ids, rated)
    if len(ids) > most_guessed:
        return _without_guesses(rated, known)
    guess = partial(_guessed, known, names, with_uncertainty=with_uncertainty)
    return _kept_guesses.get(known, names, with_uncertainty, guess)


def shown_values(
    session: Session, event: models.Event, guests: Sequence[Named], shown: Sequence[Named], **options: bool
) -> tuple[PairValues, dict[UUID, int]]:
    """Return what pairs are worth for a page, and the place of each guest in it: all guests if they are few."""
    few = len(guests) <= QUICKLY_GUESSED
    known = guests if few else list(dict.fromkeys(shown))
    worth = pair_values(session, event, known, most_guessed=QUICKLY_GUESSED if few else 0, **options)
    return worth, {guest.id: number for number, guest in enumerate(known)}


def known_of(
    session: Session, event_id: UUID, guest_ids: Sequence[UUID], rated: FloatArray
) -> tuple[Known, tuple[str, ...]]:
    """Return what was entered about these guests, by position, and the names of the groups."""
    position = {guest_id: i for i, guest_id in enumerate(guest_ids)}
    names = queries.group_names_of(session, event_id)
    column = {group_id: i for i, group_id in enumerate(names)}
    groups = np.zeros((len(position), len(column)), dtype=bool)
    for group_id, guest_id in queries.memberships_of(session, event_id):
        if guest_id in position:
            groups[position[guest_id], column[group_id]] = True
    defaults = np.full((len(column), len(column)), np.nan)
    for one, other, score in group_queries.group_ratings_of(session, event_id):
        defaults[column[one], column[other]] = score
    parties = [[position[g] for g in party if g in position] for party in parties_of(session, event_id)]
    wishes = _wishes(queries.accepted_wishes_of(session, event_id), position, parties)
    a, b = np.nonzero(np.triu(~np.isnan(rated), 1))
    pairs = np.column_stack([a, b])
    marked = group_queries.circles_of(session, event_id)
    circles = [group_id in marked for group_id in names]
    known = as_known(len(position), pairs, rated[a, b], groups, defaults, parties, wishes, circles)
    return known, tuple(names.values())


def on_levels(rated: FloatArray) -> bool:
    """Return whether the ratings are on the scale from −2 to 2; an uploaded matrix may have another."""
    return bool(np.nanmax(np.abs(rated), initial=0.0) <= HIGHEST)


def _wishes(
    wishes: Sequence[tuple[UUID, UUID]], position: dict[UUID, int], parties: Sequence[Sequence[int]]
) -> list[tuple[int, int]]:
    # A wish for somebody of the same party says less than the party does.
    party_of = {guest: number for number, party in enumerate(parties) for guest in party}
    found = [(position[one], position[other]) for one, other in wishes if one in position and other in position]
    return [(a, b) for a, b in found if a != b and (a not in party_of or party_of[a] != party_of.get(b))]


def _rated_alone(rated: FloatArray, kind: str) -> PairValues:
    source = np.where(np.isnan(rated), Source.NOTHING, Source.RATING).astype(np.int8)
    return PairValues(filled_values(rated, kind), source, _not_worked_out(len(rated)))


def _guessed(known: Known, names: tuple[str, ...], *, with_uncertainty: bool) -> PairValues:
    defaults = group_and_party_defaults(known)
    found = infer(known, with_uncertainty=with_uncertainty)
    values, source = found.mean, found.source
    guessed = source == Source.GUESS
    if len(known.pairs) < LEAST_RATINGS:
        values[guessed], source[guessed] = defaults.values[guessed], defaults.source[guessed]
        return PairValues(values, source, found.uncertainty, names, defaults.block)
    values[guessed] = np.round(values[guessed] * GUESS_STEP) / GUESS_STEP
    worth = PairValues(values, source, found.uncertainty, names, defaults.block)
    return _keep_answers(worth, defaults.values, defaults.source == Source.GROUP)


def _keep_answers(worth: PairValues, answers: FloatArray, is_answered: NDArray[np.bool_]) -> PairValues:
    """Show answers about groups as they were given, where what is guessed from them is of the same level."""
    is_same = np.floor(worth.values - answers + 0.5) == 0  # also of an answer between two levels
    stays = worth.guessed & is_answered & is_same
    if not stays.any():
        return worth
    shown = np.where(stays, answers, worth.values)
    source = np.where(stays, np.int8(Source.GROUP), worth.source)
    return replace(worth, values=shown, source=source, refined=worth.values)


def _without_guesses(rated: FloatArray, known: Known) -> PairValues:
    """Fill what is not rated from the strongest layer to the weakest, in place: a large event has millions of pairs."""
    source = np.where(np.isnan(rated), Source.NOTHING, Source.RATING).astype(np.int8)
    for a, b in known.wishes if known.wishes is not None else ():
        _fill(rated, source, np.array([a]), np.array([b]), WISH_SCORE, Source.WISH)
    for party in known.parties:
        _fill(rated, source, np.array(party), np.array(party), PARTY_SCORE, Source.PARTY)
    grid = known.group_defaults
    entered = [(abs(grid[i, j]), grid[i, j], i, j) for i, j in np.argwhere(~np.isnan(grid)).tolist()]
    for _, score, i, j in sorted(entered, reverse=True):
        members = np.flatnonzero(known.groups[:, i]), np.flatnonzero(known.groups[:, j])
        _fill(rated, source, *members, score, Source.GROUP)
    np.fill_diagonal(source, Source.NOTHING)
    return PairValues(filled_values(rated, "score"), source, _not_worked_out(len(rated)))


def _fill(
    values: FloatArray, source: NDArray[np.int8], rows: IntArray, columns: IntArray, value: float, code: Source
) -> None:
    for block in (np.ix_(rows, columns), np.ix_(columns, rows)):
        free = np.isnan(values[block])
        values[block] = np.where(free, value, values[block])
        source[block] = np.where(free, code, source[block])


def _not_worked_out(count: int) -> FloatArray:
    return np.broadcast_to(np.float64(np.nan), (count, count))

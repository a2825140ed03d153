"""Ratings as they stand: what each pair is worth, and how many are known."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

import numpy as np
from sqlalchemy.orm import Session

from app.db import models
from app.events.context import EventContext
from app.files.matrices.arrays import cells_of_square, has_gaps, unpack_square
from app.guests.queries import guests as guest_queries
from app.guests.queries.guests import Named
from app.ratings.queries import ratings as queries
from app.solver import FloatArray


@dataclass(frozen=True)
class Uploaded:
    """A summary of an uploaded matrix: how many present guests it rates, and whom it leaves out."""

    guests: int
    asymmetric: bool
    left_out: Sequence[str]


@dataclass(frozen=True)
class Overview:
    """How far the rating of an event has come: with how many of the others each guest to be seated is rated.

    Whoever is not to be seated can be rated, and counts for nothing until they are.
    """

    event: models.Event
    guests: Sequence[Named]
    seated: Sequence[Named]
    counts: dict[UUID, int]
    uploaded: Uploaded | None

    @property
    def rated(self) -> int:
        return sum(self.counts.values()) // 2

    @property
    def pairs(self) -> int:
        return pairs_among(len(self.seated))

    @property
    def expected(self) -> list[Named]:
        """The guests who may come: all but those who said no."""
        return [guest for guest in self.guests if guest.reply != "no"]

    @property
    def declined(self) -> list[Named]:
        return [guest for guest in self.guests if guest.reply == "no"]


def show_overview(ctx: EventContext) -> Overview:
    """Return how far the rating has come, for editors."""
    event = ctx.require("editor")
    guests = guest_queries.named_guests(ctx.session, ctx.event_id)
    seated = [guest for guest in guests if guest_queries.has_seat(event, guest.reply)]
    counts = count_by_guest(ctx.session, ctx.event_id, [guest.id for guest in seated], only_seated=True)
    return Overview(event, guests, seated, counts, _uploaded(ctx.session, ctx.event_id, guests))


def count_every_rating(ctx: EventContext) -> int:
    """Return how many pairs are rated in all, with guests who are not to be seated: as many go with all ratings."""
    ctx.require("editor")
    return _count_rated(ctx.session, ctx.event_id, only_seated=False)


def filled_values(known: FloatArray, kind: str) -> FloatArray:
    """Fill what is not known, in place: with 0 among scores, with the mean of the known ones among distances."""
    unrated = np.isnan(known)
    is_rated = known[~unrated] if kind == "distance" else np.empty(0)
    known[unrated] = is_rated.mean() if is_rated.size else 0.0
    np.fill_diagonal(known, 0.0)
    return known


def known_values(session: Session, event_id: UUID, guest_ids: Sequence[UUID]) -> FloatArray:
    """Return what is known about each pair, both directions averaged; NaN where nothing is."""
    values = directed_values(session, event_id, guest_ids)
    np.copyto(values, values.T.copy(), where=np.isnan(values))  # rated in one direction only
    values += values.T.copy()
    values *= 0.5
    return values


def directed_values(session: Session, event_id: UUID, guest_ids: Sequence[UUID]) -> FloatArray:
    """Return how each guest (row) is rated with each other (column); NaN where unrated and on the diagonal."""
    position = {guest_id: i for i, guest_id in enumerate(guest_ids)}
    values = np.full((len(position), len(position)), np.nan)
    if queries.matrix_head(session, event_id) is not None:  # most pages have read it already
        _lay_uploaded(values, queries.matrix_of(session, event_id), position)
    single = queries.placed_ratings(session, event_id, tuple(guest_ids))
    # A single rating replaces both directions of the uploaded pair; the other direction keeps a row of its own.
    values[single.others, single.guests] = single.scores
    values[single.guests, single.others] = single.scores
    return values


def known_pairs(session: Session, event_id: UUID, pairs: Sequence[tuple[UUID, UUID]]) -> FloatArray:
    """Return what is known about single pairs, both directions averaged; memory grows with the pairs alone."""
    if not pairs:
        return np.empty(0)
    there, back = _uploaded_pairs(session, event_id, pairs)
    guest_ids = list(dict.fromkeys(guest for pair in pairs for guest in pair))
    single = {(a, b): score for a, b, score in queries.ratings_among(session, event_id, guest_ids)}
    for number, (a, b) in enumerate(pairs if single else ()):
        # A single rating counts in both directions unless the other one has a rating of its own.
        one, other = single.get((a, b)), single.get((b, a))
        if one is not None or other is not None:
            there[number] = one if one is not None else other
            back[number] = other if other is not None else one
    return np.asarray((np.where(np.isnan(there), back, there) + np.where(np.isnan(back), there, back)) / 2)


def values_between(session: Session, event_id: UUID, rows: Sequence[UUID], columns: Sequence[UUID]) -> FloatArray:
    """Return what is known about the pairs of one guest out of each list; NaN where nothing is."""
    pairs = [(row, column) for row in rows for column in columns]
    return known_pairs(session, event_id, pairs).reshape(len(rows), len(columns))


def pair_value(session: Session, event_id: UUID, a: UUID, b: UUID) -> float | None:
    """Return what is known about one pair."""
    value = known_pairs(session, event_id, [(a, b)])[0]
    return None if np.isnan(value) else float(value)


def count_rated_pairs(
    session: Session, event: models.Event, guests: Sequence[models.Guest], *, only_seated: bool = False
) -> tuple[int, int]:
    """Return how many pairs of the guests (all present ones, or those to be seated) are rated, and how many exist."""
    return _count_rated(session, event.id, guests, only_seated=only_seated), pairs_among(len(guests))


def count_known(ctx: EventContext) -> tuple[int, int]:
    """Return how many pairs of guests to be seated are rated, and how many there are, for editors."""
    ctx.require("editor")
    rated = _count_rated(ctx.session, ctx.event_id, only_seated=True)
    return rated, pairs_among(guest_queries.count_seated(ctx.session, ctx.event_id))


def _count_rated(
    session: Session, event_id: UUID, guests: Sequence[models.Guest] | None = None, *, only_seated: bool
) -> int:
    """Return how many pairs of these guests, or of all of them, are rated."""
    if not queries.has_matrix(session, event_id):
        return queries.count_rated(session, event_id, only_seated=only_seated)
    read_all = guest_queries.seated_names_of if only_seated else guest_queries.named_guests
    ids = [guest.id for guest in guests or read_all(session, event_id)]
    return sum(count_by_guest(session, event_id, ids, only_seated=only_seated).values()) // 2


def count_by_guest(
    session: Session, event_id: UUID, guest_ids: Sequence[UUID], *, only_seated: bool = False
) -> dict[UUID, int]:
    """Return with how many of the others each of the guests (all present ones, or those to be seated) is rated."""
    head = queries.matrix_head(session, event_id)
    if head is None:
        counted = queries.count_pairs(session, event_id, only_seated=only_seated)
        return {guest_id: counted.get(guest_id, 0) for guest_id in guest_ids}
    if has_gaps(head.start):
        known = ~np.isnan(known_values(session, event_id, guest_ids))
        return dict(zip(guest_ids, known.sum(axis=1).tolist(), strict=True))
    uploaded = head.guest_ids.intersection(guest_ids)
    counts = {guest_id: len(uploaded) - 1 if guest_id in uploaded else 0 for guest_id in guest_ids}
    for a, b in queries.rated_pairs(session, event_id, only_seated=only_seated):
        if not (a in uploaded and b in uploaded):
            counts[a] += 1
            counts[b] += 1
    return counts


def pairs_among(count: int) -> int:
    """Return how many pairs that many guests make."""
    return count * (count - 1) // 2


def list_ratings(ctx: EventContext, *, limit: int, after: tuple[UUID, UUID] | None = None) -> list[queries.Row]:
    """Return the single ratings between present guests; those of an uploaded matrix are not among them."""
    ctx.require("editor")
    return queries.ratings_page(ctx.session, ctx.event_id, limit=limit, after=after)


def _uploaded(session: Session, event_id: UUID, guests: Sequence[Named]) -> Uploaded | None:
    head = queries.matrix_head(session, event_id)
    if head is None:
        return None
    left_out = [guest.name for guest in guests if guest.id not in head.guest_ids]
    return Uploaded(len(guests) - len(left_out), head.asymmetric, left_out)


def _lay_uploaded(values: FloatArray, uploaded: models.RatingMatrix | None, position: dict[UUID, int]) -> None:
    if uploaded is None:
        return
    ids = [UUID(text) for text in uploaded.guest_ids]
    there = [i for i, guest_id in enumerate(ids) if guest_id in position]
    here = [position[ids[i]] for i in there]
    block = unpack_square(uploaded.values)
    if there == here == list(range(len(values))) and len(block) == len(values):
        values[...] = block  # the usual case, and the quick one
    else:
        values[np.ix_(here, here)] = block[np.ix_(there, there)]
    np.fill_diagonal(values, np.nan)


def _uploaded_pairs(
    session: Session, event_id: UUID, pairs: Sequence[tuple[UUID, UUID]]
) -> tuple[FloatArray, FloatArray]:
    """Return what the uploaded matrix says about the pairs, there and back."""
    there, back = np.full(len(pairs), np.nan), np.full(len(pairs), np.nan)
    matrix = queries.matrix_of(session, event_id)
    if matrix is None:
        return there, back
    place = {UUID(text): number for number, text in enumerate(matrix.guest_ids)}
    cells = [(n, place[a], place[b]) for n, (a, b) in enumerate(pairs) if a in place and b in place and a != b]
    at, rows, columns = np.array(cells, dtype=np.int64).reshape(-1, 3).T
    there[at] = cells_of_square(matrix.values, rows, columns)
    back[at] = cells_of_square(matrix.values, columns, rows)
    return there, back

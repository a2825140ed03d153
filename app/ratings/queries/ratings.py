"""Reads of ratings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import repeat
from uuid import UUID

import numpy as np
from sqlalchemy import LargeBinary, Select, and_, bindparam, exists, func, or_, select, type_coerce, union_all
from sqlalchemy.orm import Session, aliased

from app.db.conditions import is_seated
from app.db.models import Guest, Rating, RatingMatrix
from app.db.once import once
from app.db.types import RawValue, UtcDateTime
from app.solver import FloatArray, IntArray

Row = tuple[UUID, UUID, float]
HEAD_BYTES = 2
INSERT_ROWS = """
INSERT INTO ratings (event_id, guest_a, guest_b, score, updated_at) VALUES (?, ?, ?, ?, ?)
ON CONFLICT (event_id, guest_a, guest_b) DO UPDATE SET score = excluded.score, updated_at = excluded.updated_at
"""
INSERT_ARRAYS = """
INSERT INTO ratings (event_id, updated_at, guest_a, guest_b, score)
SELECT %s, %s, * FROM unnest(%s::uuid[], %s::uuid[], %s::float8[])
ON CONFLICT (event_id, guest_a, guest_b) DO UPDATE SET score = excluded.score, updated_at = excluded.updated_at
"""
AWAY = -1
"""The place of a guest who is not in the list."""
MOST_NAMED = 30  # beyond that many ids it is quicker to read all ratings than to name whose


@dataclass(frozen=True)
class PlacedRatings:
    """Single ratings, one beside the other: who rates whom, by their places in a list of guests, and how."""

    guests: IntArray
    others: IntArray
    scores: FloatArray


@once
def placed_ratings(session: Session, event_id: UUID, guest_ids: tuple[UUID, ...]) -> PlacedRatings:
    """Return the single ratings between these guests; quick where there are tens of thousands."""
    # As the database holds them: to make ids of tens of thousands of texts takes longer than all the rest.
    is_text = session.get_bind().dialect.name == "sqlite"
    place = {guest_id.hex if is_text else guest_id: number for number, guest_id in enumerate(guest_ids)}
    query = _AS_STORED
    if len(guest_ids) <= MOST_NAMED:
        query = query.where(Rating.guest_a.in_(guest_ids), Rating.guest_b.in_(guest_ids))
    session.flush()
    stored = session.connection().execute(query, {"event": event_id})  # a session would look at every row
    rows = stored.all()
    if not rows:
        return PlacedRatings(np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0))
    from_whom, about, entered = zip(*rows, strict=True)
    guests, others = (np.fromiter(map(place.get, ids, repeat(AWAY)), np.int64) for ids in (from_whom, about))
    among = (guests != AWAY) & (others != AWAY)
    return PlacedRatings(guests[among], others[among], np.array(entered, dtype=np.float64)[among])


def ratings_among(session: Session, event_id: UUID, guest_ids: Sequence[UUID]) -> list[Row]:
    """Return the single ratings between these guests as (a, b, score)."""
    placed = placed_ratings(session, event_id, tuple(guest_ids))
    columns = (placed.guests.tolist(), placed.others.tolist(), placed.scores.tolist())
    return [(guest_ids[a], guest_ids[b], score) for a, b, score in zip(*columns, strict=True)]


@once
def rated_pairs(session: Session, event_id: UUID, *, only_seated: bool = False) -> list[tuple[UUID, UUID]]:
    """Return the pairs of present guests with a single rating in either direction, each pair once."""
    query = _SEATED_PAIRS if only_seated else _PRESENT_PAIRS
    return [(a, b) for a, b in session.execute(query, {"event": event_id})]


@once
def count_pairs(session: Session, event_id: UUID, *, only_seated: bool = False) -> dict[UUID, int]:
    """Return in how many of these pairs each guest is, counted by the database; left out are those in none."""
    query = _COUNT_BY_SEATED if only_seated else _COUNT_BY_PRESENT
    return {row[0]: row[1] for row in session.execute(query, {"event": event_id})}


@once
def count_rated(session: Session, event_id: UUID, *, only_seated: bool = False) -> int:
    """Return how many of these pairs there are, counted by the database."""
    return session.scalar(_COUNT_SEATED if only_seated else _COUNT_PRESENT, {"event": event_id}) or 0


def _pairs(*, only_seated: bool) -> Select[UUID, UUID]:
    back = aliased(Rating)
    reverse = exists().where(
        back.event_id == Rating.event_id, back.guest_a == Rating.guest_b, back.guest_b == Rating.guest_a
    )
    away = ~is_seated() if only_seated else Guest.removed_at.is_not(None)
    left_out = select(Guest.id).where(Guest.event_id == bindparam("event"), away)
    return select(Rating.guest_a, Rating.guest_b).where(
        Rating.event_id == bindparam("event"),
        Rating.guest_a.not_in(left_out),
        Rating.guest_b.not_in(left_out),
        or_(Rating.guest_a < Rating.guest_b, ~reverse),
    )


def _count_by_guest(pairs: Select[UUID, UUID]) -> Select[UUID, int]:
    found = pairs.cte()
    ends = union_all(select(found.c.guest_a.label("guest")), select(found.c.guest_b.label("guest"))).subquery()
    return select(ends.c.guest, func.count()).group_by(ends.c.guest)


def ratings_page(session: Session, event_id: UUID, *, limit: int, after: tuple[UUID, UUID] | None = None) -> list[Row]:
    """Return the single ratings between present guests by their key, from behind `after`."""
    query = _PAGE
    if after is not None:
        a, b = after
        query = query.where(or_(Rating.guest_a > a, and_(Rating.guest_a == a, Rating.guest_b > b)))
    return [(a, b, score) for a, b, score in session.execute(query.limit(limit), {"event": event_id})]


def _page() -> Select[UUID, UUID, float]:
    first, second = aliased(Guest), aliased(Guest)
    return (
        select(Rating.guest_a, Rating.guest_b, Rating.score)
        .join(first, and_(first.id == Rating.guest_a, first.removed_at.is_(None)))
        .join(second, and_(second.id == Rating.guest_b, second.removed_at.is_(None)))
        .where(Rating.event_id == bindparam("event"))
        .order_by(Rating.guest_a, Rating.guest_b)
    )


def write_scores(session: Session, event_id: UUID, rows: Sequence[Row], at: datetime) -> None:
    """Insert single ratings or change those that are there, thousands at once.

    Past the statements of SQLAlchemy, which take several times as long as the database for so many rows.
    """
    if not rows:
        return
    connection = session.connection()
    if connection.dialect.name == "postgresql":
        a, b, scores = (list(column) for column in zip(*rows, strict=True))
        connection.exec_driver_sql(INSERT_ARRAYS, (event_id, at, a, b, scores))
        return
    own, written = event_id.hex, UtcDateTime().dialect_impl(connection.dialect).bind_processor(connection.dialect)
    moment = written(at) if written else at
    connection.exec_driver_sql(INSERT_ROWS, [(own, one.hex, other.hex, score, moment) for one, other, score in rows])


@once
def matrix_of(session: Session, event_id: UUID) -> RatingMatrix | None:
    return session.get(RatingMatrix, event_id)


@once
def has_matrix(session: Session, event_id: UUID) -> bool:
    return bool(session.scalar(_HAS_MATRIX, {"event": event_id}))


@dataclass(frozen=True)
class MatrixHead:
    """A summary of an uploaded matrix without reading its values: whom it rates, and its first bytes."""

    guest_ids: frozenset[UUID]
    asymmetric: bool
    start: bytes


@once
def matrix_head(session: Session, event_id: UUID) -> MatrixHead | None:
    """Return what the uploaded matrix is about."""
    row = session.execute(_MATRIX_HEAD, {"event": event_id}).one_or_none()
    return MatrixHead(frozenset(UUID(text) for text in row[0]), row[1], bytes(row[2])) if row else None


# Built once: building a statement takes longer than running it.
_AS_STORED = select(type_coerce(Rating.guest_a, RawValue), type_coerce(Rating.guest_b, RawValue), Rating.score).where(
    Rating.event_id == bindparam("event")
)
_PRESENT_PAIRS, _SEATED_PAIRS = _pairs(only_seated=False), _pairs(only_seated=True)
_COUNT_BY_PRESENT, _COUNT_BY_SEATED = _count_by_guest(_PRESENT_PAIRS), _count_by_guest(_SEATED_PAIRS)
_COUNT_PRESENT = select(func.count()).select_from(_PRESENT_PAIRS.subquery())
_COUNT_SEATED = select(func.count()).select_from(_SEATED_PAIRS.subquery())
_PAGE = _page()
_HAS_MATRIX = select(exists().where(RatingMatrix.event_id == bindparam("event")))
_MATRIX_HEAD = select(
    RatingMatrix.guest_ids,
    RatingMatrix.asymmetric,
    func.substr(RatingMatrix.values, 1, HEAD_BYTES, type_=LargeBinary),
).where(RatingMatrix.event_id == bindparam("event"))

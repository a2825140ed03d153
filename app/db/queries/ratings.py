"""Reads of ratings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from sqlalchemy import LargeBinary, Select, and_, exists, func, or_, select, type_coerce, union_all
from sqlalchemy.orm import Session, aliased

from app.db.models import Guest, Rating, RatingMatrix
from app.db.once import once
from app.db.queries.guests import is_seated
from app.db.types import Held, UtcDateTime

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
MOST_NAMED = 30  # beyond that many ids it is quicker to read all ratings than to name whose


def ratings_among(session: Session, event_id: UUID, guest_ids: tuple[UUID, ...]) -> list[Row]:
    """Return the single ratings between these guests as (a, b, score)."""
    query = select(Rating.guest_a, Rating.guest_b, Rating.score).where(Rating.event_id == event_id)
    if len(guest_ids) <= MOST_NAMED:
        query = query.where(Rating.guest_a.in_(guest_ids), Rating.guest_b.in_(guest_ids))
    wanted = set(guest_ids)
    return [(a, b, score) for a, b, score in session.execute(query) if a in wanted and b in wanted]


@once
def placed_ratings(session: Session, event_id: UUID, guest_ids: tuple[UUID, ...]) -> list[tuple[int, int, float]]:
    """Return the single ratings between these guests by their places in the list; quick where there are thousands."""
    # As the database holds them: to make ids of tens of thousands of texts takes longer than all the rest.
    is_text = session.get_bind().dialect.name == "sqlite"
    place = {guest_id.hex if is_text else guest_id: number for number, guest_id in enumerate(guest_ids)}
    a, b = (type_coerce(column, Held) for column in (Rating.guest_a, Rating.guest_b))
    query = select(a, b, Rating.score).where(Rating.event_id == event_id)
    if len(guest_ids) <= MOST_NAMED:
        query = query.where(Rating.guest_a.in_(guest_ids), Rating.guest_b.in_(guest_ids))
    rows = ((place.get(one), place.get(other), score) for one, other, score in session.execute(query))
    return [(one, other, score) for one, other, score in rows if one is not None and other is not None]


@once
def rated_pairs(session: Session, event_id: UUID, *, only_seated: bool = False) -> list[tuple[UUID, UUID]]:
    """Return the pairs of present guests with a single rating in either direction, each pair once."""
    return [(a, b) for a, b in session.execute(_pairs(event_id, only_seated=only_seated))]


@once
def count_pairs(session: Session, event_id: UUID, *, only_seated: bool = False) -> dict[UUID, int]:
    """Return in how many of these pairs each guest is, counted by the database; left out are those in none."""
    pairs = _pairs(event_id, only_seated=only_seated).cte()
    ends = union_all(select(pairs.c.guest_a.label("guest")), select(pairs.c.guest_b.label("guest"))).subquery()
    return {row[0]: row[1] for row in session.execute(select(ends.c.guest, func.count()).group_by(ends.c.guest))}


@once
def count_rated(session: Session, event_id: UUID, *, only_seated: bool = False) -> int:
    """Return how many of these pairs there are, counted by the database."""
    pairs = _pairs(event_id, only_seated=only_seated).subquery()
    return session.scalar(select(func.count()).select_from(pairs)) or 0


def _pairs(event_id: UUID, *, only_seated: bool) -> Select[UUID, UUID]:
    back = aliased(Rating)
    reverse = exists().where(
        back.event_id == Rating.event_id, back.guest_a == Rating.guest_b, back.guest_b == Rating.guest_a
    )
    away = ~is_seated() if only_seated else Guest.removed_at.is_not(None)
    left_out = select(Guest.id).where(Guest.event_id == event_id, away)
    return select(Rating.guest_a, Rating.guest_b).where(
        Rating.event_id == event_id,
        Rating.guest_a.not_in(left_out),
        Rating.guest_b.not_in(left_out),
        or_(Rating.guest_a < Rating.guest_b, ~reverse),
    )


def ratings_page(
    session: Session, event_id: UUID, *, limit: int, after: tuple[UUID, UUID] | None = None
) -> Sequence[Rating]:
    """Return the single ratings between present guests by their key, from behind `after`."""
    query = _between_present(select(Rating).where(Rating.event_id == event_id))
    if after is not None:
        a, b = after
        query = query.where(or_(Rating.guest_a > a, and_(Rating.guest_a == a, Rating.guest_b > b)))
    return session.scalars(query.order_by(Rating.guest_a, Rating.guest_b).limit(limit)).all()


def _between_present(query: Select[Rating]) -> Select[Rating]:
    first, second = aliased(Guest), aliased(Guest)
    return query.join(first, and_(first.id == Rating.guest_a, first.removed_at.is_(None))).join(
        second, and_(second.id == Rating.guest_b, second.removed_at.is_(None))
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
    """Return the uploaded matrix."""
    return session.get(RatingMatrix, event_id)


@once
def has_matrix(session: Session, event_id: UUID) -> bool:
    """Tell whether a matrix was uploaded."""
    return bool(session.scalar(select(exists().where(RatingMatrix.event_id == event_id))))


@dataclass(frozen=True)
class MatrixHead:
    """What is told about an uploaded matrix without reading its values: whom it rates, and its first bytes."""

    guest_ids: frozenset[UUID]
    asymmetric: bool
    start: bytes


@once
def matrix_head(session: Session, event_id: UUID) -> MatrixHead | None:
    """Return what the uploaded matrix is about."""
    start = func.substr(RatingMatrix.values, 1, HEAD_BYTES, type_=LargeBinary)
    query = select(RatingMatrix.guest_ids, RatingMatrix.asymmetric, start).where(RatingMatrix.event_id == event_id)
    row = session.execute(query).one_or_none()
    return MatrixHead(frozenset(UUID(text) for text in row[0]), row[1], bytes(row[2])) if row else None

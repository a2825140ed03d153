"""The ratings of an event as one matrix."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

import numpy as np
from sqlalchemy.orm import Session

from app.db import models
from app.db.queries import ratings as queries
from app.formats.arrays import unpack_square
from app.solver.problem import FloatArray, IntArray


def directed_matrix(session: Session, event: models.Event, guests: Sequence[models.Guest]) -> FloatArray:
    """Return how each guest (row) rates each other (column), NaN where unrated; single ratings win over uploaded."""
    position = {guest.id: i for i, guest in enumerate(guests)}
    matrix = np.full((len(guests), len(guests)), np.nan)
    _lay_uploaded(matrix, queries.matrix_of(session, event.id), position)
    rows = [row for row in queries.ratings_of(session, event.id) if row[0] in position and row[1] in position]
    a = _positions([row[0] for row in rows], position)
    b = _positions([row[1] for row in rows], position)
    scores = np.array([row[2] for row in rows], dtype=np.float64)
    # A single rating replaces both directions of the uploaded pair; the other direction keeps a row of its own.
    matrix[b, a] = scores
    matrix[a, b] = scores
    return matrix


def _lay_uploaded(matrix: FloatArray, uploaded: models.RatingMatrix | None, position: dict[UUID, int]) -> None:
    if uploaded is None:
        return
    ids = [UUID(text) for text in uploaded.guest_ids]
    there = np.array([i for i, guest_id in enumerate(ids) if guest_id in position], dtype=np.int64)
    here = _positions([ids[i] for i in there], position)
    matrix[np.ix_(here, here)] = unpack_square(uploaded.values)[np.ix_(there, there)]
    np.fill_diagonal(matrix, np.nan)


def _positions(ids: Sequence[UUID], position: dict[UUID, int]) -> IntArray:
    return np.array([position[guest_id] for guest_id in ids], dtype=np.int64)

"""What is known about single pairs of guests, read by cells: memory grows with the pairs, not with all guests."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

import numpy as np
from sqlalchemy.orm import Session

from app.files.matrices.arrays import cells_of_square
from app.ratings.queries import ratings as queries
from app.solver import FloatArray


def known_pairs(session: Session, event_id: UUID, pairs: Sequence[tuple[UUID, UUID]]) -> FloatArray:
    """Return what is known about each pair, both directions averaged; NaN where nothing is."""
    if not pairs:
        return np.empty(0)
    there, back = _uploaded(session, event_id, pairs)
    single = _single_ratings(session, event_id, pairs)
    for number, (a, b) in enumerate(pairs if single else ()):
        # A single rating counts in both directions unless the other one has a rating of its own.
        one, other = single.get((a, b)), single.get((b, a))
        if one is not None or other is not None:
            there[number] = one if one is not None else other
            back[number] = other if other is not None else one
    return np.asarray((np.where(np.isnan(there), back, there) + np.where(np.isnan(back), there, back)) / 2)


def _single_ratings(
    session: Session, event_id: UUID, pairs: Sequence[tuple[UUID, UUID]]
) -> dict[tuple[UUID, UUID], float]:
    ids = tuple(dict.fromkeys(guest for pair in pairs for guest in pair))
    wanted = {*pairs, *((b, a) for a, b in pairs)}
    rows = ((ids[a], ids[b], score) for a, b, score in queries.placed_ratings(session, event_id, ids))
    return {(a, b): score for a, b, score in rows if (a, b) in wanted}


def _uploaded(session: Session, event_id: UUID, pairs: Sequence[tuple[UUID, UUID]]) -> tuple[FloatArray, FloatArray]:
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

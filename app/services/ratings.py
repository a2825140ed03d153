"""Ratings: how well pairs of guests get along, from single ratings and an uploaded matrix."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from sqlalchemy.orm import Session

from app.db import models
from app.db.queries import ratings as queries
from app.services.matrices import directed_matrix
from app.solver.problem import FloatArray


def value_matrix(session: Session, event: models.Event, guests: Sequence[models.Guest]) -> FloatArray:
    """Return what the solver works on: n × n, both directions averaged, nothing on the diagonal.

    An unrated pair gets 0 among scores and the mean of the known distances among distances.
    """
    values = directed_matrix(session, event, guests)
    np.copyto(values, values.T.copy(), where=np.isnan(values))  # rated in one direction only
    values += values.T.copy()
    values *= 0.5
    unrated = np.isnan(values)
    values[unrated] = _unrated_value(event.kind, values, unrated)
    np.fill_diagonal(values, 0.0)
    return values


def _unrated_value(kind: str, values: FloatArray, unrated: NDArray[np.bool_]) -> float:
    known = values[~unrated]
    return float(known.mean()) if kind == "distance" and known.size else 0.0


def count_rated_pairs(session: Session, event: models.Event, guests: Sequence[models.Guest]) -> tuple[int, int]:
    """Return how many pairs of the guests are rated, and how many pairs there are."""
    present = {guest.id for guest in guests}
    uploaded = present & set(queries.matrix_guests(session, event.id))
    singles = {(min(a, b), max(a, b)) for a, b, _ in queries.ratings_of(session, event.id)}
    beside = sum(a in present and b in present and not (a in uploaded and b in uploaded) for a, b in singles)
    return pairs_among(len(uploaded)) + beside, pairs_among(len(present))


def pairs_among(count: int) -> int:
    """Return how many pairs that many guests make."""
    return count * (count - 1) // 2

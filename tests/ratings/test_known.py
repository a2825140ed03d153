"""How single ratings and an uploaded matrix become the one matrix that the solver reads."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from sqlalchemy.orm import Session

from app.accounts.actor import Actor
from app.db.models import Event, Guest, Rating, RatingMatrix
from app.files.matrices.arrays import has_gaps, pack_square, unpack_square
from app.ratings.known import count_rated_pairs
from app.ratings.values import pair_values
from tests.rating_helpers import make_event


def rate(session: Session, event: Event, a: Guest, b: Guest, score: float) -> None:
    session.add(Rating(event_id=event.id, guest_a=a.id, guest_b=b.id, score=score))
    session.flush()


def upload(session: Session, event: Event, guests: Sequence[Guest], values: list[list[float]]) -> None:
    ids = [str(guest.id) for guest in guests]
    packed = pack_square(np.array(values, dtype=np.float64))
    session.add(RatingMatrix(event_id=event.id, guest_ids=ids, values=packed, asymmetric=True))
    session.flush()


def test_directions_are_averaged_and_unrated_scores_are_zero(session: Session, owner: Actor) -> None:
    event, guests = make_event(session, owner, "Aino Olli Sari")
    rate(session, event, guests[0], guests[1], 2)
    rate(session, event, guests[1], guests[0], -1)
    rate(session, event, guests[2], guests[0], 1.5)
    values = pair_values(session, event, guests).values
    assert values.tolist() == [[0, 0.5, 1.5], [0.5, 0, 0], [1.5, 0, 0]]
    assert count_rated_pairs(session, event, guests) == (2, 3)


def test_unrated_distance_is_the_mean_of_the_known_ones(session: Session, owner: Actor) -> None:
    event, guests = make_event(session, owner, "Aino Olli Sari", kind="distance")
    rate(session, event, guests[0], guests[1], 2)
    rate(session, event, guests[1], guests[2], 5)
    assert pair_values(session, event, guests).values.tolist() == [[0, 2, 3.5], [2, 0, 5], [3.5, 5, 0]]


def test_event_without_ratings_has_zeros(session: Session, owner: Actor) -> None:
    for kind in ("score", "distance"):
        event, guests = make_event(session, owner, "Aino Olli", kind)
        assert pair_values(session, event, guests).values.tolist() == [[0, 0], [0, 0]]
        assert pair_values(session, event, []).values.shape == (0, 0)
        assert count_rated_pairs(session, event, guests) == (0, 1)


def test_single_rating_overrides_both_directions_of_the_matrix(session: Session, owner: Actor) -> None:
    event, guests = make_event(session, owner, "Aino Olli Sari")
    upload(session, event, guests, [[9, 50, 1], [40, 9, 0], [3, 0, 9]])
    assert pair_values(session, event, guests).values.tolist() == [[0, 45, 2], [45, 0, 0], [2, 0, 0]]
    rate(session, event, guests[1], guests[0], -2)
    assert pair_values(session, event, guests).values.tolist() == [[0, -2, 2], [-2, 0, 0], [2, 0, 0]]
    assert count_rated_pairs(session, event, guests) == (3, 3)


def test_matrix_follows_its_guests_whatever_their_order(session: Session, owner: Actor) -> None:
    event, guests = make_event(session, owner, "Aino Olli Sari New")
    upload(session, event, guests[:3], [[0, 1, 2], [1, 0, 3], [2, 3, 0]])
    sari, new, aino = guests[2], guests[3], guests[0]
    assert pair_values(session, event, [sari, new, aino]).values.tolist() == [[0, 0, 2], [0, 0, 0], [2, 0, 0]]
    assert count_rated_pairs(session, event, [sari, new, aino]) == (1, 3)
    rate(session, event, new, aino, 2)
    assert count_rated_pairs(session, event, [sari, new, aino]) == (2, 3)


@pytest.mark.parametrize("scale", [1, 50, 40_000, 0.1, 1 / 3])
@pytest.mark.parametrize("size", [1, 2, 3, 40])
def test_packed_matrix_comes_back_exactly(size: int, scale: float) -> None:
    matrix = np.random.default_rng(size).integers(-2, 3, (size, size)).astype(float) * scale
    symmetric = np.triu(matrix, 1) + np.triu(matrix, 1).T
    gappy = symmetric.copy()
    gappy[0, -1] = gappy[-1, 0] = np.nan if size > 1 else 0
    for values in (matrix, symmetric, gappy):
        packed = pack_square(values)
        assert np.array_equal(unpack_square(packed), values, equal_nan=True)
        assert has_gaps(packed) == bool(np.isnan(values).any())

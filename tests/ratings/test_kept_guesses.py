"""Guesses that are kept: the same as when they are made, and others as soon as anything about them changes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from app.ratings.pair_values import MOST_KEPT, CachedGuesses, PairValues
from app.solver import Known, as_known


def made_from(known: Known) -> PairValues:
    count = known.guests
    return PairValues(np.zeros((count, count)), np.zeros((count, count), dtype=np.int8), np.zeros((count, count)))


@pytest.fixture
def known() -> Known:
    """Four guests, two rated pairs, one group and one party."""
    groups = np.array([[True], [True], [False], [False]])
    return as_known(4, np.array([[0, 1], [1, 2]]), np.array([1.0, -1.0]), groups, np.array([[0.5]]), [[2, 3]], [(0, 3)])


def changes(known: Known) -> list[Known]:
    return [
        replace(known, pairs=np.array([[0, 1], [1, 3]])),
        replace(known, values=np.array([1.0, -2.0])),
        replace(known, groups=~known.groups),
        replace(known, group_defaults=np.array([[np.nan]])),
        replace(known, parties=()),
        replace(known, wishes=None),
    ]


def test_same_knowledge_gives_the_same_values(known: Known) -> None:
    kept = CachedGuesses()
    first = kept.get(known, ("Family",), False, lambda: made_from(known))
    assert kept.get(replace(known), ("Family",), False, lambda: made_from(known)) is first
    with pytest.raises(ValueError, match="read-only"):
        first.values[0, 1] = 2.0


def test_any_change_gives_other_values(known: Known) -> None:
    kept = CachedGuesses()
    first = kept.get(known, ("Family",), False, lambda: made_from(known))
    assert kept.get(known, ("Work",), False, lambda: made_from(known)) is not first
    assert kept.get(known, ("Family",), True, lambda: made_from(known)) is not first
    for other in changes(known):
        assert kept.get(other, ("Family",), False, lambda: made_from(known)) is not first


def test_oldest_are_forgotten(known: Known) -> None:
    kept = CachedGuesses()
    first = kept.get(known, ("0",), False, lambda: made_from(known))
    for number in range(1, MOST_KEPT + 1):
        kept.get(known, (str(number),), False, lambda: made_from(known))
    assert kept.get(known, ("0",), False, lambda: made_from(known)) is not first

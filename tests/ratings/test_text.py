"""Where an unrated pair's value comes from, in words and without figures about it."""

from __future__ import annotations

import numpy as np
import pytest

from app.ratings.pair_values import PairValues
from app.ratings.text import value_text
from app.solver import Source


@pytest.mark.parametrize(
    ("source", "value", "uncertainty", "words"),
    [
        (Source.RATING, 1.0, 0.0, ""),
        (Source.WISH, 1.0, 0.0, "+1 · their wish"),
        (Source.PARTY, 2.0, 0.0, "+2 · same household"),
        (Source.GROUP, 1.0, 0.0, "+1 · from groups"),
        (Source.GUESS, 0.8, 0.9, "get along · probably"),
        (Source.GUESS, -1.7, 0.9, "keep away · probably"),
        (Source.GUESS, 2.6, 0.5, "close · probably"),
        (Source.GUESS, 0.1, 1.2, "neutral · perhaps"),
        (Source.NOTHING, 0.0, 0.0, ""),
    ],
)
def test_source_of_a_value_is_told_in_words(source: Source, value: float, uncertainty: float, words: str) -> None:
    pair = np.full((2, 2), value)
    worth = PairValues(pair, np.full((2, 2), source, dtype=np.int8), np.full((2, 2), uncertainty))
    assert value_text(worth, 0, 1) == words

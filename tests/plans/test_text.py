"""A gain too small to show is no change, in words, in a seat and among the suggestions."""

from __future__ import annotations

from uuid import uuid4

import pytest

from app.plans.moves.effect_wording import gain_words, is_better
from app.plans.moves.options import Option
from app.plans.views.text import gain_sign


@pytest.mark.parametrize(
    ("gain", "value", "words", "sign", "better"),
    [
        (0.25, 1.0, "much better", ("++", "good"), True),
        (-0.016, 1.0, "worse", ("−", "warn"), False),
        (0.0005, 1.0, "slightly better", ("+", "good"), True),
        (0.0004, 1.0, "no change", ("0", "soft"), False),
        (-0.0004, 1.0, "no change", ("0", "soft"), False),
        (0.0, 1.0, "no change", ("0", "soft"), False),
        (0.04, 0.0, "no change", ("0", "soft"), False),
        (2.0, 0.0, "better", ("+", "good"), True),
    ],
)
def test_gain_is_told_unless_it_rounds_to_nothing(
    gain: float, value: float, words: str, sign: tuple[str, str], better: bool
) -> None:
    option = Option(uuid4(), "Birch", None, "", gain, None)
    assert (gain_words(gain, value), gain_sign(option, value), is_better(gain, value)) == (words, sign, better)

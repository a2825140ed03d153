"""What a change does to a plan, in words."""

from __future__ import annotations

from typing import Literal

Tone = Literal["better", "same", "worse", "breaks", "blocked"]
SMALLEST_SHOWN = 0.05  # less is 0.0 when it is rounded


def gain_words(gain: float | None, value: float | None) -> str:
    """Say what a change does to a plan of that value."""
    if gain is None:
        return ""
    amount = amount_of(gain, value)
    return f"{amount} {'better' if gain > 0 else 'worse'}" if amount else "no change"


def is_better(gain: float | None, value: float | None) -> bool:
    """Tell whether a change makes a plan of that value better by enough to show."""
    return gain is not None and gain > 0 and bool(amount_of(gain, value))


def tone_of(gain: float | None, value: float | None) -> Tone:
    """Tell whether a change makes a plan of that value better or worse by enough to show."""
    if gain is None or not amount_of(gain, value):
        return "same"
    return "better" if gain > 0 else "worse"


def amount_of(gain: float, value: float | None) -> str:
    """Return a gain in per cent, or as it is where there is no value to compare with; nothing if it rounds to 0."""
    share = 100 * abs(gain / value) if value else abs(gain)
    if share < SMALLEST_SHOWN:
        return ""
    return f"{_brief(share)}%" if value else _brief(share)


def _brief(number: float) -> str:
    return f"{number:,.0f}" if number >= 9.95 else f"{number:.1f}"

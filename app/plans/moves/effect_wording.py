"""What a change does to a plan, in words."""

from __future__ import annotations

from typing import Literal

Tone = Literal["better", "same", "worse", "breaks", "blocked"]
SMALLEST_SHOWN = 0.05  # per cent of the objective; less counts as no change
SLIGHT, MUCH = 1.0, 5.0  # per cent of the objective


def gain_words(gain: float | None, value: float | None) -> str:
    """Return whether a change makes a plan of that value better: `slightly better`, `worse`, `no change`."""
    tone = tone_of(gain, value)
    return "" if gain is None else "no change" if tone == "same" else f"{_how_much(gain, value)}{tone}"


def gain_sign(gain: float, value: float | None) -> str:
    """Return what stands in a seat: one or two signs, because how many per cent it is says nothing to people."""
    tone = tone_of(gain, value)
    if tone == "same":
        return "0"
    return ("+" if tone == "better" else "−") * (2 if _share(gain, value) >= MUCH else 1)


def is_better(gain: float | None, value: float | None) -> bool:
    """Return whether a change makes a plan of that value better by enough to show."""
    return tone_of(gain, value) == "better"


def tone_of(gain: float | None, value: float | None) -> Tone:
    """Return whether a change makes a plan of that value better or worse by enough to show."""
    if gain is None or _share(gain, value) < SMALLEST_SHOWN:
        return "same"
    return "better" if gain > 0 else "worse"


def comparison_words(share: float, *, is_worse: bool) -> str:
    """Say how a plan compares with another, from the difference in per cent."""
    how = "slightly " if share < SLIGHT else "much " if share >= MUCH else ""
    return f"{how}{'worse' if is_worse else 'better'}"


def _how_much(gain: float, value: float | None) -> str:
    share = _share(gain, value)
    return "slightly " if share < SLIGHT else "much " if share >= MUCH else ""


def _share(gain: float, value: float | None) -> float:
    """Return a gain in per cent of the value, or as it is where there is none to compare with."""
    return 100 * abs(gain / value) if value else abs(gain)

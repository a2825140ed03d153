"""Measurements of single requests, and their text in a table."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

PERCENTILES = (50, 95, 99)


@dataclass(frozen=True, slots=True)
class Sample:
    """One request: its kind, the seconds from when it was due, and the outcome."""

    kind: str
    seconds: float
    outcome: str
    is_good: bool


def percentile(samples: Sequence[Sample], per_cent: float) -> float:
    """Return the seconds within which that share of the requests was answered."""
    if not samples:
        return math.nan
    ordered = sorted(sample.seconds for sample in samples)
    return ordered[min(len(ordered) - 1, math.ceil(len(ordered) * per_cent / 100) - 1)]


def slowest(samples: Iterable[Sample]) -> float:
    """Return the seconds of the slowest request."""
    return max((sample.seconds for sample in samples), default=math.nan)


def count_bad(samples: Iterable[Sample]) -> int:
    """Count the requests that failed."""
    return sum(not sample.is_good for sample in samples)


def outcomes(samples: Iterable[Sample]) -> str:
    """Return how often each outcome occurred, such as `480 × 200, 20 × 503`."""
    counted = Counter(sample.outcome for sample in samples)
    return ", ".join(f"{number} × {name}" for name, number in counted.most_common())


def milliseconds(seconds: float) -> str:
    """Write seconds as milliseconds."""
    return "–" if math.isnan(seconds) else f"{1000 * seconds:,.0f} ms"


def judged(text: object, passed: bool) -> str:
    """Add pass or miss to a figure."""
    return f"{text}, {'pass' if passed else '**miss**'}"

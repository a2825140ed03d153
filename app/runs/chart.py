"""The course of the best value of a run, as a line of stairs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from app.web.html.filters import figure

VALUES = {"average": "mean squared distance", "total": "total score"}
Point = tuple[float, float]


@dataclass(frozen=True)
class ChartWords:
    """The course of the best value: points from 0 to 1, and the words at the ends of the axes."""

    points: tuple[Point, ...] = ()
    top: str = ""
    bottom: str = ""
    right: str = ""
    summary: str = ""


def draw_course(history: Sequence[Point], seconds: float, objective: str) -> ChartWords:
    """Draw the best value from the start to the end of a run; `history` is when which value was found."""
    if not history:
        return ChartWords()
    values = [value for _, value in history]
    lowest, highest, end = min(values), max(values), max(seconds, history[-1][0], 1e-9)
    summary = f"The {VALUES[objective]} of the best plan so far: from {figure(values[0], 3)} to {figure(values[-1], 3)}"
    points = _stairs(history, end, lowest, highest)
    return ChartWords(points, figure(highest, 3), figure(lowest, 3), f"{end:.1f} s", summary)


def _stairs(history: Sequence[Point], end: float, lowest: float, highest: float) -> tuple[Point, ...]:
    height = (highest - lowest) or 1.0
    points: list[Point] = []
    for seconds, value in history:
        x, y = round(seconds / end, 4), round((value - lowest) / height, 4)
        if points:
            points.append((x, points[-1][1]))
        points.append((x, y))
    return (*points, (1.0, points[-1][1]))

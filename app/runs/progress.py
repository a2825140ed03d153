"""What is told of a run on its way, and how the reports of its shards become one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

MOST_POINTS = 200
Point = tuple[float, float]


def merge_reports(reports: Sequence[dict[str, Any] | None], *, restarts: int, objective: str) -> dict[str, Any] | None:
    """Return one report for all shards: restarts add up, the best value counts, the longest rest is what is left."""
    told = [report for report in reports if report is not None]
    if not told:
        return None
    lefts = [report["seconds_left"] for report in told if report["seconds_left"] is not None]
    history = merge_histories((report["history"] for report in told), objective)
    return {
        "stage": "search" if any(report["stage"] == "search" for report in told) else told[-1]["stage"],
        "restarts_done": sum(report["restarts_done"] for report in told),
        "restarts": restarts,
        "best": history[-1][1] if history else None,
        "seconds": max(report["seconds"] for report in told),
        "seconds_left": max(lefts) if lefts else None,
        "history": [list(point) for point in history],
    }


def merge_histories(histories: Iterable[Iterable[Sequence[float]]], objective: str) -> list[Point]:
    """Return the course of the best value of all, as if the shards had begun together."""
    sign = 1.0 if objective == "total" else -1.0
    merged: list[Point] = []
    for seconds, value in sorted((float(s), float(v)) for history in histories for s, v in history):
        if not merged or sign * (value - merged[-1][1]) > 0:
            merged.append((seconds, value))
    return thin(merged)


def thin(points: list[Point]) -> list[Point]:
    """Leave out every other point, but never the last, until few enough are left."""
    while len(points) > MOST_POINTS:
        points = [*points[:-1:2], points[-1]]
    return points

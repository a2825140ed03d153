"""The progress of a run, its stages in words, and how the reports of its shards become one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any

MOST_POINTS = 200
MOST_SHOWN = 500
"""Seats that the page of a run shows while it is under way."""
Point = tuple[float, float]
PREPARING = "prepare"
"""The stage of a run that waits until the solver is compiled: `parts_ready` of its `parts` are."""
STAGES = {
    PREPARING: "Preparing the solver",
    "check": "Checking the rules",
    "compile": "Getting ready",
    "embed": "Mapping who gets along",
    "k-means": "Trying tables",
    "search": "Swapping guests",
    "few moves": "Moving as few guests as possible",
    "prove": "Checking for a better plan",
    "bound": "Checking how much better a plan could be",
    "seats": "Choosing seats",
    "map": "Drawing the map",
    "compare": "Comparing good plans",
}


@dataclass(frozen=True)
class RunProgress:
    """How far a run is, as it is stored and shown; `history` holds (seconds, best) whenever the best value changed.

    The best value is that of the objective, or of several rounds how many pairs meet; where repeats are spread there is
    none, because fewer may meet in a better plan.
    While the run waits for the solver to be prepared, `parts_ready` of `parts` are compiled.
    """

    stage: str
    restarts_done: int
    restarts: int
    best: float | None
    seconds: float
    seconds_left: float | None
    history: tuple[Point, ...]
    parts_ready: int = 0
    parts: int = 0

    def to_stored(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_stored(cls, stored: Mapping[str, Any] | None) -> RunProgress | None:
        """Read the progress back; None where nothing was reported yet."""
        if stored is None:
            return None
        history = tuple((float(seconds), float(value)) for seconds, value in stored["history"])
        return cls(
            **{field.name: stored[field.name] for field in fields(cls) if field.name in stored} | {"history": history}
        )


@dataclass(frozen=True)
class SeatedProgress(RunProgress):
    """The same with the table of each guest in the best plan so far, for the page of the run, round after round.

    Both are given by their places in the problem: names can be erased, and are stored once. `well_seated` is how many
    of them sit with someone they like, where that is known.
    """

    seating: tuple[int, ...] = ()
    well_seated: int | None = None


def rounds_shown(guests: int) -> int:
    """Return how many rounds the page of a run shows at most."""
    return max(MOST_SHOWN // max(guests, 1), 1)


def merge_reports(reports: Sequence[RunProgress | None], *, restarts: int, objective: str) -> RunProgress | None:
    """Return one report for all shards: restarts add up, the best value counts, the longest rest is what is left."""
    known = [report for report in reports if report is not None]
    if not known:
        return None
    lefts = [report.seconds_left for report in known if report.seconds_left is not None]
    history = merge_histories((report.history for report in known), objective)
    return RunProgress(
        stage="search" if any(report.stage == "search" for report in known) else known[-1].stage,
        restarts_done=sum(report.restarts_done for report in known),
        restarts=restarts,
        best=history[-1][1] if history else None,
        seconds=max(report.seconds for report in known),
        seconds_left=max(lefts) if lefts else None,
        history=tuple(history),
    )


def merge_histories(histories: Iterable[Iterable[Point]], objective: str) -> list[Point]:
    """Return the course of the best value of all, as if the shards had begun together."""
    sign = 1.0 if objective == "total" else -1.0
    merged: list[Point] = []
    for seconds, value in sorted(point for history in histories for point in history):
        if not merged or sign * (value - merged[-1][1]) > 0:
            merged.append((seconds, value))
    return thin(merged)


def thin(points: list[Point]) -> list[Point]:
    """Leave out every other point, but never the last, until few enough are left."""
    while len(points) > MOST_POINTS:
        points = [*points[:-1:2], points[-1]]
    return points


def stage_words(stage: str) -> str:
    return STAGES.get(stage, stage.capitalize())

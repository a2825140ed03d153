"""The progress of a run: the newest report and the course of the best value, for the small chart."""

from __future__ import annotations

import math
import threading
from dataclasses import replace

from app.runs.progress import RunProgress, SeatedProgress, thin
from app.solver import Progress, Result
from app.worker.well_seated import CountWellSeated


class Tracker:
    """Takes the solver's reports, at any rate, and gives what is worth storing."""

    def __init__(self) -> None:
        self._latest: Progress | None = None
        self._history: list[tuple[float, float]] = []
        self._seating: tuple[int, ...] = ()
        self.first_plan = threading.Event()
        self.has_plan = False
        self.count_well_seated: CountWellSeated | None = None
        self._counted: tuple[tuple[int, ...], int] | None = None

    def __call__(self, progress: Progress) -> None:
        """Take a report; a stage that has no restarts or values of its own keeps those of the stage before."""
        if self._latest is not None and not progress.restarts:
            progress = replace(progress, restarts=self._latest.restarts, restarts_done=self._latest.restarts_done)
        best = _finite(progress.best)
        if best is not None and (not self._history or self._history[-1][1] != best):
            self._history = thin([*self._history, (round(progress.seconds, 3), best)])
            self.has_plan = True
        if progress.seating is not None:
            self._seating = tuple(progress.seating.tolist())
            self.first_plan.set()
            self.has_plan = True
        self._latest = progress

    def report(self) -> RunProgress | None:
        """Return the newest report, or None before the first one."""
        latest = self._latest
        if latest is None:
            return None
        report = RunProgress(
            stage=latest.stage,
            restarts_done=latest.restarts_done,
            restarts=latest.restarts,
            best=self._history[-1][1] if self._history else None,
            seconds=round(latest.seconds, 3),
            seconds_left=None if latest.seconds_left is None else round(max(latest.seconds_left, 0.0), 3),
            history=tuple(self._history),
        )
        seating = self._seating
        return SeatedProgress(**vars(report), seating=seating, well_seated=self._count(seating)) if seating else report

    def _count(self, seating: tuple[int, ...]) -> int | None:
        """Count who sits well, once for each plan."""
        if self.count_well_seated is None:
            return None
        if self._counted is None or self._counted[0] is not seating:
            self._counted = seating, self.count_well_seated(seating)
        return self._counted[1]


def final_report(result: Result, of_rounds: RunProgress | None = None) -> RunProgress:
    """Return what is stored of a run that is done; of several rounds, their last report has the pairs that meet."""
    value = result.mse if result.objective == "average" else result.total
    steps = [(round(step.seconds, 3), step.value) for step in result.history if math.isfinite(step.value)]
    return RunProgress(
        stage="done",
        restarts_done=result.restarts,
        restarts=result.restarts,
        best=of_rounds.best if of_rounds else _finite(value),
        seconds=round(result.seconds, 3),
        seconds_left=0.0,
        history=of_rounds.history if of_rounds else tuple(thin(steps)),
    )


def _finite(value: float | None) -> float | None:
    return value if value is not None and math.isfinite(value) else None

"""A run in words and figures, for its page; the page and the stream of changes say the same."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from app.runs.chart import ChartWords, draw_course
from app.runs.progress import PREPARING, RunProgress, stage_words
from app.runs.queries import RunRow
from app.sentences import count
from app.web.html.filters import figure

TITLES = {
    "queued": "Waiting to start",
    "running": "Finding the best plan",
    "done": "Plan ready",
    "failed": "Run failed",
    "cancelled": "Cancelled",
}


@dataclass(frozen=True)
class RunWords:
    """What the page of a run says, and whether there is a plan that it could end with."""

    title: str
    text: str
    percent: float | None
    best: str
    chart: ChartWords
    seating: tuple[int, ...] = ()
    can_finish: bool = False

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


def describe_run(run: RunRow) -> RunWords:
    title = _title(run)
    progress = run.progress
    is_preparing = progress is not None and progress.stage == PREPARING
    if progress is None or (is_preparing and run.status != "queued"):
        return RunWords(title, "", None, figure(None), ChartWords())
    if is_preparing:
        share = round(100 * progress.parts_ready / max(progress.parts, 1), 1)
        return RunWords("Preparing the solver", preparing_text(progress), share, figure(None), ChartWords())
    percent = round(100 * _share(progress), 1)
    best, is_asked = figure(progress.best, 3), run.cancel_requested or run.finish_requested
    can_finish = run.has_plan_so_far and run.status == "running" and not is_asked
    if run.options.rounds > 1:
        return RunWords(title, _rounds_text(progress), percent, best, ChartWords(), run.seating, can_finish)
    chart = draw_course(progress.history, progress.seconds, run.options.objective)
    return RunWords(title, _text(progress), percent, best, chart, run.seating, can_finish)


def _title(run: RunRow) -> str:
    if run.cancel_requested and not run.is_over:
        return "Cancelling"
    is_ending = run.finish_requested and run.status == "running"
    return "Ending with the best plan so far" if is_ending else TITLES[run.status]


def preparing_text(progress: RunProgress) -> str:
    """Say how far the solver is that a run waits for."""
    ready = f"{progress.parts_ready} of {count(progress.parts, 'part')} ready"
    return f"Only at the first start, a minute or two: {ready}. Your run starts by itself."


def _share(progress: RunProgress) -> float:
    """Return how much of the work is done, from 0 to 1: by time where an end is in sight, else by restarts."""
    left = progress.seconds_left
    if left is None:
        return float(min(progress.restarts_done / max(progress.restarts, 1), 1.0))
    return float(progress.seconds / max(progress.seconds + left, 1e-9))


def _text(progress: RunProgress) -> str:
    parts = [stage_words(progress.stage)]
    if progress.restarts_done:
        parts.append(f"{progress.restarts_done:,} of {count(progress.restarts, 'attempt')}")
    if progress.seconds_left is not None:
        parts.append(f"about {_seconds(progress.seconds_left)} left")
    return " · ".join(parts)


def _rounds_text(progress: RunProgress) -> str:
    """Say how far a run of several rounds is, and how many pairs meet in the best plan so far."""
    text = _text(progress)
    if progress.best is None:
        return text
    met = f"{count(int(progress.best), 'pair')} {'meets' if int(progress.best) == 1 else 'meet'} so far"
    first, *more = text.split(" · ")
    return " · ".join([first, met, *more])


def _seconds(seconds: float) -> str:
    if seconds < 90:
        return f"{max(round(seconds), 1)} s"
    return f"{round(seconds / 60)} min"

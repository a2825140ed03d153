"""A run in words and figures, for its page; the page and the stream of changes say the same."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from app.runs.chart import ChartWords, draw_course
from app.runs.options import MOST_RESTARTS
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
FEWER = "A better plan can have a lower number"


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
    note: str = ""
    """Why the number that says how good the best plan is may fall."""

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
        return RunWords(title, _rounds_text(progress), percent, best, ChartWords(), run.seating, can_finish, _note(run))
    chart = draw_course(progress.history, progress.seconds, run.options.objective)
    return RunWords(title, _plan_text(run, progress), percent, best, chart, run.seating, can_finish, _note(run))


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
        is_limited = progress.restarts_done <= progress.restarts < MOST_RESTARTS
        made = f"{progress.restarts_done:,} of {count(progress.restarts, 'attempt')}"
        parts.append(made if is_limited else count(progress.restarts_done, "attempt"))
    if progress.seconds_left is not None:
        parts.append(f"about {_seconds(progress.seconds_left)} left")
    return " · ".join(parts)


def _rounds_text(progress: RunProgress) -> str:
    """Say how far a run of several rounds is, and how many pairs meet in the best plan so far."""
    if progress.best is None:
        return _text(progress)
    met = f"{count(int(progress.best), 'pair')} {'meets' if int(progress.best) == 1 else 'meet'} so far"
    return _with_second(_text(progress), met)


def _plan_text(run: RunRow, progress: RunProgress) -> str:
    """Say how far a run is, and how many guests sit well in the best plan so far."""
    if run.well_seated is None:
        return _text(progress)
    guests, verb = len(run.seating), "sits" if run.well_seated == 1 else "sit"
    return _with_second(_text(progress), f"{run.well_seated:,} of {guests:,} {verb} with someone they like so far")


def _note(run: RunRow) -> str:
    """Say why the number that says how good the best plan is may fall while that gets better."""
    if run.options.rounds > 1:
        has_number = run.progress is not None and run.progress.best is not None
        return f"{FEWER}: who meets again and who should keep apart counts too." if has_number else ""
    return "" if run.well_seated is None else f"{FEWER}: how well everyone at a table gets along counts too."


def _with_second(text: str, part: str) -> str:
    first, *more = text.split(" · ")
    return " · ".join([first, part, *more])


def _seconds(seconds: float) -> str:
    if seconds < 90:
        return f"{max(round(seconds), 1)} s"
    return f"{round(seconds / 60)} min"

"""How far a solve is, on a terminal: what it does, the best value so far, and how long it may still take."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from app.runs.progress import stage_words

if TYPE_CHECKING:
    from app.solver import Objective, OnProgress, Progress


def share_done(progress: Progress) -> float | None:
    """Return how much of the time is gone; None where nobody can tell."""
    if progress.seconds_left is None:
        return None
    return progress.seconds / max(progress.seconds + progress.seconds_left, 1e-9)


def time_left(progress: Progress) -> str:
    if progress.seconds_left is None:
        return ""
    return f"at most {math.ceil(progress.seconds_left)} s left" if progress.seconds_left > 0 else "nearly done"


def best_so_far(value: float | None, objective: Objective | None) -> str:
    """Say how good the best plan is; without an objective, as for rounds, how many pairs meet."""
    if value is None:
        return ""
    if objective is None:
        return f"pairs that meet so far: {int(value):,}"
    return f"best {'MSE' if objective == 'average' else 'total'} so far {value:.6g}"


@contextmanager
def show_progress(objective: Objective | None) -> Iterator[OnProgress]:
    """Show a bar on a terminal, and nothing elsewhere."""
    from app.solver import ignore_progress

    if not sys.stderr.isatty():
        yield ignore_progress
        return
    from rich.console import Console
    from rich.progress import BarColumn, TextColumn
    from rich.progress import Progress as Bar

    columns = (TextColumn("{task.description}"), BarColumn(), TextColumn("{task.fields[best]}  {task.fields[left]}"))
    with Bar(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(stage_words("check"), total=1.0, best="", left="")
        found: list[float] = []

        def show(progress: Progress) -> None:
            if progress.best is not None:
                found[:] = [progress.best]  # later stages do not report it again
            bar.update(
                task,
                description=stage_words(progress.stage),
                completed=share_done(progress) or 0.0,
                best=best_so_far(found[0] if found else None, objective),
                left=time_left(progress),
            )

        yield show

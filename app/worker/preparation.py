"""Getting the solver of a worker ready: kernels are loaded from disk, or compiled beside it while runs wait."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from importlib import import_module

import numpy as np
from sqlalchemy.orm import Session

from app.db.session import Sessions, transaction
from app.logs import logger
from app.runs.solver_readiness import forget_preparing, note_preparing
from app.solver import NEEDS, Need, Problem, Table, solve
from app.worker.compilers import Preparation
from app.worker.low_priority import at_low_priority

log = logger(__name__)


def prepare_worker(preparation: Preparation, sessions: Sessions, stopping: threading.Event) -> None:
    """Get the solver of this worker ready in a thread of its own; runs that wait for it say so."""
    args = preparation, sessions, stopping
    threading.Thread(target=prepare, args=args, name="preparation", daemon=True).start()


def prepare(preparation: Preparation, sessions: Sessions, stopping: threading.Event) -> None:
    """Do each step at low priority, and say how far it is at that of pages.

    A thread of low priority that writes would hold the only write lock of SQLite while it waits for a busy processor,
    and with it everyone who saves something.
    """
    began, said = time.monotonic(), -1
    steps = preparation.compile()
    while not at_low_priority(lambda: next(steps, True)):
        if stopping.is_set():
            return
        ready, parts = preparation.count()
        if ready != said:
            log.info("preparing the solver, only at the first start", ready=ready, parts=parts)
            said = ready
        _write(sessions, lambda session: note_preparing(session, _counts(preparation)))
    if said >= 0:
        _write(sessions, forget_preparing)
        log.info("solver ready", seconds=round(time.monotonic() - began, 1))
    at_low_priority(solve_once)


def _counts(preparation: Preparation) -> dict[Need, tuple[int, int]]:
    return {need: preparation.count_for(need) for need in NEEDS}


def _write(sessions: Sessions, write: Callable[[Session], None]) -> None:
    try:
        with transaction(sessions) as session:
            write(session)
    except Exception as error:
        log.warning("could not save that the solver is being prepared", error=type(error).__name__)


def solve_once() -> None:
    """Solve something tiny: modules that are loaded on first use are there when the first run comes."""
    for module in ("scipy.optimize", "scipy.linalg", "scipy.sparse.csgraph"):
        import_module(module)
    scores = np.random.default_rng(1).integers(-2, 3, (8, 8)).astype(float)
    try:
        solve(Problem(scores, (Table(4, 4), Table(4, 3))), restarts=2, time_limit=0.2, seed=1)
    except Exception:
        log.exception("warm-up failed; the first run will be slower")

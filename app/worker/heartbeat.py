"""The thread that keeps a worker's lease while the solver computes."""

from __future__ import annotations

import threading
from collections.abc import Callable

from sqlalchemy.exc import DBAPIError
from sqlalchemy.orm import Session

from app.db.conditions import RunRequest
from app.db.session import Sessions, transaction
from app.logs import logger
from app.runs.progress import RunProgress
from app.worker.progress_tracker import Tracker

BEAT_SECONDS = 0.3
log = logger(__name__)
Renew = Callable[[Session, RunProgress | None], RunRequest | None]
GiveBack = Callable[[Session], bool]


class Heartbeat(threading.Thread):
    """Writes progress and heartbeats, learns what people ask of a run, and gives the lease back when the worker stops.

    A thread of its own, because some steps of a solve take longer than a lease may stay silent.
    """

    def __init__(
        self,
        sessions: Sessions,
        tracker: Tracker,
        *,
        renew: Renew,
        give_back: GiveBack,
        is_stopping: Callable[[], bool],
    ) -> None:
        super().__init__(name="heartbeat", daemon=True)
        self._sessions, self._tracker = sessions, tracker
        self._renew, self._give_back, self._is_stopping = renew, give_back, is_stopping
        self._over = threading.Event()
        self.lost = False
        self.cancelled = False
        self._finishing = False

    def __enter__(self) -> Heartbeat:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        """Stop writing; what is written next comes from the one who held this."""
        self._over.set()
        self._tracker.first_plan.set()
        self.join()

    def should_stop(self) -> bool:
        """Return whether the solver should stop: its result is no longer wanted, or the best plan so far is enough."""
        is_enough = self._finishing and self._tracker.has_plan
        return self.lost or self.cancelled or is_enough or self._is_stopping()

    def run(self) -> None:
        """Beat until the solve is over or the lease is gone."""
        is_failing = False
        self._tracker.first_plan.wait(BEAT_SECONDS)  # whoever waits for the run sees the first plan at once
        while not self.lost and not self._over.is_set():
            try:
                self._beat()
            except DBAPIError as error:
                if not is_failing:  # once, though it is tried several times a second
                    log.warning("could not save run progress, retrying", error=type(error).__name__)
                is_failing = True
            else:
                if is_failing:
                    log.info("saving run progress again")
                is_failing = False
            self._over.wait(BEAT_SECONDS)

    def _beat(self) -> None:
        with transaction(self._sessions) as session:
            if self._is_stopping():
                self._give_back(session)
                request = None
            else:
                request = self._renew(session, self._tracker.report())
        self.lost = request is None
        self.cancelled = request == "cancel"
        self._finishing = request == "finish"

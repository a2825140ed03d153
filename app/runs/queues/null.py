"""The engine that tells nobody: the run's row is the queue, for whoever asks for it."""

from __future__ import annotations

from sqlalchemy.orm import Session

from app.runs.fair_queue import Order


class NullQueue:
    """Leaves every run in its table: for commands that solve a run themselves, and for tests."""

    def submit(self, session: Session, order: Order) -> None:
        """Do nothing more: the row that this transaction writes is the hand-over."""

    def start(self) -> None:
        """Do nothing: workers are started by themselves."""

    def stop(self) -> None:
        """Do nothing: workers go on."""

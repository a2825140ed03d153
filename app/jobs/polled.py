"""The engine for workers that run elsewhere: the run's row is the queue, and they ask for it."""

from __future__ import annotations

from uuid import UUID

from sqlalchemy.orm import Session


class PolledEngine:
    """Leaves every run in its table, where `convive worker` finds it."""

    def submit(self, session: Session, run_id: UUID) -> None:
        """Do nothing more: the row that this transaction writes is the hand-over."""

    def start(self) -> None:
        """Do nothing: workers are started by themselves."""

    def stop(self) -> None:
        """Do nothing: workers go on."""

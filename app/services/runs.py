"""Runs: start, watch, cancel."""

from __future__ import annotations

from typing import Protocol
from uuid import UUID

from sqlalchemy.orm import Session


class Engine(Protocol):
    """What carries a run from the web side to a worker."""

    def submit(self, session: Session, run_id: UUID) -> None:
        """Hand the run over, in the transaction that writes it."""

    def start(self) -> None:
        """Begin to serve."""

    def stop(self) -> None:
        """End; what was handed over stays handed over."""

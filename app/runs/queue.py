"""The engine that carries runs to a worker."""

from __future__ import annotations

from typing import Annotated, Protocol

from fastapi import Request
from sqlalchemy.orm import Session

from app.runs.fair_queue import Order
from app.web.one_hop import InThread


class RunQueue(Protocol):
    """What carries a run from the web side to a worker."""

    def submit(self, session: Session, order: Order) -> None:
        """Hand the run over, in the transaction that writes it."""

    def start(self) -> None:
        """Begin to serve."""

    def stop(self) -> None:
        """End; what was handed over stays handed over."""


def get_queue(request: Request) -> RunQueue:
    """Return the engine that carries runs to a worker."""
    return request.app.state.queue  # type: ignore[no-any-return]  # Starlette's state is untyped


AppQueue = Annotated[RunQueue, InThread(get_queue)]

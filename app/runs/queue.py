"""The engine that carries runs to a worker."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated
from uuid import UUID

from fastapi import Request
from sqlalchemy.orm import Session

from app.web.one_hop import InThread


class RunQueue:
    """What carries a run from the web side to a worker; the base class only leaves it in its row."""

    def submit(self, session: Session, run_id: UUID, turns: Sequence[int]) -> None:
        """Hand the run over, in the transaction that writes it: a turn for each shard, the lowest comes first."""

    def start(self) -> None:
        """Begin to serve."""

    def stop(self) -> None:
        """End; what was handed over stays handed over."""


class NullQueue(RunQueue):
    """Leaves every run in its table: for commands that solve a run themselves, and for tests."""


def get_queue(request: Request) -> RunQueue:
    return request.app.state.queue  # type: ignore[no-any-return]  # Starlette's state is untyped


AppQueue = Annotated[RunQueue, InThread(get_queue)]

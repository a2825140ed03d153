"""How much one account may ask of the workers: runs that wait, and the time of one run."""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from app.accounts.actor import Actor
from app.db.models import Run, User
from app.errors import FieldError, Invalid, TooManyRuns
from app.sentences import count


@dataclass(frozen=True)
class RunLimits:
    """The limits of this installation, for whoever wants to start a run."""

    session: Session
    actor: Actor
    max_waiting: int
    max_seconds: float

    def check(self, time_limit: float | None = None, *, run_id: UUID | None = None) -> None:
        """Refuse a run that may take too long, or one too many; the run of a form that is sent again passes."""
        self._check_time(time_limit)
        if run_id is not None and self.session.scalar(select(Run.id).where(Run.id == run_id)) is not None:
            return
        # Until the end of the transaction: of several that an account starts at once each one counts.
        own = select(User.id).where(User.id == self.actor.user_id)
        self.session.execute(own.with_for_update(key_share=True))
        self._check_waiting()

    def check_early(self, time_limit: float | None = None) -> None:
        """Refuse what `check` will refuse anyway, before the run is prepared; nothing is locked."""
        self._check_time(time_limit)
        self._check_waiting()

    def _check_waiting(self) -> None:
        own = Run.user_id == self.actor.user_id
        waiting = select(func.count(Run.id)).where(own, Run.status == "queued", Run.purpose == "plan")
        if (self.session.scalar(waiting) or 0) >= self.max_waiting:
            raise TooManyRuns(
                f"You already have {count(self.max_waiting, 'run')} waiting. Wait until one starts, or cancel one."
            )

    def _check_time(self, time_limit: float | None) -> None:
        if time_limit is not None and time_limit > self.max_seconds:
            raise Invalid(FieldError("time_limit", f"Maximum {self.max_seconds:,.10g} seconds per run on this server."))

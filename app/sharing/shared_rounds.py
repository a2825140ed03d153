"""Which of several rounds a link or the big screen shows: the one that the address names, or the first."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated
from uuid import UUID

from fastapi import Query
from sqlalchemy.orm import Session

from app.db.models import Plan
from app.plans.queries.rounds import main_of, rounds_of

MOST_DIGITS = 3
AskedRound = Annotated[str, Query(alias="round", max_length=20, description="The number of a round, else the first")]
"""The number of a round in an address; one that there is not means the first, because links outlive rounds."""


@dataclass(frozen=True)
class RoundLinks:
    """The numbers of the rounds and the one that is shown; none of a plan without rounds."""

    shown: int = 0
    numbers: tuple[int, ...] = ()

    @property
    def text(self) -> str:
        """Say which round it is, if there are several."""
        return f"Round {self.shown} of {len(self.numbers)}" if self.numbers else ""


def choose_round(session: Session, plan_id: UUID | None, asked: str) -> tuple[UUID | None, RoundLinks]:
    """Return the plan of a round by its number, and all numbers; of a plan without rounds the plan itself."""
    plan = session.get(Plan, plan_id) if plan_id else None
    if plan is None or not plan.round:
        return plan_id, RoundLinks()
    rounds = {one.number: one.plan_id for one in rounds_of(session, main_of(plan))}
    number = int(asked) if asked.isascii() and asked.isdigit() and len(asked) <= MOST_DIGITS else 0
    shown = number if number in rounds else plan.round
    return rounds.get(shown, plan.id), RoundLinks(shown, tuple(rounds))

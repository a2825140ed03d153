"""Who changes tables from one plan to another: the first few by name, so that a planner can decide."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from itertools import groupby
from uuid import UUID

from sqlalchemy.orm import Session

from app.plans.queries import plans as queries
from app.plans.read import PlanView

MOST_NAMED = 6


@dataclass(frozen=True)
class Mover:
    """A guest who changes tables."""

    name: str
    before: str
    after: str


@dataclass(frozen=True)
class Movers:
    """How many guests change tables, and the first of them."""

    count: int
    named: tuple[Mover, ...]


def movers_from_main(session: Session, view: PlanView) -> Movers | None:
    """Return who sits elsewhere in an alternative than in the plan beside which it stands."""
    main = next((other.id for other in view.alternatives if other.is_main), None)
    return list_movers(session, main, [view.plan.id]).get(view.plan.id) if main else None


def list_movers(session: Session, plan_id: UUID, others: Collection[UUID]) -> dict[UUID, Movers]:
    """Return who sits at another table in each of the other plans than in this one."""
    rows = queries.movers_of(session, plan_id, others, most=MOST_NAMED)
    found = {key: list(of_plan) for key, of_plan in groupby(rows, key=lambda row: row.plan_id)}
    return {
        key: Movers(of_plan[0].movers, tuple(Mover(row.name, row.before, row.after) for row in of_plan))
        for key, of_plan in found.items()
    }

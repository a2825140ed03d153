"""Who changes tables from one plan to another: the first few by name, so that a planner can decide."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from itertools import groupby
from uuid import UUID

from sqlalchemy.orm import Session

from app.plans.queries import plans as queries
from app.plans.read import PlanView
from app.problem.queries import seats as seat_queries

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


@dataclass(frozen=True)
class Differences:
    """Who sits elsewhere: in the plans of a repair than before it, or in other plans than here; and here than in use.

    A plan in which nobody does is left out.
    """

    than_before: Mapping[UUID, Movers] = field(default_factory=dict)
    than_here: Mapping[UUID, Movers] = field(default_factory=dict)
    than_in_use: Movers | None = None


def find_differences(session: Session, view: PlanView) -> Differences:
    """Compare a plan that an editor sees with the plan before it and with the good plans beside it."""
    others = [other.id for other in view.alternatives]
    if not others:
        return Differences()
    main = next((other.id for other in view.alternatives if other.is_main), None)
    maker = seat_queries.maker_of(session, view.plan.run_id)
    before = maker.plan_before if maker else None
    own = view.plan.id
    return Differences(
        than_before=list_movers(session, before, [own, *others]) if before else {},
        than_here={} if before else list_movers(session, own, others),
        than_in_use=list_movers(session, main, [own]).get(own) if main else None,
    )


def list_movers(session: Session, plan_id: UUID, others: Collection[UUID]) -> dict[UUID, Movers]:
    """Return who sits at another table in each of the other plans than in this one."""
    rows = queries.movers_of(session, plan_id, others, most=MOST_NAMED)
    found = {key: list(of_plan) for key, of_plan in groupby(rows, key=lambda row: row.plan_id)}
    return {
        key: Movers(of_plan[0].movers, tuple(Mover(row.name, row.before, row.after) for row in of_plan))
        for key, of_plan in found.items()
    }

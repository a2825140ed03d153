"""Late changes: the plans of a run that changed another plan as little as possible."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from uuid import UUID

from app.db.models import Plan
from app.events.context import EventContext
from app.plans.figures import Figures
from app.plans.plan_diff import list_movers
from app.plans.queries.versions import family_of, repair_of
from app.plans.read import PlanView
from app.plans.satisfaction import level_of
from app.problem.queries.seats import maker_of


@dataclass(frozen=True)
class Repair:
    """The plan that was repaired, how many guests each plan of the repair moves, and the last repair of this plan.

    `moved` is empty for a plan of another run; the plan before is None if it was deleted.
    """

    before: UUID | None = None
    moved: Mapping[UUID, int] = field(default_factory=dict)
    repaired_by: UUID | None = None
    fits: Mapping[UUID, Fit] = field(default_factory=dict)


@dataclass(frozen=True)
class Fit:
    """How many guests of a plan sit with someone they like, or close to their tablemates, and how many badly."""

    well: int
    badly: int


def find_repair(ctx: EventContext, view: PlanView) -> Repair:
    """Return what a plan's repair knows, with guests counted in the plans as they are now."""
    repaired_by = repair_of(ctx.session, view.plan.id)
    family = {view.plan.id: view.plan.moved} | {one.id: one.moved for one in view.alternatives}
    counted = {key: moved for key, moved in family.items() if moved is not None}
    if len(counted) < len(family) or view.figures is None:
        return Repair(repaired_by=repaired_by)
    maker = maker_of(ctx.session, view.plan.run_id)
    before = maker.plan_before if maker else None
    if before:
        movers = list_movers(ctx.session, before, list(family))
        counted = {key: movers[key].count if key in movers else 0 for key in family}
    return Repair(before, counted, repaired_by, {one.id: _fit(one) for one in family_of(ctx.session, view.plan)})


def _fit(plan: Plan) -> Fit:
    figures = Figures.from_stored(plan.figures)
    levels = [level_of(figure, figures) for figure in figures.guests.values()]
    return Fit(levels.count(2), levels.count(0))

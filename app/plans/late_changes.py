"""Late changes: the plans of a run that changed another plan as little as possible."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from uuid import UUID

from app.events.context import EventContext
from app.plans.plan_diff import list_movers
from app.plans.queries.versions import repair_of
from app.plans.read import PlanView
from app.problem.queries.seats import maker_of


@dataclass(frozen=True)
class Repair:
    """The plan that was repaired, how many guests each plan of the repair moves, and the last repair of this plan.

    `moved` is empty for a plan of another run; the plan before is None if it was deleted.
    """

    before: UUID | None = None
    moved: Mapping[UUID, int] = field(default_factory=dict)
    repaired_by: UUID | None = None


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
    return Repair(before, counted, repaired_by)

"""How much may change: the plans of a repair in words, from the one that moves the fewest guests to the best."""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID

from app.services.plans import PlanView
from app.web.plan_knowledge import Values, compare
from app.words import count


@dataclass(frozen=True)
class CurveStep:
    """One plan of the curve: how many guests it moves, and how much better that makes it than the first one."""

    id: UUID
    moves: str
    quality: str
    is_shown: bool


def curve_of(view: PlanView) -> tuple[CurveStep, ...]:
    """Return the plans of a repair by the guests moved; nothing for a plan of another run."""
    points = [(one.moved, one.id, (one.mse, one.total)) for one in view.alternatives]
    points.append((view.plan.moved, view.plan.id, (view.mse, view.total)))
    known = sorted(
        ((moved, plan_id, values) for moved, plan_id, values in points if moved is not None), key=lambda point: point[0]
    )
    if len(known) < max(len(points), 2) or view.figures is None:
        return ()
    objective, first = view.figures.objective, known[0][2]
    return tuple(
        CurveStep(plan_id, _moves(moved), _quality(objective, first, values, number), plan_id == view.plan.id)
        for number, (moved, plan_id, values) in enumerate(known)
    )


def _moves(moved: int) -> str:
    if not moved:
        return "Nobody changes tables"
    return f"{count(moved, 'guest')} {'changes' if moved == 1 else 'change'} tables"


def _quality(objective: str, first: Values, values: Values, number: int) -> str:
    return "the fewest possible" if number == 0 else compare(objective, first, values)

"""How much may change: the plans of a repair in words, from the one that moves the fewest guests to the best."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from uuid import UUID

from app.plans.plan_diff import Movers
from app.plans.read import PlanView
from app.plans.views.certainty import Values, compare
from app.plans.views.diff_text import movers_words
from app.sentences import count

ALONE = "moving more guests would not improve the plan"


@dataclass(frozen=True)
class CurveStep:
    """One plan of the curve: how many guests it moves and whom, and how much better than the first one it is."""

    id: UUID
    moves: str
    quality: str
    is_shown: bool
    movers: str = ""


def curve_of(view: PlanView, movers: Mapping[UUID, Movers]) -> tuple[CurveStep, ...]:
    """Return the plans of a repair by the guests moved away from the plan before; nothing for a plan of another run."""
    points = [(one.moved, one.id, (one.mse, one.total)) for one in view.alternatives]
    points.append((view.plan.moved, view.plan.id, (view.mse, view.total)))
    known = sorted(
        ((moved, plan_id, values) for moved, plan_id, values in points if moved is not None), key=lambda point: point[0]
    )
    if len(known) < len(points) or view.figures is None:
        return ()
    objective, first = view.figures.objective, known[0][2]
    return tuple(
        _step(
            plan_id,
            moved,
            _quality(objective, first, values, number) if len(known) > 1 else ALONE,
            movers.get(plan_id),
            is_shown=plan_id == view.plan.id,
        )
        for number, (moved, plan_id, values) in enumerate(known)
    )


def _step(plan_id: UUID, moved: int, quality: str, movers: Movers | None, *, is_shown: bool) -> CurveStep:
    # Both plans may have been changed by hand since the run counted: as they are now goes before.
    if movers is None:
        return CurveStep(plan_id, _moves(moved), quality, is_shown)
    return CurveStep(plan_id, _moves(movers.count), quality, is_shown, f"{movers_words(movers)}.")


def _moves(moved: int) -> str:
    if not moved:
        return "Nobody moves"
    return f"{count(moved, 'guest')} {'moves' if moved == 1 else 'move'}"


def _quality(objective: str, first: Values, values: Values, number: int) -> str:
    return "fewest moves" if number == 0 else compare(objective, first, values)

"""Late changes: the plans of a repair as a picture, from the one that moves the fewest guests to the best."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from uuid import UUID

from app.db.models import Event
from app.db.types import new_id
from app.plans.late_changes import Fit
from app.plans.read import PlanView
from app.plans.views.certainty import compare
from app.plans.views.comparison import MoveText
from app.plans.views.in_use import PlanInUse
from app.plans.views.stale_banner import Notice
from app.sentences import count

LEFT, RIGHT, TOP, BOTTOM = 40.0, 580.0, 24.0, 200.0  # where the points of the picture may be, in its own units
LEAST_GAP = 44.0  # between two points, so that a finger finds each
FEWEST = "fewest moves"
Values = tuple[float | None, float | None]


@dataclass(frozen=True)
class RepairPoint:
    """A plan of the curve: where it is in the picture, how many guests it moves, and how good it is."""

    id: UUID
    x: float
    y: float
    moved: int
    moves: str
    quality: str
    is_chosen: bool
    is_used: bool
    gain: str = ""
    """How many guests more or fewer sit well than with the fewest moves."""


@dataclass(frozen=True)
class RepairPage:
    """What is out of date about a plan, the plans that repair it, and exactly who moves in the chosen one."""

    event: Event
    plan_id: UUID
    name: str
    address: str
    notice: Notice | None
    points: Sequence[RepairPoint]
    line: str
    chosen: RepairPoint | None
    before: UUID | None
    before_name: str
    moves: Sequence[MoveText]
    repaired_by: UUID | None
    in_use: PlanInUse
    submission: UUID = field(default_factory=new_id)
    may_edit: bool = True
    section: str = "plan"


def repair_points(
    view: PlanView,
    moved: Mapping[UUID, int],
    fits: Mapping[UUID, Fit] | None = None,
    *,
    chosen: UUID,
    current: UUID | None,
) -> tuple[RepairPoint, ...]:
    """Return the plans of a repair by the guests they move; nothing for a plan of another run."""
    if not moved or view.figures is None:
        return ()
    family = [(moved[one.id], one.id, (one.mse, one.total)) for one in view.alternatives]
    family.append((moved[view.plan.id], view.plan.id, (view.mse, view.total)))
    family.sort(key=lambda one: one[0])
    objective, first = view.figures.objective, family[0][2]
    places = spread([number for number, _, _ in family])
    heights = _heights([_value(objective, values) for _, _, values in family])
    return tuple(
        RepairPoint(
            key,
            places[place],
            BOTTOM - (BOTTOM - TOP) * height,
            number,
            moves_text(number),
            FEWEST if place == 0 else compare(objective, first, values),
            key == chosen,
            key == current,
            gain_text(view.figures.kind, fits or {}, family[0][1], key),
        )
        for place, ((number, key, values), height) in enumerate(zip(family, heights, strict=True))
    )


def spread(numbers: Sequence[int]) -> list[float]:
    """Return where numbers in rising order go from left to right: in proportion, but never too close to each other."""
    most = max(1, numbers[-1])
    gap = min(LEAST_GAP, (RIGHT - LEFT) / max(1, len(numbers) - 1))
    places: list[float] = []
    for number in numbers:
        wanted = LEFT + (RIGHT - LEFT) * number / most
        places.append(max(wanted, places[-1] + gap) if places else wanted)
    limit = RIGHT
    for position in reversed(range(len(places))):
        places[position] = min(places[position], limit)
        limit = places[position] - gap
    return places


def curve_line(points: Sequence[RepairPoint]) -> str:
    """Return the points as the line of a drawing."""
    return " ".join(f"{point.x:.1f},{point.y:.1f}" for point in points)


def moves_text(moved: int) -> str:
    """Say how many guests move."""
    if not moved:
        return "Nobody moves"
    return f"{count(moved, 'guest')} {'moves' if moved == 1 else 'move'}"


def gain_text(kind: str, fits: Mapping[UUID, Fit], first: UUID, key: UUID) -> str:
    """Say how a plan of a repair seats guests: the first one by itself, and others compared with it."""
    if first not in fits or key not in fits:
        return ""
    start, then = fits[first], fits[key]
    how = "close to their tablemates" if kind == "distance" else "with someone they like"
    if key == first:
        bad = f"{start.badly:,} {'needs' if start.badly == 1 else 'need'} attention" if start.badly else ""
        return ", ".join(filter(None, [f"{start.well:,} {'sits' if start.well == 1 else 'sit'} {how}", bad]))
    return ", ".join(
        f"{abs(change):,} {'more' if change > 0 else 'fewer'} {verb if abs(change) == 1 else plural} {rest}"
        for change, verb, plural, rest in (
            (then.well - start.well, "sits", "sit", how),
            (then.badly - start.badly, "needs", "need", "attention"),
        )
        if change
    )


def _value(objective: str, values: Values) -> float:
    """Return a number that is larger for a better plan."""
    mse, total = values
    return (total or 0.0) if objective == "total" else -(mse or 0.0)


def _heights(values: Sequence[float]) -> list[float]:
    """Return heights from 0 for the worst to 1 for the best; all in the middle if they are the same."""
    least, most = min(values), max(values)
    return [(value - least) / (most - least) if most > least else 0.5 for value in values]

"""What a solve returns, what it reports while it runs, and how much better a plan could be at most."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from app.solver.problem import FloatArray, IntArray, Method, Objective


@dataclass(frozen=True)
class Progress:
    """How far a solve is. `best` is the value of the objective so far: MSE, total, or in rounds the pairs that meet."""

    stage: str
    restarts_done: int
    restarts: int
    best: float | None
    seconds: float
    seconds_left: float | None
    seating: IntArray | None = None
    """The table of each guest in the best plan so far, in rounds a row for each; None where that is not followed."""


NO_GAP = 0.0005
USELESS_GAP = 0.995
"""A bound that leaves all of a plan's value open says nothing."""
OnProgress = Callable[[Progress], None]
ShouldStop = Callable[[], bool]


def ignore_progress(progress: Progress) -> None:
    """Take a report and do nothing with it."""


def never_stop() -> bool:
    """Let the solve run to its own end."""
    return False


@dataclass(frozen=True)
class Improvement:
    """One step of the best value: when it was found, in which restart, and what it was."""

    seconds: float
    restart: int
    value: float


@dataclass(frozen=True)
class Alternative:
    """Another good plan, different from the best."""

    assignment: IntArray
    seats: IntArray
    mse: float
    total: float


@dataclass(frozen=True)
class AttendanceReport:
    """A plan for guests who may not come, beside the usual one: parts of all that the usual plan is worth.

    Where that is 0, a difference counts as 1 or −1.
    `price` is what it loses if everyone comes, `gain` what it gains on average over drawn replies, `kept` in which part
    of these every table that is used has its smallest number of guests.
    """

    uncertain: int
    price: float
    gain: float
    kept: float


@dataclass(frozen=True)
class Result:
    """A plan with its figures.

    `assignment[i]` is the table of guest i, `seats[i]` their place there, counted from 0 without gaps.
    `positions` are the first two dimensions of the embedding, for the map of the guests. `bound` is a value of the
    objective that no plan can beat. `pair_frequency[i, j]` is the part of the good plans in which i and j share a
    table, `alternatives` are up to four other good plans, best first.
    """

    assignment: IntArray
    seats: IntArray
    mse: float
    total: float
    method: Method
    objective: Objective
    seed: int
    restarts: int
    iterations: int
    positions: FloatArray
    seconds: float = 0.0
    seconds_by_stage: dict[str, float] = field(default_factory=dict)
    bound: float | None = None
    proven_optimal: bool = False
    stopped_early: bool = False
    settled_early: bool = False
    """Whether the search ended before its time because no better plan is likely; `stopped_early` is on request."""
    meetings_proven: bool = False
    """Whether no rounds with tables filled as evenly can have better meetings; `proven_optimal` is about ratings."""
    history: tuple[Improvement, ...] = field(default_factory=tuple)
    alternatives: tuple[Alternative, ...] = field(default_factory=tuple)
    pair_frequency: FloatArray | None = None
    attendance: AttendanceReport | None = None


def relative_gap(objective: str, mse: float | None, total: float | None, bound: float | None) -> float | None:
    """Return by what share of its value a plan could be better at most, or none where that is not known.

    The bound is the least MSE that any plan can have, or for the total the most.
    """
    value = mse if objective == "average" else total
    if bound is None or value is None or not value:
        return None
    missing = value - bound if objective == "average" else bound - value
    gap = max(0.0, missing) / abs(value)
    return gap if gap < USELESS_GAP else None


def gap_text(objective: str, mse: float | None, total: float | None, bound: float | None, *, proven: bool) -> str:
    """Say it in a sentence, or nothing where it is proven or not known."""
    gap = None if proven else relative_gap(objective, mse, total, bound)
    if gap is None:
        return ""
    if gap < NO_GAP:
        return "No plan can be better."
    percent = f"{100 * gap:.0f}%" if gap >= 0.1 else f"{100 * gap:.1f}%"
    return f"No plan can be more than {percent} better."

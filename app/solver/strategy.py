"""Which search for which event: the one place that decides by size and time limit.

Up to two dozen blocks a dynamic programme proves the optimum, if its work fits the time. Everything else is
annealed on the original matrix: a pool of plans, then children of two of them, each annealed anew where its parents
differ. Large events get one long anneal after the other instead, as long as the time allows.
"""

from __future__ import annotations

from dataclasses import dataclass

SEARCH_SHARE = 0.85
"""The part of a time limit that the search may use; the rest is for the bound and the seat order."""
BOUND_SHARE = 0.1
BOUND_SECONDS = 1.0
"""How long the bound is improved: a part of the time limit, or so many seconds without one."""
STEP_SECONDS = 1e-7
"""What one step of annealing takes on an ordinary core, without what grows with the event."""


SMALL_BLOCKS = 30
SMALL_STEPS = 2560
SET_SECONDS = 6e-9
"""What one subset costs in a proof, on one core, at most."""
PROOF_RESTARTS = 48
"""Restarts before a proof: it finds what they missed, and is faster the better the plan it has to beat."""


@dataclass(frozen=True)
class Effort:
    """How long each anneal is, how many plans the pool holds, how deep to descend. No steps for children: no children."""

    steps: int
    cycles: int
    child_steps: int
    pool: int
    depth: int


def choose_effort(blocks: int, restarts: int, time_limit: float | None) -> Effort:
    """Return the lengths of the anneals.

    A restart has `base` steps. If all restarts fit into the time limit even on one core, nothing depends on time, so
    the same seed and restarts give the same plan. Otherwise time will cut the search, and the anneals
    are as long as leaves room for a pool and its children.
    """
    if blocks <= SMALL_BLOCKS:
        return Effort(SMALL_STEPS, 16, 0, 12, 2)
    base = max(20_000, 40 * blocks * min(blocks, 400))
    step_seconds = STEP_SECONDS * (1 + blocks / 400)
    depth = 2 if blocks <= 600 else 1
    pool = 8 if blocks <= 150 else 6
    if time_limit is None or 2 * restarts * base * step_seconds < time_limit * SEARCH_SHARE:
        return Effort(base, 1, max(base // 2, 1), pool, depth)
    affordable = int(time_limit * SEARCH_SHARE / step_seconds)
    if affordable < 40 * base:
        return Effort(affordable, 1, affordable, 1, depth)
    return Effort(affordable // 40, 1, affordable // 60, pool, depth)


def is_provable(work: float | None, time_limit: float | None) -> bool:
    """Say whether a proof that looks at so many subsets fits into the time limit."""
    if work is None:
        return False
    return work * SET_SECONDS < (60.0 if time_limit is None else max(time_limit - 0.2, 0.0))

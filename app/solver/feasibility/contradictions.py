"""Do the rules, parties and sizes agree? If not, the smallest set that cannot all hold, in plain words.

The smallest contradicting set comes from hitting sets (Ignatiev et al., *Smallest MUS extraction with
minimal hitting set dualization*, 2015): guess the smallest set that meets every known way out; if even
that guess contradicts itself it is the answer, else the seating that keeps it shows another way out.
"""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import scipy

from app.sentences import list_in_words
from app.solver.errors import Contradiction
from app.solver.feasibility.impossible_counts import impossible_numbers
from app.solver.feasibility.integer_program import MOST_ENTRIES, Undecided
from app.solver.feasibility.packing import NO_LIMITS, CheckLimits, find_seating
from app.solver.feasibility.structure import Constraint, build_structure, guests_of
from app.solver.feasibility.wording import NAMED_AT_MOST, constraint_text
from app.solver.problem import Problem

ROUNDS = 60
EXPLAIN_SECONDS = 2.0
"""How long to look for the smallest set; after that one that is small but perhaps not the smallest is named."""
HITTING_SECONDS = 2.0
EXPLAIN_DRAWS = 2
"""Where a seating may well not exist, few draws come before the programme that proves it."""
SOLVED = 0
"""What scipy's milp says when it has found the best."""
MOST_WEIGHED = 500
"""Of a rule about more guests the liking of the first ones is enough to weigh it."""


def is_satisfiable(
    problem: Problem, constraints: tuple[Constraint, ...], limits: CheckLimits = NO_LIMITS
) -> bool | None:
    """Return whether some seating keeps these constraints; None if that could not be decided in time."""
    try:
        structure = build_structure(problem, constraints)
        return find_seating(problem, structure, np.random.default_rng(0), limits, EXPLAIN_DRAWS) is not None
    except Undecided:
        return None


def explain_contradiction(
    problem: Problem,
    constraints: tuple[Constraint, ...],
    seconds: float = EXPLAIN_SECONDS,
    entries: int = MOST_ENTRIES,
) -> Contradiction:
    """Return the error that names the smallest contradicting set and the cheapest rule to drop."""
    smallest = tuple(
        sorted(smallest_contradiction(problem, constraints, seconds, entries), key=lambda c: c.source == "party")
    )
    drop = cheapest_to_drop(problem, constraints, smallest, CheckLimits(time.monotonic() + seconds / 2, entries))
    message = _alone(problem, smallest[0], drop) if len(smallest) == 1 else _together(problem, smallest, drop)
    rules = tuple(c.index for c in smallest if c.source == "rule")
    parties = tuple(c.index for c in smallest if c.source == "party")
    locked = tuple(c.index for c in smallest if c.source == "locked")
    cheapest = {drop.constraint.source: drop.constraint.index} if drop is not None else {}
    return Contradiction(
        message,
        rules=rules,
        parties=parties,
        locked=locked,
        cheapest_rule=cheapest.get("rule"),
        cheapest_party=cheapest.get("party"),
    )


def _together(problem: Problem, smallest: Sequence[Constraint], drop: Drop | None) -> str:
    words = [constraint_text(problem, constraint) for constraint in smallest[:NAMED_AT_MOST]]
    if len(smallest) > NAMED_AT_MOST:
        words.append(f"{len(smallest) - NAMED_AT_MOST} more")
    return f"No plan can satisfy all of these: {list_in_words(words)}. {_advice(problem, drop)}"


def _alone(problem: Problem, only: Constraint, drop: Drop | None) -> str:
    """Say what no plan can satisfy even if nothing else is required, with the numbers if they are simple."""
    said = constraint_text(problem, only)
    others = " Others conflict too." if drop is not None and not drop.is_enough else ""
    if only.source != "rule":
        return f"No plan can satisfy this: {said}.{others}"
    why = impossible_numbers(problem, problem.rules[only.index])
    return " ".join(filter(None, [f"No plan can follow this rule: {said}.", why, f"Change or delete it.{others}"]))


def _advice(problem: Problem, drop: Drop | None) -> str:
    """Say what to give up; nothing is named that was not seen to help."""
    if drop is None:
        return "One of these has to go."
    start = (
        "The smallest change:"
        if drop.is_enough
        else "Dropping one of these is not enough, because others conflict too. To start,"
    )
    return f"{start} don't require that {constraint_text(problem, drop.constraint)}."


def smallest_contradiction(
    problem: Problem, constraints: tuple[Constraint, ...], seconds: float = math.inf, entries: int = MOST_ENTRIES
) -> tuple[Constraint, ...]:
    """Return a smallest set of constraints that cannot all hold; after `seconds`, any set that cannot."""
    limits = CheckLimits(time.monotonic() + seconds, entries)
    position = {constraint: number for number, constraint in enumerate(constraints)}
    small = tuple(sorted(_small_contradiction(problem, constraints, limits), key=position.__getitem__))
    ways_out: list[set[int]] = []
    for _ in range(ROUNDS):
        chosen = _smallest_hitting(ways_out, len(constraints), limits)
        if chosen is None or len(chosen) >= len(small):
            break
        if is_satisfiable(problem, tuple(constraints[i] for i in chosen), limits) is False:
            return tuple(constraints[i] for i in chosen)
        way_out = _way_out(problem, constraints, chosen, limits)
        if not way_out:  # late, or nothing could be proved of any larger set
            break
        ways_out.append(way_out)
    return small


def _small_contradiction(
    problem: Problem, constraints: tuple[Constraint, ...], limits: CheckLimits
) -> tuple[Constraint, ...]:
    """Return a contradiction of which nothing can be left out, or, when it is late, not much.

    Parties are left out as a whole if possible. Else rules that have nothing to do with it go first, because one
    rule can contradict hundreds of parties and looking at all of these takes long.
    """
    ordered = by_involvement(problem, constraints)
    rules = tuple(c for c in ordered if c.source != "party")
    parties = tuple(c for c in ordered if c.source == "party")
    if rules and is_satisfiable(problem, rules, limits) is False:
        return _irreducible(problem, (), rules, limits)
    needed = _needed(problem, (), parties, rules, limits)
    return (*needed, *_needed(problem, (), needed, parties, limits))


def by_involvement(problem: Problem, constraints: tuple[Constraint, ...]) -> tuple[Constraint, ...]:
    """Put first what probably contradicts: all about guests with a table of their own, then rules, then parties.

    The last ones are dropped first, half of them at a time, so that few are named even when time is short:
    parties that no rule is about.
    """
    guests = {constraint: set(guests_of(problem, constraint)) for constraint in constraints}
    pinned = {
        guest
        for c in constraints
        if c.source == "locked" or (c.source == "rule" and problem.rules[c.index].kind == "pinned")
        for guest in guests[c]
    }
    named = {guest for c in constraints if c.source != "party" for guest in guests[c]}
    return tuple(
        sorted(constraints, key=lambda c: (not guests[c] & named, not guests[c] & pinned, c.source == "party"))
    )


def _smallest_hitting(ways_out: list[set[int]], count: int, limits: CheckLimits) -> list[int] | None:
    """Return the fewest constraints of which every way out drops at least one; None when it is late."""
    if not ways_out:
        return []
    seconds = min(limits.until - time.monotonic(), HITTING_SECONDS)
    if seconds <= 0.0:
        return None
    meets = np.array([[float(i in way) for i in range(count)] for way in ways_out])
    weights = 1 + np.arange(count) * 1e-6
    solution = scipy.optimize.milp(
        weights,
        constraints=scipy.optimize.LinearConstraint(meets, 1, np.inf),
        integrality=np.ones(count, dtype=np.int64),
        bounds=scipy.optimize.Bounds(0, 1),
        options={"time_limit": seconds},
    )
    if solution.status != SOLVED:
        return None
    return [int(i) for i in np.flatnonzero(np.asarray(solution.x) > 0.5)]


def _way_out(
    problem: Problem, constraints: tuple[Constraint, ...], chosen: list[int], limits: CheckLimits
) -> set[int] | None:
    """Add constraints to the chosen ones while they may hold; what is left out is a way out. None when it is late."""
    kept = list(chosen)
    rest = [i for i in range(len(constraints)) if i not in set(chosen)]
    for i in rest:
        if limits.is_late:
            return None
        if is_satisfiable(problem, tuple(constraints[j] for j in sorted([*kept, i])), limits) is not False:
            kept.append(i)
    return set(range(len(constraints))) - set(kept)


def _irreducible(
    problem: Problem, given: tuple[Constraint, ...], constraints: tuple[Constraint, ...], limits: CheckLimits
) -> tuple[Constraint, ...]:
    """Leave out what the contradiction with the given ones does not need, halving as in Junker's *QuickXplain* (2004).

    Few of many are found in about as many looks as halvings; when it is late, what was not looked at stays.
    """
    if len(constraints) < 2 or limits.is_late:
        return constraints
    middle = len(constraints) // 2
    first, last = constraints[:middle], constraints[middle:]
    needed = _needed(problem, given, first, last, limits)
    return (*_needed(problem, given, needed, first, limits), *needed)


def _needed(
    problem: Problem,
    given: tuple[Constraint, ...],
    more: tuple[Constraint, ...],
    constraints: tuple[Constraint, ...],
    limits: CheckLimits,
) -> tuple[Constraint, ...]:
    """Return those that a contradiction with the given ones and `more` needs: none where these contradict already."""
    if more and is_satisfiable(problem, (*given, *more), limits) is False:
        return ()
    return _irreducible(problem, (*given, *more), constraints, limits)


@dataclass(frozen=True)
class Drop:
    """A constraint to give up, and whether all others can hold then."""

    constraint: Constraint
    is_enough: bool


def cheapest_to_drop(
    problem: Problem,
    constraints: tuple[Constraint, ...],
    smallest: tuple[Constraint, ...],
    limits: CheckLimits = NO_LIMITS,
) -> Drop | None:
    """Return the one whose loss lets all others hold and touches the least: no party, little liking, few guests.

    Where no single loss lets all hold, it is one without which these few can; None where neither was seen in time.
    """
    by_weight = sorted(smallest, key=lambda constraint: _weight(problem, constraint))
    is_enough: bool | None = False
    for constraint in by_weight:
        found = is_satisfiable(problem, _without(constraints, constraint), limits) if not limits.is_late else None
        if found:
            return Drop(constraint, is_enough=True)
        is_enough = None if found is None else is_enough
    if is_enough is None:
        return None
    helps = (c for c in by_weight if is_satisfiable(problem, _without(smallest, c), limits))
    return next((Drop(constraint, is_enough=False) for constraint in helps), None)


def _without(constraints: tuple[Constraint, ...], left_out: Constraint) -> tuple[Constraint, ...]:
    return tuple(constraint for constraint in constraints if constraint != left_out)


def _weight(problem: Problem, constraint: Constraint) -> tuple[bool, float, int]:
    """Weigh a constraint by whether it is a party, then by what its guests lose without it, then by their number."""
    guests = guests_of(problem, constraint)
    pairs = _liking(problem, guests[:MOST_WEIGHED])
    kinds = {"party": "together", "locked": "pinned"}
    kind = kinds.get(constraint.source) or problem.rules[constraint.index].kind
    signs = {"together": 1.0, "side_by_side": 1.0, "apart": -1.0}
    return constraint.source == "party", signs.get(kind, 0.0) * pairs, len(guests)


def _liking(problem: Problem, guests: tuple[int, ...]) -> float:
    """Return the sum of the scores among these guests, from their part of the matrix alone."""
    if not problem.matrix.size:
        return 0.0
    part = problem.matrix[np.ix_(guests, guests)]
    averaged = (part + part.T) / 2
    np.fill_diagonal(averaged, 0.0)
    return float((averaged if problem.kind == "score" else -(averaged**2)).sum() / 2)

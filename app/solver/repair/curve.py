"""Repair: after guests came or went or a table was lost, the best plan for each number of guests moved.

Three searches feed one list of the best plan met for each number of moves. A charge for every move, lowered step by
step, gives plans from the nearest to the best, but only those on the convex hull of the curve. A search that never
moves more than so many guests fills in the others. The smallest numbers are tried through.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from app.solver.clustering.embedding import with_matrix
from app.solver.deadline import Deadline
from app.solver.errors import TooLarge
from app.solver.feasibility.check import Feasible, check_feasibility
from app.solver.feasibility.integer_program import IntegerProgram, Undecided
from app.solver.feasibility.structure import Structure
from app.solver.full import QUICK_GUESTS, map_or_nothing
from app.solver.numba_support.threads import choose_cores
from app.solver.options import refuse_impossible
from app.solver.order.seating import seats_in_time
from app.solver.problem import MATRIX_GUESTS, IntArray, Problem
from app.solver.repair.bounded_search import search_within
from app.solver.repair.exhaustive import MOST_WAYS, best_for_each_count
from app.solver.repair.table_matching import match_tables
from app.solver.result import Alternative, OnProgress, Result, ShouldStop, ignore_progress, never_stop
from app.solver.score import mean_squared_error, total_score
from app.solver.search.blocks import Blocks, build_blocks
from app.solver.search.extended_search import compile_extended_kernels
from app.solver.search.search import Search, compile_kernels
from app.solver.search.staying import SAME_WORTH, moved_by_table
from app.solver.search.strategy import REPAIR_BEST_SHARE, REPAIR_PRICES_SHARE, choose_effort

PRICES = 8
ROUNDS = 4
MOST_PLACES = 40_000
"""With more blocks times tables, the fewest moves would take too long; the search finds the way from any seating."""
PROGRAM_SECONDS = 2.0
COUNTS = (0, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144, 233, 377, 610, 987)


@dataclass(frozen=True)
class Repair:
    """The best plan within a limit on how many seated guests move, and how many it moves."""

    moved: int
    assignment: IntArray
    mse: float
    total: float


@dataclass(frozen=True)
class _Curve:
    """The points; the restarts made for the best plan of all, as they were asked for; the steps of all restarts."""

    points: tuple[Repair, ...]
    restarts: int
    steps: int


def repair_curve(
    problem: Problem, *, seed: int = 1, restarts: int = 8, deadline: Deadline | None = None, most_ways: int = MOST_WAYS
) -> tuple[Repair, ...]:
    """Return the curve from the fewest moves that keep the rules to the best plan, each better than the one before.

    `problem.previous` is the current plan: −1 for a guest without a seat there or whose table is gone. The numbers of
    moves in between are those of `COUNTS`.
    """
    return _find_curve(problem, seed, restarts, deadline or Deadline(), most_ways).points


def _find_curve(problem: Problem, seed: int, restarts: int, deadline: Deadline, most_ways: int = MOST_WAYS) -> _Curve:
    refuse_impossible(problem, "full")
    search = _RepairSearch(replace(problem, move_cost=0.0), seed, restarts, deadline)
    search.run(most_ways)
    return _Curve(tuple(search.point(at) for at in search.known.curve()), search.restarts, search.steps)


def find_repairs(
    problem: Problem,
    *,
    restarts: int = 1000,
    time_limit: float | None = 5.0,
    seed: int = 1,
    on_progress: OnProgress = ignore_progress,
    should_stop: ShouldStop = never_stop,
    spent: float = 0.0,
) -> Result:
    """Return the plan that moves the fewest guests; its alternatives move more, each being better than the last."""
    choose_cores(problem.guest_count)
    deadline = Deadline(time_limit, on_progress, should_stop, spent)
    if problem.guest_count > MATRIX_GUESTS:
        raise TooLarge
    problem = with_matrix(problem)
    curve = _find_curve(problem, seed, restarts, deadline)
    with deadline.stage("seats"):
        first, *others = [_seated(problem, point, deadline) for point in curve.points]
    with deadline.stage("map"):
        positions = map_or_nothing(problem, deadline)
    result = Result(
        **vars(first),
        method="full",
        objective=problem.objective,
        seed=seed,
        restarts=curve.restarts,
        iterations=curve.steps,
        positions=positions,
        alternatives=tuple(others),
        stopped_early=deadline.stopped,
    )
    return deadline.with_times(result)


def _seated(problem: Problem, point: Repair, deadline: Deadline) -> Alternative:
    seats = seats_in_time(problem, point.assignment, deadline, quick=problem.guest_count > QUICK_GUESTS)
    return Alternative(point.assignment, seats, point.mse, point.total)


def fewest_moves(problem: Problem, structure: Structure, moved: IntArray) -> IntArray | None:
    """Return tables by block that keep every rule with the fewest guests moved, or None where that takes too long."""
    if moved.size > MOST_PLACES:
        return None
    try:
        return IntegerProgram(problem, structure, each=True).solve(PROGRAM_SECONDS, moved.T.astype(np.float64))
    except Undecided:
        return None


class BestByMoves:
    """The best plan met for each number of guests moved."""

    def __init__(self, blocks: Blocks, moved: IntArray) -> None:
        self._blocks, self._moved = blocks, moved
        self._plans: dict[int, tuple[float, IntArray]] = {}

    def add(self, at: IntArray) -> None:
        """Take a plan in, if it keeps the rules."""
        if not self._blocks.keeps_rules(at):
            return
        count, value = self.count(at), self._blocks.value(at)
        if count not in self._plans or value > self._plans[count][0]:
            self._plans[count] = (value, at)

    def count(self, at: IntArray) -> int:
        """Return how many guests a plan moves."""
        return int(self._moved[at, np.arange(len(at))].sum())

    def best_within(self, limit: int) -> IntArray | None:
        """Return the best plan within this many moves, of equals the one with the fewest."""
        within = {count: value for count, (value, _) in self._plans.items() if count <= limit}
        if not within:
            return None
        best = max(within.values())
        enough = best - self._rounding(best)
        return self._plans[min(count for count, value in within.items() if value >= enough)][1]

    def limits(self) -> list[int]:
        """Return the numbers of moves that are of interest: from the fewest possible to those of the best plan."""
        best = self.best_within(max(self._plans))
        last = self.count(best) if best is not None else 0
        fewest = min(self._plans)
        return sorted({fewest, last, *(count for count in COUNTS if fewest < count < last)})

    def curve(self) -> list[IntArray]:
        """Return the best plans within each number of moves, each clearly better than the one before."""
        points: list[IntArray] = []
        for limit in self.limits():
            at = self.best_within(limit)
            if at is not None and (not points or self._is_better(at, points[-1])):
                points.append(at)
        return points

    def _is_better(self, one: IntArray, other: IntArray) -> bool:
        value = self._blocks.value(other)
        return self._blocks.value(one) > value + self._rounding(value)

    def _rounding(self, value: float) -> float:
        """Return by how much sums of this size differ that were only added up in another order."""
        return SAME_WORTH * (self._blocks.highest + abs(value))


class _RepairSearch:
    """All that is done to find the curve."""

    def __init__(self, problem: Problem, seed: int, restarts: int, deadline: Deadline) -> None:
        self._problem, self._seed, self._restarts, self._deadline = problem, seed, restarts, deadline
        with deadline.stage("check"):
            self._feasible: Feasible = check_feasibility(problem, seed)
        with deadline.stage("compile"):
            compile_kernels()
            compile_extended_kernels()
        deadline.exclude("compile")
        structure = self._feasible.structure
        self._blocks = build_blocks(problem, structure)
        self._moved = moved_by_table(problem, structure.members)
        self._before = np.array(problem.previous if problem.previous is not None else [-1] * problem.guest_count)
        self.known = BestByMoves(self._blocks, self._moved)
        self.restarts = self.steps = 0
        self._tried = -1

    def run(self, most_ways: int) -> None:
        """Search for the best plan, then at falling prices, then within each number of moves."""
        nearest = fewest_moves(self._problem, self._feasible.structure, self._moved)
        starts = [self._feasible.at] if nearest is None else [nearest, self._feasible.at]
        for at in starts:
            self._take(at)
        with self._deadline.stage("search"):
            self.restarts = self._search(tuple(starts), 0.0, self._until(REPAIR_BEST_SHARE), self._restarts)
            self._lower_prices()
        with self._deadline.stage("few moves"):
            for count, at in best_for_each_count(self._blocks, self._moved, most_ways).items():
                self._take(at)
                self._tried = count
            self._fill_in()

    def point(self, at: IntArray) -> Repair:
        """Return a plan as a point of the curve."""
        assignment = self._feasible.structure.guests_at(at)
        mse = mean_squared_error(self._problem.squared_distances, assignment, len(self._problem.tables))
        return Repair(self.known.count(at), assignment, mse, total_score(self._problem.scores, assignment))

    def _until(self, share: float) -> float | None:
        """Return when this share of the whole time is gone from now on, if there is a limit."""
        limit = self._deadline.time_limit
        return None if limit is None else min(self._deadline.seconds + share * limit, limit)

    def _take(self, at: IntArray) -> None:
        """Take a plan in as it is, and with whole tables exchanged so that fewer guests move."""
        self.known.add(at)
        structure = self._feasible.structure
        matched = structure.blocks_at(match_tables(self._problem, structure.guests_at(at), self._before))
        self.known.add(matched)

    def _lower_prices(self) -> None:
        """Search at falling prices for a move, each search starting from the last one's plan."""
        weights = self._blocks.weights[np.abs(self._blocks.weights) < self._blocks.barrier / 2]
        largest = max(float(np.abs(weights).max(initial=0.0)), self._blocks.highest)
        dear = 4.0 * largest * max(table.most for table in self._problem.tables)
        if self._problem.objective == "average":
            dear /= self._problem.guest_count
        for step in range(PRICES):
            if self._deadline.is_stopped() or self._deadline.is_time_up:
                return
            limits = self.known.limits()
            starts = tuple(at for at in map(self.known.best_within, (limits[0], limits[-1])) if at is not None)
            until = self._until(REPAIR_PRICES_SHARE / PRICES)
            self._search(starts, dear * 4.0**-step, until, max(self._restarts // 4, 1))

    def _search(self, starts: tuple[IntArray, ...], price: float, until: float | None, restarts: int) -> int:
        """Search with a charge for every move, and take in all good plans; return how many restarts were made."""
        blocks = build_blocks(replace(self._problem, move_cost=price), self._feasible.structure)
        seconds = None if until is None else until - self._deadline.seconds
        found = Search(
            blocks,
            starts,
            effort=choose_effort(blocks.count, restarts, seconds),
            restarts=restarts,
            seed=self._seed,
            deadline=self._deadline,
            until=until,
            grace=0.0,
            figure=lambda at: self.point(at).total if self._problem.objective == "total" else self.point(at).mse,
        ).run()
        for member in (found.best, *found.pool.members):
            self._take(member.at)
        self.steps += found.steps
        return found.restarts

    def _fill_in(self) -> None:
        """Search within each number of moves, from the best plan known for it; again while there is time."""
        deadline = self._deadline
        rounds = 1 if deadline.time_limit is None else ROUNDS
        for number in range(rounds):
            limits = [limit for limit in self.known.limits() if limit > self._tried]
            for place, limit in enumerate(limits):
                start, left = self.known.best_within(limit), deadline.seconds_left
                if start is None or deadline.is_stopped() or deadline.is_time_up:
                    return
                until = None if left is None else deadline.seconds + left / (len(limits) - place)
                seed = self._seed + 1000 * number + place
                for at in search_within(
                    self._blocks, start, self._moved, limit, seed=seed, deadline=deadline, until=until
                ):
                    self.known.add(at)

"""Large events with ratings of few pairs: anneals on the ratings themselves, no matrix anywhere."""

from __future__ import annotations

from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import suppress
from dataclasses import replace

import numpy as np

from app.solver.clustering.paper import seats_in_order
from app.solver.deadline import POLL_SECONDS, Deadline, Stopped
from app.solver.errors import BadMatrix, TooLarge
from app.solver.feasibility.check import check_feasibility
from app.solver.feasibility.packing import draw_seating
from app.solver.feasibility.table_sizes import table_sizes
from app.solver.large.sparse_anneal import (
    LEAST_GAIN,
    SparsePlan,
    anneal_sparse,
    descend_sparse,
    make_sparse_plan,
    sparse_value,
)
from app.solver.large.units import Units, make_units, units_suffice
from app.solver.numba_support.random_numbers import random_state
from app.solver.numba_support.threads import count_cores
from app.solver.order.seating import first_order, guests_along, order_table
from app.solver.problem import FloatArray, IntArray, Problem, Table
from app.solver.proof.bounds import company_bound_of
from app.solver.ratings import Ratings, collect_ratings
from app.solver.result import Alternative, Improvement, Result
from app.solver.search.consensus import keep_end, other_ends
from app.solver.search.pool import Member
from app.solver.search.strategy import SEARCH_SHARE

STEPS = 2000
"""Steps for each guest in an anneal that time does not cut."""
STEP_SECONDS = 3e-7
AVERAGED = 4
HOT, COLD = 0.8, 0.04
"""Temperatures as parts of a typical score."""


def can_solve_sparse(problem: Problem) -> bool:
    """Say whether the problem can be solved without the whole matrix."""
    return units_suffice(problem) and not problem.fairness and not problem.move_cost


def solve_sparse(
    problem: Problem, ratings: Ratings, *, restarts: int, seed: int, deadline: Deadline, threads: int | None = None
) -> Result:
    """Return the best plan of the restarts; with too little time for all, one for each core takes all of it."""
    if not can_solve_sparse(problem):
        raise TooLarge
    with deadline.stage("check"):
        if not np.isfinite(ratings.scores).all():
            raise BadMatrix("A score is missing, not a number, or too large.")
        units = make_units(problem, ratings)
        if units is None:
            first = np.repeat(np.arange(len(problem.tables)), table_sizes(problem))
        else:
            first = check_feasibility(problem, seed).at
    with deadline.stage("compile"), suppress(Stopped):
        deadline.run_in_thread(compile_kernels)
    search = _Search(problem, ratings, units, first, seed, deadline, threads or count_cores())
    with deadline.stage("search"):
        search.run(restarts)
    with deadline.stage("bound"):
        only = len(problem.tables) == 1
        bound = -np.inf if only else company_bound_of(problem, _best_weights(problem, ratings))
    with deadline.stage("seats"):
        seats = _order_seats(problem, ratings, search.best, deadline)
    with deadline.stage("compare"):
        others = [] if deadline.is_stopped() else other_ends(search.ends, search.average(), len(problem.tables))
        alternatives = tuple(_alternative(problem, ratings, member.at) for member in others)
    result = _result(problem, ratings, search, seats, max(bound, search.value), seed, deadline)
    return replace(result, alternatives=alternatives)


def _alternative(problem: Problem, ratings: Ratings, assignment: IntArray) -> Alternative:
    mse, total = _figures(problem, ratings, assignment)
    return Alternative(assignment, seats_in_order(assignment, len(problem.tables)), mse, total)


class _Search:
    """Anneals in rounds, one on each core; of equal plans the earlier restart's counts."""

    def __init__(
        self,
        problem: Problem,
        ratings: Ratings,
        units: Units | None,
        first: IntArray,
        seed: int,
        deadline: Deadline,
        threads: int,
    ) -> None:
        self._problem, self._ratings, self._units, self._first = problem, ratings, units, first
        self._seed, self._deadline, self._threads = seed, deadline, threads
        self._control = np.zeros(2)
        self._spare = problem.seat_count > problem.guest_count
        typical = float(np.abs(ratings.scores).mean()) if len(ratings.scores) else 0.0
        seats = problem.guest_count / len(problem.tables)
        self._typical = typical / seats if problem.objective == "average" else typical
        self.best, self.value = self._guests(first), sparse_value(make_sparse_plan(problem, ratings, first, units))
        self.restarts = self.steps = 0
        self.history: list[Improvement] = []
        self.ends: list[Member] = []

    def average(self) -> float:
        """Return about what a plan drawn at random is worth."""
        rng = np.random.default_rng(abs(self._seed))
        drawn = [make_sparse_plan(self._problem, self._ratings, self._draw(rng), self._units) for _ in range(AVERAGED)]
        return float(np.mean([sparse_value(plan) for plan in drawn]))

    def _draw(self, rng: np.random.Generator) -> IntArray:
        """Return a plan drawn at random, tables by unit; the first one where no other is found soon."""
        if self._units is None:
            return rng.permutation(self._first)
        drawn = draw_seating(self._problem, self._units.structure, rng)
        return self._first if drawn is None else drawn

    def _guests(self, at: IntArray) -> IntArray:
        """Turn tables by unit into tables by guest."""
        return at if self._units is None else self._units.structure.guests_at(at)

    def run(self, restarts: int) -> None:
        """Run the restarts, or one for each core for as long as time allows."""
        deadline, steps = self._deadline, STEPS * self._problem.guest_count
        limit = deadline.time_limit
        until = None if limit is None else deadline.seconds + SEARCH_SHARE * limit
        timed = limit is not None and 2 * restarts * steps * STEP_SECONDS >= SEARCH_SHARE * limit
        planned = 0 if deadline.is_stopped() else min(restarts, self._threads) if timed else restarts
        with ThreadPoolExecutor(self._threads) as pool:
            for start in range(0, planned, self._threads):
                numbers = range(start, min(start + self._threads, planned))
                tasks = [pool.submit(self._anneal, number, 1 << 50 if timed else steps) for number in numbers]
                self._wait(tasks, until, planned)
                for number, task in zip(numbers, tasks, strict=True):
                    self._take(number, *task.result())
                if deadline.is_stopped() or (until is not None and deadline.seconds > until):
                    break

    def _anneal(self, number: int, steps: int) -> tuple[SparsePlan, int]:
        rng = np.random.default_rng([abs(self._seed), number])
        plan = make_sparse_plan(self._problem, self._ratings, self._draw(rng), self._units)
        done = 0
        if self._typical > 0.0 and len(self._problem.tables) > 1:
            heat = (HOT * self._typical, COLD * self._typical)
            done = anneal_sparse(plan, *heat, steps, self._spare, random_state(self._seed, number), self._control)
            # The descent may go on when the time for cooling is over, but not when stopped.
            descend_sparse(plan, self._spare, LEAST_GAIN * (1 + self._typical), self._control)
        return plan, done

    def _wait(self, tasks: list[Future[tuple[SparsePlan, int]]], until: float | None, planned: int) -> None:
        began, grace = self._deadline.seconds, 0.1 * (self._deadline.time_limit or 0.0)
        try:
            while wait(tasks, timeout=POLL_SECONDS).not_done:
                now = self._deadline.seconds
                if until is not None:
                    self._control[1] = (now - began) / max(until - began, 1e-9)
                if self._deadline.is_stopped() or (until is not None and now > until + grace):
                    self._control[0] = 1.0
                best = self.history[-1].value if self.history else None
                self._deadline.report(self.restarts, planned, best, self._deadline.seconds_left)
        except BaseException:
            self._control[0] = 1.0  # the kernels would go on for ever
            raise

    def _take(self, number: int, plan: SparsePlan, steps: int) -> None:
        self.restarts += 1
        self.steps += steps
        value = sparse_value(plan)
        at = self._guests(plan.at)
        keep_end(self.ends, Member(value, at, number))
        if value > self.value or not self.history:
            self.best, self.value = (at, value) if value > self.value else (self.best, self.value)
            figure = _figures(self._problem, self._ratings, self.best)[self._problem.objective == "total"]
            self.history.append(Improvement(self._deadline.seconds, number, figure))


def _figures(problem: Problem, ratings: Ratings, assignment: IntArray) -> tuple[float, float]:
    """Return the MSE, (1/n) Σ_t (1/n_t) Σ_{i<j} (s_max − s_ij), and the total."""
    tables = len(problem.tables)
    seated = np.bincount(assignment, minlength=tables).astype(np.float64)
    shares = ratings.total(assignment, 1.0 / np.maximum(seated, 1.0))
    apart = ratings.highest * float(np.maximum(seated - 1.0, 0.0).sum()) / 2
    return (apart - shares) / problem.guest_count, ratings.total(assignment, np.ones(tables))


def _best_weights(problem: Problem, ratings: Ratings) -> FloatArray:
    """Return for each guest their best pair weights, largest first, unrated pairs having a score of 0."""
    count, most = ratings.guest_count, max(table.most for table in problem.tables)
    best = np.zeros((count, min(most, max(count - 1, 1))))
    rows = np.repeat(np.arange(count), np.diff(ratings.starts))
    order = np.lexsort((-ratings.scores, rows))
    rank = np.arange(len(rows)) - ratings.starts[rows]
    kept = (rank < best.shape[1]) & (ratings.scores[order] > 0.0)
    best[rows[kept], rank[kept]] = ratings.scores[order][kept]
    return best - ratings.highest if problem.objective == "average" else best


def _order_seats(problem: Problem, ratings: Ratings, assignment: IntArray, deadline: Deadline) -> IntArray:
    """Order the seats table by table, as they come once time is over."""
    # Compiling and loading kernels is not counted.
    until = np.inf if deadline.time_limit is None else deadline.time_limit + deadline.seconds_by_stage["compile"]
    seats = np.zeros(len(assignment), dtype=np.int64)
    by_table = np.argsort(assignment, kind="stable")
    ends = np.cumsum(np.bincount(assignment, minlength=len(problem.tables)))
    for table, here in zip(problem.tables, np.split(by_table, ends[:-1]), strict=True):
        quick = len(here) < 3 or deadline.seconds > until or deadline.is_stopped()
        first = guests_along(table, len(here), [])
        order = first_order(len(here), first, []) if quick else order_table(ratings.among(here), first, [])
        seats[here[order]] = np.arange(len(here))
    return seats


def _result(
    problem: Problem, ratings: Ratings, search: _Search, seats: IntArray, bound: float, seed: int, deadline: Deadline
) -> Result:
    mse, total = _figures(problem, ratings, search.best)
    return Result(
        assignment=search.best,
        seats=seats,
        mse=mse,
        total=total,
        method="full",
        objective=problem.objective,
        seed=seed,
        restarts=search.restarts,
        iterations=search.steps,
        seconds=deadline.seconds,
        seconds_by_stage=dict(deadline.seconds_by_stage),
        positions=np.zeros((problem.guest_count, 2)),
        bound=max(-bound / problem.guest_count, 0.0) if problem.objective == "average" else bound,
        proven_optimal=len(problem.tables) == 1,
        stopped_early=deadline.stopped,
        history=tuple(search.history),
    )


def compile_kernels() -> None:
    """Seat two guests, so that the kernels are compiled or loaded."""
    ratings = collect_ratings(2, [0], [1], [1.0])
    problem = Problem(np.zeros((0, 0)), (Table(1), Table(1)), ratings=ratings)
    plan = make_sparse_plan(problem, ratings, np.array([0, 1]))
    anneal_sparse(plan, 1.0, 0.5, 1, True, random_state(0, 0), np.zeros(2))
    descend_sparse(plan, True, 1.0, np.zeros(2))

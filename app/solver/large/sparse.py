"""Large events with ratings of few pairs: anneals on the ratings themselves, no matrix anywhere."""

from __future__ import annotations

from contextlib import suppress

import numpy as np

from app.solver.deadline import Deadline, Stopped
from app.solver.errors import BadMatrix
from app.solver.feasibility.check import check_feasibility
from app.solver.feasibility.packing import draw_seating
from app.solver.feasibility.table_sizes import table_sizes
from app.solver.large.search import LargeSearch
from app.solver.large.sparse_anneal import (
    LEAST_GAIN,
    SparsePlan,
    anneal_sparse,
    descend_sparse,
    make_sparse_plan,
    sparse_value,
)
from app.solver.large.units import make_units
from app.solver.numba_support.random_numbers import random_state
from app.solver.order.seating import seats_in_time
from app.solver.problem import FloatArray, IntArray, Problem, Ratings, Table, collect_ratings
from app.solver.proof.bounds import company_bound_of
from app.solver.result import Result

HOT, COLD = 0.8, 0.04
"""Temperatures as parts of a typical score."""


def solve_sparse(
    problem: Problem, ratings: Ratings, *, restarts: int, seed: int, deadline: Deadline, threads: int | None = None
) -> Result:
    """Return the best plan of the restarts; with too little time for all, one for each core takes all of it."""
    with deadline.stage("check"):
        search = _SparseSearch(problem, ratings, seed, deadline, threads)
    with deadline.stage("compile"), suppress(Stopped):
        deadline.run_in_thread(compile_kernels)
    with deadline.stage("search"):
        search.run(restarts)
    with deadline.stage("bound"):
        only = len(problem.tables) == 1
        bound = search.value if only else company_bound_of(problem, _best_weights(problem, ratings))
        bound = max(bound, search.value)
    with deadline.stage("seats"):
        seats = seats_in_time(problem, search.best, deadline, scores_among=ratings.among)
    best = max(-bound / problem.guest_count, 0.0) if problem.objective == "average" else bound
    return search.result(seats, np.zeros((problem.guest_count, 2)), best)


class _SparseSearch(LargeSearch):
    """Anneals on the ratings; what moves are guests, or units of guests who sit together."""

    step_seconds = 3e-7

    def __init__(self, problem: Problem, ratings: Ratings, seed: int, deadline: Deadline, threads: int | None) -> None:
        super().__init__(problem, seed, deadline, threads)
        if not np.isfinite(ratings.scores).all():
            raise BadMatrix("A score is missing, not a number, or too large.")
        self._ratings, self._units = ratings, make_units(problem, ratings)
        if self._units is None:
            self._first = np.repeat(np.arange(len(problem.tables)), table_sizes(problem))
        else:
            self._first = check_feasibility(problem, seed).at
        self._spare = problem.seat_count > problem.guest_count
        typical = float(np.abs(ratings.scores).mean()) if len(ratings.scores) else 0.0
        seats = problem.guest_count / len(problem.tables)
        self._typical = typical / seats if problem.objective == "average" else typical
        self.best, self.value = self._guests(self._first), sparse_value(self._plan(self._first))

    def _plan(self, at: IntArray) -> SparsePlan:
        return make_sparse_plan(self._problem, self._ratings, at, self._units)

    def figures(self, assignment: IntArray) -> tuple[float, float]:
        """Return the MSE, (1/n) Σ_t (1/n_t) Σ_{i<j} (s_max − s_ij), and the total."""
        ratings, tables = self._ratings, len(self._problem.tables)
        seated = np.bincount(assignment, minlength=tables).astype(np.float64)
        shares = ratings.total(assignment, 1.0 / np.maximum(seated, 1.0))
        apart = ratings.highest * float(np.maximum(seated - 1.0, 0.0).sum()) / 2
        return (apart - shares) / len(assignment), ratings.total(assignment, np.ones(tables))

    def _value_at_random(self, rng: np.random.Generator) -> float:
        return sparse_value(self._plan(self._draw(rng)))

    def _draw(self, rng: np.random.Generator) -> IntArray:
        """Return a plan drawn at random, tables by unit; the first one where no other is found soon."""
        if self._units is None:
            return rng.permutation(self._first)
        drawn = draw_seating(self._problem, self._units.structure, rng)
        return self._first if drawn is None else drawn

    def _guests(self, at: IntArray) -> IntArray:
        """Turn tables by unit into tables by guest."""
        return at if self._units is None else self._units.structure.guests_at(at)

    def _anneal(self, number: int, steps: int) -> tuple[IntArray, float, int]:
        plan = self._plan(self._draw(np.random.default_rng([abs(self._seed), number])))
        done = 0
        if self._typical > 0.0 and len(self._problem.tables) > 1:
            heat = (HOT * self._typical, COLD * self._typical)
            done = anneal_sparse(plan, *heat, steps, self._spare, random_state(self._seed, number), self._control)
            # The descent may go on when the time for cooling is over, but not when stopped.
            descend_sparse(plan, self._spare, LEAST_GAIN * (1 + self._typical), self._control)
        return self._guests(plan.at), sparse_value(plan), done


def _best_weights(problem: Problem, ratings: Ratings) -> FloatArray:
    """Return for each guest their best pair weights, largest first, unrated pairs having a score of 0."""
    count, most = ratings.guest_count, max(table.most for table in problem.tables)
    best = np.zeros((count, min(most, max(count - 1, 1))))
    rows = ratings.rows
    order = np.lexsort((-ratings.scores, rows))
    rank = np.arange(len(rows)) - ratings.starts[rows]
    kept = (rank < best.shape[1]) & (ratings.scores[order] > 0.0)
    best[rows[kept], rank[kept]] = ratings.scores[order][kept]
    return best - ratings.highest if problem.objective == "average" else best


def compile_kernels() -> None:
    """Seat two guests, so that the kernels are compiled or loaded."""
    ratings = collect_ratings(2, [0], [1], [1.0])
    problem = Problem(np.zeros((0, 0)), (Table(1), Table(1)), ratings=ratings)
    plan = make_sparse_plan(problem, ratings, np.array([0, 1]))
    anneal_sparse(plan, 1.0, 0.5, 1, True, random_state(0, 0), np.zeros(2))
    descend_sparse(plan, True, 1.0, np.zeros(2))

"""Many guests given as points: anneals in centroid form and the paper's k-means, without any matrix of pairs."""

from __future__ import annotations

from contextlib import suppress

import numpy as np

from app.solver.clustering.embedding import embed_points, squared_distances
from app.solver.clustering.reference import squared_costs
from app.solver.clustering.transport import StopFlag, assign_by_transport
from app.solver.deadline import Deadline, Stopped
from app.solver.errors import BadMatrix
from app.solver.feasibility.table_sizes import table_sizes
from app.solver.large.points_anneal import Cloud, anneal_cloud, cloud_value, make_cloud, sum_points
from app.solver.large.search import LargeSearch
from app.solver.numba_support.random_numbers import random_state
from app.solver.order.seating import EXACT_SEATS, seats_in_time
from app.solver.problem import FloatArray, IntArray, Objective, Problem
from app.solver.result import Result

HOT, COLD = 0.3, 1e-4
"""Temperatures as parts of the mean squared distance from the middle."""
MOST_ROUNDS, MOST_TURNS, MOST_PAIRS = 100, 200, 12
LEAST_SHARE = 1e-12
"""A smaller part of the spread than this is no progress."""


def solve_points(
    problem: Problem, *, restarts: int, seed: int, deadline: Deadline, threads: int | None = None
) -> Result:
    """Return the best plan of the restarts; with too little time for all, one for each core takes all of it.

    Seats that stay free are spread evenly before the search.
    """
    with deadline.stage("check"):
        search = _PointsSearch(problem, seed, deadline, threads)
    points = np.asarray(problem.points)
    with deadline.stage("compile"), suppress(Stopped):
        deadline.run_in_thread(compile_kernels)
    with deadline.stage("search"):
        search.run(restarts)

    def scores_among(guests: IntArray) -> FloatArray:
        return -squared_distances(points[guests] - points[guests].mean(axis=0))

    with deadline.stage("seats"):
        seats = seats_in_time(problem, search.best, deadline, scores_among=scores_among, most_searched=EXACT_SEATS)
    with deadline.stage("map"):
        positions = embed_points(points).positions
    return search.result(seats, positions)


class _PointsSearch(LargeSearch):
    """Anneals on points around the origin; each ends with exact assignments to the centroids."""

    step_seconds = 1e-7

    def __init__(self, problem: Problem, seed: int, deadline: Deadline, threads: int | None) -> None:
        super().__init__(problem, seed, deadline, threads)
        points = np.asarray(problem.points)
        if not np.isfinite(points).all():
            raise BadMatrix("A coordinate is missing, not a number, or too large.")
        self._points, self._tables = points - points.mean(axis=0), len(problem.tables)
        self.best = self._first = np.repeat(np.arange(self._tables), table_sizes(problem))
        cloud = self._cloud(self._first)
        self._spread, self.value = float(cloud.norms.mean() * cloud.alpha.mean()), cloud_value(cloud)

    def _cloud(self, at: IntArray, objective: Objective | None = None) -> Cloud:
        return make_cloud(self._points, at, self._tables, objective or self._problem.objective)

    def figures(self, assignment: IntArray) -> tuple[float, float]:
        average = cloud_value(self._cloud(assignment, "average"))
        return -average / len(assignment), cloud_value(self._cloud(assignment, "total"))

    def _value_at_random(self, rng: np.random.Generator) -> float:
        return cloud_value(self._cloud(rng.permutation(self._first)))

    def _anneal(self, number: int, steps: int) -> tuple[IntArray, float, int]:
        rng = np.random.default_rng([abs(self._seed), number])
        cloud = self._cloud(rng.permutation(self._first))
        done = 0
        if self._spread > 0.0 and self._tables > 1:
            heat = (HOT * self._spread, COLD * self._spread)
            done = anneal_cloud(cloud, *heat, steps, random_state(self._seed, number), self._control)
        if self._problem.objective == "average" and not self._control[0]:
            cloud = self._cloud(_settle(self._points, cloud.at, self._tables, self._stop))
        return cloud.at, cloud_value(cloud), done


def _settle(points: FloatArray, at: IntArray, tables: int, stop: StopFlag) -> IntArray:
    """Assign the points to the tables' means exactly until the spread does not fall, with the best sizes for each.

    A price says what one more seat at a table saves. Where a smaller table has the higher price, the two change
    places as long as that helps.
    """
    sizes = np.bincount(at, minlength=tables)
    at, value, prices = _assign_again(points, at, sizes, stop)
    for _ in range(MOST_TURNS):
        pairs = _promising_pairs(sizes, prices)
        for one, other in pairs:
            turned = np.where(at == one, other, np.where(at == other, one, at))
            turned, better, dearer = _assign_again(points, turned, sizes, stop)
            if better < value * (1 - LEAST_SHARE):
                at, value, prices = turned, better, dearer
                break
            if stop[0]:
                return at
        else:
            break
    return at


def _promising_pairs(sizes: IntArray, prices: FloatArray) -> list[tuple[int, int]]:
    """Return the pairs of tables of different sizes that promise to save by changing places, the best first."""
    promise = (sizes[:, None] - sizes[None, :]) * (prices[None, :] - prices[:, None])
    one, other = np.nonzero(np.triu(promise, 1) > 0.0)
    best = np.argsort(-promise[one, other], kind="stable")[:MOST_PAIRS]
    return [(int(one[place]), int(other[place])) for place in best]


def _assign_again(
    points: FloatArray, at: IntArray, sizes: IntArray, stop: StopFlag
) -> tuple[IntArray, float, FloatArray]:
    """Repeat means and exact assignment, sizes as given; return the plan, its spread and the tables' prices.

    Stopped in the first assignment, it returns the plan as it was, with a spread of infinity.
    """
    best, plan, prices = np.inf, at, np.zeros(len(sizes))
    # Tables that changed places have as many points as the other should.
    seated = np.maximum(np.bincount(at, minlength=len(sizes)), 1)[:, None]
    for _ in range(MOST_ROUNDS):
        if stop[0]:
            break
        costs = squared_costs(points, sum_points(points, at, len(sizes)) / seated)
        at, prices = assign_by_transport(costs, sizes, prices, stop)
        if stop[0]:
            break
        seated = np.maximum(sizes, 1)[:, None]
        value = -cloud_value(make_cloud(points, at, len(sizes), "average"))
        if value >= best * (1 - LEAST_SHARE):
            break
        best, plan = value, at
    return plan, best, prices


def compile_kernels() -> None:
    """Seat two points, so that the kernels are compiled or loaded."""
    cloud = make_cloud(np.array([[0.0], [1.0]]), np.array([0, 1]), 2, "average")
    anneal_cloud(cloud, 1.0, 0.5, 1, random_state(0, 0), np.zeros(2))
    assign_by_transport(np.eye(2), np.ones(2, dtype=np.int64))

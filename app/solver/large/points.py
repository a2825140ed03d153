"""Many guests given as points: anneals in centroid form and the paper's k-means, without any matrix of pairs."""

from __future__ import annotations

from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import suppress
from dataclasses import replace

import numpy as np

from app.solver.clustering.embedding import embed_points, squared_distances
from app.solver.clustering.paper import seats_in_order
from app.solver.clustering.reference import squared_costs
from app.solver.clustering.transport import StopFlag, assign_by_transport
from app.solver.deadline import POLL_SECONDS, Deadline, Stopped
from app.solver.errors import BadMatrix, TooLarge
from app.solver.feasibility.table_sizes import table_sizes
from app.solver.large.points_anneal import anneal_cloud, cloud_value, make_cloud
from app.solver.large.sparse import can_solve_sparse
from app.solver.numba_support.random_numbers import random_state
from app.solver.numba_support.threads import count_cores
from app.solver.order.seating import EXACT_SEATS, first_order, guests_along, order_table
from app.solver.problem import FloatArray, IntArray, Objective, Problem
from app.solver.result import Alternative, Improvement, Result
from app.solver.search.consensus import keep_end, other_ends
from app.solver.search.pool import Member
from app.solver.search.strategy import SEARCH_SHARE

STEPS = 2000
"""Steps for each guest in an anneal that time does not cut."""
STEP_SECONDS = 1e-7
HOT, COLD = 0.3, 1e-4
"""Temperatures as parts of the mean squared distance from the middle."""
AVERAGED = 4
GRACE = 0.1
"""The part of its time that a search may exceed to finish its descent."""
MOST_ROUNDS, MOST_TURNS, MOST_PAIRS = 100, 200, 12
LEAST_SHARE = 1e-12
"""A smaller part of the spread than this is no progress."""


def solve_points(
    problem: Problem, *, restarts: int, seed: int, deadline: Deadline, threads: int | None = None
) -> Result:
    """Return the best plan of the restarts; with too little time for all, one for each core takes all of it.

    Seats that stay free are spread evenly before the search.
    """
    if not can_solve_sparse(problem):
        raise TooLarge
    points = np.asarray(problem.points)
    with deadline.stage("check"):
        if not np.isfinite(points).all():
            raise BadMatrix("A coordinate is missing, not a number, or too large.")
        first = np.repeat(np.arange(len(problem.tables)), table_sizes(problem))
    with deadline.stage("compile"), suppress(Stopped):
        deadline.run_in_thread(compile_kernels)
    search = _Search(points - points.mean(axis=0), first, len(problem.tables), problem.objective, seed, deadline)
    with deadline.stage("search"):
        search.run(restarts, threads or count_cores())
    with deadline.stage("seats"):
        seats = _order_seats(problem, points, search.best, deadline)
    with deadline.stage("map"):
        positions = embed_points(points).positions
    with deadline.stage("compare"):
        others = [] if deadline.is_stopped() else other_ends(search.ends, search.average(), len(problem.tables))
        alternatives = tuple(_alternative(problem, points, member.at) for member in others)
    return replace(_result(problem, points, search, seats, positions, seed, deadline), alternatives=alternatives)


def _alternative(problem: Problem, points: FloatArray, assignment: IntArray) -> Alternative:
    seats = seats_in_order(assignment, len(problem.tables))
    return Alternative(assignment, seats, *_figures(problem, points, assignment))


def _figures(problem: Problem, points: FloatArray, assignment: IntArray) -> tuple[float, float]:
    """Return the MSE and the total."""
    centred, tables = points - points.mean(axis=0), len(problem.tables)
    average, total = (cloud_value(make_cloud(centred, assignment, tables, o)) for o in ("average", "total"))
    return -average / problem.guest_count, total


class _Search:
    """Anneals in rounds, one on each core; each ends with exact assignments to the centroids."""

    def __init__(
        self, points: FloatArray, first: IntArray, tables: int, objective: Objective, seed: int, deadline: Deadline
    ) -> None:
        self._points, self._first, self._tables, self._objective = points, first, tables, objective
        self._seed, self._deadline = seed, deadline
        self._control, self._stop = np.zeros(2), np.zeros(1, dtype=np.int64)
        cloud = make_cloud(points, first, tables, objective)
        self._spread = float(cloud.norms.mean() * cloud.alpha.mean())
        self.best, self.value = first, cloud_value(cloud)
        self.restarts = self.steps = 0
        self.history: list[Improvement] = []
        self.ends: list[Member] = []

    def average(self) -> float:
        """Return about what a plan drawn at random is worth."""
        rng = np.random.default_rng(abs(self._seed))
        drawn = [rng.permutation(self._first) for _ in range(AVERAGED)]
        return float(
            np.mean([cloud_value(make_cloud(self._points, at, self._tables, self._objective)) for at in drawn])
        )

    def run(self, restarts: int, threads: int) -> None:
        """Run the restarts, or one for each core for as long as time allows."""
        deadline, steps = self._deadline, STEPS * len(self._points)
        limit = deadline.time_limit
        until = None if limit is None else deadline.seconds + SEARCH_SHARE * limit
        timed = limit is not None and 2 * restarts * steps * STEP_SECONDS >= SEARCH_SHARE * limit
        planned = 0 if deadline.is_stopped() else min(restarts, threads) if timed else restarts
        with ThreadPoolExecutor(threads) as pool:
            for start in range(0, planned, threads):
                numbers = range(start, min(start + threads, planned))
                tasks = [pool.submit(self._anneal, number, 1 << 50 if timed else steps) for number in numbers]
                self._wait(tasks, until, planned)
                for number, task in zip(numbers, tasks, strict=True):
                    self._take(number, *task.result())
                if deadline.is_stopped() or (until is not None and deadline.seconds > until):
                    break

    def _anneal(self, number: int, steps: int) -> tuple[IntArray, float, int]:
        rng = np.random.default_rng([abs(self._seed), number])
        cloud = make_cloud(self._points, rng.permutation(self._first), self._tables, self._objective)
        done = 0
        if self._spread > 0.0 and self._tables > 1:
            heat = (HOT * self._spread, COLD * self._spread)
            done = anneal_cloud(cloud, *heat, steps, random_state(self._seed, number), self._control)
        if self._objective == "average" and not self._control[0]:
            at = _settle(self._points, cloud.at, self._tables, self._stop)
            cloud = make_cloud(self._points, at, self._tables, self._objective)
        return cloud.at, cloud_value(cloud), done

    def _wait(self, tasks: list[Future[tuple[IntArray, float, int]]], until: float | None, planned: int) -> None:
        began = self._deadline.seconds
        try:
            while wait(tasks, timeout=POLL_SECONDS).not_done:
                now = self._deadline.seconds
                if until is not None:
                    self._control[1] = (now - began) / max(until - began, 1e-9)
                if self._deadline.is_stopped():
                    self._end()
                if self._control[1] > 1.0 + GRACE:
                    self._stop[0] = 1
                best = self.history[-1].value if self.history else None
                self._deadline.report(self.restarts, planned, best, self._deadline.seconds_left)
        except BaseException:
            self._end()  # the kernels would go on for ever
            raise

    def _end(self) -> None:
        self._control[0], self._stop[0] = 1.0, 1

    def _take(self, number: int, at: IntArray, value: float, steps: int) -> None:
        self.restarts += 1
        self.steps += steps
        keep_end(self.ends, Member(value, at, number))
        if value > self.value:
            self.best, self.value = at, value
            figure = value if self._objective == "total" else -value / len(at)
            self.history.append(Improvement(self._deadline.seconds, number, figure))


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
    held = np.maximum(np.bincount(at, minlength=len(sizes)), 1)[:, None]
    for _ in range(MOST_ROUNDS):
        if stop[0]:
            break
        sums = np.stack([np.bincount(at, weights=column, minlength=len(sizes)) for column in points.T], axis=1)
        costs = squared_costs(points, sums / held)
        at, prices = assign_by_transport(costs, sizes, prices, stop)
        if stop[0]:
            break
        held = np.maximum(sizes, 1)[:, None]
        value = -cloud_value(make_cloud(points, at, len(sizes), "average"))
        if value >= best * (1 - LEAST_SHARE):
            break
        best, plan = value, at
    return plan, best, prices


def _order_seats(problem: Problem, points: FloatArray, assignment: IntArray, deadline: Deadline) -> IntArray:
    """Order the seats of small tables, nearest neighbours together; guests at large ones sit as they come."""
    seats = np.zeros(len(assignment), dtype=np.int64)
    for number, table in enumerate(problem.tables):
        here = np.flatnonzero(assignment == number)
        quick = len(here) > EXACT_SEATS or len(here) < 3 or deadline.is_time_up or deadline.is_stopped()
        first = guests_along(table, len(here), [])
        if quick:
            order = first_order(len(here), first, [])
        else:
            order = order_table(-squared_distances(points[here] - points[here].mean(axis=0)), first, [])
        seats[here[order]] = np.arange(len(here))
    return seats


def _result(
    problem: Problem,
    points: FloatArray,
    search: _Search,
    seats: IntArray,
    positions: FloatArray,
    seed: int,
    deadline: Deadline,
) -> Result:
    mse, total = _figures(problem, points, search.best)
    only = len(problem.tables) == 1
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
        positions=positions,
        bound=(mse if problem.objective == "average" else total) if only else None,
        proven_optimal=only,
        stopped_early=deadline.stopped,
        history=tuple(search.history),
    )


def compile_kernels() -> None:
    """Seat two points, so that the kernels are compiled or loaded."""
    cloud = make_cloud(np.array([[0.0], [1.0]]), np.array([0, 1]), 2, "average")
    anneal_cloud(cloud, 1.0, 0.5, 1, random_state(0, 0), np.zeros(2))
    assign_by_transport(np.eye(2), np.ones(2, dtype=np.int64))

"""k-means with fixed sizes: whole restarts inside one kernel.

The costs ‖x_i − c_t‖² come from the points when they have few dimensions, else from their squared distances:
‖x_i − c_t‖² = (1/n_t) Σ_{j at t} d²_ij − (1/2n_t²) Σ_{j,l at t} d²_jl, which takes O(n²) for an iteration whatever
the number of dimensions. `app.solver.clustering.reference.restart_by_slots` is the same algorithm in plain numpy.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from app.solver.clustering.embedding import Embedding, squared_distances
from app.solver.clustering.transport import StopFlag, TransportWork, assign_guests, make_transport_work
from app.solver.numba_support.compilation import inlined, kernel, part
from app.solver.numba_support.random_numbers import RandomState, below, start_stream
from app.solver.problem import FloatArray, IntArray, Objective

TOO_LITTLE = 1e-12
"""Points that tie can change places for ever: a smaller part of the MSE than this is no progress."""


class Space(NamedTuple):
    """What stays the same in all restarts; `near` or `points` is empty.

    `squared` are the d² that a plan is judged by, `weights[t]` what one unit of them counts at table t.
    """

    squared: FloatArray
    near: FloatArray
    points: FloatArray
    sizes: IntArray
    weights: FloatArray


class Trial(NamedTuple):
    """The working arrays of one restart."""

    costs: FloatArray
    prices: FloatArray
    sums: FloatArray
    before: IntArray
    order: IntArray
    state: RandomState
    work: TransportWork


def make_space(squared: FloatArray, embedding: Embedding | None, sizes: IntArray, objective: Objective) -> Space:
    """Lay out the arrays for the kernels; no table may be empty. Without points, pairs are used as they are."""
    guests, tables = len(squared), len(sizes)
    # Another type or layout would be compiled again.
    squared = np.ascontiguousarray(squared, dtype=np.float64)
    weights = np.ones(tables) if objective == "total" else 1.0 / (guests * sizes)
    none = np.zeros((0, 0))
    if embedding is None:
        return Space(squared, squared, none, sizes, weights)
    points = np.ascontiguousarray(embedding.points)
    if 0 < points.shape[1] * tables < guests:
        return Space(squared, none, points, sizes, weights)
    near = squared if embedding.is_whole else squared_distances(points)
    return Space(squared, near, none, sizes, weights)


def make_trial(space: Space) -> Trial:
    """Allocate the working arrays of one thread."""
    guests, tables = len(space.squared), len(space.sizes)
    width = max(len(space.near), space.points.shape[1])
    return Trial(
        costs=np.zeros((guests, tables)),
        prices=np.zeros(tables),
        sums=np.zeros((tables, width)),
        before=np.zeros(guests, np.int64),
        order=np.arange(guests),
        state=np.zeros(1, np.uint64),
        work=make_transport_work(guests, tables),
    )


def follow_restart(space: Space, seed: int, restart: int) -> tuple[IntArray, IntArray, FloatArray]:
    """Run one restart; return the points it began with, its plan and the MSE after each iteration."""
    trial, trace = make_trial(space), np.full(10_000, np.nan)
    steps, plan = np.zeros(1, np.int64), np.zeros(len(space.squared), np.int64)
    run_restarts(space, trial, seed, restart, np.zeros(1, np.int64), np.zeros(1), steps, plan, trace)
    return trial.order[: len(space.sizes)], plan, trace[: steps[0]]


def compile_kernels() -> None:
    """Run a restart of two guests, so that the kernels are compiled or loaded."""
    apart = np.array([[0.0, 1.0], [1.0, 0.0]])
    follow_restart(Space(apart, apart, np.zeros((0, 0)), np.ones(2, np.int64), np.ones(2)), seed=0, restart=0)


@kernel
def run_restarts(
    space: Space,
    trial: Trial,
    seed: int,
    first: int,
    stop: StopFlag,
    values: FloatArray,
    steps: IntArray,
    best: IntArray,
    trace: FloatArray,
) -> int:
    """Run one restart for each place in `values`, counted from `first`; keep the best plan.

    Returns how many came to their end: all, unless stopped. `trace` takes the MSE after each iteration of the last
    restart as far as it has room.
    """
    lowest = np.inf
    for r in range(len(values)):
        steps[r] = _run_restart(space, trial, seed, first + r, stop, trace)
        if steps[r] == 0:
            return r
        values[r] = _value(space, trial.work)
        if values[r] < lowest:
            lowest = values[r]
            for i in range(len(best)):
                best[i] = trial.work.table[i]
    return len(values)


@inlined
def _run_restart(space: Space, trial: Trial, seed: int, restart: int, stop: StopFlag, trace: FloatArray) -> int:
    """Run k-means from centroids drawn from the points; return the iterations it took, 0 if stopped.

    Every restart has random numbers of its own, so the plan does not depend on who runs it.
    """
    guests = len(trial.before)
    start_stream(trial.state, seed, restart)
    _draw_centroids(trial)
    _set_first_costs(space, trial)
    last, steps = np.inf, 0
    while assign_guests(trial.costs, space.sizes, trial.prices, trial.work, stop):
        changed = False
        for i in range(guests):
            changed = changed or trial.work.table[i] != trial.before[i]
            trial.before[i] = trial.work.table[i]
        spread = _set_costs(space, trial) if changed else last
        if steps < len(trace):
            trace[steps] = spread / guests
        steps += 1
        if not spread < last * (1.0 - TOO_LITTLE):
            return steps
        last = spread
    return 0


@part
def _draw_centroids(trial: Trial) -> None:
    """Draw a different guest for each table to the front of `order`, and forget the last restart."""
    order = trial.order
    for i in range(len(order)):
        order[i] = i
        trial.before[i] = -1
    for t in range(len(trial.prices)):
        other = t + below(trial.state, len(order) - t)
        order[t], order[other] = order[other], order[t]
        trial.prices[t] = 0.0


@part
def _set_first_costs(space: Space, trial: Trial) -> None:
    """Set the costs for centroids that are points."""
    guests, tables = trial.costs.shape
    if len(space.near) > 0:
        for i in range(guests):
            for t in range(tables):
                trial.costs[i, t] = space.near[i, trial.order[t]]
        return
    for t in range(tables):
        for d in range(space.points.shape[1]):
            trial.sums[t, d] = space.points[trial.order[t], d]
    _set_costs_to(space.points, trial)


@inlined
def _set_costs(space: Space, trial: Trial) -> float:
    """Set the costs for the centroids of the plan; return the plan's own, Σ_i ‖x_i − c_t(i)‖²."""
    if len(space.near) > 0:
        _set_costs_by_pairs(space, trial)
    else:
        _set_costs_by_points(space, trial)
    spread = 0.0
    for i in range(trial.costs.shape[0]):
        spread += trial.costs[i, trial.work.table[i]]
    return spread


@part
def _set_costs_by_pairs(space: Space, trial: Trial) -> None:
    """Sum the squared distances to everyone at each table, and take half of the table's own mean off."""
    near, sums, table = space.near, trial.sums, trial.work.table
    guests, tables = trial.costs.shape
    for t in range(tables):
        for i in range(guests):
            sums[t, i] = 0.0
    for j in range(guests):
        row, to = near[j], sums[table[j]]
        for i in range(guests):
            to[i] += row[i]
    for t in range(tables):
        inner = 0.0
        j = trial.work.first[t]
        while j >= 0:
            inner += sums[t, j]
            j = trial.work.following[j]
        share = 1.0 / space.sizes[t]
        half = inner * share * share / 2.0
        for i in range(guests):
            trial.costs[i, t] = sums[t, i] * share - half


@part
def _set_costs_by_points(space: Space, trial: Trial) -> None:
    """Move each centroid to the mean of its table."""
    points, sums, table = space.points, trial.sums, trial.work.table
    for t in range(sums.shape[0]):
        for d in range(points.shape[1]):
            sums[t, d] = 0.0
    for i in range(points.shape[0]):
        for d in range(points.shape[1]):
            sums[table[i], d] += points[i, d] / space.sizes[table[i]]
    _set_costs_to(points, trial)


@part
def _set_costs_to(points: FloatArray, trial: Trial) -> None:
    """Set the costs to the squared distances from the centroids in `sums`."""
    for i in range(points.shape[0]):
        for t in range(trial.sums.shape[0]):
            cost = 0.0
            for d in range(points.shape[1]):
                away = points[i, d] - trial.sums[t, d]
                cost += away * away
            trial.costs[i, t] = cost


@part
def _value(space: Space, work: TransportWork) -> float:
    """Return Σ_t weight_t Σ_{i<j at t} d²_ij, from the matrix that a plan is judged by."""
    value = 0.0
    for t in range(len(space.sizes)):
        inner = 0.0
        i = work.first[t]
        while i >= 0:
            j = work.following[i]
            while j >= 0:
                inner += space.squared[i, j]
                j = work.following[j]
            i = work.following[i]
        value += space.weights[t] * inner
    return value

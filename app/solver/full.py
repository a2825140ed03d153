"""`method: full`: check, search on the original matrix, prove or bound, order the seats."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, replace

import numpy as np

from app.solver.blocks import Blocks, build_blocks
from app.solver.bounds import upper_bound
from app.solver.careful_descend import compile_careful_kernels
from app.solver.check import Checked, check
from app.solver.consensus import different_plans, pair_frequency
from app.solver.errors import BadMatrix
from app.solver.exact import Proof, proof_work, prove
from app.solver.fair import settle_fairly
from app.solver.guest_map import map_positions
from app.solver.kmeans import compile_kernels as compile_clustering
from app.solver.pool import Member
from app.solver.problem import FloatArray, IntArray, Problem
from app.solver.result import Alternative, Result
from app.solver.score import mean_squared_error, total_score
from app.solver.search import GRACE_SECONDS, Found, Search, compile_kernels, slowness
from app.solver.seating import seats_in_time
from app.solver.starts import Clustered, cluster, greedy, is_free
from app.solver.strategy import (
    CLUSTER_SHARE,
    POLISH_SHARE,
    PROOF_RESTARTS,
    SMALL_BLOCKS,
    bound_seconds,
    choose_effort,
    is_provable,
    search_seconds,
    search_share,
)
from app.solver.watch import Stopped, Watch

PATIENCE = 0.1
"""Seconds that the check has left when a solve is told to stop: without it there is no plan at all."""
QUICK_GUESTS = 60
"""Above this only the plan itself gets the best order of seats, not the others."""


@dataclass(frozen=True)
class Prepared:
    """A problem that was checked: what moves as one, whether nothing is ruled, and whether a plan can be proven."""

    checked: Checked
    blocks: Blocks
    is_free: bool
    is_provable: bool


def solve_full(problem: Problem, *, restarts: int, seed: int, watch: Watch, threads: int | None = None) -> Result:
    """Return the best plan that is found, with every rule kept."""
    prepared = prepare(problem, seed, watch)
    found = search(problem, prepared, restarts=restarts, seed=seed, watch=watch, threads=threads)
    return finish(problem, prepared, found, seed, watch)


def prepare(problem: Problem, seed: int, watch: Watch) -> Prepared:
    """Check the problem and get the kernels ready; `Stopped` if told to stop before there is any plan."""
    with watch.stage("check"):
        checked, blocks = watch.run_aside(lambda: _check(problem, seed), PATIENCE)
        free = is_free(problem, blocks)
    with watch.stage("compile"):
        _compile(watch, free, fair=bool(blocks.fairness))
    return Prepared(checked, blocks, free, is_provable(proof_work(blocks), watch.time_limit))


def _check(problem: Problem, seed: int) -> tuple[Checked, Blocks]:
    if not np.isfinite(problem.matrix).all():
        raise BadMatrix("The matrix holds a value that is missing, not a number, or too large.")
    checked = check(problem, seed)
    return checked, build_blocks(problem, checked.structure)


def search(
    problem: Problem, prepared: Prepared, *, restarts: int, seed: int, watch: Watch, threads: int | None = None
) -> Found:
    """Run the restarts: k-means for the starts where it may, then the search on the matrix."""
    blocks, provable = prepared.blocks, prepared.is_provable
    with watch.stage("k-means"):
        wanted = prepared.is_free and not watch.is_stopped()
        clustered = _cluster(problem, restarts, seed, watch, threads) if wanted else Clustered()
    with watch.stage("search"):
        planned = min(restarts, PROOF_RESTARTS) if provable and blocks.count <= SMALL_BLOCKS else restarts
        starts = _starts(problem, prepared.checked, blocks, clustered, watch)
        share = search_share(problem.guest_count, provable)
        found = _search(problem, blocks, starts, planned, seed, watch, share, threads)
        return _told_from_the_start(problem, clustered, found)


def finish(problem: Problem, prepared: Prepared, found: Found, seed: int, watch: Watch) -> Result:
    """Prove or bound what was found, order the seats, and compare the good plans."""
    blocks, structure = prepared.blocks, prepared.checked.structure
    with watch.stage("prove"):
        proof = _prove(blocks, found.best.at, watch) if prepared.is_provable else Proof(found.best.at, False, np.inf)
        best = _lift_unhappiest(blocks, proof.at, watch)
        assignment = structure.guests_at(best)
    with watch.stage("bound"):
        exact = proof.is_optimal and not problem.fairness and not problem.move_cost
        bound = _figure(problem, assignment) if exact else _bound(problem, assignment, proof, watch)
    with watch.stage("seats"):
        seats = seats_in_time(problem, assignment, watch)
    with watch.stage("map"):
        positions = map_or_nothing(problem, watch)
    with watch.stage("compare"):
        members = [] if watch.stopped else _ranked(blocks, best, found)
        alternatives = _alternatives(problem, blocks, members, watch)
    result = _result(problem, assignment, seats, positions, found, seed, watch, proof.is_optimal, bound)
    return replace(result, alternatives=alternatives, pair_frequency=pair_frequency(blocks, members))


def _search(
    problem: Problem,
    blocks: Blocks,
    starts: tuple[IntArray, ...],
    restarts: int,
    seed: int,
    watch: Watch,
    share: float,
    threads: int | None,
) -> Found:
    until = None
    if watch.time_limit is not None:
        # Checking thousands of guests counts too, but never takes more than half of the search's time.
        most = search_seconds(share, problem.guest_count, watch.time_limit)
        until = max(watch.seconds_by_stage["compile"] + most, watch.seconds + most / 2)
    return Search(
        blocks,
        starts,
        effort=choose_effort(blocks.count, restarts, watch.time_limit, slowness(blocks)),
        restarts=restarts,
        seed=seed,
        watch=watch,
        until=until,
        grace=max(GRACE_SECONDS, POLISH_SHARE * (watch.time_limit or 0.0)),
        figure=lambda at: _figure(problem, blocks.structure.guests_at(at)),
        threads=threads,
    ).run()


def _prove(blocks: Blocks, at: IntArray, watch: Watch) -> Proof:
    """Return the best plan there is, or the one that was given when time does not allow a proof."""
    try:
        return watch.run_aside(lambda: prove(blocks, at, lambda: _is_late(watch)))
    except Stopped:
        return Proof(at, False, np.inf)


def _lift_unhappiest(blocks: Blocks, at: IntArray, watch: Watch) -> IntArray:
    """Return a plan that is worth the same, and where the unhappiest guest sits better, if fairness asks for it."""
    if not blocks.fairness or watch.stopped:
        return at
    try:
        settled = watch.run_aside(lambda: settle_fairly(blocks, at))
    except Stopped:
        return at
    return settled if blocks.keeps_rules(settled) else at


def _is_late(watch: Watch) -> bool:
    """Say whether time is over; compiling and loading kernels is not counted."""
    limit = watch.time_limit
    return watch.stopped or (limit is not None and watch.seconds > limit + watch.seconds_by_stage.get("compile", 0.0))


def _bound(problem: Problem, assignment: IntArray, proof: Proof, watch: Watch) -> float | None:
    """Return a value of the objective that no plan can beat."""
    average = problem.objective == "average"
    figure = _figure(problem, assignment)
    known = -problem.guest_count * figure if average else figure
    began = watch.seconds
    most = bound_seconds(began - watch.seconds_by_stage["compile"], watch.time_limit)
    try:
        bound = watch.run_aside(lambda: upper_bound(problem, known, lambda: watch.seconds - began > most))
    except Stopped:
        return None
    if not problem.fairness and not problem.move_cost:
        bound = min(bound, proof.bound)
    bound = max(bound, known)  # rounding
    return max(-bound / problem.guest_count, 0.0) if average else bound


def _ranked(blocks: Blocks, best: IntArray, found: Found) -> list[Member]:
    """Return the plan that is reported, then the others of the pool, best first."""
    others = [member for member in found.pool.members if not np.array_equal(member.at, best)]
    return [Member(blocks.value(best), best, found.best.restart), *others]


def _alternatives(problem: Problem, blocks: Blocks, members: list[Member], watch: Watch) -> tuple[Alternative, ...]:
    """Return the good plans that differ from the best one, with their seats."""
    plans = []
    for member in different_plans(blocks, members)[1:]:
        if watch.is_stopped():
            break
        assignment = blocks.structure.guests_at(member.at)
        plans.append(
            Alternative(
                assignment=assignment,
                seats=seats_in_time(problem, assignment, watch, quick=problem.guest_count > QUICK_GUESTS),
                mse=mean_squared_error(problem.squared_distances, assignment, len(problem.tables)),
                total=total_score(problem.scores, assignment),
            )
        )
    return tuple(plans)


def _compile(watch: Watch, free: bool, fair: bool) -> None:
    """Compile or load the kernels, which the time limit is not for."""
    with suppress(Stopped):
        watch.run_aside(compile_kernels)
        if fair:
            watch.run_aside(compile_careful_kernels)
        if free:
            watch.run_aside(compile_clustering)


def _cluster(problem: Problem, restarts: int, seed: int, watch: Watch, threads: int | None) -> Clustered:
    """Run the asked restarts of the paper's k-means, as far as its share of the time goes."""
    until = None if watch.time_limit is None else watch.seconds + CLUSTER_SHARE * watch.time_limit
    return cluster(problem, restarts=restarts, seed=seed, watch=watch, until=until, threads=threads)


def _told_from_the_start(problem: Problem, clustered: Clustered, found: Found) -> Found:
    """Return what was found with what k-means did before; only where both look at the same figure."""
    restarts = max(clustered.restarts, found.restarts)
    if not clustered.history or problem.fairness or problem.move_cost:
        return replace(found, restarts=restarts)
    last, sign = clustered.history[-1].value, 1.0 if problem.objective == "total" else -1.0
    later = tuple(step for step in found.history if sign * (step.value - last) > 1e-12 * (1 + abs(last)))
    return replace(found, restarts=restarts, history=clustered.history + later)


def _starts(
    problem: Problem, checked: Checked, blocks: Blocks, clustered: Clustered, watch: Watch
) -> tuple[IntArray, ...]:
    """Start from the current plan where it keeps the rules, the one that the check found, a greedy one, and k-means."""
    starts = [checked.at, *(checked.structure.blocks_at(plan) for plan in clustered.plans)]
    eager = None if watch.is_stopped() else greedy(blocks)
    if eager is not None and blocks.keeps_rules(eager):
        starts.append(eager)
    if problem.previous is not None:
        previous = np.array(problem.previous, dtype=np.int64)
        at = checked.structure.blocks_at(previous)
        whole = bool((previous >= 0).all()) and np.array_equal(checked.structure.guests_at(at), previous)
        if whole and blocks.keeps_rules(at):
            starts.insert(0, at)
    return tuple(starts)


def _figure(problem: Problem, assignment: IntArray) -> float:
    """Return the value of the objective that is reported: the MSE or the total."""
    if problem.objective == "total":
        return total_score(problem.scores, assignment)
    return mean_squared_error(problem.squared_distances, assignment, len(problem.tables))


def map_or_nothing(problem: Problem, watch: Watch) -> FloatArray:
    """Return the guests on the map, all in one place where the solve was told to stop."""
    try:
        return watch.run_aside(lambda: map_positions(problem.squared_distances, lambda: _is_late(watch)))
    except Stopped:
        return np.zeros((problem.guest_count, 2))


def _result(
    problem: Problem,
    assignment: IntArray,
    seats: IntArray,
    positions: FloatArray,
    found: Found,
    seed: int,
    watch: Watch,
    proven: bool,
    bound: float | None,
) -> Result:
    return Result(
        assignment=assignment,
        seats=seats,
        mse=mean_squared_error(problem.squared_distances, assignment, len(problem.tables)),
        total=total_score(problem.scores, assignment),
        method="full",
        objective=problem.objective,
        seed=seed,
        restarts=found.restarts,
        iterations=found.steps,
        seconds=watch.seconds,
        seconds_by_stage=dict(watch.seconds_by_stage),
        positions=positions,
        bound=bound,
        proven_optimal=proven,
        stopped_early=watch.stopped,
        history=found.history,
    )

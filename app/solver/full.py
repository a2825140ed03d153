"""`method: full`: check, search on the original matrix, prove or bound, order the seats."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, replace

import numpy as np

from app.solver.clustering.guest_map import map_positions
from app.solver.clustering.kmeans import compile_kernels as compile_clustering
from app.solver.deadline import Deadline, Stopped
from app.solver.errors import BadMatrix
from app.solver.feasibility.check import Feasible, check_feasibility
from app.solver.feasibility.packing import draw_seating
from app.solver.order.seating import seats_in_time
from app.solver.problem import FloatArray, IntArray, Problem
from app.solver.proof.bounds import upper_bound
from app.solver.proof.exact import Proof, proof_work, prove
from app.solver.proof.exact import compile_kernels as compile_proof
from app.solver.result import Alternative, Result
from app.solver.score import mean_squared_error, total_score
from app.solver.search.blocks import Blocks, build_blocks
from app.solver.search.extended_search import compile_extended_kernels, settle_fairly
from app.solver.search.pool import Member, different_plans, pair_frequency
from app.solver.search.search import GRACE_SECONDS, MOST_FOLLOWED, Found, Search, compile_kernels
from app.solver.search.starts import Clustered, cluster, greedy, is_free
from app.solver.search.staying import stay_put
from app.solver.search.strategy import (
    CLUSTER_SHARE,
    POLISH_SHARE,
    PROOF_RESTARTS,
    SMALL_BLOCKS,
    bound_seconds,
    choose_effort,
    is_provable,
    restart_length,
    search_seconds,
    search_share,
    slowness,
)

PATIENCE = 0.1
"""Seconds that the check may still take when a solve is stopped: without it there is no plan at all."""
STAY_SECONDS = 0.3
"""Seconds that guests have to go back to their tables, also where the search and the proof took all the time."""
LIFT_SECONDS = 0.3
"""Seconds for the unhappiest guest, in the same way."""
SETTLED_PROOF_SHARE = 0.15
"""The part of a time limit for a proof after a search that ended early: a long proof would give the time back."""
DRAWN_STARTS = 4
QUICK_GUESTS = 60
"""Above this only the plan itself gets the best order of seats, not the others."""


@dataclass(frozen=True)
class Prepared:
    """A problem that was checked: what moves as one, whether nothing is ruled, and whether a plan can be proven."""

    feasible: Feasible
    blocks: Blocks
    is_free: bool
    is_provable: bool


def solve_full(
    problem: Problem,
    *,
    restarts: int,
    seed: int,
    deadline: Deadline,
    threads: int | None = None,
    stop_early: bool = False,
) -> Result:
    """Return the best plan that is found, with every rule kept."""
    prepared = prepare(problem, seed, deadline)
    found = search(
        problem, prepared, restarts=restarts, seed=seed, deadline=deadline, threads=threads, stop_early=stop_early
    )
    return finish(problem, prepared, found, seed, deadline)


def prepare(problem: Problem, seed: int, deadline: Deadline) -> Prepared:
    """Check the problem and get the kernels ready; `Stopped` if stopped before there is any plan."""
    with deadline.stage("check"):
        feasible, blocks = deadline.run_in_thread(lambda: _check(problem, seed), PATIENCE)
        free = is_free(problem, blocks)
    with deadline.stage("compile"):
        _compile(deadline, free, fair=bool(blocks.fairness))
    return Prepared(feasible, blocks, free, is_provable(proof_work(blocks), deadline.time_limit))


def _check(problem: Problem, seed: int) -> tuple[Feasible, Blocks]:
    if not np.isfinite(problem.matrix).all():
        raise BadMatrix("The matrix holds a value that is missing, not a number, or too large.")
    feasible = check_feasibility(problem, seed)
    return feasible, build_blocks(problem, feasible.structure)


def search(
    problem: Problem,
    prepared: Prepared,
    *,
    restarts: int,
    seed: int,
    deadline: Deadline,
    threads: int | None = None,
    stop_early: bool = False,
) -> Found:
    """Run the restarts: k-means for the starts where it may, then the search on the matrix."""
    blocks, provable = prepared.blocks, prepared.is_provable
    with deadline.stage("k-means"):
        eager = _greedy(problem, blocks, deadline)
        clustered = Clustered()
        if prepared.is_free and not deadline.is_stopped():
            until = None if deadline.time_limit is None else deadline.seconds + CLUSTER_SHARE * deadline.time_limit
            clustered = cluster(problem, restarts=restarts, seed=seed, deadline=deadline, until=until, threads=threads)
    with deadline.stage("search"):
        planned = min(restarts, PROOF_RESTARTS) if provable and blocks.count <= SMALL_BLOCKS else restarts
        starts = _starts(problem, prepared.feasible, blocks, clustered, eager, deadline)
        found = Search(
            blocks,
            starts,
            effort=choose_effort(blocks.count, planned, deadline.time_limit, slowness(blocks), restart_length(blocks)),
            restarts=planned,
            seed=seed,
            deadline=deadline,
            until=_search_until(problem, deadline, provable),
            grace=max(GRACE_SECONDS, POLISH_SHARE * (deadline.time_limit or 0.0)),
            figure=lambda at: _figure(problem, blocks.structure.guests_at(at)),
            threads=threads,
            stop_early=stop_early,
        ).run()
        return _with_kmeans_history(problem, clustered, found)


def _search_until(problem: Problem, deadline: Deadline, provable: bool) -> float | None:
    """Return when the search ends, in seconds of the solve."""
    if deadline.time_limit is None:
        return None
    share = search_share(problem.guest_count, provable)
    most = search_seconds(share, problem.guest_count, deadline.time_limit)
    # Checking thousands of guests counts too, but never takes more than half of the search's time.
    return max(deadline.seconds_by_stage["compile"] + most, deadline.seconds + most / 2)


def finish(problem: Problem, prepared: Prepared, found: Found, seed: int, deadline: Deadline) -> Result:
    """Prove or bound what was found, order the seats, and compare the good plans."""
    blocks, structure = prepared.blocks, prepared.feasible.structure
    with deadline.stage("prove"):
        proof = Proof(found.best.at, False, np.inf)
        if prepared.is_provable:
            proof = _prove(blocks, found, deadline)
        best = _stay_put(problem, blocks, _lift_unhappiest(blocks, proof.at, deadline), deadline)
        assignment = structure.guests_at(best)
    with deadline.stage("bound"):
        exact = proof.is_optimal and not problem.fairness and not problem.move_cost
        bound = _figure(problem, assignment) if exact else _bound(problem, blocks, assignment, proof, deadline)
    with deadline.stage("seats"):
        seats = seats_in_time(problem, assignment, deadline)
    with deadline.stage("map"):
        positions = map_or_nothing(problem, deadline)
    with deadline.stage("compare"):
        members = [] if deadline.stopped else _ranked(blocks, best, found)
        alternatives = _alternatives(problem, blocks, members, deadline)
    result = Result(
        **vars(_with_figures(problem, assignment, seats)),
        method="full",
        objective=problem.objective,
        seed=seed,
        restarts=found.restarts,
        iterations=found.steps,
        positions=positions,
        bound=bound,
        proven_optimal=proof.is_optimal,
        history=found.history,
        alternatives=alternatives,
        pair_frequency=pair_frequency(blocks, members),
        stopped_early=deadline.stopped,
        settled_early=found.settled_early and not proof.is_optimal,
    )
    return deadline.with_times(result)


def _with_figures(problem: Problem, assignment: IntArray, seats: IntArray) -> Alternative:
    mse = mean_squared_error(problem.squared_distances, assignment, len(problem.tables))
    return Alternative(assignment, seats, mse, total_score(problem.scores, assignment))


def _prove(blocks: Blocks, found: Found, deadline: Deadline) -> Proof:
    """Return the best plan there is, or the one that was found when time does not allow a proof."""
    at, began = found.best.at, deadline.seconds
    most = SETTLED_PROOF_SHARE * (deadline.time_limit or np.inf) if found.settled_early else np.inf

    def should_end() -> bool:
        return _is_late(deadline) or deadline.seconds - began > most

    try:
        return deadline.run_in_thread(lambda: prove(blocks, at, should_end))
    except Stopped:
        return Proof(at, False, np.inf)


def _lift_unhappiest(blocks: Blocks, at: IntArray, deadline: Deadline) -> IntArray:
    """Return a plan that is worth the same, and where the unhappiest guest sits better, if the problem has fairness."""
    if not blocks.fairness or deadline.stopped:
        return at
    control, until = np.zeros(2), deadline.seconds + LIFT_SECONDS

    def settle() -> IntArray:
        return settle_fairly(blocks, at, control=control)

    def look() -> None:
        control[0] = float(deadline.stopped or (_is_late(deadline) and deadline.seconds > until))

    try:
        settled = deadline.run_in_thread(settle, look=look)
    except Stopped:  # the thread ends soon, but nobody waits for it
        return at
    return settled if blocks.keeps_rules(settled) else at


def _stay_put(problem: Problem, blocks: Blocks, at: IntArray, deadline: Deadline) -> IntArray:
    """Return a plan that is worth the same, and where fewer guests leave their tables, if there is a current plan."""
    if problem.previous is None or problem.move_cost or deadline.stopped:
        return at
    began = deadline.seconds

    def should_end() -> bool:
        return deadline.stopped or (_is_late(deadline) and deadline.seconds - began > STAY_SECONDS)

    try:
        return deadline.run_in_thread(lambda: stay_put(problem, blocks, at, should_end))
    except Stopped:
        return at


def _is_late(deadline: Deadline) -> bool:
    """Return whether time is over; compiling and loading kernels is not counted."""
    limit = deadline.time_limit
    return deadline.stopped or (
        limit is not None and deadline.seconds > limit + deadline.seconds_by_stage.get("compile", 0.0)
    )


def _bound(problem: Problem, blocks: Blocks, assignment: IntArray, proof: Proof, deadline: Deadline) -> float | None:
    """Return a value of the objective that no plan can beat."""
    average = problem.objective == "average"
    figure = _figure(problem, assignment)
    known = -problem.guest_count * figure if average else figure
    began = deadline.seconds
    most = bound_seconds(began - deadline.seconds_by_stage["compile"], deadline.time_limit)
    try:
        bound = deadline.run_in_thread(
            lambda: upper_bound(problem, blocks, known, lambda: deadline.seconds - began > most)
        )
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


def _alternatives(
    problem: Problem, blocks: Blocks, members: list[Member], deadline: Deadline
) -> tuple[Alternative, ...]:
    """Return the good plans that differ from the best one, with their seats."""
    plans = []
    for member in different_plans(blocks, members)[1:]:
        if deadline.is_stopped():
            break
        assignment = blocks.structure.guests_at(member.at)
        seats = seats_in_time(problem, assignment, deadline, quick=problem.guest_count > QUICK_GUESTS)
        plans.append(_with_figures(problem, assignment, seats))
    return tuple(plans)


def _compile(deadline: Deadline, free: bool, fair: bool) -> None:
    """Compile or load the kernels, which the time limit is not for."""
    with suppress(Stopped):
        deadline.run_in_thread(compile_kernels)
        deadline.run_in_thread(compile_proof)
        if fair:
            deadline.run_in_thread(compile_extended_kernels)
        if free:
            deadline.run_in_thread(compile_clustering)


def _with_kmeans_history(problem: Problem, clustered: Clustered, found: Found) -> Found:
    """Return what was found with what k-means did before; only where both look at the same figure."""
    restarts = max(clustered.restarts, found.restarts)
    if not clustered.history or problem.fairness or problem.move_cost:
        return replace(found, restarts=restarts)
    last, sign = clustered.history[-1].value, 1.0 if problem.objective == "total" else -1.0
    later = tuple(step for step in found.history if sign * (step.value - last) > 1e-12 * (1 + abs(last)))
    return replace(found, restarts=restarts, history=clustered.history + later)


def _greedy(problem: Problem, blocks: Blocks, deadline: Deadline) -> IntArray | None:
    """Return a plan that takes no time to make, and report it: whoever waits sees the first plan at once."""
    eager = None if deadline.is_stopped() else greedy(blocks)
    if eager is None or not blocks.keeps_rules(eager):
        return None
    if blocks.count <= MOST_FOLLOWED:
        seating = blocks.structure.guests_at(eager)
        deadline.report(best=_figure(problem, seating), left=deadline.seconds_left, now=True, seating=seating)
    return eager


def _starts(
    problem: Problem,
    feasible: Feasible,
    blocks: Blocks,
    clustered: Clustered,
    eager: IntArray | None,
    deadline: Deadline,
) -> tuple[IntArray, ...]:
    """Start from the current plan where it keeps the rules, the one that the check found, a greedy one, and k-means.

    Rules about groups may leave plans that no small change connects, so there are some more, drawn at random.
    """
    structure = feasible.structure
    starts = [feasible.at, *(structure.blocks_at(plan) for plan in clustered.plans)]
    for number in range(DRAWN_STARTS if structure.splits or len(structure.limits) else 0):
        drawn = None if deadline.is_stopped() else draw_seating(problem, structure, np.random.default_rng(number))
        starts += [] if drawn is None else [drawn]
    starts += [] if eager is None else [eager]
    if problem.previous is not None:
        previous = np.array(problem.previous, dtype=np.int64)
        at = structure.blocks_at(previous)
        whole = bool((previous >= 0).all()) and np.array_equal(structure.guests_at(at), previous)
        if whole and blocks.keeps_rules(at):
            starts.insert(0, at)
    return tuple(starts)


def _figure(problem: Problem, assignment: IntArray) -> float:
    """Return the value of the objective that is reported: the MSE or the total."""
    if problem.objective == "total":
        return total_score(problem.scores, assignment)
    return mean_squared_error(problem.squared_distances, assignment, len(problem.tables))


def map_or_nothing(problem: Problem, deadline: Deadline) -> FloatArray:
    """Return the guests on the map, all in one place if the solve was stopped."""
    try:
        return deadline.run_in_thread(lambda: map_positions(problem.squared_distances, lambda: _is_late(deadline)))
    except Stopped:
        return np.zeros((problem.guest_count, 2))

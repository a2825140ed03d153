"""A solve in parts: shards search with seeds of their own, on any machines; one finishing step makes the plan.

A shard has a range of the restarts. For `method: paper` a restart depends on the seed and its number alone, so the
shards together do exactly what one solve would. For `method: full` each shard is a search of its own. Either way
the plan follows from the seed, the restarts and the number of shards; who solved which, and when, has no part in it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from io import BytesIO

import numpy as np

from app.solver import full
from app.solver.clustering.embedding import with_matrix
from app.solver.clustering.paper import cluster_points, paper_result
from app.solver.clustering.restarts import Outcome
from app.solver.deadline import Deadline
from app.solver.numba_support.threads import choose_cores
from app.solver.options import refuse_impossible
from app.solver.problem import FloatArray, IntArray, Method, Problem
from app.solver.result import Improvement, OnProgress, Result, ShouldStop, ignore_progress, never_stop
from app.solver.search.pool import Member, Pool
from app.solver.search.search import Found

SEED_STEP = 1 << 32
"""Seeds are smaller, so no two shards of any two seeds share one."""
MOST_MEMBERS = 16


@dataclass(frozen=True)
class ShardFound:
    """What a shard gives to the finishing step: its good plans, what they are worth, and how it got there.

    `plans` are tables by block (full) or by guest among the tables in use (paper), one row a plan, best first;
    `restarts` the restart that found each. `counts` are restarts and steps done, `history` rows of seconds,
    restart and value.
    """

    values: FloatArray
    plans: IntArray
    restarts: IntArray
    counts: IntArray
    history: FloatArray
    seconds: float

    def to_bytes(self) -> bytes:
        """Return it as bytes that `from_bytes` reads; no pickle."""
        stream = BytesIO()
        np.savez_compressed(stream, **vars(self) | {"plans": self.plans.astype(np.int32)})
        return stream.getvalue()

    @classmethod
    def from_bytes(cls, packed: bytes) -> ShardFound:
        """Return what was packed."""
        with np.load(BytesIO(packed), allow_pickle=False) as read:
            found = cls(**read)
        return replace(found, plans=found.plans.astype(np.int64), seconds=float(found.seconds))


def part_of(restarts: int, shards: int, number: int) -> range:
    """Return the restarts of one shard."""
    return range(restarts * number // shards, restarts * (number + 1) // shards)


def search_shard(
    problem: Problem,
    *,
    number: int,
    shards: int,
    method: Method = "full",
    restarts: int = 1000,
    time_limit: float | None = 5.0,
    seed: int = 1,
    on_progress: OnProgress = ignore_progress,
    should_stop: ShouldStop = never_stop,
    threads: int | None = None,
) -> ShardFound:
    """Run the restarts of one shard; the time limit is for each shard."""
    refuse_impossible(problem, method)
    choose_cores(problem.guest_count)
    problem = with_matrix(problem)
    deadline = Deadline(time_limit, on_progress, should_stop)
    part = part_of(restarts, shards, number)
    if method == "paper":
        return _paper_part(problem, part, seed, deadline, threads)
    return _full_part(problem, part, seed + number * SEED_STEP, deadline, threads)


def finish_shards(
    problem: Problem,
    parts: Sequence[ShardFound],
    *,
    method: Method = "full",
    time_limit: float | None = 5.0,
    seed: int = 1,
    on_progress: OnProgress = ignore_progress,
    should_stop: ShouldStop = never_stop,
) -> Result:
    """Make the plan from what all shards found, given in their order: the best counts, the first of equals."""
    choose_cores(problem.guest_count)
    problem = with_matrix(problem)
    deadline = Deadline(time_limit, on_progress, should_stop)
    finish = _finish_paper if method == "paper" else _finish_full
    result = finish(problem, parts, seed, deadline)
    longest = max(part.seconds for part in parts)
    stages = {"shards": longest, **result.seconds_by_stage}
    return replace(result, seconds=longest + deadline.seconds, seconds_by_stage=stages, history=_course(problem, parts))


def _paper_part(problem: Problem, part: range, seed: int, deadline: Deadline, threads: int | None) -> ShardFound:
    outcome = cluster_points(
        problem, restarts=len(part), seed=seed, deadline=deadline, threads=threads, first=part.start
    ).outcome
    best = int(outcome.values.argmin()) if outcome.assignment is not None else 0
    plans = np.zeros((0, 0), dtype=np.int64) if outcome.assignment is None else outcome.assignment[None, :]
    return ShardFound(
        values=outcome.values[best : best + len(plans)],
        plans=plans,
        restarts=np.full(len(plans), part.start + best),
        counts=np.array([outcome.restarts, outcome.iterations]),
        history=_rows(outcome.history),
        seconds=deadline.seconds,
    )


def _full_part(problem: Problem, part: range, seed: int, deadline: Deadline, threads: int | None) -> ShardFound:
    prepared = full.prepare(problem, seed, deadline)
    found = full.search(problem, prepared, restarts=len(part), seed=seed, deadline=deadline, threads=threads)
    members = found.pool.members
    return ShardFound(
        values=np.array([member.value for member in members]),
        plans=np.array([member.at for member in members]),
        restarts=np.array([part.start + member.restart for member in members]),
        counts=np.array([found.restarts, found.steps]),
        history=_rows(found.history),
        seconds=deadline.seconds,
    )


def _finish_paper(problem: Problem, parts: Sequence[ShardFound], seed: int, deadline: Deadline) -> Result:
    drawn = cluster_points(problem, restarts=0, seed=seed, deadline=deadline)
    best = min((part for part in parts if len(part.plans)), key=lambda part: (part.values[0], part.restarts[0]))
    restarts, steps = _counts(parts)
    outcome = Outcome(best.plans[0], restarts, steps, ())
    return paper_result(problem, replace(drawn, outcome=outcome), seed, deadline, stopped_early=deadline.stopped)


def _finish_full(problem: Problem, parts: Sequence[ShardFound], seed: int, deadline: Deadline) -> Result:
    prepared = full.prepare(problem, seed, deadline)
    pool = Pool(MOST_MEMBERS, prepared.blocks.table_count)
    for member in _members(parts):
        pool.add(member)
    restarts, steps = _counts(parts)
    # The best of all by itself: a pool may take a near twin for it.
    best = min(_members(parts), key=lambda member: (-member.value, member.restart))
    deadline.report(now=True, seating=prepared.feasible.structure.guests_at(best.at))
    return full.finish(problem, prepared, Found(best, pool, restarts, steps, ()), seed, deadline)


def _members(parts: Iterable[ShardFound]) -> list[Member]:
    return [
        Member(float(value), plan, int(restart))
        for part in parts
        for value, plan, restart in zip(part.values, part.plans, part.restarts, strict=True)
    ]


def _counts(parts: Iterable[ShardFound]) -> tuple[int, int]:
    restarts, steps = np.sum([part.counts for part in parts], axis=0)
    return int(restarts), int(steps)


def _rows(history: tuple[Improvement, ...]) -> FloatArray:
    return np.array([(step.seconds, step.restart, step.value) for step in history]).reshape(-1, 3)


def _course(problem: Problem, parts: Sequence[ShardFound]) -> tuple[Improvement, ...]:
    """Return the course of the best value, as if the shards had begun together."""
    sign = 1.0 if problem.objective == "total" else -1.0
    course: list[Improvement] = []
    for seconds, restart, value in sorted(map(tuple, np.concatenate([part.history for part in parts]))):
        if not course or sign * (value - course[-1].value) > 0:
            course.append(Improvement(float(seconds), int(restart), float(value)))
    return tuple(course)

"""The search: anneals on all cores, a pool of good plans, and children that keep what their parents share.

Restarts run in rounds of ROUND; what a restart does depends on its number and on the pool before its round alone,
so the plan is the same on any number of cores.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial

import numpy as np

from app.solver.deadline import POLL_SECONDS, Deadline, wait_for
from app.solver.feasibility.structure import build_structure
from app.solver.numba_support.random_numbers import RandomState, random_state
from app.solver.numba_support.threads import count_cores
from app.solver.problem import FloatArray, IntArray, Problem, Table
from app.solver.result import Improvement
from app.solver.search.anneal import Schedule, anneal, cheapest_change
from app.solver.search.blocks import Blocks, build_blocks
from app.solver.search.descend import CHAINS, PAIRS, SWAPS, descend
from app.solver.search.extended_search import LEAST_GAIN, anneal_fairly, settle_fairly
from app.solver.search.freezing import COOLINGS, Cooling, cool, mean_of
from app.solver.search.pool import Member, Pool, differing
from app.solver.search.search_state import SearchState, build_search_state
from app.solver.search.strategy import (
    COLD_LOSS,
    COOLING_SHARE,
    FAIR_PLANS,
    FAIR_SETTLE_SHARE,
    FAIR_SHARE,
    HOT_COLD,
    LADDER,
    PILOT_SHARE,
    POOL_SHARE,
    SETTLING_SHARE,
    Effort,
    Temperatures,
    fair_steps,
    fit_effort,
    heat_around,
    heat_of,
    limited_depth,
    measure_swaps,
    sets_every,
)
from app.solver.search.temper import Ladder, make_ladder, temper

ROUND = 4
ROUND_WITHOUT_CHILDREN = 24
"""Restarts that need no parents wait for each other less often."""
FAIR_STREAMS = 1 << 30
"""Random numbers from here on are drawn with fairness: beyond those of any restart, and the same on any computer."""
COOLING_STREAMS = FAIR_STREAMS + FAIR_PLANS
GRACE_SECONDS = 0.1
ENOUGH_HITS = 24
"""So many restarts that end at the best plan say that a better one is unlikely."""
MOST_FOLLOWED = 500
"""Up to so many blocks the best plan so far is reported; nobody reads along with more."""
MOST_EXCHANGES = 2e7
"""Without a time limit, more exchanges of two against two are not weighed: they take seconds, at tables of hundreds."""


@dataclass(frozen=True)
class Found:
    """The best plan, all good plans, and how it was found."""

    best: Member
    pool: Pool
    restarts: int
    steps: int
    history: tuple[Improvement, ...]
    settled_early: bool = False


class _Job:
    """One restart under way; `control` is what its kernels look at."""

    def __init__(self) -> None:
        self.control: FloatArray = np.zeros(2)
        self.started: float | None = None
        self.better: IntArray | None = None
        self.taken: IntArray | None = None

    def offer(self, at: IntArray) -> None:
        """Let the search take a better plan while the work goes on."""
        self.better = at


class Search:
    """One search over blocks, from a seating that keeps the rules."""

    def __init__(
        self,
        blocks: Blocks,
        starts: tuple[IntArray, ...],
        *,
        effort: Effort,
        restarts: int,
        seed: int,
        deadline: Deadline,
        until: float | None,
        figure: Callable[[IntArray], float],
        grace: float = GRACE_SECONDS,
        threads: int | None = None,
        stop_early: bool = False,
    ) -> None:
        self._blocks, self._starts, self._effort = blocks, starts, effort
        self._restarts, self._seed, self._deadline, self._until = max(restarts, 1), seed, deadline, until
        self._figure, self._grace, self._stop_early = figure, grace, stop_early
        self._threads = threads or count_cores()
        self._pool = Pool(effort.pool, blocks.table_count)
        self._history: list[Improvement] = []
        self._jobs: list[_Job] = []
        self._done = self._steps = self._hits = 0
        self._swaps = (0.0, 0.0) if deadline.stopped else measure_swaps(blocks, starts, seed)
        self._heat = heat_of(self._swaps, effort.heat)
        self._scale = blocks.highest
        self._hit_value = -np.inf
        self._best_seating: IntArray | None = None

    def run(self) -> Found:
        """Search until the restarts are done, time is up, or it is stopped."""
        for start in self._starts:
            self._take(Member(self._blocks.value(start), start, 0))
        end = self._until
        with ThreadPoolExecutor(self._threads) as threads:
            if self._blocks.fairness and end is not None:
                spare = end - self._deadline.seconds
                self._until = end - FAIR_SHARE * spare
                self._search(threads)
                self._until = end - FAIR_SETTLE_SHARE * spare
            else:
                self._search(threads)
            if self._blocks.fairness:
                self._anneal_pool_fairly(threads)
            self._until = end
            self._polish(threads)
        assert self._pool.best is not None  # noqa: S101  # the starts are in it
        settled = self._is_settled() and self._done < self._restarts and not self._blocks.fairness
        return Found(self._pool.best, self._pool, self._done, self._steps, tuple(self._history), settled)

    def _search(self, threads: ThreadPoolExecutor) -> None:
        """Search as the effort says, pairs alone being weighed."""
        if self._effort.timed and self._until is not None:
            end, now = self._until, self._deadline.seconds
            self._until = now + COOLING_SHARE * (end - now)
            freezing = self._find_freezing(threads)
            if freezing is not None:
                self._heat = heat_around(freezing.span())
            self._until = now + (SETTLING_SHARE if self._stop_early else POOL_SHARE) * (end - now)
            self._anneal_pool(threads)
            self._until = end
            self._temper_pool(threads, self._choose_ladder(freezing))
        elif self._effort.long and self._until is not None:
            self._anneal_long(threads, self._until)
        else:
            self._anneal_pool(threads)

    def _anneal_pool_fairly(self, threads: ThreadPoolExecutor) -> None:
        """Anneal the best plans of the pool once more, with guests left alone weighed in every step."""
        if self._is_over():
            return
        members = self._pool.members[:FAIR_PLANS]
        members = [members[number % len(members)] for number in range(FAIR_PLANS)]
        found = self._run_jobs(threads, [partial(self._anneal_fairly, number=number) for number in range(FAIR_PLANS)])
        for (at, _), member in zip(found, members, strict=True):
            self._take(Member(self._blocks.value(at), at, member.restart))

    def _anneal_fairly(self, job: _Job, number: int) -> tuple[IntArray, int]:
        at = self._pool.members[number % min(FAIR_PLANS, len(self._pool.members))].at
        if job.control[0] > 0.0 or self._is_late():
            return at, 0
        job.started = self._deadline.seconds
        heat = (self._heat.warm if number % 2 else self._heat.hot, self._heat.cold)
        state = random_state(self._seed, FAIR_STREAMS + number)
        return anneal_fairly(self._blocks, at, heat, fair_steps(self._blocks.count), state, job.control)

    def _anneal_pool(self, threads: ThreadPoolExecutor) -> None:
        """Run restarts in rounds."""
        together = ROUND if self._effort.child_steps else ROUND_WITHOUT_CHILDREN
        for first in range(0, self._restarts, together):
            if self._is_over() or self._is_settled():
                break
            began = self._deadline.seconds
            self._run_round(threads, range(first, min(first + together, self._restarts)))
            if self._effort.timed and self._until is not None:
                left = (self._until - self._deadline.seconds) / max(self._deadline.seconds - began, 1e-3)
                self._effort = fit_effort(self._effort, self._blocks.count, left * self._steps)

    def _anneal_long(self, threads: ThreadPoolExecutor, end: float) -> None:
        """Anneal once on each core, between the temperatures that a short anneal shows to matter."""
        if self._is_over():
            return
        now = self._deadline.seconds
        self._until = now + PILOT_SHARE * (end - now)
        self._run_round(threads, range(self._threads))
        self._until = end
        if self._pool.best is None or self._is_over():
            return
        self._starts = (self._pool.best.at,)
        rng = np.random.default_rng(abs(self._seed))
        cold = COLD_LOSS * cheapest_change(build_search_state(self._blocks, self._starts[0]), rng)
        hot = min(self._heat.hot, HOT_COLD * cold)
        if hot > 0.0:
            self._heat = Temperatures(hot, hot, min(cold, hot / 1.5))
        self._run_round(threads, range(self._threads, 2 * self._threads))

    def _find_freezing(self, threads: ThreadPoolExecutor) -> Cooling | None:
        """Cool plans quickly to see where they freeze; None if there was too little time, or nothing to weigh."""
        if self._is_over() or not self._swaps[0]:
            return None
        coolings: list[Cooling] = []
        works = [partial(self._cool, number=number, coolings=coolings) for number in range(COOLINGS)]
        for at, _ in self._run_jobs(threads, works):
            self._take(Member(self._blocks.value(at), at, 0))
        return mean_of(coolings) if len(coolings) == COOLINGS else None

    def _cool(self, job: _Job, number: int, coolings: list[Cooling]) -> tuple[IntArray, int]:
        """Cool a plan; add what it shows to `coolings` unless time cut it off."""
        job.started = self._deadline.seconds
        search_state = build_search_state(self._blocks, self._starts[number % len(self._starts)])
        state = random_state(self._seed, COOLING_STREAMS + number)
        cooling, steps = cool(self._blocks, search_state, self._swaps[0], sets_every(self._blocks), state, job.control)
        if cooling is not None:
            coolings.append(cooling)
        descend(search_state, SWAPS, LEAST_GAIN * self._scale, job.control)
        return search_state.at.copy(), steps

    def _choose_ladder(self, freezing: Cooling | None) -> Ladder | None:
        """Return the temperatures between which plans freeze; without a cooling, those of scores at random."""
        every = sets_every(self._blocks)
        if freezing is not None:
            return Ladder(freezing.ladder(), 1 << 50, every)
        heat = heat_of(self._swaps, (LADDER[0], LADDER[0], LADDER[1]))
        return make_ladder(heat.hot, heat.cold, self._blocks.count, 1 << 50, every) if heat.cold > 0.0 else None

    def _temper_pool(self, threads: ThreadPoolExecutor, ladder: Ladder | None) -> None:
        """Spend the rest of the time on tempering the plans of the pool, once on each core."""
        if ladder is None or self._is_over() or self._is_settled():
            return
        states = [build_search_state(self._blocks, member.at) for member in self._pool.members]
        works = [
            partial(self._temper, number=number, search_states=states, ladder=ladder) for number in range(self._threads)
        ]
        for at, _ in self._run_jobs(threads, works):
            self._done += 1
            self._take(Member(self._blocks.value(at), at, self._restarts))

    def _temper(self, job: _Job, number: int, search_states: list[SearchState], ladder: Ladder) -> tuple[IntArray, int]:
        job.started = self._deadline.seconds
        state = random_state(self._seed, self._restarts + number)
        at, steps = temper(search_states, ladder, state, job.control, job.offer)
        search_state = build_search_state(self._blocks, at)
        descend(search_state, SWAPS, LEAST_GAIN * self._scale, job.control)
        return search_state.at.copy(), steps

    def _is_over(self) -> bool:
        return self._is_late() or len(self._blocks.movable) == 0

    def _is_settled(self) -> bool:
        """Say whether so many restarts ended at the best plan that a better one is unlikely, if that is asked."""
        return self._stop_early and self._hits >= ENOUGH_HITS

    def _is_late(self) -> bool:
        return self._deadline.is_stopped() or (self._until is not None and self._deadline.seconds >= self._until)

    def _run_round(self, threads: ThreadPoolExecutor, numbers: range) -> None:
        """Run some restarts side by side and take their plans in, in the order of their numbers."""
        parents = tuple(self._pool.members)
        found = self._run_jobs(threads, [partial(self._restart, number=n, parents=parents) for n in numbers])
        for (at, steps), number in zip(found, numbers, strict=True):
            if steps:
                self._done += 1
                self._take(Member(self._blocks.value(at), at, number))
                self._count_hit(self._blocks.value(at))

    def _run_jobs(
        self, threads: ThreadPoolExecutor, works: Sequence[Callable[[_Job], tuple[IntArray, int]]]
    ) -> list[tuple[IntArray, int]]:
        """Run some work side by side; return the plans, tables by block, and the steps that each took."""
        self._jobs = [_Job() for _ in works]
        tasks = [threads.submit(work, job) for work, job in zip(works, self._jobs, strict=True)]
        found = wait_for(tasks, self._look, self._end_jobs)
        self._steps += sum(steps for _, steps in found)
        return found

    def _end_jobs(self) -> None:
        for job in self._jobs:
            job.control[0] = 1.0

    def _look(self) -> None:
        """Pass on to the kernels how much time is gone, stop them when it is over, and report progress."""
        stopped, now = self._deadline.is_stopped(), self._deadline.seconds
        for job in self._jobs:
            if (better := job.better) is not None and better is not job.taken:
                job.taken = better
                self._take(Member(self._blocks.value(better), better, self._restarts))
            if self._until is not None and job.started is not None:
                job.control[1] = _share_of_time(job.started, now, self._until)
        if stopped or (self._until is not None and now > self._until + self._grace):
            self._end_jobs()
        best = self._history[-1].value if self._history else None
        left = self._deadline.seconds_left
        self._deadline.report(self._done, self._restarts, best, left, seating=self._best_seating)

    def _restart(self, job: _Job, number: int, parents: tuple[Member, ...]) -> tuple[IntArray, int]:
        """Make a fresh plan, or a child of two plans of the pool."""
        if job.control[0] > 0.0 or self._is_late():
            return self._starts[0], 0
        job.started = self._deadline.seconds
        rng = np.random.default_rng([abs(self._seed), number])
        state = random_state(self._seed, number)
        if not self._effort.child_steps or number < 2 * self._effort.pool or len(parents) < 2:
            search_state = build_search_state(self._blocks, self._starts[number % len(self._starts)])
            search_state, steps = self._anneal(search_state, self._heat.hot, self._effort.steps, state, job)
        else:
            search_state, steps = self._child(job, parents, rng, state)
        descend(search_state, SWAPS, LEAST_GAIN * self._scale, job.control)
        return search_state.at.copy(), steps

    def _child(
        self, job: _Job, parents: tuple[Member, ...], rng: np.random.Generator, state: RandomState
    ) -> tuple[SearchState, int]:
        """Keep what two parents share, as far as parties allow; anneal the rest from hot, then all of it from warm."""
        one, other = (parents[i].at for i in rng.choice(len(parents), 2, replace=False))
        search_state = build_search_state(self._blocks, one)
        loose = np.intersect1d(differing(one, other, self._blocks.table_count), self._blocks.movable)
        if len(loose) < 3:
            return self._anneal(search_state, self._heat.hot, self._effort.steps, state, job)
        first = self._effort.child_steps // 4
        part = search_state._replace(movable=loose)
        # Drawing whole sets and moving whole tables takes blocks along that the parents share, so both are left out;
        # but parties of different sizes hardly find a way to each other without them.
        apart = Schedule(self._heat.hot, self._heat.warm, first, sets_every=16 if self._blocks.has_parties else 1 << 40)
        _, steps = anneal(part, apart, state, job.control)
        search_state, more = self._anneal(search_state, self._heat.warm, self._effort.child_steps - first, state, job)
        return search_state, steps + more

    def _anneal(
        self, search_state: SearchState, hot: float, steps: int, state: RandomState, job: _Job
    ) -> tuple[SearchState, int]:
        schedule = Schedule(hot, self._heat.cold, steps, self._effort.cycles, sets_every(self._blocks))
        at, done = anneal(search_state, schedule, state, job.control)
        return (build_search_state(self._blocks, at) if schedule.cycles > 1 else search_state), done

    def _polish(self, threads: ThreadPoolExecutor) -> None:
        """Descend from the best plan until moving one or two parties improves nothing."""
        best = self._pool.best
        if best is None or self._deadline.is_stopped():
            return
        depth = self._effort.depth
        if depth < PAIRS and not self._blocks.fairness:
            return
        if self._until is None and _count_exchanges(best.at) > MOST_EXCHANGES:
            depth = PAIRS
        [(at, _)] = self._run_jobs(threads, [partial(self._settle, at=best.at, depth=depth)])
        self._take(Member(self._blocks.value(at), at, best.restart))

    def _settle(self, job: _Job, at: IntArray, depth: int) -> tuple[IntArray, int]:
        """Descend from a plan, counting guests left alone if the problem has fairness."""
        if self._blocks.fairness:
            deep = limited_depth(self._blocks.count) if self._until is None else 2
            return settle_fairly(self._blocks, at, deep, job.control), 0
        search_state = build_search_state(self._blocks, at)
        descend(search_state, depth, LEAST_GAIN * self._scale, job.control)
        return search_state.at.copy(), 0

    def _take(self, member: Member) -> None:
        """Take a plan into the pool, never one that breaks a rule, and note it if it is the best."""
        if not self._blocks.keeps_rules(member.at):
            return
        before = self._pool.best
        if self._pool.add(member) and (before is None or member.value > before.value):
            self._history.append(Improvement(self._deadline.seconds, member.restart, self._figure(member.at)))
            if self._blocks.count <= MOST_FOLLOWED:
                self._best_seating = self._blocks.structure.guests_at(member.at)

    def _count_hit(self, value: float) -> None:
        """Count a restart that ended at a plan as good as the best; a better one begins a new count."""
        best = self._pool.best
        if best is None or value < best.value - LEAST_GAIN * self._scale:
            return
        if value > self._hit_value + LEAST_GAIN * self._scale:
            self._hits, self._hit_value = 0, value
        self._hits += 1


def _share_of_time(started: float, now: float, until: float) -> float:
    """Return how much of a restart's time is gone; less than its steps unless it is slower than planned."""
    return max(0.0, (now - started - 2 * POLL_SECONDS) / max(until - started - 2 * POLL_SECONDS, 1e-9))


def _count_exchanges(at: IntArray) -> float:
    """Return how many exchanges of two blocks against two there are, Σ_{s≠t} m_s²·m_t²/2."""
    squares = np.bincount(at).astype(np.float64) ** 2
    return float((squares.sum() ** 2 - (squares**2).sum()) / 2)


def compile_anneal() -> None:
    """Run the anneal once on a plan of two guests, so that it is compiled or loaded."""
    anneal(_two_guests(), Schedule(1.0, 0.5, 1), random_state(0, 0), np.zeros(2))


def compile_temper() -> None:
    temper([_two_guests()], make_ladder(1.0, 0.5, 2, 1, 4), random_state(0, 0), np.zeros(2))


def compile_descent() -> None:
    descend(_two_guests(), CHAINS, 1.0, np.zeros(2))


def compile_kernels() -> None:
    """Compile or load all kernels of the search."""
    compile_anneal()
    compile_temper()
    compile_descent()


def _two_guests() -> SearchState:
    problem = Problem(np.zeros((2, 2)), (Table(1), Table(1)))
    return build_search_state(build_blocks(problem, build_structure(problem, ())), np.array([0, 1]))

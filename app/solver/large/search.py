"""The search for an event without a matrix: anneals in rounds, one on each core."""

from __future__ import annotations

from abc import ABC, abstractmethod
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import numpy as np

from app.solver.clustering.paper import seats_in_order
from app.solver.deadline import Deadline, wait_for
from app.solver.errors import TooLarge
from app.solver.large.units import units_suffice
from app.solver.numba_support.threads import count_cores
from app.solver.problem import FloatArray, IntArray, Problem
from app.solver.result import Alternative, Improvement, Result
from app.solver.search.pool import Member, keep_end, other_ends
from app.solver.search.strategy import SEARCH_SHARE

STEPS = 2000
"""Steps for each guest in an anneal that time does not cut."""
GRACE = 0.1
"""The part of its time that a search may exceed to finish its descent."""
AVERAGED = 4


def can_solve_sparse(problem: Problem) -> bool:
    """Return whether the problem can be solved without the whole matrix."""
    return units_suffice(problem) and not problem.fairness and not problem.move_cost


class LargeSearch(ABC):
    """The best plan of some restarts, tables by guest; of equal plans the earlier restart's counts."""

    step_seconds: float
    """What a step takes."""

    def __init__(self, problem: Problem, seed: int, deadline: Deadline, threads: int | None) -> None:
        if not can_solve_sparse(problem):
            raise TooLarge
        self._problem, self._seed, self._deadline = problem, seed, deadline
        self._threads = threads or count_cores()
        self._control, self._stop = np.zeros(2), np.zeros(1, dtype=np.int64)
        self.best, self.value = np.zeros(0, dtype=np.int64), -np.inf
        self.restarts = self.steps = 0
        self.history: list[Improvement] = []
        self._ends: list[Member] = []

    @abstractmethod
    def figures(self, assignment: IntArray) -> tuple[float, float]:
        """Return the MSE and the total of a plan."""

    @abstractmethod
    def _value_at_random(self, rng: np.random.Generator) -> float:
        """Return what a plan drawn at random is worth."""

    @abstractmethod
    def _anneal(self, number: int, steps: int) -> tuple[IntArray, float, int]:
        """Return the plan of one restart, what it is worth and the steps that it took."""

    def run(self, restarts: int) -> None:
        """Run the restarts, or one for each core for as long as time allows."""
        deadline, steps = self._deadline, STEPS * self._problem.guest_count
        limit = deadline.time_limit
        until = None if limit is None else deadline.seconds + SEARCH_SHARE * limit
        timed = limit is not None and 2 * restarts * steps * self.step_seconds >= SEARCH_SHARE * limit
        planned = 0 if deadline.is_stopped() else min(restarts, self._threads) if timed else restarts
        with ThreadPoolExecutor(self._threads) as pool:
            for start in range(0, planned, self._threads):
                numbers, began = range(start, min(start + self._threads, planned)), deadline.seconds
                tasks = [pool.submit(self._anneal, number, 1 << 50 if timed else steps) for number in numbers]
                found = wait_for(tasks, partial(self._look, began, until, planned), self._end)
                for number, (at, value, done) in zip(numbers, found, strict=True):
                    self._take(Member(value, at, number), done)
                if deadline.is_stopped() or (until is not None and deadline.seconds > until):
                    break

    def _look(self, began: float, until: float | None, planned: int) -> None:
        """Pass on to the kernels how much time is gone, stop them when it is over, and report progress."""
        if until is not None:
            self._control[1] = (self._deadline.seconds - began) / max(until - began, 1e-9)
        if self._deadline.is_stopped() or self._control[1] > 1.0 + GRACE:
            self._end()
        best = self.history[-1].value if self.history else None
        self._deadline.report(self.restarts, planned, best, self._deadline.seconds_left)

    def _end(self) -> None:
        self._control[0], self._stop[0] = 1.0, 1

    def _take(self, member: Member, steps: int) -> None:
        self.restarts += 1
        self.steps += steps
        keep_end(self._ends, member)
        if member.value > self.value or not self.history:
            if member.value > self.value:
                self.best, self.value = member.at, member.value
            figure = self.figures(self.best)[self._problem.objective == "total"]
            self.history.append(Improvement(self._deadline.seconds, member.restart, figure))

    def result(self, seats: IntArray, positions: FloatArray, bound: float | None = None) -> Result:
        """Return the best plan, which is proven where there is one table only, and other good ones."""
        problem, deadline, only = self._problem, self._deadline, len(self._problem.tables) == 1
        with deadline.stage("compare"):
            alternatives = () if deadline.is_stopped() else self._alternatives()
        mse, total = self.figures(self.best)
        if only and bound is None:
            bound = mse if problem.objective == "average" else total
        result = Result(
            self.best,
            seats,
            mse,
            total,
            method="full",
            objective=problem.objective,
            seed=self._seed,
            restarts=self.restarts,
            iterations=self.steps,
            positions=positions,
            bound=bound,
            proven_optimal=only,
            stopped_early=deadline.stopped,
            history=tuple(self.history),
            alternatives=alternatives,
        )
        return deadline.with_times(result)

    def _alternatives(self) -> tuple[Alternative, ...]:
        """Return other good plans, with the seats as they come."""
        rng, tables = np.random.default_rng(abs(self._seed)), len(self._problem.tables)
        average = float(np.mean([self._value_at_random(rng) for _ in range(AVERAGED)]))
        plans = [member.at for member in other_ends(self._ends, average, tables)]
        return tuple(Alternative(at, seats_in_order(at, tables), *self.figures(at)) for at in plans)

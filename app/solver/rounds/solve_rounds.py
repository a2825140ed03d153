"""Seat the same guests in several rounds, so that everybody meets as many people as possible.

Every round keeps sizes, parties and rules by itself. Where the number of tables allows it, rounds in which nobody meets
twice are written down (`designed_start`). Otherwise they are annealed together from feasible seatings, and after the
first restarts searched as rotations of each other (`rotated_rounds`). Each restart is one anneal, and later ones take
longer: few rounds are easy, and many need patience.
"""

from __future__ import annotations

from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress

import numpy as np

from app.solver.deadline import Deadline, Stopped, wait_for
from app.solver.feasibility.check import check_feasibility
from app.solver.feasibility.structure import Structure
from app.solver.numba_support.random_numbers import random_state
from app.solver.numba_support.threads import choose_cores, count_cores
from app.solver.order.seating import seats_in_time
from app.solver.problem import FloatArray, IntArray, Problem, Table
from app.solver.result import OnProgress, ShouldStop, ignore_progress, never_stop
from app.solver.rounds.best_so_far import BestSoFar, WeighedPlan, weigh_plan
from app.solver.rounds.changing_tables import change_tables, load_assignment
from app.solver.rounds.designed_start import design_rounds
from app.solver.rounds.first_seatings import first_seatings
from app.solver.rounds.meetings import weigh_meetings
from app.solver.rounds.most_meetings import count_new_meetings, most_new_meetings, most_value
from app.solver.rounds.restart import Restart
from app.solver.rounds.rotated_rounds import rotate_rounds
from app.solver.rounds.round_kernels import anneal_rounds
from app.solver.rounds.rounds_limits import refuse_rounds
from app.solver.rounds.rounds_problem import RoundsProblem, RoundsResult
from app.solver.rounds.rounds_state import build_rounds_state
from app.solver.search.blocks import build_blocks

QUICK = (0.1, 0.1)
"""Temperatures of the first two anneals, which hardly ever accept a worse plan: enough where tables are many."""
TEMPERATURES = ((0.3, 0.25), (0.5, 0.2))
"""At the start and at the end of an anneal, in ordinary first meetings: the first finds easy plans ten times faster."""
STEPS = 400
"""Steps of the first anneals, for each round and for each pair of a block with a seat at its table."""
LONGEST = 7
"""After every two rounds of restarts anneals become twice as long, up to so many times."""
ROUND = 4
"""Restarts that run side by side: what a restart does depends on its number and on the best plan before its round."""

LEAST_GAP, LEAST_GAIN = 1e-6, 1e-9
"""Parts of what plans are worth: as close to the best possible value is optimal, and a smaller gain may be rounding."""
SETTLED = 8
"""Restarts from the first plan that found the same best value, after which a better one is unlikely."""
ROTATE_AFTER = (ROUND, 3 * ROUND, 7 * ROUND)
"""Restarts after which rotations are searched: seldom, as easy plans need none, and often there are none to find."""


def solve_rounds(
    problem: RoundsProblem,
    *,
    restarts: int = 200,
    time_limit: float | None = 5.0,
    seed: int = 1,
    on_progress: OnProgress = ignore_progress,
    should_stop: ShouldStop = never_stop,
    threads: int | None = None,
    stop_early: bool = False,
    spent: float = 0.0,
) -> RoundsResult:
    """Find tables for every round. The same problem, seed and restarts give the same plan, unless time ends it before.

    With `stop_early` it also ends when so many restarts found the same best plan that a better one is unlikely.
    Its time counts from `spent` seconds before. Progress has the tables of the best plan so far, a row for each round,
    and how many pairs meet in it.

    Raises what contradicts what if the rules of a round cannot all hold.
    """
    refuse_rounds(len(problem.rounds), problem.rounds[0].guest_count if problem.rounds else 0)
    choose_cores(problem.rounds[0].guest_count)
    seed = abs(seed)  # as random numbers need it, and as `solve` takes it
    limit = max(restarts, 1)
    deadline = Deadline(time_limit, on_progress, should_stop, spent)
    with deadline.stage("check"):
        search = deadline.run_in_thread(lambda: _Search(problem, limit, seed, deadline, threads or count_cores()))
        search.report(now=True)
    with suppress(Stopped):  # there is a plan by now
        _improve(search, deadline, stop_early=stop_early)
    return search.result()


def _improve(search: _Search, deadline: Deadline, *, stop_early: bool) -> None:
    """Load what a search needs, and search; only what is compiled takes none of the time."""
    with deadline.stage("check"):
        deadline.run_in_thread(load_assignment)
    with deadline.stage("compile"):
        deadline.run_in_thread(compile_kernels)
    deadline.exclude("compile")
    with deadline.stage("search"):
        search.run(stop_early=stop_early)
        search.report(now=True)


class _Search:
    """One search over all rounds; `best` is the best plan so far."""

    def __init__(self, problem: RoundsProblem, restarts: int, seed: int, deadline: Deadline, threads: int) -> None:
        self._asked, self._seed, self._deadline, self._threads = problem, seed, deadline, threads
        problem, rounds, starts = first_seatings(problem, seed)
        self._problem = problem
        alike = {id(one): build_blocks(one, structure) for one, structure in _each_once(rounds)}
        self._blocks = [alike[id(one)] for one, _ in rounds]
        structure = rounds[0][1]
        guests = problem.rounds[0].guest_count
        everyone: FloatArray = np.ones((guests, guests))
        seats = max(table.most for one in problem.rounds for table in one.tables)
        self._meetings = weigh_meetings(
            structure,
            everyone if problem.wishes is None else problem.wishes,
            np.zeros((guests, guests), np.int64) if problem.met is None else problem.met,
            seats,
            spread=problem.spread,
        )
        self._structure = structure
        self.best = self._first = weigh_plan(starts, structure, self._meetings)
        self._steps_at_first = STEPS * starts.size * max(seats - 1, 1)
        self._bound = most_value(problem, structure, self._meetings)
        self._least_gap = LEAST_GAP * (self._meetings.scale + abs(self._bound))
        self._done = self._steps = self._same = 0
        self._design(rounds)
        self._take_previous()
        self._planned = restarts
        self._so_far = BestSoFar(structure, self.best)
        self._restarts: list[Restart] = []
        self._unseen: list[Future[WeighedPlan]] = []

    def _design(self, rounds: list[tuple[Problem, Structure]]) -> None:
        """Take rounds in which nobody meets twice, as many as can be written down and keep the rules."""
        if len(self._structure.members) < self._problem.rounds[0].guest_count:
            return
        found = design_rounds([one for one, _ in rounds], self._seed)
        if found is None:
            return
        self._take_designed(found)

    def _take_previous(self) -> None:
        """Take the plan to go on from, if it keeps the rules and is better: what is found is then no worse."""
        previous, structure = self._problem.previous, self._structure
        if previous is None or previous.shape != (len(self._blocks), len(structure.of_guest)):
            return
        at = np.array([structure.blocks_at(row) for row in previous])
        is_whole = all(np.array_equal(structure.guests_at(row), one) for row, one in zip(at, previous, strict=True))
        if is_whole and all(blocks.keeps_rules(row) for blocks, row in zip(self._blocks, at, strict=True)):
            self._take(weigh_plan(at, structure, self._meetings))

    def _rotate(self) -> None:
        """Take rounds that are rotated into each other, if such are found in which nobody meets twice."""
        first = self._problem.rounds[0]
        guests, tables = first.guest_count, len(first.tables)
        seats = -(-guests // tables)
        is_locked = any(one.locked for one in self._problem.rounds) or self._problem.hosts
        is_alike = all(one.tables == first.tables for one in self._problem.rounds)
        if is_locked or not is_alike or len(self._structure.members) < guests:
            return
        count = len(self._problem.rounds)
        found = rotate_rounds(tables, seats, count, self._seed + self._done, self._is_ended)
        if found is not None:
            seat_of = np.random.default_rng(self._seed).permutation(tables * seats)[:guests]
            self._take_designed(found[:, seat_of])

    def _take_designed(self, found: IntArray) -> None:
        """Take the rounds of a design that keep the rules, if the plan is better with them."""
        start = self.best.at.copy()
        for number, assignment in enumerate(found):
            at = self._structure.blocks_at(assignment)
            if self._blocks[number].keeps_rules(at):
                start[number] = at
        self._take(weigh_plan(start, self._structure, self._meetings))

    def run(self, *, stop_early: bool = False) -> None:
        """Anneal in rounds of some restarts, until nothing better is possible or likely, or time is over."""
        with ThreadPoolExecutor(self._threads) as pool:
            while self._done < self._planned and not self._is_over():
                if stop_early and self.is_settled:
                    break
                self._restarts = [Restart(n) for n in range(self._done, min(self._done + ROUND, self._planned))]
                tasks = [pool.submit(self._anneal, one) for one in self._restarts]
                self._unseen = list(tasks)
                self._take_in_order(wait_for(tasks, self._look, self._end))
                if self._done in ROTATE_AFTER and not self._is_over():
                    self._rotate()
                self._so_far.show(self.best)

    def _anneal(self, restart: Restart) -> WeighedPlan:
        """Anneal once, every other time from the best plan."""
        number, start = restart.number, self.best if restart.number % 2 else self._first
        if restart.is_ended:
            return start
        state, movable = build_rounds_state(self._blocks, self._meetings, start.at)
        best, scale = start.at.copy(), self._meetings.scale
        target = self._bound - start.value - self._least_gap / 2  # half, so that rounding makes no other plan optimal
        steps = self._steps_at_first << min(number // (2 * ROUND), LONGEST)
        random = random_state(self._seed, number)
        hot, cold = (scale * heat for heat in (QUICK if number < 2 else TEMPERATURES[number // 2 % len(TEMPERATURES)]))
        restart.started = self._deadline.seconds
        gain, restart.steps = anneal_rounds(
            state, movable, hot, cold, steps, target, scale, random, restart.control, best
        )
        if gain >= target:
            self._end_after(restart)
        if gain <= 0.0:
            return start
        return weigh_plan(best, self._structure, self._meetings)

    def _end_after(self, restart: Restart) -> None:
        """End the restarts behind one that cannot be beaten; those before it go on, so that the same one counts."""
        for later in self._restarts:
            if later.number > restart.number:
                later.end()

    def _take_in_order(self, found: list[WeighedPlan]) -> None:
        """Take the plans of a round of restarts up to an optimal one: it ended those behind it wherever they were."""
        for restart, plan in zip(self._restarts, found, strict=True):
            if not self._is_optimal:
                self._take(plan)
                self._count_same(plan, restart.number)
        self._steps += sum(restart.steps for restart in self._restarts)
        self._done += len(found)

    def _take(self, plan: WeighedPlan) -> None:
        """Take a plan that is better by more than rounding."""
        least = LEAST_GAIN * (self._meetings.scale + abs(self.best.value))
        if plan.value > self.best.value + least and self._keeps_rules(plan.at):
            self.best, self._same = plan, 0

    def _keeps_rules(self, plan: IntArray) -> bool:
        return all(blocks.keeps_rules(at) for blocks, at in zip(self._blocks, plan, strict=True))

    def _count_same(self, plan: WeighedPlan, number: int) -> None:
        """Count the restarts that found the best value by themselves; every other one began with the best plan."""
        if number % 2 == 0 and plan.value >= self.best.value - self._least_gap:
            self._same += 1

    @property
    def is_settled(self) -> bool:
        """Whether a better plan is unlikely."""
        return self._same >= SETTLED

    def report(self, *, now: bool = False) -> None:
        """Report the best plan so far, also if its restart is done before the others of its round."""
        done = [task for task in self._unseen if task.done()]
        self._unseen = [task for task in self._unseen if task not in done]
        for task in done:
            self._so_far.see(task.result())
        left = self._deadline.seconds_left
        best = None if self._problem.spread else float(self._so_far.pairs_met)  # fewer may meet in a better plan
        self._deadline.report(self._done, self._planned, best, left, now=now, seating=self._so_far.seating)

    def _look(self) -> None:
        """Let anneals cool as time runs out, end them when it is over, and report progress."""
        if self._deadline.time_limit is not None:
            now = self._deadline.seconds
            for restart in self._restarts:
                restart.cool(now, self._deadline.time_limit)
        if self._deadline.is_stopped() or self._deadline.is_time_up:
            self._end()
        self.report()

    def _end(self) -> None:
        for restart in self._restarts:
            restart.end()

    def _is_over(self) -> bool:
        return self._is_optimal or self._is_ended()

    def _is_ended(self) -> bool:
        return self._deadline.is_stopped() or self._deadline.is_time_up

    @property
    def _is_optimal(self) -> bool:
        return self.best.value >= self._bound - self._least_gap

    def result(self) -> RoundsResult:
        """Return the best plan by guest, with its figures."""
        plan = change_tables(self._problem, self._blocks, self.best.at)
        assignments = np.array([self._structure.guests_at(at) for at in plan])
        new, repeats = count_new_meetings(assignments, self._structure, self._problem.met)
        return RoundsResult(
            assignments=assignments,
            seats=self._seats(assignments),
            new_meetings=new,
            most_new_meetings=most_new_meetings(self._problem, self._structure),
            repeats=repeats,
            value=self.best.value,
            proven_optimal=self._is_optimal,
            seed=self._seed,
            restarts=self._done,
            iterations=self._steps,
            seconds=self._deadline.seconds - self._deadline.seconds_by_stage.get("compile", 0.0),
            stopped_early=self._deadline.stopped,
            settled=self.is_settled and not self._is_ended(),
        )

    def _seats(self, assignments: IntArray) -> IntArray:
        """Return the seats at each table as guests come, with the rules about neighbours kept."""
        both = zip(self._asked.rounds, assignments, strict=True)
        return np.array([seats_in_time(one, at, self._deadline, quick=True) for one, at in both])


def _each_once(rounds: list[tuple[Problem, Structure]]) -> list[tuple[Problem, Structure]]:
    """Return the rounds that differ: what is built of one takes as much memory as all pairs of guests."""
    return list({id(one): (one, structure) for one, structure in rounds}.values())


def compile_kernels() -> None:
    """Anneal two rounds of two guests once, so that the kernel is compiled or loaded."""
    one = Problem(np.zeros((2, 2)), (Table(1), Table(1)))
    feasible = check_feasibility(one)
    blocks, none = build_blocks(one, feasible.structure), np.zeros((2, 2), np.int64)
    meetings = weigh_meetings(feasible.structure, np.ones((2, 2)), none, 1)
    starts = np.array([feasible.at, feasible.at])
    state, movable = build_rounds_state([blocks, blocks], meetings, starts)
    anneal_rounds(state, movable, 1.0, 0.5, 1, 1.0, 1.0, random_state(0, 0), np.zeros(2), starts.copy())

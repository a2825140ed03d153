"""How long a solve continues after a request to stop."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial

import numpy as np

from app.solver import Problem, RoundsProblem, Rule, ShouldStop, Stopped, Table, collect_ratings, solve, solve_rounds
from bench.clock import spell
from bench.data import equal_tables, random_scores
from bench.report import markdown_table

TITLE = "Cancelling"
MOMENTS = (0.05, 0.3, 1.0, 2.5)


def measure() -> str:
    """Stop solves of several sizes at several moments; the longest delay counts."""
    rng = np.random.default_rng(1)
    pairs = rng.integers(0, 20_000, (2, 200_000))
    problems = {
        "22": Problem(random_scores(22, 1), equal_tables(22, 5)),
        "1,000": Problem(random_scores(1000, 1), equal_tables(1000, 100)),
        "3,000": Problem(random_scores(3000, 1), equal_tables(3000, 300)),
        "20,000, few ratings": Problem(
            np.zeros((0, 0)),
            equal_tables(20_000, 2000),
            ratings=collect_ratings(20_000, pairs[0], pairs[1], rng.integers(-2, 3, 200_000)),
        ),
        "800 at two tables": Problem(random_scores(800, 1), equal_tables(800, 2)),
        "300 with parties, rules and spare seats": _ruled(300),
        "3,000 with parties, rules and spare seats": _ruled(3000),
        "5,000 points": _points(5000, 500),
        "20,000 points": _points(20_000, 2000),
    }
    rows = []
    for name, problem in problems.items():
        solve(problem, time_limit=0.1)
        rows.append((name, _longest_delay(partial(_solve, problem)), "300 ms"))
    for name, rounds in (("800 in 5 rounds", _rounds(800, 5)), ("2,000 in 12 rounds", _rounds(2000, 12))):
        solve_rounds(rounds, time_limit=0.1)
        rows.append((name, _longest_delay(partial(_solve_rounds, rounds)), "1 s"))
    return markdown_table(("guests", "longest delay", "limit"), rows)


def _ruled(guests: int) -> Problem:
    """Return couples, pairs who must be apart, guests who must sit at one of three tables, and a tenth more seats."""
    count = guests // 9
    couples = tuple((guest, guest + 1) for guest in range(0, guests // 2, 2))
    apart = tuple(Rule("apart", (guest, guests - 1 - guest)) for guest in range(0, guests // 4, 3))
    pinned = tuple(Rule("pinned", (guest,), (guest % count, (guest + 1) % count, 0)) for guest in range(1, guests, 40))
    tables = tuple(Table(10) for _ in range(count))
    return Problem(random_scores(guests, 1), tables, parties=couples, rules=(*apart, *pinned))


def _points(guests: int, tables: int) -> Problem:
    points = np.random.default_rng(1).normal(size=(guests, 3))
    return Problem(np.zeros((0, 0)), equal_tables(guests, tables), kind="distance", points=points)


def _rounds(guests: int, rounds: int) -> RoundsProblem:
    """Return rounds at ten tables with a household, in which people meet again and again: no proof ends the search."""
    one = Problem(np.zeros((guests, guests)), equal_tables(guests, 10), parties=((0, 1),))
    return RoundsProblem((one,) * rounds)


def _solve(problem: Problem, should_stop: ShouldStop) -> None:
    solve(problem, restarts=10**6, time_limit=60, should_stop=should_stop)


def _solve_rounds(problem: RoundsProblem, should_stop: ShouldStop) -> None:
    solve_rounds(problem, restarts=10**6, time_limit=60, should_stop=should_stop)


def _longest_delay(run: Callable[[ShouldStop], None]) -> str:
    return spell(max(_delay(run, moment) for moment in MOMENTS))


def _delay(run: Callable[[ShouldStop], None], moment: float) -> float:
    """Return the seconds between the request to stop and the result; 0 if it was done before."""
    start = time.perf_counter()
    with suppress(Stopped):  # stopped before there was a plan
        run(lambda: time.perf_counter() - start > moment)
    return max(time.perf_counter() - start - moment, 0.0)

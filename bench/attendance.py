"""Guests who may not come: what a plan for them costs if everyone comes, and what it gains if some stay away."""

from __future__ import annotations

import numpy as np

from app.solver import (
    AttendanceReport,
    Deadline,
    Objective,
    Problem,
    Table,
    compare_attendance,
    expected_problem,
    improve_attendance,
    solve,
)
from bench.clock import processor_time
from bench.events import generate_event
from bench.report import markdown_table

TITLE = "Guests who may not come: a plan that stays good"
GUESTS = (60, 120)
KINDS: tuple[tuple[Objective, float, bool], ...] = (
    ("average", 0.5, False),
    ("average", 0.1, False),
    ("average", 0.5, True),
    ("total", 0.5, False),
    ("total", 0.5, True),
)
"""Objective, the chance with which uncertain guests come, and whether tables have a minimum and free seats."""
SEEDS = (9101, 9102, 9103, 9104, 9105)
SHARE = 0.3
SECONDS, IMPROVED_SECONDS = 3.0, 1.2
SPARE = 2
"""Each table may have so many guests fewer than seats, and there is one table more, which may stay empty."""


def measure() -> str:
    """Compare the plan for uncertain guests with the usual one, for both objectives."""
    with processor_time():
        rows = [_row(guests, *kind) for guests in GUESTS for kind in KINDS]
    titles = (
        "guests",
        "objective",
        "chance",
        "tables",
        "loss if everyone comes",
        "gain if some stay away",
        "least",
        "most",
        "minimums kept",
        "… by the usual plan",
    )
    note = (
        f"Means over {len(SEEDS)} events, {SECONDS:g} s for each plan; {SHARE:.0%} of the households come with this "
        "chance. Loss and gain are parts of the usual plan's value, the gain over 200 drawn replies, in which guests "
        "who are missing for the minimum of a table count too."
    )
    return markdown_table(titles, rows) + "\n\n" + note


def _row(guests: int, objective: Objective, chance: float, spare: bool) -> tuple[object, ...]:
    found = [_compare(guests, objective, chance, spare, seed) for seed in SEEDS]
    price = float(np.mean([one.price for one, _ in found]))
    gains = [one.gain for one, _ in found]
    kept = (np.mean([one.kept for one, _ in found]), np.mean([usual.kept for _, usual in found]))
    tables = "with minimums" if spare else "of given sizes"
    shares = (price, np.mean(gains), min(gains), max(gains))
    minimums = (f"{part:.0%}" for part in kept) if spare else ("", "")
    return (guests, objective, f"{chance:.0%}", tables, *(f"{share:.2%}" for share in shares), *minimums)


def _compare(
    guests: int, objective: Objective, chance: float, spare: bool, seed: int
) -> tuple[AttendanceReport, AttendanceReport]:
    """Return the report of the plan for uncertain guests, and that of the usual one."""
    event = generate_event(guests, seed)
    tables = tuple(Table(size) for size in event.table_sizes)
    if spare:
        tables = (*(Table(size, size - SPARE) for size in event.table_sizes), Table(max(event.table_sizes), 0))
    problem = Problem(np.nan_to_num(event.answers), tables, parties=event.parties, objective=objective)
    chances = _chances(guests, event.parties, chance, seed)
    usual = solve(problem, time_limit=SECONDS, stop_early=True)
    weighed = expected_problem(problem, chances)
    plan = solve(weighed, time_limit=SECONDS - IMPROVED_SECONDS, stop_early=True).assignment
    plan = improve_attendance(problem, chances, plan, seed=seed, deadline=Deadline(IMPROVED_SECONDS))
    reports = (compare_attendance(problem, chances, at, usual.assignment, seed) for at in (plan, usual.assignment))
    return next(reports), next(reports)


def _chances(guests: int, parties: tuple[tuple[int, ...], ...], chance: float, seed: int) -> np.ndarray:
    """Let some households be uncertain, and guests without one for themselves."""
    rng = np.random.default_rng(seed)
    household = np.arange(guests)
    for number, party in enumerate(parties):
        household[list(party)] = guests + number
    uncertain = rng.random(2 * guests) < SHARE
    return np.where(uncertain[household], chance, 1.0)

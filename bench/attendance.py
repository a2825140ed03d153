"""Guests who may not come: what a plan for them costs if everyone comes, and what it gains if some stay away."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from app.solver import AttendanceReport, Problem, Table, compare_attendance, expected_problem, solve
from bench.events import generate_event
from bench.report import markdown_table

TITLE = "Guests who may not come: a plan that stays good"
GUESTS = (60, 120)
SEEDS = (9101, 9102, 9103, 9104, 9105)
SHARE, CHANCE = 0.3, 0.5
SECONDS = 3.0


def measure() -> str:
    """Compare the plan for uncertain guests with the usual one, for both objectives."""
    rows = [_row(guests, objective) for guests in GUESTS for objective in ("average", "total")]
    titles = ("guests", "objective", "loss if everyone comes", "gain if some stay away", "least", "most")
    note = (
        f"Means over {len(SEEDS)} events, {SECONDS:g} s for each plan; {SHARE:.0%} of the households come with a "
        f"chance of {CHANCE:.0%}. Loss and gain are parts of the usual plan's value, the gain over 200 drawn replies."
    )
    return markdown_table(titles, rows) + "\n\n" + note


def _row(guests: int, objective: str) -> tuple[object, ...]:
    found = [_compare(guests, objective, seed) for seed in SEEDS]
    price = float(np.mean([one.price for one in found]))
    gains = [one.gain for one in found]
    return (guests, objective, f"{price:.2%}", f"{np.mean(gains):.2%}", f"{min(gains):.2%}", f"{max(gains):.2%}")


def _compare(guests: int, objective: str, seed: int) -> AttendanceReport:
    event = generate_event(guests, seed)
    tables = tuple(Table(size) for size in event.table_sizes)
    problem = Problem(np.nan_to_num(event.answers), tables, parties=event.parties)
    problem = replace(problem, objective="total" if objective == "total" else "average")
    chances = _chances(guests, event.parties, seed)
    usual = solve(problem, time_limit=SECONDS, stop_early=True)
    plan = solve(expected_problem(problem, chances), time_limit=SECONDS, stop_early=True)
    return compare_attendance(problem, chances, plan.assignment, usual.assignment, seed)


def _chances(guests: int, parties: tuple[tuple[int, ...], ...], seed: int) -> np.ndarray:
    """Let some households be uncertain, and guests without one for themselves."""
    rng = np.random.default_rng(seed)
    household = np.arange(guests)
    for number, party in enumerate(parties):
        household[list(party)] = guests + number
    uncertain = rng.random(2 * guests) < SHARE
    return np.where(uncertain[household], CHANCE, 1.0)

"""How far a plan may be from the best there is: the gap between plan and bound, on generated events."""

from __future__ import annotations

import numpy as np

from app.solver import Problem, Table, relative_gap, solve
from bench.clock import processor_time
from bench.data import folder, random_grouping, read_grouping
from bench.events import generate_event
from bench.report import markdown_table

TITLE = "How much better a plan could be at most"
GUESTS, SEEDS, SECONDS = (40, 60, 90, 120, 150), range(3001, 3006), 5.0
MOST, LEAST = 12, 6
BEFORE = (
    "Medians with the bound from eigenvalues that this one replaced, on other events of these kinds (decision 113): "
    "19.7, 9.2, 14.6, 13.0, 14.4, 6.1 and, for the same grouping instances, 14.4 %."
)


def measure() -> str:
    """Report median and extremes of the gaps; seeds that were not used while developing."""
    rows = []
    with processor_time():
        for name in ("given sizes", "tables of 6–12", "given sizes, everyone alone"):
            for objective in ("average", "total"):
                events = [_event(name, objective, guests, seed) for guests in GUESTS for seed in SEEDS]
                rows.append((f"{name}, {objective}", *_gaps(events)))
        path = folder("mdgp")
        files = sorted(path.glob("*_n120_*.txt")) if path else []
        grouping = [read_grouping(file) for file in files] or [random_grouping(120, 10, seed) for seed in SEEDS]
        rows.append(("grouping, 120 guests, total", *_gaps(grouping)))
    titles = ("events of 40 to 150 guests", "runs", "proven", "median gap of the others", "least", "largest")
    text = f"{SECONDS:g} s of processor time on each core; the bound takes a tenth. {BEFORE}"
    return f"{markdown_table(titles, rows)}\n\n{text}"


def _event(name: str, objective: str, guests: int, seed: int) -> Problem:
    event = generate_event(guests, seed)
    tables = [Table(MOST, LEAST) if name.startswith("tables") else Table(size, size) for size in event.table_sizes]
    parties = () if name.endswith("alone") else event.parties
    return Problem(
        event.truth, tuple(tables), parties=parties, objective="total" if objective == "total" else "average"
    )


def _gaps(problems: list[Problem]) -> tuple[str, ...]:
    results = [solve(problem, time_limit=SECONDS) for problem in problems]
    found = [relative_gap(r.objective, r.mse, r.total, r.bound) for r in results if not r.proven_optimal]
    gaps = np.array([1.0 if gap is None else gap for gap in found])
    shown = (np.median(gaps), gaps.min(), gaps.max()) if len(gaps) else (0.0, 0.0, 0.0)
    return (str(len(results)), str(len(results) - len(gaps)), *(f"{100 * value:.1f} %" for value in shown))

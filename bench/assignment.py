"""The assignment step alone, from prices of zero."""

from __future__ import annotations

import numpy as np
import ot

from app.solver.problem import FloatArray, IntArray
from app.solver.reference import assign_by_slots, squared_costs
from app.solver.transport import assign
from bench.clock import best_seconds, spell
from bench.report import markdown_table

TITLE = "The assignment step"
CASES = ((1000, 100, 8), (5000, 500, 20), (5000, 15, 500))
"""Guests, tables, and how many times as fast as scipy it has to be."""
DIMENSIONS = (2, 10)


def measure() -> str:
    """Compare with scipy's `linear_sum_assignment` on n × n slots and POT's network simplex."""
    assign(np.eye(4), np.full(4, 1))
    rows = [_row(*case, dimensions) for case in CASES for dimensions in DIMENSIONS]
    titles = (
        "guests × tables",
        "dimensions",
        "Convive",
        "POT",
        "scipy",
        "× POT",
        "× scipy",
        "asked",
        "largest difference",
    )
    return markdown_table(titles, rows)


def _row(guests: int, tables: int, asked: int, dimensions: int) -> tuple[str, ...]:
    costs, sizes = _case(guests, tables, dimensions)
    ours, table = best_seconds(lambda: assign(costs, sizes)[0], 5)
    pot, flow = best_seconds(lambda: _flow(costs, sizes), 3)
    scipy, slots = best_seconds(lambda: assign_by_slots(costs, sizes), 1)
    everyone = np.arange(guests)
    totals = np.array([costs[everyone, table].sum(), (flow * costs).sum() * guests, costs[everyone, slots].sum()])
    difference = np.abs(totals / totals[0] - 1).max()
    return (
        f"{guests} × {tables}",
        f"{dimensions}",
        spell(ours),
        spell(pot),
        spell(scipy),
        f"{pot / ours:.1f}",
        f"{scipy / ours:.0f}",
        f"{asked}",
        f"{difference:.0e}",
    )


def _case(guests: int, tables: int, dimensions: int) -> tuple[FloatArray, IntArray]:
    """Return the costs of a first iteration: centroids drawn from the points."""
    rng = np.random.default_rng(guests + tables + dimensions)
    points = rng.random((guests, 2)) if dimensions == 2 else rng.normal(size=(guests, dimensions))
    costs = squared_costs(points, points[rng.choice(guests, tables, replace=False)])
    sizes = np.full(tables, guests // tables)
    sizes[: guests - sizes.sum()] += 1
    return np.maximum(costs, 0.0), sizes


def _flow(costs: FloatArray, sizes: IntArray) -> FloatArray:
    guests = len(costs)
    flow: FloatArray = ot.emd(np.full(guests, 1.0 / guests), sizes / guests, costs, numItermax=10**8)
    return flow

"""The assignment step alone, from prices of zero."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import ot
from ortools.graph.python import min_cost_flow

from app.solver import FloatArray, IntArray, assign_by_slots, assign_by_transport, squared_costs
from bench.clock import best_seconds, spell
from bench.report import markdown_table

TITLE = "The assignment step"
CASES = ((1000, 100, 8), (5000, 500, 20), (5000, 15, 500))
"""Guests, tables, and how many times as fast as scipy it must be."""
DIMENSIONS = (2, 10)
STEPS = 10**6
"""OR-Tools needs whole numbers: costs are rounded to this many steps."""


@dataclass(frozen=True)
class Case:
    """The costs of a first k-means iteration: centroids drawn from the points."""

    costs: FloatArray
    sizes: IntArray

    @classmethod
    def draw(cls, guests: int, tables: int, dimensions: int) -> Case:
        """Draw points evenly in the plane, or normally in more dimensions."""
        rng = np.random.default_rng(guests + tables + dimensions)
        points = rng.random((guests, 2)) if dimensions == 2 else rng.normal(size=(guests, dimensions))
        costs = squared_costs(points, points[rng.choice(guests, tables, replace=False)])
        sizes = np.full(tables, guests // tables)
        sizes[: guests - sizes.sum()] += 1
        return cls(np.maximum(costs, 0.0), sizes)

    def total(self, table: IntArray) -> float:
        """Return the cost of a plan."""
        return float(self.costs[np.arange(len(self.costs)), table].sum())

    def by_kernel(self) -> float:
        """Solve with Convive's kernel."""
        return self.total(assign_by_transport(self.costs, self.sizes)[0])

    def by_slots(self) -> float:
        """Solve with scipy's `linear_sum_assignment` on n × n slots."""
        return self.total(assign_by_slots(self.costs, self.sizes))

    def by_simplex(self) -> float:
        """Solve with POT's network simplex."""
        guests = len(self.costs)
        flow = ot.emd(np.full(guests, 1.0 / guests), self.sizes / guests, self.costs, numItermax=10**8)
        return float((flow * self.costs).sum() * guests)

    def by_scaling(self) -> float:
        """Solve with OR-Tools' cost-scaling flow."""
        guests, tables = self.costs.shape
        whole = np.rint(self.costs * (STEPS / self.costs.max())).astype(np.int64)
        solver = min_cost_flow.SimpleMinCostFlow()
        tails, heads = np.repeat(np.arange(guests), tables), guests + np.tile(np.arange(tables), guests)
        arcs = solver.add_arcs_with_capacity_and_unit_cost(tails, heads, np.ones_like(tails), whole.ravel())
        supplies = np.concatenate([np.ones(guests, dtype=np.int64), -self.sizes])
        solver.set_nodes_supplies(np.arange(guests + tables), supplies)
        assert solver.solve() == solver.OPTIMAL
        return self.total(solver.flows(arcs).reshape(guests, tables).argmax(axis=1))


def measure() -> str:
    """Compare with scipy, POT and OR-Tools on the same costs."""
    assign_by_transport(np.eye(4), np.full(4, 1))
    rows = [_row(*case, dimensions) for case in CASES for dimensions in DIMENSIONS]
    titles = ("guests × tables", "dimensions", "Convive", "POT", "OR-Tools", "scipy", "× POT", "× scipy", "required")
    return markdown_table(titles, rows) + "\n\nThe costs are equal to 1e-12 (OR-Tools, which rounds them: 1e-4)."


def _row(guests: int, tables: int, asked: int, dimensions: int) -> tuple[str, ...]:
    case = Case.draw(guests, tables, dimensions)
    ours, least = best_seconds(case.by_kernel, 5)
    pot, by_simplex = best_seconds(case.by_simplex, 3)
    ortools, by_scaling = best_seconds(case.by_scaling, 1)
    scipy, by_slots = best_seconds(case.by_slots, 1)
    assert abs(by_simplex / least - 1) < 1e-12
    assert abs(by_slots / least - 1) < 1e-12
    assert abs(by_scaling / least - 1) < 1e-4
    times = (spell(seconds) for seconds in (ours, pot, ortools, scipy))
    return (f"{guests} × {tables}", f"{dimensions}", *times, f"{pot / ours:.1f}", f"{scipy / ours:.0f}", f"{asked}")

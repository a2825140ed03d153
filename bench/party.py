"""The paper's party: 22 guests, sizes [4 4 5 6 3], 1000 restarts."""

from __future__ import annotations

import numpy as np

from app.solver import Problem, Result, Table, embed, follow_restart, make_space, restart_by_slots, solve
from bench.clock import best_seconds, spell
from bench.report import markdown_table

TITLE = "22 guests, 1000 restarts of the paper's algorithm"
SIZES = np.array([4, 4, 5, 6, 3])
RESTARTS = 1000
REPEATS = 5


def measure() -> str:
    """Compare with the same algorithm in Python, with scipy's `linear_sum_assignment` on slots."""
    scores = np.random.default_rng(1).integers(-2, 3, (22, 22)).astype(float)
    problem = Problem(scores, tuple(Table(int(size), int(size)) for size in SIZES))
    embedding = embed(problem.squared_distances)
    space = make_space(problem.squared_distances, embedding, SIZES, "average")
    traces = [follow_restart(space, 1, number) for number in range(RESTARTS)]

    def with_scipy() -> float:
        return min(restart_by_slots(embedding.points, SIZES, start)[1][-1] for start, _, _ in traces)

    def with_kernel(threads: int | None) -> Result:
        return solve(problem, method="paper", restarts=RESTARTS, time_limit=None, seed=1, threads=threads)

    slots, slots_mse = best_seconds(with_scipy, REPEATS)
    one, result = best_seconds(lambda: with_kernel(1), 4 * REPEATS)
    all_cores, _ = best_seconds(lambda: with_kernel(None), 4 * REPEATS)
    own_mse = min(mses[-1] for _, _, mses in traces)
    assert abs(slots_mse - own_mse) <= 1e-9 * own_mse, "the two found different plans from the same starts"
    rows = [
        ("Python with scipy's linear_sum_assignment on slots", spell(slots), "1"),
        ("Convive, one core, embedding included", spell(one), f"{slots / one:.1f}"),
        ("Convive, all cores", spell(all_cores), f"{slots / all_cores:.1f}"),
    ]
    note = (
        f"The same 1000 starts and {result.iterations} iterations in {embedding.points.shape[1]} dimensions, "
        f"with the same best MSE of the points, {own_mse:.6f}. Required: at least 15 times as fast."
    )
    return markdown_table(("", "time", "times as fast"), rows) + "\n\n" + note

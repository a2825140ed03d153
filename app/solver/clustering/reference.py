"""The paper's algorithm in plain numpy and scipy: every seat a slot, points matched to slots.

Tests hold the kernels to it, and the benchmark measures them against it.
Malinen & Fränti, *Fixed-sized clusters k-means*.
"""

from __future__ import annotations

import numpy as np
import scipy

from app.solver.problem import FloatArray, IntArray


def assign_by_slots(costs: FloatArray, sizes: IntArray) -> IntArray:
    """Return the table of each guest at the least total cost, by the Hungarian algorithm on n × n slots."""
    slots = np.repeat(np.arange(len(sizes)), sizes)
    guests, chosen = scipy.optimize.linear_sum_assignment(costs[:, slots])
    table = np.empty(len(costs), dtype=np.int64)
    table[guests] = slots[chosen]
    return table


def squared_costs(points: FloatArray, centroids: FloatArray) -> FloatArray:
    """Return ‖x_i − c_t‖² = ‖x_i‖² − 2 x_i·c_t + ‖c_t‖² for every guest and table."""
    norms = np.einsum("ij,ij->i", points, points)
    costs: FloatArray = norms[:, None] - 2.0 * points @ centroids.T + np.einsum("ij,ij->i", centroids, centroids)
    return costs


def restart_by_slots(points: FloatArray, sizes: IntArray, chosen: IntArray) -> tuple[IntArray, list[float]]:
    """Run k-means with fixed sizes from the chosen points as centroids, until the centroids do not change.

    Returns the table of each guest and the MSE after every iteration, (Σ_i ‖x_i‖² − Σ_t n_t ‖c_t‖²) / n.
    """
    centroids, squares = points[chosen], float((points * points).sum())
    mses: list[float] = []
    while True:
        table = assign_by_slots(squared_costs(points, centroids), sizes)
        means = (np.equal.outer(np.arange(len(sizes)), table) @ points) / sizes[:, None]
        mses.append(float(squares - sizes @ (means * means).sum(axis=1)) / len(points))
        # Points that tie can change places for ever; such a change does not lower the MSE.
        if np.array_equal(means, centroids) or (len(mses) > 1 and mses[-1] >= mses[-2] * (1 - 1e-12)):
            return table, mses
        centroids = means

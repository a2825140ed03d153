"""The map of the guests: the two widest dimensions of classical multidimensional scaling, and no more.

They come from Lanczos' iteration (Golub & Van Loan, *Matrix Computations*, § 10.1) with every vector made orthogonal to
all others: each step is one product with the matrix, and wherever it is cut off the map is the best that those products
can give. Where no direction is wider than the others it would not converge, and any two directions are as good.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import scipy

from app.solver.clustering.embedding import embed
from app.solver.problem import FloatArray
from app.solver.result import ShouldStop, never_stop

WHOLE_GUESTS = 400
"""Up to here all dimensions cost less than looking for two."""
LEAST_STEPS, MOST_STEPS, LOOK_EVERY = 8, 60, 4
SETTLED = 1e-3
"""A dimension may miss this part of its width."""


def map_positions(squared: FloatArray, is_over: ShouldStop = never_stop) -> FloatArray:
    """Return two coordinates for each guest from their squared distances, rough ones if it is soon over."""
    if len(squared) <= WHOLE_GUESTS:
        return embed(squared).positions
    means = squared.mean(axis=0)
    overall = float(means.mean())

    def centred(vector: FloatArray) -> FloatArray:
        """Return −½ J D² J v, without that matrix."""
        total = float(vector.sum())
        product = squared @ vector - means * total - float(means @ vector) + overall * total
        return np.asarray(-0.5 * product)

    values, vectors = _largest_two(centred, len(squared), is_over)
    positions: FloatArray = vectors * np.sqrt(np.maximum(values, 0.0))
    return positions


def _largest_two(
    multiply: Callable[[FloatArray], FloatArray], count: int, is_over: ShouldStop
) -> tuple[FloatArray, FloatArray]:
    """Return the two largest eigenvalues of a symmetric matrix with their vectors, the largest first."""
    basis = np.zeros((MOST_STEPS, count))
    diagonal, beside = np.zeros(MOST_STEPS), np.zeros(MOST_STEPS)
    vector = np.cos(np.arange(count, dtype=np.float64))
    vector -= vector.mean()
    for step in range(MOST_STEPS):
        basis[step] = vector / np.linalg.norm(vector)
        vector = multiply(basis[step])
        diagonal[step] = basis[step] @ vector
        for _ in range(2):  # once leaves rounding
            vector -= basis[: step + 1].T @ (basis[: step + 1] @ vector)
        beside[step] = np.linalg.norm(vector)
        done = step + 1
        if beside[step] <= np.finfo(float).eps * np.abs(diagonal[:done]).max() or (done >= LEAST_STEPS and is_over()):
            break
        if done >= LEAST_STEPS and done % LOOK_EVERY == 0:
            values, turned = scipy.linalg.eigh_tridiagonal(diagonal[:done], beside[:step])
            if (beside[step] * np.abs(turned[-1, -2:]) <= SETTLED * np.abs(values[-2:])).all():
                break
    values, turned = scipy.linalg.eigh_tridiagonal(diagonal[:done], beside[: done - 1])
    widths, vectors = np.zeros(2), np.zeros((count, 2))
    found = min(done, 2)
    widths[:found] = values[::-1][:found]
    vectors[:, :found] = basis[:done].T @ turned[:, ::-1][:, :found]
    return widths, vectors

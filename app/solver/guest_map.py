"""The map of the guests: the two widest dimensions of classical multidimensional scaling, and no more."""

from __future__ import annotations

import numpy as np
from scipy.sparse.linalg import LinearOperator, eigsh

from app.solver.embed import embed
from app.solver.problem import FloatArray

WHOLE_GUESTS = 400
"""Up to here all dimensions cost less than looking for two."""


def map_positions(squared: FloatArray) -> FloatArray:
    """Return two coordinates for each guest from their squared distances."""
    count = len(squared)
    if count <= WHOLE_GUESTS:
        return embed(squared).positions
    means = squared.mean(axis=0)
    overall = float(means.mean())

    def centred(vector: FloatArray) -> FloatArray:
        flat = vector.ravel()
        total = float(flat.sum())
        product = squared @ flat - means * total - float(means @ flat) + overall * total
        return np.asarray(-0.5 * product)

    operator = LinearOperator((count, count), matvec=centred, dtype=np.float64)
    start = np.cos(np.arange(count, dtype=np.float64))
    values, vectors = eigsh(operator, k=2, which="LA", v0=start, tol=1e-3, maxiter=60 * count)
    positions: FloatArray = vectors[:, ::-1] * np.sqrt(np.maximum(values[::-1], 0.0))
    return positions

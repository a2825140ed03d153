"""Classical multidimensional scaling: points whose squared distances are the given ones, and back.

The same maths as `sklearn.manifold.ClassicalMDS`, which tests compare it with (Torgerson 1952; Borg & Groenen, *Modern
Multidimensional Scaling*, ch. 12). Called by hand because importing scikit-learn takes seconds, and because numpy's
`eigh` lets other threads run meanwhile: at 5,000 guests a run must still hear that it was cancelled.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from app.solver.errors import TooLarge
from app.solver.problem import MOST_MATRIX_GUESTS, FloatArray, Problem

NOTHING = 1e-10
"""A dimension with a smaller part of the largest eigenvalue than this is rounding, not a dimension."""
BLOCK_NUMBERS = 1 << 22


@dataclass(frozen=True)
class Embedding:
    """The points, widest dimension first. `is_whole`: their distances are the given ones, so nothing was negative."""

    points: FloatArray
    is_whole: bool

    @property
    def positions(self) -> FloatArray:
        """The first two dimensions, for the map of the guests."""
        flat = np.zeros((len(self.points), 2))
        flat[:, : min(2, self.points.shape[1])] = self.points[:, :2]
        return flat


def embed(squared: FloatArray) -> Embedding:
    """Return points from squared distances, with every positive dimension kept.

    B = −½ J D² J = U Λ Uᵀ with J = I − 11ᵀ/n; the points are U₊ Λ₊^½. Negative eigenvalues, which a matrix that is
    not Euclidean has, are left out as in the paper.
    """
    centred = squared - squared.mean(axis=0)
    centred -= centred.mean(axis=1, keepdims=True)
    centred *= -0.5
    eigenvalues, vectors = np.linalg.eigh(centred)
    floor = NOTHING * max(float(np.abs(eigenvalues).max(initial=0.0)), np.finfo(float).tiny)
    positive = np.flatnonzero(eigenvalues > floor)[::-1]
    points = vectors[:, positive]
    points *= np.sqrt(eigenvalues[positive]) * _signs(points)
    return Embedding(points, is_whole=bool((eigenvalues >= -floor).all()))


def embed_points(points: FloatArray) -> Embedding:
    """Turn given points so that the widest dimension comes first, as scaling their distances would."""
    centred = points - points.mean(axis=0)
    _, axes = np.linalg.eigh(centred.T @ centred)
    turned = centred @ axes[:, ::-1]
    return Embedding(turned * _signs(turned), is_whole=True)


def squared_distances(points: FloatArray) -> FloatArray:
    """Return ‖x_i − x_j‖² for all pairs of points."""
    squared = points @ points.T
    norms = squared.diagonal().copy()
    squared *= -2.0
    squared += norms[:, None]
    squared += norms
    np.maximum(squared, 0.0, out=squared)
    np.fill_diagonal(squared, 0.0)
    return squared


def distances_between(points: FloatArray) -> FloatArray:
    """Return ‖x_i − x_j‖ for all pairs, from the differences: exact for points far from the origin too."""
    count, dimensions = points.shape
    distances = np.empty((count, count))
    block = max(1, BLOCK_NUMBERS // max(1, count * dimensions))
    for start in range(0, count, block):
        away = points[start : start + block, None, :] - points[None, :, :]
        np.sqrt(np.einsum("ijk,ijk->ij", away, away), out=distances[start : start + block])
    return distances


def with_matrix(problem: Problem) -> Problem:
    """Return the problem with a matrix; raise `TooLarge` where it would not fit into memory several times."""
    if problem.ratings is None and not problem.has_points_only:
        return problem
    if problem.guest_count > MOST_MATRIX_GUESTS:
        raise TooLarge
    if problem.ratings is not None:
        return replace(problem, matrix=problem.ratings.as_matrix(), ratings=None)
    return replace(problem, matrix=distances_between(np.asarray(problem.points)))


def order_by_similarity(values: FloatArray) -> list[int]:
    """Return the positions of the guests as the leaves of an average-linkage tree over the rows of their values.

    A guest is as close to themselves as to the best of the others, so that two friends have alike rows.
    """
    if len(values) < 3:
        return list(range(len(values)))
    from scipy.cluster.hierarchy import leaves_list, linkage  # noqa: PLC0415  a server is up sooner without scipy

    rows = values.copy()
    np.fill_diagonal(rows, values.max(initial=0.0))
    return [int(guest) for guest in leaves_list(linkage(rows, method="average"))]


def _signs(columns: FloatArray) -> FloatArray:
    """Return ±1 for each column, so that its largest entry becomes positive: the map does not flip between runs."""
    if columns.size == 0:
        return np.ones(columns.shape[1])
    largest = np.abs(columns).argmax(axis=0)
    return np.where(columns[largest, np.arange(columns.shape[1])] < 0, -1.0, 1.0)

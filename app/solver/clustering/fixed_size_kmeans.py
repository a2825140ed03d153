"""k-means with given cluster sizes as a scikit-learn estimator, over the kernels of `method="paper"`.

Malinen & Fränti, *Fixed-sized clusters k-means*: points are assigned to centroids at the least total cost such that
every cluster gets its size, which is a transportation problem; then centroids move to the means.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import validate_data

from app.solver.clustering.embedding import Embedding, squared_distances
from app.solver.clustering.kmeans import follow_restart, make_space
from app.solver.clustering.restarts import Restarts
from app.solver.deadline import Deadline
from app.solver.problem import FloatArray, IntArray

LARGEST_SEED = 2**31 - 1


class FixedSizeKMeans(ClusterMixin, BaseEstimator):
    """k-means in which every cluster has a given number of points.

    Parameters
    ----------
    sizes
        The number of points of each cluster; together all points. None: `n_clusters` clusters, as equal as possible.
    n_clusters
        The number of clusters where no sizes are given.
    n_init
        How often to start from other centroids; the best run counts.
    random_state
        An int gives the same clusters every time.

    Attributes
    ----------
    labels_
        The cluster of each point: cluster t has `sizes[t]` points.
    cluster_centers_
        The mean of each cluster.
    inertia_
        The sum of squared distances of the points from the centre of their cluster.
    n_iter_
        The iterations of the best run.
    n_features_in_
        The number of features seen during `fit`.

    Notes
    -----
    The squared distances of all pairs are kept in memory: 8 n² bytes.
    """

    labels_: IntArray
    cluster_centers_: FloatArray
    inertia_: float
    n_iter_: int

    def __init__(
        self,
        sizes: Sequence[int] | None = None,
        n_clusters: int = 8,
        n_init: int = 100,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.sizes = sizes
        self.n_clusters = n_clusters
        self.n_init = n_init
        self.random_state = random_state

    def fit(self, X: ArrayLike, y: object = None) -> Self:
        """Find the clusters; `y` is ignored.

        Raises
        ------
        ValueError
            If the sizes do not add up to the number of points, or a cluster would be empty.
        """
        points: FloatArray = validate_data(self, X, dtype=np.float64)
        if self.n_init < 1:
            raise ValueError(f"n_init={self.n_init} should be at least 1.")
        sizes = self._cluster_sizes(len(points))
        # Distances from the origin would cost digits.
        centred = points - points.mean(axis=0)
        space = make_space(squared_distances(centred), Embedding(centred, is_whole=True), sizes, "average")
        seed = int(check_random_state(self.random_state).randint(LARGEST_SEED))
        outcome = Restarts(space, restarts=self.n_init, seed=seed, deadline=Deadline()).run()
        _, self.labels_, trace = follow_restart(space, seed, int(outcome.values.argmin()))
        self.cluster_centers_ = np.stack(
            [points[self.labels_ == cluster].mean(axis=0) for cluster in range(len(sizes))]
        )
        self.inertia_ = float(((points - self.cluster_centers_[self.labels_]) ** 2).sum())
        self.n_iter_ = len(trace)
        return self

    def _cluster_sizes(self, points: int) -> IntArray:
        if self.sizes is None:
            if points < self.n_clusters or self.n_clusters < 1:
                raise ValueError(f"n_samples={points} should be >= n_clusters={self.n_clusters} >= 1.")
            sizes = np.full(self.n_clusters, points // self.n_clusters, dtype=np.int64)
            sizes[: points % self.n_clusters] += 1
            return sizes
        sizes = np.asarray(self.sizes)
        if sizes.ndim != 1 or not np.issubdtype(sizes.dtype, np.integer) or (sizes < 1).any():
            raise ValueError("sizes should be whole numbers of at least 1.")
        if sizes.sum() != points:
            raise ValueError(f"sizes add up to {sizes.sum()}, but n_samples={points}.")
        return sizes.astype(np.int64)

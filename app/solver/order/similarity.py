"""An order of the guests in which similar ones are side by side, so that blocks show in a grid."""

from __future__ import annotations

import numpy as np

from app.solver.problem import FloatArray


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

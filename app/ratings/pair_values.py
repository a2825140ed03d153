"""What every pair of guests is worth, and from where that is known."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from app.solver.inference import Source
from app.solver.problem import FloatArray, IntArray


@dataclass(frozen=True)
class PairValues:
    """What each pair is worth, from where (codes of `Source`) and how sure that is, each n × n.

    Parameters
    ----------
    values
        Both directions alike, 0 on the diagonal.
    source
        Codes of `Source`; NOTHING on the diagonal.
    uncertainty
        One standard deviation; NaN where it was not worked out (distances, other scales, large events).
    groups, block
        The names of the groups, and for each pair i · (g + 1) + j for the two groups i ≤ j that its default comes from.
    """

    values: FloatArray
    source: NDArray[np.int8]
    uncertainty: FloatArray
    groups: tuple[str, ...] = ()
    block: IntArray | None = None

    @property
    def guessed(self) -> NDArray[np.bool_]:
        """Which pairs are guesses."""
        return np.asarray(self.source == Source.GUESS)

    def groups_of_pair(self, a: int, b: int) -> tuple[str, str] | None:
        """Return the names of the two groups whose default a pair has."""
        if self.block is None or self.source[a, b] != Source.GROUP:
            return None
        first, second = divmod(int(self.block[a, b]), len(self.groups) + 1)
        return self.groups[first], self.groups[second]

"""What every pair of guests is worth, and from where that is known; guesses are kept while that stays."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from app.bounded_cache import BoundedCache
from app.solver import FloatArray, IntArray, Known, Source

MOST_GUESTS = 300
MOST_KEPT = 8  # of at most 3 MB each


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
    refined
        The values that plans are made with, where those differ: an answer about groups is shown as it was given.
    """

    values: FloatArray
    source: NDArray[np.int8]
    uncertainty: FloatArray
    groups: tuple[str, ...] = ()
    block: IntArray | None = None
    refined: FloatArray | None = None

    @property
    def expected(self) -> FloatArray:
        """What plans are made with: ratings of pairs also refine the answers about groups."""
        return self.values if self.refined is None else self.refined

    @property
    def entered(self) -> FloatArray | None:
        """What people said, 0 where nothing; None where `expected` differs from that by guesses only."""
        return None if self.refined is None else np.where(self.guessed, 0.0, self.values)

    @property
    def guessed(self) -> NDArray[np.bool_]:
        return np.asarray(self.source == Source.GUESS)

    def groups_of_pair(self, a: int, b: int) -> tuple[str, str] | None:
        """Return the names of the two groups whose default a pair has."""
        if self.block is None or self.source[a, b] != Source.GROUP:
            return None
        first, second = divmod(int(self.block[a, b]), len(self.groups) + 1)
        return self.groups[first], self.groups[second]


class CachedGuesses:
    """The values that were used last, by all that they are made from; all pages of one event share them."""

    def __init__(self) -> None:
        self._kept = BoundedCache[bytes, PairValues](MOST_KEPT, lambda _: 1)

    def get(
        self, known: Known, names: tuple[str, ...], with_uncertainty: bool, make: Callable[[], PairValues]
    ) -> PairValues:
        """Return the values that are made from this, which nobody may change, from before if they are kept."""
        if known.guests > MOST_GUESTS:
            return make()
        key = _digest(known, names, with_uncertainty)
        found = self._kept.get(key)
        if found is None:
            found = make()
            for array in (found.values, found.source, found.uncertainty, found.block, found.refined):
                if array is not None:
                    array.flags.writeable = False
            self._kept.keep(key, found)
        return found


def _digest(known: Known, names: tuple[str, ...], with_uncertainty: bool) -> bytes:
    wishes = None if known.wishes is None else np.asarray(known.wishes).tolist()
    parties = [list(map(int, party)) for party in known.parties]
    digest = hashlib.sha256(repr((known.guests, names, with_uncertainty, wishes, parties)).encode())
    circles = np.empty(0) if known.circles is None else known.circles
    for array in (known.pairs, known.values, known.groups, known.group_defaults, circles):
        plain = np.ascontiguousarray(array)
        digest.update(repr((plain.shape, plain.dtype.str)).encode())
        digest.update(plain.tobytes())
    return digest.digest()

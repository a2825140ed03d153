"""Guesses that are kept while what they are made from stays: grids, forms and lists of one event share them."""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from collections.abc import Callable
from threading import Lock
from typing import TYPE_CHECKING

import numpy as np

from app.solver import Known

if TYPE_CHECKING:
    from app.ratings.pair_values import PairValues

MOST_GUESTS = 300
MOST_KEPT = 8  # of at most 2.5 MB each


class KeptGuesses:
    """The values that were used last, by all that they are made from; several threads share them."""

    def __init__(self) -> None:
        self._kept: OrderedDict[bytes, PairValues] = OrderedDict()
        self._lock = Lock()

    def get(
        self, known: Known, names: tuple[str, ...], with_uncertainty: bool, make: Callable[[], PairValues]
    ) -> PairValues:
        """Return the values that are made from this, which nobody may change, from before if they are kept."""
        if known.guests > MOST_GUESTS:
            return make()
        key = _digest(known, names, with_uncertainty)
        with self._lock:
            found = self._kept.get(key)
            if found is not None:
                self._kept.move_to_end(key)
                return found
        made = make()
        for array in (made.values, made.source, made.uncertainty, made.block):
            if array is not None:
                array.flags.writeable = False
        with self._lock:
            self._kept[key] = made
            while len(self._kept) > MOST_KEPT:
                self._kept.popitem(last=False)
        return made


def _digest(known: Known, names: tuple[str, ...], with_uncertainty: bool) -> bytes:
    wishes = None if known.wishes is None else np.asarray(known.wishes).tolist()
    parties = [list(map(int, party)) for party in known.parties]
    digest = hashlib.sha256(repr((known.guests, names, with_uncertainty, wishes, parties)).encode())
    for array in (known.pairs, known.values, known.groups, known.group_defaults):
        plain = np.ascontiguousarray(array)
        digest.update(repr((plain.shape, plain.dtype.str)).encode())
        digest.update(plain.tobytes())
    return digest.digest()

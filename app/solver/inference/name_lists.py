"""List cards: one guest, several names and what is guessed of each; the planner corrects the guesses that are wrong.

A guess that is right costs no tap, and one tap saves them all. So a list says more by tap than questions about single
pairs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from app.solver.inference.design import Design, build_design, companions
from app.solver.inference.known import HIGHEST, LOWEST, RATING_ERROR, Inference, Parties
from app.solver.problem import FloatArray, IntArray

MOST_NAMES, FEWEST_NAMES = 8, 6


@dataclass(frozen=True)
class NameList:
    """A guest, the names to rate with them, best first, and the level that is guessed of each.

    `gain` is by tap; that of a `Question` is too, as it takes one.
    """

    guest: int
    others: tuple[int, ...]
    guesses: tuple[int, ...]
    gain: float


def next_lists(
    inference: Inference,
    table_sizes: Sequence[int],
    plans: ArrayLike,
    asked: ArrayLike,
    count: int,
    parties: Parties = (),
) -> tuple[NameList, ...]:
    """Choose the next list cards, best first; for a worker. The parameters are those of `next_questions`.

    The names are those whose answers are worth most, at most one of a household. A list is worth the sum of their
    gains over the taps that it will take: one for each guess that is likely to be wrong, and one to save. After each
    list the draws are conditioned on all of its pairs.
    """
    if inference.draws is None:
        return ()
    design, _ = build_design(inference, table_sizes, plans, asked)
    guesses, household = _Guesses(inference), _households(len(inference.mean), parties)
    lists: list[NameList] = []
    while len(lists) < count and (best := _best_list(design, guesses, household)) is not None:
        lists.append(best)
        for other in best.others:
            pair = min(best.guest, other), max(best.guest, other)
            design.ask(*pair, companions(*pair, parties))
    return tuple(lists)


class _Guesses:
    """The likeliest level of each pair, and how likely it is to be wrong."""

    def __init__(self, inference: Inference) -> None:
        from scipy.special import ndtr  # noqa: PLC0415  a server is up sooner without scipy

        self.levels = np.clip(np.rint(inference.mean), LOWEST, HIGHEST)
        low = np.where(self.levels <= LOWEST, -np.inf, self.levels - 0.5)
        high = np.where(self.levels >= HIGHEST, np.inf, self.levels + 0.5)
        spread = np.hypot(inference.uncertainty, RATING_ERROR)
        self.wrong = 1.0 - (ndtr((high - inference.mean) / spread) - ndtr((low - inference.mean) / spread))


def _best_list(design: Design, guesses: _Guesses, household: IntArray) -> NameList | None:
    """Return the list that is worth most by tap; None where no guest has enough open pairs."""
    gains = design.gains()
    gains += gains.T
    every = (_list_of(guest, gains[guest], guesses, household) for guest in range(len(gains)))
    lists = [one for one in every if len(one.others) >= FEWEST_NAMES]
    return max(lists, key=lambda one: one.gain, default=None)


def _list_of(guest: int, gains: FloatArray, guesses: _Guesses, household: IntArray) -> NameList:
    """Return the list of one guest."""
    others: list[int] = []
    seen: set[int] = set()
    for other in np.argsort(-gains, kind="stable").tolist():
        if len(others) == MOST_NAMES or gains[other] <= 0:
            break
        if household[other] not in seen:
            seen.add(int(household[other]))
            others.append(other)
    taps = 1.0 + float(guesses.wrong[guest, others].sum())
    levels = tuple(int(level) for level in guesses.levels[guest, others])
    return NameList(guest, tuple(others), levels, float(gains[others].sum()) / taps)


def _households(guests: int, parties: Parties) -> IntArray:
    """Return a number for each guest's household; a guest without one has a number alone."""
    household = np.arange(guests)
    for party in parties:
        household[list(party)] = party[0]
    return household

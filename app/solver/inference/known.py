"""What has been entered about pairs, and what groups and parties alone say; the types that inference shares."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum

import numpy as np
from numpy.typing import ArrayLike, NDArray

from app.solver.problem import BoolArray, FloatArray, IntArray

Draws = NDArray[np.float32]
Parties = Sequence[Sequence[int]]

LOWEST, HIGHEST = -2.0, 2.0
PARTY_SCORE = 2.0
WISH_SCORE = 1.0
RATING_ERROR, WISH_ERROR, PARTY_ERROR = 0.3, 0.6, 0.3
"""Standard deviations of what was said around what is so; a rating has five levels, so even it is not exact."""
MOST_TRAITS = 40
"""Up to so many groups, circles among them, say how a guest does with others; beyond it circles do not."""
BETWEEN_TWO = 0.5
"""Standard deviation of the part of a pair's value that no other pair predicts."""


class Source(IntEnum):
    """Where a pair's value comes from; a smaller number overrides a larger one."""

    RATING = 1
    WISH = 2
    PARTY = 3
    GUESS = 4
    GROUP = 5
    NOTHING = 6


@dataclass(frozen=True)
class Known:
    """What has been entered, by the guests' positions.

    Parameters
    ----------
    guests
        The number of guests, n.
    pairs, values
        Rated pairs, m × 2, and their scores.
    groups
        Membership, n × g.
    group_defaults
        The group × group grid, g × g; NaN where nothing was entered.
    parties
        Guests who came together.
    wishes
        Pairs of which one wished for the other, k × 2.
    circles
        Which groups are circles within a larger group (g); by default none.
    """

    guests: int
    pairs: IntArray
    values: FloatArray
    groups: BoolArray
    group_defaults: FloatArray
    parties: tuple[tuple[int, ...], ...] = ()
    wishes: IntArray | None = None
    circles: BoolArray | None = None

    def traits_of_groups(self) -> FloatArray:
        """Return in which groups that count as traits a guest is, n × k: 1 over the root of how many they are in.

        All but the smallest circles, where there are many: each trait makes inference slower.
        """
        groups = self.groups
        if self.circles is not None and groups.shape[1] > MOST_TRAITS:
            order = np.argsort(-np.where(self.circles, groups.sum(axis=0), len(groups) + 1), kind="stable")
            count = max(MOST_TRAITS, int((~self.circles).sum()))
            groups = groups[:, np.sort(order[:count])]
        shares: FloatArray = groups / np.sqrt(np.maximum(groups.sum(axis=1, keepdims=True), 1))
        return shares

    def rated(self) -> FloatArray:
        """Return the ratings as n × n, both directions alike, NaN where there is none."""
        ratings = np.full((self.guests, self.guests), np.nan)
        a, b = self.pairs.reshape(-1, 2).T
        ratings[a, b] = ratings[b, a] = self.values
        np.fill_diagonal(ratings, np.nan)
        return ratings

    def same_party(self) -> BoolArray:
        """Return which two are of the same party; nobody with themselves."""
        party_of = np.full(self.guests, -1)
        for number, party in enumerate(self.parties):
            party_of[list(party)] = number
        same: BoolArray = (party_of[:, None] == party_of) & (party_of >= 0)
        np.fill_diagonal(same, False)
        return same


@dataclass(frozen=True)
class Inference:
    """What each pair is probably worth: mean, standard deviation and source (codes of `Source`), each n × n.

    `draws` (s × n × n) are deviations from the mean that are as likely as the truth, without what is between two alone,
    whose standard deviation is `between_two`; only `infer_deeply` gives them.
    """

    mean: FloatArray
    uncertainty: FloatArray
    source: NDArray[np.int8]
    between_two: float = BETWEEN_TWO
    draws: Draws | None = None


@dataclass(frozen=True)
class Defaults:
    """What groups and parties alone say: values, sources, and which pair of groups each value came from."""

    values: FloatArray
    source: NDArray[np.int8]
    block: IntArray


def as_known(
    guests: int,
    pairs: ArrayLike,
    values: ArrayLike,
    groups: ArrayLike,
    group_defaults: ArrayLike,
    parties: Parties = (),
    wishes: ArrayLike = (),
    circles: ArrayLike | None = None,
) -> Known:
    """Bring what was entered into arrays of the right shapes."""
    defaults = np.asarray(group_defaults, dtype=np.float64)
    size = round(defaults.size**0.5)
    members = np.asarray(groups, dtype=bool).reshape(guests, -1 if guests else size)
    return Known(
        guests=guests,
        pairs=np.asarray(pairs, dtype=np.int64).reshape(-1, 2),
        values=np.asarray(values, dtype=np.float64).reshape(-1),
        groups=members,
        group_defaults=defaults.reshape(members.shape[1], members.shape[1]),
        parties=tuple(tuple(int(guest) for guest in party) for party in parties if len(party) > 1),
        wishes=np.asarray(wishes, dtype=np.int64).reshape(-1, 2),
        circles=None if circles is None else np.asarray(circles, dtype=bool).reshape(members.shape[1]),
    )


def group_and_party_defaults(known: Known) -> Defaults:
    """Give every pair the strongest default of its groups (the largest in size; of +x and −x the +x), parties +2."""
    n, g = known.groups.shape
    values, source = np.zeros((n, n)), np.full((n, n), Source.NOTHING, dtype=np.int8)
    first = np.where(known.groups.any(axis=1), known.groups.argmax(axis=1) if g else 0, g)
    block = np.minimum(first[:, None], first[None, :]) * (g + 1) + np.maximum(first[:, None], first[None, :])
    grid = _both_directions(known.group_defaults)
    members = [np.flatnonzero(column) for column in known.groups.T]
    entered = np.argwhere(np.triu(~np.isnan(grid))).tolist()
    strengths = sorted((abs(grid[i, j]), grid[i, j], i, j) for i, j in entered)
    for _, value, i, j in strengths:
        for meet in (np.ix_(members[i], members[j]), np.ix_(members[j], members[i])):
            values[meet], source[meet], block[meet] = value, Source.GROUP, i * (g + 1) + j
    party = known.same_party()
    values[party], source[party] = PARTY_SCORE, Source.PARTY
    np.fill_diagonal(values, 0.0)
    np.fill_diagonal(source, Source.NOTHING)
    return Defaults(values, source, block)


def _both_directions(grid: FloatArray) -> FloatArray:
    """Fill a grid entered on one side of its diagonal only, and average where both sides were entered."""
    filled = np.where(np.isnan(grid), grid.T, grid)
    return np.asarray((filled + filled.T) / 2)

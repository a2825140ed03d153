"""What unrated pairs are probably worth: groups, parties, and what the ratings so far say about similar pairs.

Everything here is plain numpy and quick, for the web process as well as for a worker. `infer` is the first answer
to a change; `app.solver.latent.infer_deeply`, for a worker only, takes a second and finds hidden circles and shared
tastes too; `learn` carries a single new answer into what it found.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from enum import IntEnum
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from app.solver.problem import FloatArray, IntArray

if TYPE_CHECKING:
    from scipy.sparse import csr_array

BoolArray = NDArray[np.bool_]
Draws = NDArray[np.float32]
Parties = Sequence[Sequence[int]]

LOWEST, HIGHEST = -2.0, 2.0
PARTY_SCORE = 2.0
WISH_SCORE = 1.0
RATING_ERROR, WISH_ERROR, PARTY_ERROR = 0.3, 0.6, 0.3
"""Standard deviations of what was said around what is so; a rating has five levels, so even it is not exact."""
BETWEEN_TWO = 0.5
"""Standard deviation of what is between two guests alone and no other pair tells."""

OWN, WITH_PARTY, WITH_GROUP, WITH_ALL = 0.2, 0.35, 0.15, 0.1
"""How alike two guests are: a sum over what they share. A guest shares all of it with themselves."""
SHARED = 0.15
"""What a rating counts that is one of many about alike pairs: they tell the same twice. Fitted to errors of guesses."""
STEPS, PRECISION = 40, 1e-2
"""When the conjugate gradients end."""


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
    """

    guests: int
    pairs: IntArray
    values: FloatArray
    groups: BoolArray
    group_defaults: FloatArray
    parties: tuple[tuple[int, ...], ...] = ()
    wishes: IntArray | None = None

    def rated(self) -> FloatArray:
        """Return the ratings as n × n, both directions alike, NaN where there is none."""
        ratings = np.full((self.guests, self.guests), np.nan)
        a, b = self.pairs.reshape(-1, 2).T
        ratings[a, b] = ratings[b, a] = self.values
        np.fill_diagonal(ratings, np.nan)
        return ratings

    def same_party(self) -> BoolArray:
        """Say which two are of the same party; nobody with themselves."""
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
) -> Known:
    """Bring what was entered into arrays of the right shapes."""
    members = np.asarray(groups, dtype=bool).reshape(guests, -1 if guests else 0)
    return Known(
        guests=guests,
        pairs=np.asarray(pairs, dtype=np.int64).reshape(-1, 2),
        values=np.asarray(values, dtype=np.float64).reshape(-1),
        groups=members,
        group_defaults=np.asarray(group_defaults, dtype=np.float64).reshape(members.shape[1], members.shape[1]),
        parties=tuple(tuple(int(guest) for guest in party) for party in parties if len(party) > 1),
        wishes=np.asarray(wishes, dtype=np.int64).reshape(-1, 2),
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


def infer(
    guests: int,
    pairs: ArrayLike,
    values: ArrayLike,
    groups: ArrayLike,
    group_defaults: ArrayLike,
    parties: Parties = (),
    wishes: ArrayLike = (),
    *,
    with_uncertainty: bool = True,
) -> Inference:
    """Predict every pair from groups, parties and ratings; for the web process.

    The deviation of a pair from its default is a Gaussian process over pairs, cov(f_ij, f_kl) = κ_ik κ_jl + κ_il κ_jk,
    where κ says how alike two guests are (same guest, party, group, event). The product holds shrunk means of
    group × group, group × guest and guest, and what a guest's party says about the guest. Where an answer about groups
    was given, the part that is common to the groups (κ of group and event on both sides) is left out: the answer says
    it, and exceptions entered by hand must not turn it round for guests of whom nothing was said. With W the rated
    pairs, F = spread(A) where W ∘ F + σ² A = W ∘ (ratings − defaults), by conjugate gradients.
    """
    known = as_known(guests, pairs, values, groups, group_defaults, parties, wishes)
    return infer_known(known, with_uncertainty=with_uncertainty)


def infer_known(known: Known, *, with_uncertainty: bool = True) -> Inference:
    """Predict every pair as `infer` does; without uncertainty, NaN stands for that of each guess."""
    defaults = group_and_party_defaults(known)
    told, similar = _told(known), Similarity.of(known)
    open_groups = (defaults.source == Source.NOTHING).astype(np.float64)
    weights = _solve_weights(similar, told, open_groups, told_residuals(known, defaults))
    deviation = similar.spread(weights, open_groups)
    variance = _variance(similar.as_matrix(), told) if with_uncertainty else np.full_like(deviation, np.nan)
    return settle(known, defaults, deviation, variance)


def settle(
    known: Known,
    defaults: Defaults,
    deviation: FloatArray,
    variance: FloatArray,
    between_two: float = BETWEEN_TWO,
    draws: Draws | None = None,
) -> Inference:
    """Lay what was said over what is guessed: a guess never overrides a rating, a wish or a party."""
    mean, source = defaults.values + deviation, defaults.source.copy()
    guessed = (source >= Source.GROUP) & (np.abs(deviation) > 1e-9)
    source[guessed] = Source.GUESS
    uncertainty = np.sqrt(variance + between_two**2)
    party = source == Source.PARTY
    mean[party], uncertainty[party] = PARTY_SCORE, PARTY_ERROR
    if known.wishes is not None and len(known.wishes):
        _overlay(mean, uncertainty, source, known.wishes, WISH_SCORE, WISH_ERROR, Source.WISH)
    _overlay(mean, uncertainty, source, known.pairs, known.values, RATING_ERROR, Source.RATING)
    free = source >= Source.GUESS
    mean[free] = np.clip(mean[free], LOWEST, HIGHEST)
    for square, value in ((mean, 0.0), (uncertainty, 0.0), (source, Source.NOTHING)):
        np.fill_diagonal(square, value)
    if draws is not None:
        draws = np.where(free, draws, np.float32(0))
    return Inference(mean, uncertainty, source, between_two, draws)


def learn(inference: Inference, a: int, b: int, value: float | None, parties: Parties = ()) -> Inference:
    """Carry one new answer into an inference without inferring anew; for the web process, milliseconds.

    The draws tell how pairs hang together: those that share a guest with (a, b), or lie between the same two parties,
    move by the Kalman gain cov/(var + σ²), and their spread shrinks. None is "don't know them": nothing changes.
    """
    if value is None:
        return inference
    mean, uncertainty, source = inference.mean.copy(), inference.uncertainty.copy(), inference.source.copy()
    draws = inference.draws
    if draws is not None:
        surprise = value - float(mean[a, b])
        draws = draws.copy()
        gains = condition(draws, a, b, inference.between_two, companions(a, b, parties))
        free = source >= Source.GUESS
        mean[free] = np.clip(mean[free] + gains[free] * surprise, LOWEST, HIGHEST)
        variance = spread_of(draws)
        changed = free & (gains != 0)
        uncertainty[changed] = np.sqrt(variance + inference.between_two**2)[changed]
        source[changed & (source > Source.GUESS)] = Source.GUESS
        draws[:, a, b] = draws[:, b, a] = 0.0
    _overlay(mean, uncertainty, source, np.array([[a, b]]), value, RATING_ERROR, Source.RATING)
    return replace(inference, mean=mean, uncertainty=uncertainty, source=source, draws=draws)


def condition(draws: Draws, a: int, b: int, between_two: float, parties: tuple[IntArray, IntArray]) -> FloatArray:
    """Change the draws in place as if (a, b) had been answered, whatever the answer; return the gain of each pair.

    A square-root filter: D ← D − α·gain·d with α = 1/(1 + √(σ²/(v + σ²))) leaves the right covariance, without noise.
    Only pairs that share a guest with (a, b) or lie between their parties move: a few dozen draws know no finer one.
    """
    n, count = draws.shape[1], max(len(draws) - 1, 1)
    d = draws[:, a, b].copy()
    error, v = between_two**2, float(d @ d) / count
    gains = np.zeros((n, n))
    for guest in (a, b):
        gains[guest] = gains[:, guest] = d @ draws[:, guest] / count / (v + error)
    of_a, of_b = parties
    between = np.einsum("s,sij->ij", d, draws[:, of_a[:, None], of_b]) / count / (v + error)
    gains[np.ix_(of_a, of_b)], gains[np.ix_(of_b, of_a)] = between, between.T
    rows = np.union1d(of_a, of_b)
    share = 1.0 / (1.0 + np.sqrt(error / (v + error)))
    draws[:, rows] -= d[:, None, None] * (share * gains[rows]).astype(np.float32)
    draws[:, :, rows] = draws[:, rows].transpose(0, 2, 1)
    return gains


def spread_of(draws: Draws) -> FloatArray:
    """Return the variance of the draws, pair by pair."""
    return np.asarray(np.einsum("sij,sij->ij", draws, draws, dtype=np.float64) / max(len(draws) - 1, 1))


def told_residuals(known: Known, defaults: Defaults) -> FloatArray:
    """Return how far the ratings are from their defaults, 0 where unrated and inside parties."""
    return np.where(_told(known), np.nan_to_num(known.rated() - defaults.values), 0.0)


def _told(known: Known) -> BoolArray:
    """Say which pairs teach something: those rated, but not inside a party, where all is special."""
    return np.asarray(~np.isnan(known.rated()) & ~known.same_party())


@dataclass(frozen=True)
class Similarity:
    """How alike guests are, K = N + S Sᵀ: near by themselves and by their party, and sharing groups and the event.

    N has a few entries in a row and S one for each group of a guest, so that K X costs n² times that and not n³.
    Both are sparse: products of so thin dense matrices would be shared out to threads, which takes longer than they do.
    """

    near: csr_array
    shared: csr_array
    shared_back: csr_array

    @classmethod
    def of(cls, known: Known) -> Similarity:
        """Return the similarity of the guests."""
        groups = known.groups / np.sqrt(np.maximum(known.groups.sum(axis=1, keepdims=True), 1))
        own = np.eye(known.guests, dtype=bool)
        near = OWN * own + WITH_PARTY * (known.same_party() | own)
        everybody = np.full((known.guests, 1), np.sqrt(WITH_ALL))
        from scipy.sparse import csr_array  # noqa: PLC0415  a server is up sooner without scipy

        shared = csr_array(np.hstack([np.sqrt(WITH_GROUP) * groups, everybody]))
        return cls(csr_array(near), shared, csr_array(shared.T))

    def as_matrix(self) -> FloatArray:
        """Return K."""
        return np.asarray((self.near + self.shared @ self.shared_back).toarray())

    def spread(self, matrix: FloatArray, open_groups: FloatArray) -> FloatArray:
        """Return K X K − C X C + U ∘ C (U ∘ X) C, with C = S Sᵀ, U the pairs without an answer about groups."""
        both = self._both(matrix, self._times)
        if not open_groups.all():
            both -= self._both(matrix, self._times_shared)
            both += open_groups * self._both(open_groups * matrix, self._times_shared)
        return both

    @staticmethod
    def _both(matrix: FloatArray, times: Callable[[FloatArray], FloatArray]) -> FloatArray:
        return times(np.ascontiguousarray(times(matrix).T)).T

    def _times(self, matrix: FloatArray) -> FloatArray:
        image = np.asarray(self.near @ matrix)
        image += self._times_shared(matrix)
        return image

    def _times_shared(self, matrix: FloatArray) -> FloatArray:
        return np.asarray(self.shared @ (self.shared_back @ matrix))


def _solve_weights(similar: Similarity, told: BoolArray, open_groups: FloatArray, residuals: FloatArray) -> FloatArray:
    """Solve W ∘ F + σ² A = residuals for A by conjugate gradients, F being spread from A."""
    weights, left = np.zeros_like(residuals), residuals.copy()
    mask = told.astype(np.float64)
    step, square = left.copy(), float((left**2).sum())
    goal = PRECISION**2 * square
    for _ in range(STEPS):
        if square <= goal:
            break
        image = np.multiply(similar.spread(step, open_groups), mask)
        image += BETWEEN_TWO**2 * step
        along = square / float((step * image).sum())
        weights += along * step
        left -= np.multiply(image, along, out=image)
        before, square = square, float((left**2).sum())
        step *= square / before
        step += left
    return weights


def _variance(similar: FloatArray, told: BoolArray) -> FloatArray:
    """Return about how uncertain each deviation is: its prior variance over one plus the ratings of alike pairs.

    A rating of (k, l) counts by the squared correlation ρ²_ij,kl; the exact variance would need n² solutions.
    """
    own = np.diag(similar)
    prior = np.outer(own, own)
    squared = (similar**2).astype(np.float32)  # a rough figure, and the only n³ here
    near = SHARED * (squared @ told.astype(np.float32) @ squared) / prior**2
    return np.asarray(prior / (1.0 + near * prior / BETWEEN_TWO**2))


def companions(a: int, b: int, parties: Parties) -> tuple[IntArray, IntArray]:
    """Return the parties of two guests; a guest without one is a party alone."""
    found = [next((party for party in parties if guest in party), (guest,)) for guest in (a, b)]
    return np.array(found[0], dtype=np.int64), np.array(found[1], dtype=np.int64)


def _overlay(
    mean: FloatArray,
    uncertainty: FloatArray,
    source: NDArray[np.int8],
    pairs: IntArray,
    values: FloatArray | float,
    error: float,
    code: Source,
) -> None:
    a, b = pairs.T
    for i, j in ((a, b), (b, a)):
        mean[i, j], uncertainty[i, j], source[i, j] = values, error, code


def _both_directions(grid: FloatArray) -> FloatArray:
    """Fill a grid entered on one side of its diagonal only, and average where both sides were entered."""
    filled = np.where(np.isnan(grid), grid.T, grid)
    return np.asarray((filled + filled.T) / 2)

"""What unrated pairs are probably worth: groups, parties, and what the ratings so far say about similar pairs.

Plain numpy and quick, for the web process as well as for a worker. `infer` is the first answer to a change;
`app.solver.inference.gibbs.infer_deeply`, for a worker only, takes a second and finds hidden circles and shared
tastes too.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from app.solver.inference.known import (
    BETWEEN_TWO,
    HIGHEST,
    LOWEST,
    PARTY_ERROR,
    PARTY_SCORE,
    RATING_ERROR,
    WISH_ERROR,
    WISH_SCORE,
    Defaults,
    Draws,
    Inference,
    Known,
    Source,
    group_and_party_defaults,
)
from app.solver.problem import BoolArray, FloatArray, IntArray

if TYPE_CHECKING:
    from scipy.sparse import csr_array

OWN, WITH_PARTY, WITH_GROUP, WITH_ALL = 0.2, 0.35, 0.15, 0.1
"""How alike two guests are: a sum over what they share. A guest shares all of it with themselves."""
SHARED = 0.15
"""What a rating counts that is one of many about alike pairs: they repeat each other. Fitted to errors of guesses."""
STEPS, PRECISION = 40, 1e-2
"""When the conjugate gradients end."""


def infer(known: Known, *, with_uncertainty: bool = True) -> Inference:
    """Predict every pair from groups, parties and ratings; for the web process.

    The deviation of a pair from its default is a Gaussian process over pairs, cov(f_ij, f_kl) = κ_ik κ_jl + κ_il κ_jk,
    where κ says how alike two guests are (same guest, party, group, event). The product holds shrunk means of
    group × group, group × guest and guest, and what a guest's party says about the guest. Where an answer about groups
    was given, the part that is common to the groups (κ of group and event on both sides) is left out: the answer says
    it, and exceptions entered by hand must not turn it round for guests of whom nothing was said. With W the rated
    pairs, F = spread(A) where W ∘ F + σ² A = W ∘ (ratings − defaults), by conjugate gradients. Without uncertainty,
    NaN stands for that of each guess.
    """
    defaults = group_and_party_defaults(known)
    rated, similar = _informative(known), Similarity.of(known)
    open_groups = (defaults.source == Source.NOTHING).astype(np.float64)
    weights = _solve_weights(similar, rated, open_groups, rated_residuals(known, defaults))
    deviation = similar.spread(weights, open_groups)
    variance = _variance(similar.as_matrix(), rated) if with_uncertainty else np.full_like(deviation, np.nan)
    return overlay_known(known, defaults, deviation, variance)


def overlay_known(
    known: Known,
    defaults: Defaults,
    deviation: FloatArray,
    variance: FloatArray,
    between_two: float = BETWEEN_TWO,
    draws: Draws | None = None,
) -> Inference:
    """Lay what was said over what is guessed: a guess never overrides a rating, a wish or a party.

    Nor does it lift the pairs of two groups that should keep apart: that takes a rating of the pair itself.
    """
    mean, source = defaults.values + deviation, defaults.source.copy()
    averse = (source == Source.GROUP) & (defaults.values < 0)
    mean[averse] = np.minimum(mean, defaults.values)[averse]
    guessed = (source >= Source.GROUP) & (np.abs(deviation) > 1e-9)
    source[guessed] = Source.GUESS
    uncertainty = np.sqrt(variance + between_two**2)
    party = source == Source.PARTY
    mean[party], uncertainty[party] = PARTY_SCORE, PARTY_ERROR
    if known.wishes is not None and len(known.wishes):
        overlay(mean, uncertainty, source, known.wishes, WISH_SCORE, WISH_ERROR, Source.WISH)
    overlay(mean, uncertainty, source, known.pairs, known.values, RATING_ERROR, Source.RATING)
    free = source >= Source.GUESS
    mean[free] = np.clip(mean[free], LOWEST, HIGHEST)
    for square, value in ((mean, 0.0), (uncertainty, 0.0), (source, Source.NOTHING)):
        np.fill_diagonal(square, value)
    if draws is not None:
        draws = np.where(free, draws, np.float32(0))
    return Inference(mean, uncertainty, source, between_two, draws)


def rated_residuals(known: Known, defaults: Defaults) -> FloatArray:
    """Return how far the ratings are from their defaults, 0 where unrated and inside parties."""
    return np.where(_informative(known), np.nan_to_num(known.rated() - defaults.values), 0.0)


def _informative(known: Known) -> BoolArray:
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
        own = np.eye(known.guests, dtype=bool)
        near = OWN * own + WITH_PARTY * (known.same_party() | own)
        everybody = np.full((known.guests, 1), np.sqrt(WITH_ALL))
        from scipy.sparse import csr_array  # noqa: PLC0415  a server is up sooner without scipy

        shared = csr_array(np.hstack([np.sqrt(WITH_GROUP) * known.traits_of_groups(), everybody]))
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


def _solve_weights(similar: Similarity, rated: BoolArray, open_groups: FloatArray, residuals: FloatArray) -> FloatArray:
    """Solve W ∘ F + σ² A = residuals for A by conjugate gradients, F being spread from A."""
    weights, left = np.zeros_like(residuals), residuals.copy()
    mask = rated.astype(np.float64)
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


def _variance(similar: FloatArray, rated: BoolArray) -> FloatArray:
    """Return about how uncertain each deviation is: its prior variance over one plus the ratings of alike pairs.

    A rating of (k, l) counts by the squared correlation ρ²_ij,kl; the exact variance would need n² solutions.
    """
    own = np.diag(similar)
    prior = np.outer(own, own)
    squared = (similar**2).astype(np.float32)  # a rough figure, and the only n³ here
    near = SHARED * (squared @ rated.astype(np.float32) @ squared) / prior**2
    return np.asarray(prior / (1.0 + near * prior / BETWEEN_TWO**2))


def overlay(
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

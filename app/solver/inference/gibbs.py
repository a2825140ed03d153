"""Inference for a worker: hidden circles and shared tastes, found by Gibbs sampling. It needs numba.

The score of a pair that is no party is taken as

    y_ij = default_ij + B_block + e_i·x_j + e_j·x_i + u_i·u_j + ε_ij

with x_i = (1, memberships of guest i), so that e_i holds how well guest i does with everybody and with each group, and
u_i a few unnamed traits. B, e and u are normal around zero with spreads that are drawn too; a guest's e and u lean
towards those of their party. This is Bayesian probabilistic matrix factorisation (Salakhutdinov & Mnih 2008) with
groups and parties as side information.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from app.solver.inference.known import BETWEEN_TWO, Inference, Known, as_known, group_and_party_defaults
from app.solver.inference.pair_values import overlay_known, rated_residuals
from app.solver.numba_support.compilation import kernel, part
from app.solver.problem import FloatArray, IntArray

TRAITS = 4
LIKE_PARTY = 0.7
"""The correlation of a guest's effects and traits with the mean of their party."""
ALL_SPREAD, GROUP_SPREAD, TRAIT_SPREAD, BLOCK_SPREAD = 0.3, 0.25, 0.4, 0.35
"""Expected standard deviations of a guest's effects, traits and of B, before there are ratings."""
SPREAD_WEIGHT, NOISE_WEIGHT = 10.0, 20.0
"""How many guests, or pairs, those expectations are worth."""
BURN, GIBBS_DRAWS = 60, 64


class GuestDraw(NamedTuple):
    """What one draw of all guests' effects works on; `left` is what groups leave of each rating.

    The guests rated with guest i are `other[start[i]:start[i + 1]]`, their party `mates[mates_start[i]:…]`. `normals`
    are standard normal numbers, one for each of the effects.
    """

    order: IntArray
    start: IntArray
    other: IntArray
    left: FloatArray
    mates_start: IntArray
    mates: IntArray
    features: FloatArray
    effects: FloatArray
    spread: FloatArray
    noise: float
    normals: FloatArray


@dataclass(frozen=True)
class RatedPairs:
    """The rated pairs by their first guest, each pair both ways; `block` is the pair of groups of each."""

    first: IntArray
    second: IntArray
    residual: FloatArray
    block: IntArray


@dataclass
class State:
    """The current state of the sampler; `effects` holds e_i and then u_i in each row."""

    features: FloatArray
    effects: FloatArray
    spread: FloatArray
    block: FloatArray
    noise: float

    def deviation(self, block: IntArray) -> FloatArray:
        """Return what the state adds to each pair's default."""
        q = self.features.shape[1]
        one_way = self.effects[:, :q] @ self.features.T
        traits = self.effects[:, q:]
        return np.asarray(self.block[block] + one_way + one_way.T + traits @ traits.T)


def infer_deeply(known: Known, *, seed: int = 1, burn: int = BURN, keep: int = GIBBS_DRAWS) -> Inference:
    """Predict every pair, with draws of what may be true; for a worker, about a second for 300 guests."""
    defaults = group_and_party_defaults(known)
    is_rated = ~np.isnan(known.rated()) & ~known.same_party()
    residuals = rated_residuals(known, defaults)[is_rated]
    first, second = np.nonzero(is_rated)
    ratings = RatedPairs(first, second, residuals, defaults.block[is_rated])
    rng = np.random.default_rng(abs(seed))
    state, expected = _first_state(known, rng)
    draw = _first_draw(known, ratings, state)
    draws = np.empty((keep, known.guests, known.guests), dtype=np.float32)
    variance = 0.0
    for sweep in range(burn + keep):
        _sweep(state, expected, ratings, draw, rng)
        if sweep >= burn:
            draws[sweep - burn] = state.deviation(defaults.block)
            variance += state.noise**2 / keep
    mean = draws.mean(axis=0, dtype=np.float64)
    draws -= mean.astype(np.float32)
    spread = np.asarray(draws.var(axis=0, dtype=np.float64))
    return overlay_known(known, defaults, mean, spread, math.sqrt(variance), draws)


def _first_state(known: Known, rng: np.random.Generator) -> tuple[State, FloatArray]:
    """Start with random traits (zero traits would stay zero); return the expected spreads too."""
    n, blocks = known.guests, (known.groups.shape[1] + 1) ** 2
    features = np.ascontiguousarray(np.column_stack([np.ones(n), known.traits_of_groups()]))
    q = features.shape[1]
    expected = np.concatenate([[ALL_SPREAD], np.full(q - 1, GROUP_SPREAD), np.full(TRAITS, TRAIT_SPREAD)])
    effects = np.zeros((n, q + TRAITS))
    effects[:, q:] = TRAIT_SPREAD * rng.normal(size=(n, TRAITS))
    return State(features, effects, expected.copy(), np.zeros(blocks), BETWEEN_TWO), expected


def _first_draw(known: Known, ratings: RatedPairs, state: State) -> GuestDraw:
    """Lay out what the kernel works on; what changes from sweep to sweep is replaced."""
    guests = np.arange(known.guests + 1)
    first, mates = np.nonzero(known.same_party())
    start, mates_start = np.searchsorted(ratings.first, guests), np.searchsorted(first, guests)
    pairs = (start, ratings.second, ratings.residual, mates_start, mates)
    return GuestDraw(guests[:-1], *pairs, state.features, state.effects, state.spread, state.noise, state.effects)


def _sweep(state: State, expected: FloatArray, ratings: RatedPairs, draw: GuestDraw, rng: np.random.Generator) -> None:
    """Draw everything once, each given all the rest. Pairs are in `ratings` twice, so sums over them are halved."""
    n, q = state.features.shape
    left = ratings.residual - state.block[ratings.block]
    order, normals = rng.permutation(n), rng.normal(size=state.effects.shape)
    draw_guests(draw._replace(order=order, left=left, spread=state.spread, noise=state.noise, normals=normals))
    e, x = state.effects, state.features
    i, j = ratings.first, ratings.second
    is_rated = (e[i, :q] * x[j]).sum(axis=1) + (e[j, :q] * x[i]).sum(axis=1) + (e[i, q:] * e[j, q:]).sum(axis=1)
    rest = ratings.residual - is_rated
    _draw_blocks(state, ratings.block, rest, rng)
    rest = rest - state.block[ratings.block]
    shape, scale = NOISE_WEIGHT + len(rest) / 4, NOISE_WEIGHT * BETWEEN_TWO**2 + float(rest @ rest) / 4
    state.noise = math.sqrt(scale / rng.gamma(shape))
    scales = SPREAD_WEIGHT * expected**2 + (e**2).sum(axis=0) / 2
    state.spread = np.sqrt(scales / rng.gamma(SPREAD_WEIGHT + n / 2, size=len(scales)))


def _draw_blocks(state: State, block: IntArray, rest: FloatArray, rng: np.random.Generator) -> None:
    """Draw the mean of each pair of groups, shrunk towards its default."""
    count = np.bincount(block, minlength=len(state.block)) / 2
    total = np.bincount(block, weights=rest, minlength=len(state.block)) / 2
    precision = count / state.noise**2 + 1 / BLOCK_SPREAD**2
    state.block = total / state.noise**2 / precision + rng.normal(size=len(count)) / np.sqrt(precision)


def draw_guests_plainly(draw: GuestDraw) -> None:
    """Draw the effects of every guest given all others': the readable reference of `draw_guests`.

    With Z the features and traits of those rated with guest i and y what is left of the ratings, the effects of i are
    normal with precision P = diag(1/s²) + Zᵀ Z/σ² and mean P⁻¹ (m/s² + Zᵀ y/σ²), where m leans to the party.
    """
    effects, q = draw.effects, draw.features.shape[1]
    for i in draw.order:
        ratings, party = slice(*draw.start[i : i + 2]), draw.mates[slice(*draw.mates_start[i : i + 2])]
        rated = draw.other[ratings]
        lean = LIKE_PARTY * effects[party].mean(axis=0) if len(party) else np.zeros(effects.shape[1])
        prior = 1 / (draw.spread**2 * (1 - LIKE_PARTY**2 if len(party) else 1.0))
        Z = np.column_stack([draw.features[rated], effects[rated, q:]])
        y = draw.left[ratings] - effects[rated, :q] @ draw.features[i]
        P = np.diag(prior) + Z.T @ Z / draw.noise**2
        root = np.linalg.cholesky(P)
        mean = np.linalg.solve(P, prior * lean + Z.T @ y / draw.noise**2)
        effects[i] = mean + np.linalg.solve(root.T, draw.normals[i])


@part
def _lean_to_party(P: FloatArray, b: FloatArray, effects: FloatArray, party: IntArray, spread: FloatArray) -> None:
    """Put the prior of a guest into precision and right-hand side."""
    rest = 1.0 - LIKE_PARTY * LIKE_PARTY if len(party) else 1.0
    for k in range(len(b)):
        lean = 0.0
        for mate in party:
            lean += LIKE_PARTY * effects[mate, k] / len(party)
        P[k, :] = 0.0
        P[k, k] = 1.0 / (spread[k] * spread[k] * rest)
        b[k] = P[k, k] * lean


@part
def _add_rating(P: FloatArray, b: FloatArray, z: FloatArray, y: float, weight: float) -> None:
    """Add z zᵀ and z y to the lower half of the precision and to the right-hand side."""
    for k in range(len(b)):
        if z[k] != 0.0:
            b[k] += weight * z[k] * y
            for m in range(k + 1):
                P[k, m] += weight * z[k] * z[m]


@part
def _draw_normal(P: FloatArray, b: FloatArray, normal: FloatArray, drawn: FloatArray) -> None:
    """Draw from the normal with precision P = L Lᵀ and mean P⁻¹ b: solve L w = b, then Lᵀ x = w + a standard normal."""
    p = len(b)
    for k in range(p):
        for m in range(k + 1):
            s = P[k, m]
            for h in range(m):
                s -= P[k, h] * P[m, h]
            P[k, m] = math.sqrt(s) if k == m else s / P[m, m]
        s = b[k]
        for h in range(k):
            s -= P[k, h] * b[h]
        b[k] = s / P[k, k]
    for k in range(p - 1, -1, -1):
        s = b[k] + normal[k]
        for h in range(k + 1, p):
            s -= P[h, k] * drawn[h]
        drawn[k] = s / P[k, k]


@kernel
def draw_guests(draw: GuestDraw) -> None:
    """Draw the effects of every guest in place, as `draw_guests_plainly` does, some fifty times as fast."""
    effects, features, start, other, left = draw.effects, draw.features, draw.start, draw.other, draw.left
    q, p = features.shape[1], effects.shape[1]
    P, b, z = np.empty((p, p)), np.empty(p), np.empty(p)
    weight = 1.0 / (draw.noise * draw.noise)
    for i in draw.order:
        _lean_to_party(P, b, effects, draw.mates[draw.mates_start[i] : draw.mates_start[i + 1]], draw.spread)
        for r in range(start[i], start[i + 1]):
            j, y = other[r], left[r]
            for k in range(q):
                z[k] = features[j, k]
                y -= effects[j, k] * features[i, k]
            for k in range(q, p):
                z[k] = effects[j, k]
            _add_rating(P, b, z, y, weight)
        _draw_normal(P, b, draw.normals[i], effects[i])


def compile_kernels() -> None:
    """Infer once for eight guests, so that the kernels are compiled or loaded."""
    known = as_known(8, [(0, 1), (2, 3)], [1.0, -1.0], np.ones((8, 1)), [[1.0]], [(4, 5)])
    infer_deeply(known, burn=1, keep=2)

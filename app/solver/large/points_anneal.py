"""Annealing on points: a table is known by the sum of its points, so no pair is ever looked at.

With m_t = Σ_{i at t} x_i and q_t = Σ_{i at t} ‖x_i‖², a table has Σ_{i<j} ‖x_i − x_j‖² = n_t·q_t − ‖m_t‖² in pairs.
A plan's worth is −Σ_t α_t·q_t + Σ_t β_t·‖m_t‖² with (α, β) = (1, 1/n_t) for `average` and (n_t, 1) for `total`. A swap
of b at s and c at t moves m_s by δ = x_c − x_b and m_t by −δ: O(dimensions) to weigh and to do.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from app.solver.numba_support.compilation import kernel
from app.solver.numba_support.random_numbers import RandomState, below, uniform
from app.solver.problem import FloatArray, IntArray, Objective


class Cloud(NamedTuple):
    """Points and a plan of fixed sizes, with the sums of each table's points."""

    points: FloatArray
    norms: FloatArray
    alpha: FloatArray
    beta: FloatArray
    at: IntArray
    sums: FloatArray


def sum_points(points: FloatArray, at: IntArray, tables: int) -> FloatArray:
    """Return the sum of the points at each table."""
    return np.stack([np.bincount(at, weights=column, minlength=tables) for column in points.T], axis=1)


def make_cloud(points: FloatArray, at: IntArray, tables: int, objective: Objective) -> Cloud:
    """Lay a plan out, in numpy; the points should be around the origin."""
    sizes = np.maximum(np.bincount(at, minlength=tables), 1).astype(np.float64)
    average = objective == "average"
    return Cloud(
        points=np.ascontiguousarray(points),
        norms=np.einsum("ij,ij->i", points, points),
        alpha=np.ones(tables) if average else sizes,
        beta=1.0 / sizes if average else np.ones(tables),
        at=np.array(at, dtype=np.int64),
        sums=np.ascontiguousarray(sum_points(points, at, tables)),
    )


def cloud_value(cloud: Cloud) -> float:
    """Return −Σ_t α_t·Σ_{i at t} ‖x_i − c_t‖², the same worth as β_t = α_t/n_t, computed from the points."""
    tables = len(cloud.alpha)
    sizes = np.maximum(np.bincount(cloud.at, minlength=tables), 1)
    away = cloud.points - (sum_points(cloud.points, cloud.at, tables) / sizes[:, None])[cloud.at]
    return -float((cloud.alpha[cloud.at] * np.einsum("ij,ij->i", away, away)).sum())


@kernel
def anneal_cloud(cloud: Cloud, hot: float, cold: float, steps: int, state: RandomState, control: FloatArray) -> int:
    """Anneal in place; return the steps taken. control[1] is the share of time gone, control[0] ends it at once."""
    guests, dimensions = cloud.points.shape
    temperature = hot
    for step in range(steps):
        if step & 255 == 0:
            share = max(step / steps, control[1])
            if control[0] > 0.0 or share >= 1.0:
                return step
            temperature = hot * (cold / hot) ** share
        b, c = below(state, guests), below(state, guests)
        s, t = cloud.at[b], cloud.at[c]
        if s == t:
            continue
        square, with_s, with_t = 0.0, 0.0, 0.0
        for d in range(dimensions):
            away = cloud.points[c, d] - cloud.points[b, d]
            square += away * away
            with_s += cloud.sums[s, d] * away
            with_t += cloud.sums[t, d] * away
        gain = cloud.beta[s] * (2.0 * with_s + square) + cloud.beta[t] * (square - 2.0 * with_t)
        gain += (cloud.alpha[t] - cloud.alpha[s]) * (cloud.norms[c] - cloud.norms[b])
        if gain < 0.0 and gain < temperature * math.log(uniform(state) + 1e-300):
            continue
        for d in range(dimensions):
            away = cloud.points[c, d] - cloud.points[b, d]
            cloud.sums[s, d] += away
            cloud.sums[t, d] -= away
        cloud.at[b], cloud.at[c] = t, s
    return steps

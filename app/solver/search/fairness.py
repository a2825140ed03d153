"""Fairness: seat guests with someone they like where that is worth its cost."""

from __future__ import annotations

import numpy as np

from app.solver.numba_support.random_numbers import RandomState
from app.solver.problem import FloatArray, IntArray
from app.solver.search.blocks import Blocks
from app.solver.search.extended_anneal import anneal_extended
from app.solver.search.extended_descend import descend_extended
from app.solver.search.extended_state import build_extended_state

LEAST_GAIN = 1e-9


def anneal_fairly(
    blocks: Blocks, at: IntArray, heat: tuple[float, float], steps: int, state: RandomState, control: FloatArray
) -> tuple[IntArray, int]:
    """Anneal a plan, counting guests left alone in every step; return the best plan after a descent, and the steps."""
    found, done = anneal_extended(build_extended_state(blocks, at), heat, steps, state, control)
    return settle_fairly(blocks, found, 1, control), done


def settle_fairly(blocks: Blocks, at: IntArray, depth: int = 1, control: FloatArray | None = None) -> IntArray:
    """Return a local optimum at this depth; among equals, changes that help the unhappiest guest are taken."""
    extended = build_extended_state(blocks, at)
    descend_extended(extended, depth, LEAST_GAIN * (1.0 + blocks.highest), np.zeros(2) if control is None else control)
    return extended.plan.at.copy()

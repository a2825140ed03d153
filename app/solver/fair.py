"""Nobody alone: guests without anyone they like at their table are brought together with someone, if it pays."""

from __future__ import annotations

import numpy as np

from app.solver.blocks import Blocks
from app.solver.careful import anneal_carefully, build_cares
from app.solver.careful_descend import descend_carefully
from app.solver.problem import FloatArray, IntArray
from app.solver.rng import RandomState

LEAST_GAIN = 1e-9


def befriend(
    blocks: Blocks, at: IntArray, heat: tuple[float, float], steps: int, state: RandomState, control: FloatArray
) -> tuple[IntArray, int]:
    """Anneal a plan with loneliness weighed in every step; return the best plan met, settled, and the steps."""
    found, done = anneal_carefully(build_cares(blocks, at), heat, steps, state, control)
    return settle_fairly(blocks, found, 1, control), done


def settle_fairly(blocks: Blocks, at: IntArray, depth: int = 1, control: FloatArray | None = None) -> IntArray:
    """Return a plan that no change of this depth makes worth more, nor kinder to the unhappiest guest for nothing."""
    cares = build_cares(blocks, at)
    descend_carefully(cares, depth, LEAST_GAIN * (1.0 + blocks.highest), np.zeros(2) if control is None else control)
    return cares.board.at.copy()

"""How hot a search starts and how cold it ends, and how often it draws whole sets of blocks."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from app.solver.problem import IntArray
from app.solver.search.anneal import random_swap_deltas
from app.solver.search.blocks import Blocks


@dataclass(frozen=True)
class Temperatures:
    """Hot for a fresh start, warm for a child, cold at the end."""

    hot: float
    warm: float
    cold: float


def sets_every(blocks: Blocks) -> int:
    """Return how often to draw whole sets: swaps alone do where all blocks are alike and no seat is free."""
    if not blocks.is_uneven:
        return 16 if blocks.has_couples else 256
    return 4 if blocks.has_parties else 64


def slowness(blocks: Blocks) -> float:
    """Return what a step costs beyond a plain swap, drawing a set being about eight times as slow."""
    return 1.0 + 8.0 / sets_every(blocks)


def measure_swaps(blocks: Blocks, starts: tuple[IntArray, ...], seed: int) -> tuple[float, float]:
    """Return how much random swaps change: the root of their mean square and their median, barriers left out.

    Of several plans the one counts where swaps change least: in a good plan they change more than in any.
    """
    found = [(0.0, 0.0)]
    for at in starts:
        deltas = np.abs(random_swap_deltas(blocks, at, np.random.default_rng(abs(seed))))
        deltas = deltas[(deltas > 0) & (deltas < blocks.barrier / (4 * blocks.most.max(initial=1)))]
        if len(deltas):
            found.append((float(np.sqrt((deltas**2).mean())), float(np.median(deltas))))
    return min(found[1:], default=found[0])


def heat_of(swaps: tuple[float, float], parts: tuple[float, float, float]) -> Temperatures:
    """Return temperatures as parts of what swaps change."""
    (spread, typical), (hot, warm, end) = swaps, parts
    cold = end * min(spread, typical)
    return Temperatures(hot * spread, max(warm * spread, 2 * cold), cold)

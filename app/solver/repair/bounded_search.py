"""A search in which no plan may move more than a given number of guests from the current one."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np

from app.solver.deadline import Deadline, wait_for
from app.solver.numba_support.random_numbers import random_state
from app.solver.numba_support.threads import count_cores
from app.solver.problem import FloatArray, IntArray
from app.solver.search.anneal import random_swap_deltas
from app.solver.search.blocks import Blocks
from app.solver.search.extended_search import LEAST_GAIN, anneal_extended, descend_extended
from app.solver.search.extended_state import build_extended_state
from app.solver.search.strategy import limited_depth, limited_steps

HEATS = (0.4, 0.2, 0.05)
COLD = 0.02
"""Temperatures of the anneals, and of their end, as parts of the spread of random swaps."""


def search_within(
    blocks: Blocks, start: IntArray, moved: IntArray, limit: int, *, seed: int, deadline: Deadline, until: float | None
) -> list[IntArray]:
    """Return plans found from `start` that move at most this many guests; `moved` is by table and block."""
    control, began = np.zeros(2), deadline.seconds
    spread = _spread(blocks, start, seed)

    def look() -> None:
        """Pass on to the kernels how much time is gone, and stop them when it is over."""
        if until is not None:
            control[1] = (deadline.seconds - began) / max(until - began, 1e-9)
        if deadline.is_stopped() or control[1] > 1.5:
            end()
        deadline.report(left=deadline.seconds_left)

    def end() -> None:
        control[0] = 1.0

    with ThreadPoolExecutor(count_cores()) as threads:
        tasks = [
            threads.submit(_anneal, blocks, start, moved, limit, (heat * spread, COLD * spread), seed, number, control)
            for number, heat in enumerate(HEATS)
        ]
        return wait_for(tasks, look, end)


def _anneal(
    blocks: Blocks,
    start: IntArray,
    moved: IntArray,
    limit: int,
    heat: tuple[float, float],
    seed: int,
    number: int,
    control: FloatArray,
) -> IntArray:
    extended = build_extended_state(blocks, start, moved, limit)
    at, _ = anneal_extended(extended, heat, limited_steps(blocks.count), random_state(seed, number), control)
    extended = build_extended_state(blocks, at, moved, limit)
    descend_extended(extended, limited_depth(blocks.count), LEAST_GAIN * blocks.highest, control)
    return extended.plan.at.copy()


def _spread(blocks: Blocks, at: IntArray, seed: int) -> float:
    """Return how much random swaps change, barriers left out."""
    deltas = np.abs(random_swap_deltas(blocks, at, np.random.default_rng(abs(seed))))
    deltas = deltas[deltas < blocks.barrier / (4 * blocks.most.max(initial=1))]
    return float(np.sqrt((deltas**2).mean())) if len(deltas) else 0.0

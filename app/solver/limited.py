"""A search in which no plan may move more than so many guests away from the current one."""

from __future__ import annotations

from concurrent.futures import Future, ThreadPoolExecutor, wait

import numpy as np

from app.solver.anneal import random_swap_deltas
from app.solver.blocks import Blocks
from app.solver.careful import anneal_carefully, build_cares
from app.solver.careful_descend import descend_carefully
from app.solver.cores import count_cores
from app.solver.fair import LEAST_GAIN
from app.solver.problem import FloatArray, IntArray
from app.solver.rng import random_state
from app.solver.strategy import limited_depth, limited_steps
from app.solver.watch import POLL_SECONDS, Watch

HEATS = (0.4, 0.2, 0.05)
COLD = 0.02
"""Temperatures of the anneals, and of their end, as parts of the spread of random swaps."""


def search_within(
    blocks: Blocks, start: IntArray, moved: IntArray, limit: int, *, seed: int, watch: Watch, until: float | None
) -> list[IntArray]:
    """Return plans found from `start` that move at most so many guests; `moved` is by table and block."""
    control = np.zeros(2)
    spread = _spread(blocks, start, seed)
    with ThreadPoolExecutor(count_cores()) as threads:
        tasks = [
            threads.submit(_anneal, blocks, start, moved, limit, (heat * spread, COLD * spread), seed, number, control)
            for number, heat in enumerate(HEATS)
        ]
        _wait(tasks, control, watch, until)
    return [task.result() for task in tasks]


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
    cares = build_cares(blocks, start, moved, limit)
    at, _ = anneal_carefully(cares, heat, limited_steps(blocks.count), random_state(seed, number), control)
    cares = build_cares(blocks, at, moved, limit)
    descend_carefully(cares, limited_depth(blocks.count), LEAST_GAIN * (1.0 + blocks.highest), control)
    return cares.board.at.copy()


def _wait(tasks: list[Future[IntArray]], control: FloatArray, watch: Watch, until: float | None) -> None:
    """Pass on to the kernels how much time is gone, and stop them when it is over."""
    began = watch.seconds
    try:
        while wait(tasks, timeout=POLL_SECONDS).not_done:
            if until is not None:
                control[1] = (watch.seconds - began) / max(until - began, 1e-9)
            if watch.is_stopped() or control[1] > 1.5:
                control[0] = 1.0
            watch.report(left=watch.seconds_left)
    except BaseException:
        control[0] = 1.0  # the kernels would go on
        raise


def _spread(blocks: Blocks, at: IntArray, seed: int) -> float:
    """Return how much random swaps change, barriers left out."""
    deltas = np.abs(random_swap_deltas(blocks, at, np.random.default_rng(abs(seed))))
    deltas = deltas[deltas < blocks.barrier / (4 * blocks.most.max(initial=1))]
    return float(np.sqrt((deltas**2).mean())) if len(deltas) else 0.0

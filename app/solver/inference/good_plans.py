"""Plans for what may be true, for a worker only: the search needs numba.

One plan is the best for what is expected, the others are each the best for one draw of what may be true. Where they
differ, an answer can change the plan; how much better each is than the first, on its own draw, is what knowing
every pair would still be worth.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from app.solver.deadline import Deadline
from app.solver.feasibility.check import check_feasibility
from app.solver.inference.known import Inference, Source
from app.solver.problem import FloatArray, IntArray, Problem
from app.solver.search.blocks import Blocks, build_blocks
from app.solver.search.search import Search, compile_kernels
from app.solver.search.strategy import choose_effort

PLANS = 8
BEST_RESTARTS = 3
UNINFORMED = 3
"""So many plans that know nothing are averaged: one alone may be good or bad by chance."""


@dataclass(frozen=True)
class GoodPlans:
    """Tables by guest: `best` (n) for what is expected, `others` (k × n) for what else may be true.

    `gained` is what all that was said about pairs and groups is expected to have brought over plans that keep
    parties and rules and know nothing else, `left` what knowing every pair would bring on top; both in units of the
    objective.
    """

    best: IntArray
    others: IntArray
    gained: float
    left: float


def find_good_plans(problem: Problem, inference: Inference, *, count: int = PLANS, seed: int = 1) -> GoodPlans:
    """Find the plans. The problem gives tables, parties and rules; its matrix is not used.

    Parameters
    ----------
    inference
        From `infer_deeply`; without draws only what is between two alone varies.
    """
    compile_kernels()
    feasible, rng = check_feasibility(replace(problem, matrix=inference.mean), seed), np.random.default_rng(abs(seed))
    structure, steps = feasible.structure, max(20_000, 14 * len(feasible.at) ** 2)

    def weigh(matrix: FloatArray) -> Blocks:
        return build_blocks(replace(problem, matrix=matrix), structure)

    noise = [np.triu(rng.normal(size=inference.mean.shape), 1) for _ in range(UNINFORMED)]
    blind = [_search(weigh(one + one.T), (feasible.at,), steps, 1, seed + number) for number, one in enumerate(noise)]
    best = _search(weigh(inference.mean), (feasible.at,), 3 * steps, BEST_RESTARTS, seed)
    others, gained, left = [], 0.0, 0.0
    for number, truth in enumerate(_possible_truths(inference, count, rng)):
        blocks = weigh(truth)
        other = _search(blocks, (best, feasible.at), steps, 1, seed + number)
        others.append(structure.guests_at(other))
        gained += (blocks.value(best) - sum(map(blocks.value, blind)) / UNINFORMED) / count
        left += (blocks.value(other) - blocks.value(best)) / count
    return GoodPlans(structure.guests_at(best), np.array(others), gained, left)


def _possible_truths(inference: Inference, count: int, rng: np.random.Generator) -> list[FloatArray]:
    """Draw matrices that may be true: what is known stays, guesses vary by a draw and by what is between two alone."""
    n = len(inference.mean)
    free = inference.source >= Source.GUESS
    picks = np.linspace(0, len(inference.draws) - 1, count).astype(int) if inference.draws is not None else None
    truths = []
    for number in range(count):
        alone = np.triu(rng.normal(0.0, inference.between_two, (n, n)), 1)
        varied = alone + alone.T
        if inference.draws is not None and picks is not None:
            varied += inference.draws[picks[number]]
        truths.append(inference.mean + np.where(free, varied, 0.0))
    return truths


def _search(blocks: Blocks, starts: tuple[IntArray, ...], steps: int, restarts: int, seed: int) -> IntArray:
    """Search a little: tables by block, never worse than any of the starts."""
    effort = replace(choose_effort(blocks.count, restarts, None), steps=steps, depth=1)
    search = Search(
        blocks,
        starts,
        effort=effort,
        restarts=restarts,
        seed=seed,
        deadline=Deadline(),
        until=None,
        figure=blocks.value,
        threads=1,
    )
    return search.run().best.at

"""A slower anneal that weighs what the plain one cannot: guests left alone, and a limit on moves.

A change that moves more guests away from the current plan than the limit allows is refused.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from app.solver.anneal import LOGARITHM_BITS, LOGARITHMS, LOOK_EVERY, _draw_sets
from app.solver.blocks import Blocks
from app.solver.board import AT, LARGEST_SET, Board, build_board
from app.solver.careful_parts import careful_delta, exchange_carefully
from app.solver.kernel import kernel
from app.solver.problem import FloatArray, IntArray
from app.solver.rng import RandomState, next_random

NO_LIMIT = 1 << 40


@dataclass(frozen=True)
class Cares:
    """A board with what else counts.

    `guests[first[b] : first[b + 1]]` are the guests of block b, `friends[b, g]` how many of them guest g likes,
    `moved[t, b]` how many of them sit elsewhere in the current plan. `counts` holds the guests left alone at each
    table, then the guests moved.
    """

    board: Board
    first: IntArray
    guests: IntArray
    friends: IntArray
    liked: IntArray
    moved: IntArray
    counts: IntArray
    scores: FloatArray
    fairness: float
    limit: int

    @property
    def arrays(self) -> tuple[Any, ...]:
        """What the kernels take after the board, in their order."""
        loneliness = (self.first, self.guests, self.friends, self.liked)
        return (*loneliness, self.moved, self.counts, self.fairness, self.limit)


def build_cares(blocks: Blocks, at: IntArray, moved: IntArray | None = None, limit: int = NO_LIMIT) -> Cares:
    """Lay a plan out with everything that counts, in numpy."""
    structure, board = blocks.structure, build_board(blocks, at)
    guests = np.array([guest for block in structure.members for guest in block], dtype=np.int64)
    first = np.concatenate([[0], np.cumsum(structure.sizes)]).astype(np.int64)
    friends, liked = np.zeros((1, 1), np.int64), np.zeros((1, 1), np.int64)
    counts = np.zeros(blocks.table_count + 1, dtype=np.int64)
    if blocks.fairness:
        friends = np.add.reduceat(blocks.likes.T[guests].astype(np.int64), first[:-1], axis=0)
        liked = np.zeros((blocks.table_count, len(guests)), dtype=np.int64)
        np.add.at(liked, board.at, friends)
        tables = structure.guests_at(board.at)
        lonely = liked[tables, np.arange(len(guests))] == 0
        counts[:-1] = np.bincount(tables[lonely], minlength=blocks.table_count)
    moved = np.zeros((blocks.table_count, blocks.count), dtype=np.int64) if moved is None else moved
    counts[-1] = moved[board.at, np.arange(blocks.count)].sum()
    return Cares(board, first, guests, friends, liked, moved, counts, blocks.scores, blocks.fairness, limit)


def anneal_carefully(
    cares: Cares, heat: tuple[float, float], steps: int, state: RandomState, control: FloatArray
) -> tuple[IntArray, int]:
    """Anneal from hot to cold; return the best plan met as tables by block, and the steps taken."""
    board, best = cares.board, cares.board.at.copy()
    if len(board.movable) < 1 or len(board.sums) < 2 or heat[0] <= 0.0:
        return best, 0
    rest: tuple[Any, ...] = (board.movable, *heat, steps, state, control, best)
    return best, int(_anneal_carefully(*board.arrays, *cares.arrays, *rest))


@kernel
def _anneal_carefully(
    weights: FloatArray,
    inner: FloatArray,
    linear: FloatArray,
    factor: FloatArray,
    by_block: IntArray,
    by_table: IntArray,
    gains: FloatArray,
    sums: FloatArray,
    members: IntArray,
    first: IntArray,
    guests: IntArray,
    friends: IntArray,
    liked: IntArray,
    moved: IntArray,
    counts: IntArray,
    fairness: float,
    limit: int,
    movable: IntArray,
    hot: float,
    cold: float,
    steps: int,
    state: RandomState,
    control: FloatArray,
    best: IntArray,
) -> int:
    """Draw exchanges of sets; take them by Metropolis' rule, never beyond the limit; note the best plan met."""
    sets = np.zeros((3, LARGEST_SET), np.int64)
    temperature, look, gained, best_gain = hot, 0, 0.0, 0.0
    for step in range(steps):
        if step >= look:
            share = max(step / steps, control[1])
            if control[0] > 0.0 or share >= 1.0:
                return step
            temperature = hot * (cold / hot) ** share
            look = step + LOOK_EVERY
        t = _draw_sets(by_block, by_table, movable, members, sets, state)
        if t < 0:
            continue
        s, n_a, n_c = by_block[AT, sets[0, 0]], sets[2, 0], sets[2, 1]
        wanted = temperature * LOGARITHMS[next_random(state) >> LOGARITHM_BITS]
        delta = careful_delta(
            weights, inner, linear, factor, by_block, by_table, gains, sums, members,
            first, guests, friends, liked, moved, counts, fairness, limit, sets, n_a, n_c, s, t, wanted,
        )  # fmt: skip
        if delta < wanted:
            continue
        exchange_carefully(
            weights, inner, by_block, by_table, gains, sums, members,
            first, guests, friends, liked, moved, counts, fairness, sets, n_a, n_c, s, t,
        )  # fmt: skip
        gained += delta
        if gained > best_gain:
            best_gain = gained
            best[:] = by_block[AT]
    return steps

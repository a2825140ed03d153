"""Nobody alone: guests without anyone they like at their table are brought together with someone, if it pays."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import product
from typing import Any

import numpy as np

from app.solver.blocks import Blocks
from app.solver.board import AT, COUNT, SIZE, Board, build_board, exchange_delta, move_block, sizes_fit
from app.solver.problem import IntArray

MOST_ROUNDS = 200


def reduce_loneliness(blocks: Blocks, at: IntArray, is_over: Callable[[], bool]) -> IntArray:
    """Bring lonely guests to someone they like, or someone to them, the best change first, while V grows."""
    if not blocks.likes.size or not blocks.fairness:
        return at
    board = build_board(blocks, at)
    for _ in range(MOST_ROUNDS):
        change = None if is_over() else _best_change(blocks, board)
        if change is None:
            break
        for block, table in change:
            move: tuple[Any, ...] = (*board.arrays[4:], block, table)
            move_block(*board.arrays[:2], *move)
    return board.at.copy()


Change = tuple[tuple[int, int], ...]


def _best_change(blocks: Blocks, board: Board) -> Change | None:
    best, best_gain = None, 1e-9 * (1 + float(np.abs(blocks.weights).max(initial=0.0)))
    for change in _changes(blocks, board):
        gain = _gain(blocks, board, change)
        if gain > best_gain:
            best, best_gain = change, gain
    return best


def _changes(blocks: Blocks, board: Board) -> Iterator[Change]:
    """Yield moves and swaps that put a lonely guest and a liked one at the same table."""
    of_guest = blocks.structure.of_guest
    tables = board.at[of_guest]
    same = tables[:, None] == tables[None, :]
    for guest in np.flatnonzero(~(blocks.likes & same).any(axis=1)):
        for friend in np.flatnonzero(blocks.likes[guest]):
            one, other = int(of_guest[guest]), int(of_guest[friend])
            for block, target in ((one, int(board.at[other])), (other, int(board.at[one]))):
                yield from _ways_to(board, block, target)


def _ways_to(board: Board, block: int, target: int) -> Iterator[Change]:
    """Yield the ways to bring a block to a table: to free seats, or in exchange for a block from there."""
    source = int(board.at[block])
    if source == target:
        return
    size = int(board.by_block[SIZE, block])
    if sizes_fit(board.by_table, source, target, size):
        yield ((block, target),)
    for back in board.members[target, : board.by_table[COUNT, target]]:
        if sizes_fit(board.by_table, source, target, size - int(board.by_block[SIZE, back])):
            yield ((block, target), (int(back), source))


def _gain(blocks: Blocks, board: Board, change: Change) -> float:
    """Return what V gains: the exchange by the running sums, loneliness by counting at the two tables."""
    (block, target), source = change[0], int(board.at[change[0][0]])
    sets = np.zeros((3, 4), dtype=np.int64)
    sets[0, 0] = block
    if len(change) > 1:
        sets[1, 0] = change[1][0]
    exchange: tuple[Any, ...] = (sets, 1, len(change) - 1, source, target)
    gain = exchange_delta(*board.arrays[:-1], *exchange)
    after = board.by_block[AT].copy()
    for moved, table in change:
        after[moved] = table
    lonely = [_lonely_at(blocks, at, table) for at, table in product((board.at, after), (source, target))]
    return float(gain - blocks.fairness * (sum(lonely[2:]) - sum(lonely[:2])))


def _lonely_at(blocks: Blocks, at: IntArray, table: int) -> int:
    here = np.flatnonzero(at[blocks.structure.of_guest] == table)
    return int((~blocks.likes[np.ix_(here, here)].any(axis=1)).sum())

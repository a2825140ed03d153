"""The plans of all rounds as arrays for the kernels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from app.solver.problem import FloatArray, IntArray
from app.solver.rounds.meetings import Meetings, count_meetings
from app.solver.search.blocks import Blocks
from app.solver.search.search_state import LARGEST_SET, LIMITS, OWN, rows_by_block


class RoundsState(NamedTuple):
    """Plans of all rounds laid out for the kernels: the first five arrays have the rounds as their first axis.

    `counts` are meetings of pairs of blocks so far; `first`, `again` and `step` what they are worth.
    """

    by_block: IntArray
    by_table: IntArray
    members: IntArray
    linear: FloatArray
    movable: IntArray
    counts: IntArray
    first: FloatArray
    again: FloatArray
    step: FloatArray


def build_rounds_state(blocks: Sequence[Blocks], meetings: Meetings, starts: IntArray) -> tuple[RoundsState, IntArray]:
    """Lay plans out with all counts, in numpy; return them with how many blocks may move in each round."""
    tables = max(one.table_count for one in blocks)
    widest = max(max(int(one.most.max()), int(np.bincount(at).max())) for one, at in zip(blocks, starts, strict=True))
    rows, labels = max(len(rows_by_block(one)) for one in blocks), max(len(one.structure.limits) for one in blocks)
    count = blocks[0].count
    by_block = np.zeros((len(blocks), OWN + labels + rows, count), np.int64)
    by_table = np.zeros((len(blocks), LIMITS + 2 * labels, tables), np.int64)
    members = np.full((len(blocks), tables, widest + LARGEST_SET), -1, np.int64)
    linear, movable = np.zeros((len(blocks), tables, count)), np.zeros((len(blocks), count), np.int64)
    for r, (one, at) in enumerate(zip(blocks, starts, strict=True)):
        sizes, place = one.structure.sizes, np.zeros(count, np.int64)
        for table in range(one.table_count):
            here = np.flatnonzero(at == table)
            members[r, table, : len(here)] = here
            place[here] = np.arange(len(here))
        own, limits = rows_by_block(one), one.structure.limits
        by_block[r, :OWN] = np.stack([at, sizes, place, np.full(count, -1)])
        by_block[r, OWN : OWN + len(limits)] = limits.own
        by_block[r, OWN + labels : OWN + labels + len(own)] = own
        seated = np.bincount(at, weights=sizes, minlength=one.table_count).astype(np.int64)
        filled = np.bincount(at, minlength=one.table_count)
        by_table[r, :LIMITS, : one.table_count] = np.stack([one.least, one.most, seated, filled, one.sides])
        by_table[r, LIMITS : LIMITS + 2 * len(limits), : one.table_count] = limits.by_table
        linear[r, : one.table_count] = np.where(one.structure.allowed.T, 0.0, -meetings.barrier)
        linear[r, one.table_count :] = -meetings.barrier
        movable[r, : len(one.movable)] = one.movable
    counts = count_meetings(starts)
    state = RoundsState(
        by_block, by_table, members, linear, movable, counts, meetings.first, meetings.again, meetings.step
    )
    return state, np.array([len(one.movable) for one in blocks], dtype=np.int64)

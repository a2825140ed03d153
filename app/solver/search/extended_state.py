"""What the extended kernels work on: a search state, guests left alone, and moves away from the current plan."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from app.solver.problem import FloatArray, IntArray
from app.solver.search.blocks import Blocks
from app.solver.search.search_state import SearchState, build_search_state

NO_LIMIT = 1 << 40


class ExtendedState(NamedTuple):
    """A search state with what the extended objective needs.

    `guests[first[b] : first[b + 1]]` are the guests of block b, `friends[b, g]` how many of them guest g likes,
    `moved[t, b]` how many of them sit elsewhere in the current plan. `counts` holds the guests left alone at each
    table, then the guests moved.
    """

    plan: SearchState
    first: IntArray
    guests: IntArray
    friends: IntArray
    liked: IntArray
    moved: IntArray
    counts: IntArray
    scores: FloatArray
    fairness: float
    limit: int


def build_extended_state(
    blocks: Blocks, at: IntArray, moved: IntArray | None = None, limit: int = NO_LIMIT
) -> ExtendedState:
    """Build the state of a plan for the extended objective, in numpy."""
    structure, plan = blocks.structure, build_search_state(blocks, at)
    guests = np.array([guest for block in structure.members for guest in block], dtype=np.int64)
    first = np.concatenate([[0], np.cumsum(structure.sizes)]).astype(np.int64)
    friends, liked = np.zeros((1, 1), np.int64), np.zeros((1, 1), np.int64)
    counts = np.zeros(blocks.table_count + 1, dtype=np.int64)
    if blocks.fairness:
        friends = np.add.reduceat(blocks.likes.T[guests].astype(np.int64), first[:-1], axis=0)
        liked = np.zeros((blocks.table_count, len(guests)), dtype=np.int64)
        np.add.at(liked, plan.at, friends)
        tables = structure.guests_at(plan.at)
        lonely = liked[tables, np.arange(len(guests))] == 0
        counts[:-1] = np.bincount(tables[lonely], minlength=blocks.table_count)
    moved = np.zeros((blocks.table_count, blocks.count), dtype=np.int64) if moved is None else moved
    counts[-1] = moved[plan.at, np.arange(blocks.count)].sum()
    return ExtendedState(plan, first, guests, friends, liked, moved, counts, blocks.scores, blocks.fairness, limit)

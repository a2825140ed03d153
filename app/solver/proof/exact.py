"""The best plan there is, proven: prices on the guests, then a search through the few sets that are left.

A plan is a choice of sets, one for each table, that holds every block once (`app.solver.proof.table_sets`). Any prices
u on the blocks give a bound: with v_k the most that a set's worth less its prices reaches at a table of kind k, no plan
is worth more than Σ_b u_b + Σ_k tables_k · v_k. The best prices are the dual of a linear programme, solved by column
generation (Gilmore & Gomory 1961; for set partitioning Barnhart et al., *Branch-and-price*, 1998). A set whose slack
v_k − (worth − Σ u_b) is more than the bound exceeds the best plan known is in no better plan. What remains is searched
depth first: the first block that has no table yet takes each set in turn, the least slack first.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import scipy

from app.solver.numba_support.compilation import kernel, part
from app.solver.problem import FloatArray, IntArray
from app.solver.proof.table_sets import (
    TableKind,
    add_up,
    compile_listing,
    count_priced,
    count_sets,
    list_kinds,
    no_check,
)
from app.solver.search.blocks import Blocks

MOST_SETS = 10_000_000
MOST_ROUNDS = 200
NEW_SETS = 60
"""How many sets of each kind enter the programme in a round."""
NODES = 1 << 16
"""How many sets are tried before time is looked at."""
ROUNDING = 1e-9


@dataclass(frozen=True)
class Proof:
    """The best plan known now, whether it is the best there is, and what no plan is worth more than."""

    at: IntArray
    is_optimal: bool
    bound: float


@dataclass(frozen=True)
class Prices:
    """Prices on the blocks, the most that any set of each kind is worth beyond them, and the bound they give."""

    blocks: FloatArray
    kinds: FloatArray
    bound: float


class _OutOfTime(Exception):
    """A proof was ended before it had a bound."""


def proof_work(blocks: Blocks) -> int | None:
    """Return how many sets of blocks a proof would list and price; None if they are too many."""
    if len(blocks.movable) == 0:
        return 0
    count = count_sets(blocks)
    return count + count_priced(blocks) if count is not None and count <= MOST_SETS else None


def prove(blocks: Blocks, at: IntArray, is_over: Callable[[], bool]) -> Proof:
    """Search for a plan better than the given one until there is none, or until `is_over` says so."""
    known, bound = blocks.value(at), np.inf
    if len(blocks.movable) == 0:
        return Proof(at, True, known)  # there is no other plan

    def look() -> None:
        if is_over():
            raise _OutOfTime

    try:
        kinds = list_kinds(blocks, look)
        prices = best_prices(blocks, kinds, at, is_over, look)
        bound = prices.bound
        budget = bound - known - ROUNDING * (blocks.highest + abs(known))
        if budget <= 0.0:
            return Proof(at, True, known)
        covers = _CoverSearch(blocks, kinds, prices, budget, look)
    except _OutOfTime:
        return Proof(at, False, bound)
    is_optimal = covers.search(is_over)
    better = covers.plan()
    if better is not None:
        at, known = better, blocks.value(better)
    return Proof(at, is_optimal, known if is_optimal else bound)


def best_prices(
    blocks: Blocks,
    kinds: list[TableKind],
    at: IntArray,
    is_over: Callable[[], bool],
    look: Callable[[], None] = no_check,
) -> Prices:
    """Return the prices with the lowest bound: solve for a few sets, add those that are worth more, and so on.

    Before the first round has come to its end, `look` may raise.
    """
    chosen = [_first_sets(kind, at) for kind in kinds]
    known = blocks.value(at)
    best: Prices | None = None
    for _ in range(MOST_ROUNDS):
        prices, claims = _solve_duals(blocks.count, kinds, chosen)
        beyond = []
        for kind in kinds:
            if best is None:
                look()
            elif is_over():
                return best
            beyond.append(kind.worth - add_up(kind.sets, prices))
        most = np.array([values.max() for values in beyond])
        bound = float(prices.sum() + sum(len(kind.tables) * v for kind, v in zip(kinds, most, strict=True)))
        if best is None or bound < best.bound:
            best = Prices(prices, most, bound)
        added = [_worth_most(values, claim, blocks.highest) for values, claim in zip(beyond, claims, strict=True)]
        if best.bound <= known + ROUNDING * (blocks.highest + abs(known)) or not any(map(len, added)) or is_over():
            break
        chosen = [np.union1d(old, new) for old, new in zip(chosen, added, strict=True)]
    assert best is not None  # noqa: S101  # there is at least one round
    return best


def _first_sets(kind: TableKind, at: IntArray) -> IntArray:
    """Return the places of the known plan's sets, which make the programme solvable, and of the best sets."""
    blocks = np.arange(len(at), dtype=np.int64)
    seated = [int((np.int64(1) << blocks[at == table]).sum()) for table in kind.tables]
    best = np.argsort(-kind.worth, kind="stable")[: 4 * NEW_SETS]
    return np.union1d(np.flatnonzero(np.isin(kind.sets, seated)), best).astype(np.int64)


def _worth_most(beyond: FloatArray, claim: float, highest: float) -> IntArray:
    """Return the places of the sets that are worth most beyond their prices, if more than the table's claim."""
    few = min(NEW_SETS, len(beyond))
    places = np.argpartition(-beyond, few - 1)[:few]
    return places[beyond[places] > claim + ROUNDING * (highest + abs(claim))].astype(np.int64)


def _solve_duals(count: int, kinds: list[TableKind], chosen: list[IntArray]) -> tuple[FloatArray, FloatArray]:
    """Choose parts of the chosen sets at the best worth, each block once; return the prices of blocks and tables."""
    sets = np.concatenate([kind.sets[places] for kind, places in zip(kinds, chosen, strict=True)])
    worth = np.concatenate([kind.worth[places] for kind, places in zip(kinds, chosen, strict=True)])
    of_kind = np.repeat(np.arange(len(kinds)), [len(places) for places in chosen])
    holds = (sets[None, :] >> np.arange(count)[:, None]) & 1
    rows = np.concatenate([holds, of_kind[None, :] == np.arange(len(kinds))[:, None]])
    wanted = np.concatenate([np.ones(count), [len(kind.tables) for kind in kinds]])
    solution = scipy.optimize.linprog(-worth, A_eq=rows.astype(np.float64), b_eq=wanted, method="highs-ds")
    if solution.status != 0:
        return np.zeros(count), np.full(len(kinds), -np.inf)
    duals = -np.asarray(solution.eqlin.marginals)
    return duals[:count], duals[count:]


class Cover(NamedTuple):
    """The sets that a better plan can have, listed by their first block, and where the search through them is.

    `kinds` and `slacks` are those of each set, `start[b]` is the place of the first set of block b. `free` counts the
    tables of each kind without a set, `empty` what leaving one of them empty costs. On each level of the search are a
    `place`, the blocks `covered` before it and the slack `spent`. `state` holds the level, then the length of `best`:
    the places of a plan within the `budget`.
    """

    sets: IntArray
    kinds: IntArray
    slacks: FloatArray
    start: IntArray
    everyone: int
    free: IntArray
    empty: FloatArray
    budget: FloatArray
    place: IntArray
    covered: IntArray
    spent: FloatArray
    state: IntArray
    best: IntArray


class _CoverSearch:
    """The search for a better plan among the sets that are left."""

    def __init__(
        self, blocks: Blocks, kinds: list[TableKind], prices: Prices, budget: float, look: Callable[[], None]
    ) -> None:
        self._count, self._kinds, levels = blocks.count, kinds, blocks.table_count + 1
        sets, kind_of, slacks = self._collect(prices, budget, look)
        first = np.bitwise_count((sets & -sets) - 1).astype(np.int64)
        by_first = np.lexsort((slacks, first))
        self._cover = Cover(
            sets=sets[by_first],
            kinds=kind_of[by_first],
            slacks=slacks[by_first],
            start=np.searchsorted(first[by_first], np.arange(self._count + 1)).astype(np.int64),
            everyone=(1 << self._count) - 1,
            free=np.array([len(kind.tables) for kind in kinds]),
            empty=np.array([v if (k.sets == 0).any() else np.inf for k, v in zip(kinds, prices.kinds, strict=True)]),
            budget=np.array([budget]),
            place=np.zeros(levels, np.int64),
            covered=np.zeros(levels, np.int64),
            spent=np.zeros(levels),
            state=np.array([0, 0]),
            best=np.zeros(levels, np.int64),
        )

    def _collect(
        self, prices: Prices, budget: float, look: Callable[[], None]
    ) -> tuple[IntArray, IntArray, FloatArray]:
        """Return the sets within the budget, the rarest block being the first, with their kinds and slacks."""
        sets, kinds, slacks = [], [], []
        for number, kind in enumerate(self._kinds):
            look()
            slack = np.maximum(prices.kinds[number] - (kind.worth - add_up(kind.sets, prices.blocks)), 0.0)
            near = (slack < budget) & (kind.sets > 0)
            sets.append(kind.sets[near])
            slacks.append(slack[near])
            kinds.append(np.full(int(near.sum()), number, dtype=np.int64))
        whole, bits = np.concatenate(sets), np.arange(self._count)
        self._order = np.argsort([int((whole >> bit & 1).sum()) for bit in bits], kind="stable")
        turned = np.zeros(len(whole), dtype=np.int64)
        for bit in bits:
            look()
            turned |= (whole >> self._order[bit] & 1) << bit
        return turned, np.concatenate(kinds), np.concatenate(slacks)

    def search(self, is_over: Callable[[], bool]) -> bool:
        """Go through all plans of the sets that are left; return whether it came to the end."""
        while not search_cover(self._cover, NODES):
            if is_over():
                return False
        return True

    def plan(self) -> IntArray | None:
        """Return the best plan that was found, or None."""
        cover = self._cover
        if cover.state[1] == 0:
            return None
        at = np.full(self._count, -1, dtype=np.int64)
        free = [list(kind.tables) for kind in self._kinds]
        for place in cover.best[: cover.state[1]]:
            members = self._order[cover.sets[place] >> np.arange(self._count) & 1 == 1]
            at[members] = free[cover.kinds[place]].pop(0)
        return at


@part
def _next_set(cover: Cover, depth: int) -> tuple[int, float]:
    """Return the place of the next set for the first block without a table, −1 if there is none, and the slack then."""
    covered, block = cover.covered[depth], 0
    while covered >> block & 1:
        block += 1
    for at in range(max(cover.place[depth], cover.start[block]), cover.start[block + 1]):
        total = cover.spent[depth] + cover.slacks[at]
        if total >= cover.budget[0]:
            break
        if cover.sets[at] & covered == 0 and cover.free[cover.kinds[at]] > 0:
            return at, total
    return -1, np.inf


@part
def _keep_plan(cover: Cover, depth: int, total: float) -> None:
    """Keep the plan that is complete on this level if the tables left empty cost less than the budget."""
    for kind in range(len(cover.free)):
        if cover.free[kind] > 0:
            total += cover.free[kind] * cover.empty[kind]
    if total < cover.budget[0]:
        cover.budget[0] = total
        cover.state[1] = depth + 1
        for level in range(depth + 1):
            cover.best[level] = cover.place[level]


@kernel
def search_cover(cover: Cover, nodes: int) -> bool:
    """Continue the search for a number of sets; return true at its end."""
    free, kinds, place = cover.free, cover.kinds, cover.place
    depth = cover.state[0]
    for _ in range(nodes):
        if depth < 0:
            break
        at, total = _next_set(cover, depth)
        if at < 0:
            depth -= 1
            if depth >= 0:
                free[kinds[place[depth]]] += 1
                place[depth] += 1
            continue
        place[depth] = at
        now = cover.covered[depth] | cover.sets[at]
        free[kinds[at]] -= 1
        if now != cover.everyone:
            depth += 1
            cover.covered[depth], cover.spent[depth], place[depth] = now, total, 0
            continue
        _keep_plan(cover, depth, total)
        free[kinds[at]] += 1
        place[depth] = at + 1
    cover.state[0] = depth
    return bool(depth < 0)


def compile_kernels() -> None:
    """Look through no sets at all, so that the kernels are compiled or loaded."""
    some, numbers = np.zeros(1), np.zeros(1, np.int64)
    start, state = np.zeros(2, np.int64), np.zeros(2, np.int64)
    search_cover(
        Cover(numbers, numbers, some, start, 1, numbers, some, some, numbers, numbers, some, state, numbers), nodes=1
    )
    compile_listing()

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

import numpy as np
from scipy.optimize import linprog

from app.solver.numba_support.compilation import kernel
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
        budget = bound - known - ROUNDING * (1.0 + abs(known))
        if budget <= 0.0:
            return Proof(at, True, known)
        covers = _Covers(blocks, kinds, prices, budget, look)
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
        added = [_worth_most(values, claim) for values, claim in zip(beyond, claims, strict=True)]
        if best.bound <= known + ROUNDING * (1.0 + abs(known)) or not any(map(len, added)) or is_over():
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


def _worth_most(beyond: FloatArray, claim: float) -> IntArray:
    """Return the places of the sets that are worth most beyond their prices, if more than the table's claim."""
    few = min(NEW_SETS, len(beyond))
    places = np.argpartition(-beyond, few - 1)[:few]
    return places[beyond[places] > claim + ROUNDING * (1.0 + abs(claim))].astype(np.int64)


def _solve_duals(count: int, kinds: list[TableKind], chosen: list[IntArray]) -> tuple[FloatArray, FloatArray]:
    """Choose parts of the chosen sets at the best worth, each block once; return the prices of blocks and tables."""
    sets = np.concatenate([kind.sets[places] for kind, places in zip(kinds, chosen, strict=True)])
    worth = np.concatenate([kind.worth[places] for kind, places in zip(kinds, chosen, strict=True)])
    of_kind = np.repeat(np.arange(len(kinds)), [len(places) for places in chosen])
    holds = (sets[None, :] >> np.arange(count)[:, None]) & 1
    rows = np.concatenate([holds, of_kind[None, :] == np.arange(len(kinds))[:, None]])
    wanted = np.concatenate([np.ones(count), [len(kind.tables) for kind in kinds]])
    solution = linprog(-worth, A_eq=rows.astype(np.float64), b_eq=wanted, method="highs-ds")
    if solution.status != 0:
        return np.zeros(count), np.full(len(kinds), -np.inf)
    duals = -np.asarray(solution.eqlin.marginals)
    return duals[:count], duals[count:]


class _Covers:
    """The sets that a better plan can have, laid out for the search through them."""

    def __init__(
        self, blocks: Blocks, kinds: list[TableKind], prices: Prices, budget: float, look: Callable[[], None]
    ) -> None:
        self._count, self._kinds = blocks.count, kinds
        self._free = np.array([len(kind.tables) for kind in kinds])
        self._budget = np.array([budget])
        self._empty = np.array(
            [v if (kind.sets == 0).any() else np.inf for kind, v in zip(kinds, prices.kinds, strict=True)]
        )
        self._collect(prices, look)
        tables = blocks.table_count + 1
        self._place, self._covered, self._spent = (
            np.zeros(tables, np.int64),
            np.zeros(tables, np.int64),
            np.zeros(tables),
        )
        self._state = np.array([0, 0])
        self._best = np.zeros(tables, np.int64)

    def _collect(self, prices: Prices, look: Callable[[], None]) -> None:
        """Keep the sets within the budget, listed by their first block, the rarest block being the first."""
        sets, kinds, slacks = [], [], []
        for number, kind in enumerate(self._kinds):
            look()
            slack = np.maximum(prices.kinds[number] - (kind.worth - add_up(kind.sets, prices.blocks)), 0.0)
            near = (slack < self._budget[0]) & (kind.sets > 0)
            sets.append(kind.sets[near])
            slacks.append(slack[near])
            kinds.append(np.full(int(near.sum()), number))
        whole, bits = np.concatenate(sets), np.arange(self._count)
        self._order = np.argsort([int((whole >> bit & 1).sum()) for bit in bits], kind="stable")
        turned = np.zeros(len(whole), dtype=np.int64)
        for bit in bits:
            look()
            turned |= (whole >> self._order[bit] & 1) << bit
        first = np.bitwise_count((turned & -turned) - 1).astype(np.int64)
        by_first = np.lexsort((np.concatenate(slacks), first))
        self._sets, self._slacks = turned[by_first], np.concatenate(slacks)[by_first]
        self._kind = np.concatenate(kinds)[by_first].astype(np.int64)
        self._start = np.searchsorted(first[by_first], np.arange(self._count + 1)).astype(np.int64)

    def search(self, is_over: Callable[[], bool]) -> bool:
        """Go through all plans of the sets that are left; say whether it came to the end."""
        while not self._step(NODES):
            if is_over():
                return False
        return True

    def _step(self, nodes: int) -> bool:
        return search_covers(
            self._sets,
            self._kind,
            self._slacks,
            self._start,
            (1 << self._count) - 1,
            self._free,
            self._empty,
            self._budget,
            self._place,
            self._covered,
            self._spent,
            self._state,
            self._best,
            nodes,
        )

    def plan(self) -> IntArray | None:
        """Return the best plan that was found, or None."""
        if self._state[1] == 0:
            return None
        at = np.full(self._count, -1, dtype=np.int64)
        free = [list(kind.tables) for kind in self._kinds]
        for place in self._best[: self._state[1]]:
            table = free[self._kind[place]].pop(0)
            held = self._order[self._sets[place] >> np.arange(self._count) & 1 == 1]
            at[held] = table
        return at


@kernel
def search_covers(  # noqa: C901, PLR0912  # loops written out: a kernel
    sets: IntArray,
    kinds: IntArray,
    slacks: FloatArray,
    start: IntArray,
    everyone: int,
    free: IntArray,
    empty: FloatArray,
    budget: FloatArray,
    place: IntArray,
    covered: IntArray,
    spent: FloatArray,
    state: IntArray,
    best: IntArray,
    nodes: int,
) -> bool:
    """Go on with the search for so many sets; true at its end. `best` holds state[1] places of a plan in budget."""
    depth = state[0]
    for _ in range(nodes):
        if depth < 0:
            break
        block = 0
        while covered[depth] >> block & 1:
            block += 1
        at, total = max(place[depth], start[block]), np.inf
        while at < start[block + 1]:
            total = spent[depth] + slacks[at]
            if total >= budget[0]:
                at = start[block + 1]
            elif sets[at] & covered[depth] == 0 and free[kinds[at]] > 0:
                break
            else:
                at += 1
        if at >= start[block + 1]:
            depth -= 1
            if depth >= 0:
                free[kinds[place[depth]]] += 1
                place[depth] += 1
            continue
        place[depth] = at
        now = covered[depth] | sets[at]
        free[kinds[at]] -= 1
        if now != everyone:
            depth += 1
            covered[depth], spent[depth], place[depth] = now, total, 0
            continue
        for kind in range(len(free)):
            if free[kind] > 0:
                total += free[kind] * empty[kind]
        if total < budget[0]:
            budget[0] = total
            state[1] = depth + 1
            for level in range(depth + 1):
                best[level] = place[level]
        free[kinds[at]] += 1
        place[depth] = at + 1
    state[0] = depth
    return bool(depth < 0)


def compile_kernels() -> None:
    """Look through no sets at all, so that the kernels are compiled or loaded."""
    some, numbers = np.zeros(1), np.zeros(1, np.int64)
    start, state = np.zeros(2, np.int64), np.zeros(2, np.int64)
    search_covers(numbers, numbers, some, start, 1, numbers, some, some, numbers, numbers, some, state, numbers, 1)
    compile_listing()

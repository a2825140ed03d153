"""The assignment step as a transportation problem: n guests to k tables of given sizes, exactly.

Every guest first takes the table with the least cost + price. Overfull tables are then relieved along
shortest paths over the graph of the k tables, whose edge a→b is the cheapest single guest to move:
length(a, b) = min_{i at a} (c_ib − c_ia) + p_b − p_a. Each guest sits at a table of least cost + price all the
time, so no length is negative and Dijkstra serves (Ahuja, Magnanti & Orlin, *Network Flows*, § 9.7). One search
starts at all overfull tables and ends when every table with free seats is reached; raising the price of each
table passed by (D − distance) makes all those paths cost nothing, and every path that shares no guest with
an earlier one is used. Any prices are a valid start: those of the last k-means iteration save most of the work.

`app.solver.reference.assign_by_slots` is the same step on n × n slots.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from app.solver.kernel import inlined, kernel, part
from app.solver.problem import FloatArray, IntArray

StopFlag = NDArray[np.int64]
"""One number that another thread sets to 1 to end a kernel early."""


class Desk(NamedTuple):
    """The working arrays of one assignment: guests listed by table, and the search over tables."""

    table: IntArray
    seated: IntArray
    first: IntArray
    following: IntArray
    preceding: IntArray
    rise: FloatArray
    mover: IntArray
    distance: FloatArray
    parent: IntArray
    guest: IntArray
    waiting: IntArray
    passed: IntArray
    free: IntArray


def assign(
    costs: FloatArray, sizes: IntArray, prices: FloatArray | None = None, stop: StopFlag | None = None
) -> tuple[IntArray, FloatArray]:
    """Return the table of each guest at the least total cost, and prices to start the next assignment with.

    Parameters
    ----------
    costs
        n × k finite costs of seating guest i at table t.
    sizes
        How many guests each table gets; they sum to n.
    prices
        Those of a similar assignment, or None.
    stop
        What another thread sets to end it; the tables are then not filled as they should.
    """
    costs = np.ascontiguousarray(costs, dtype=np.float64)
    sizes = np.ascontiguousarray(sizes, dtype=np.int64)
    if not np.isfinite(costs).all() or sizes.sum() != len(costs) or (sizes < 0).any():
        raise ValueError("An assignment needs finite costs and sizes that sum to the number of guests.")
    prices = np.zeros(len(sizes)) if prices is None else prices.copy()
    desk = make_desk(*costs.shape)
    _assign(costs, sizes, prices, desk, np.zeros(1, dtype=np.int64) if stop is None else stop)
    return desk.table, prices


def make_desk(guests: int, tables: int) -> Desk:
    """Allocate the working arrays; outside the kernels, where it would take long to compile."""
    by_guest, by_table, by_pair = guests, tables, (tables, tables)
    return Desk(
        table=np.zeros(by_guest, np.int64),
        seated=np.zeros(by_table, np.int64),
        first=np.zeros(by_table, np.int64),
        following=np.zeros(by_guest, np.int64),
        preceding=np.zeros(by_guest, np.int64),
        rise=np.zeros(by_pair),
        mover=np.zeros(by_pair, np.int64),
        distance=np.zeros(by_table),
        parent=np.zeros(by_table, np.int64),
        guest=np.zeros(by_table, np.int64),
        waiting=np.zeros(by_table, np.int64),
        passed=np.zeros(by_table, np.int64),
        free=np.zeros(by_table, np.int64),
    )


@kernel
def _assign(costs: FloatArray, sizes: IntArray, prices: FloatArray, desk: Desk, stop: StopFlag) -> bool:
    return assign_guests(costs, sizes, prices, desk, stop)


@part
def assign_guests(costs: FloatArray, sizes: IntArray, prices: FloatArray, desk: Desk, stop: StopFlag) -> bool:
    """Fill `desk.table` and adjust the prices; false if stopped before the end."""
    over = _seat_at_cheapest(costs, sizes, prices, desk)
    if over > 0:
        _find_movers(costs, desk)
    while over > 0:
        if stop[0] != 0:
            return False
        passed, reached = _search_paths(sizes, prices, desk)
        if reached == 0:
            return False
        _raise_prices(prices, desk, passed)
        for free in range(reached):
            over -= _use_path(costs, sizes, desk, desk.free[free])
    return True


@part
def _seat_at_cheapest(costs: FloatArray, sizes: IntArray, prices: FloatArray, desk: Desk) -> int:
    """Seat everyone at the table of least cost + price; return how many guests are too many where they sit."""
    guests, tables = costs.shape
    for t in range(tables):
        desk.seated[t] = 0
        desk.first[t] = -1
    for i in range(guests):
        least, t = np.inf, 0
        for b in range(tables):
            cost = costs[i, b] + prices[b]
            if cost < least:
                least, t = cost, b
        desk.seated[t] += 1
        _list_guest(desk, i, t)
    over = 0
    for t in range(tables):
        over += max(desk.seated[t] - sizes[t], 0)
    return over


@part
def _list_guest(desk: Desk, i: int, t: int) -> None:
    """Put guest i at the head of the list of table t."""
    head = desk.first[t]
    desk.table[i] = t
    desk.following[i] = head
    desk.preceding[i] = -1
    if head >= 0:
        desk.preceding[head] = i
    desk.first[t] = i


@inlined
def _find_movers(costs: FloatArray, desk: Desk) -> None:
    """Find for each pair of tables the guest who costs least to move, without prices: those cancel out later."""
    for a in range(costs.shape[1]):
        for b in range(costs.shape[1]):
            desk.rise[a, b] = np.inf
    for i in range(costs.shape[0]):
        _offer_guest(costs, desk, i)


@part
def _offer_guest(costs: FloatArray, desk: Desk, i: int) -> None:
    """Let guest i be the mover to every table where that costs less than the present one."""
    a = desk.table[i]
    here = costs[i, a]
    for b in range(costs.shape[1]):
        rise = costs[i, b] - here
        if rise < desk.rise[a, b]:
            desk.rise[a, b] = rise
            desk.mover[a, b] = i


@part
def _search_paths(sizes: IntArray, prices: FloatArray, desk: Desk) -> tuple[int, int]:
    """Run Dijkstra from all overfull tables to all with free seats; return how many tables it passed and reached."""
    distance, parent, waiting = desk.distance, desk.parent, desk.waiting
    left, wanted, at = len(sizes), 0, -1
    for b in range(len(sizes)):
        waiting[b] = b
        parent[b] = -1
        distance[b] = np.inf
        if desk.seated[b] > sizes[b]:
            distance[b] = 0.0
            at = b
        elif desk.seated[b] < sizes[b]:
            wanted += 1
    passed, reached = 0, 0
    while at >= 0:
        a = waiting[at]
        left -= 1
        waiting[at] = waiting[left]
        desk.passed[passed] = a
        passed += 1
        if desk.seated[a] < sizes[a]:
            desk.free[reached] = a
            reached += 1
            if reached == wanted:
                break
        at = _relax(prices, desk, a, left)
    return passed, reached


@part
def _relax(prices: FloatArray, desk: Desk, a: int, left: int) -> int:
    """Shorten the ways through table a; return where in `waiting` the nearest table now stands."""
    distance, waiting = desk.distance, desk.waiting
    so_far = distance[a]
    offset = so_far - prices[a]
    least, at = np.inf, -1
    for x in range(left):
        b = waiting[x]
        # Rounding can leave a length of −1e-16 where it is 0: no way may lead back in distance.
        length = max(offset + desk.rise[a, b] + prices[b], so_far)
        if length < distance[b]:
            distance[b] = length
            desk.parent[b] = a
        if distance[b] < least:
            least, at = distance[b], x
    return at


@inlined
def _raise_prices(prices: FloatArray, desk: Desk, passed: int) -> None:
    """Make the ways to all tables passed cost nothing, and note who would move along each of them."""
    farthest = desk.distance[desk.passed[passed - 1]]
    for x in range(passed):
        b = desk.passed[x]
        prices[b] += farthest - desk.distance[b]
        if desk.parent[b] >= 0:
            desk.guest[b] = desk.mover[desk.parent[b], b]


@inlined
def _use_path(costs: FloatArray, sizes: IntArray, desk: Desk, end: int) -> int:
    """Move one guest along each edge of the way to a free seat; return 1, or 0 if an earlier path took one of them."""
    start = end
    while desk.parent[start] >= 0:
        if desk.table[desk.guest[start]] != desk.parent[start]:
            return 0
        start = desk.parent[start]
    if desk.seated[start] <= sizes[start]:
        return 0
    desk.seated[start] -= 1
    desk.seated[end] += 1
    while end != start:
        _move_guest(costs, desk, desk.guest[end], end)
        end = desk.parent[end]
    return 1


@part
def _move_guest(costs: FloatArray, desk: Desk, i: int, b: int) -> None:
    """Move guest i to table b and bring the movers of both tables up to date."""
    a, before, after = desk.table[i], desk.preceding[i], desk.following[i]
    if before >= 0:
        desk.following[before] = after
    else:
        desk.first[a] = after
    if after >= 0:
        desk.preceding[after] = before
    _replace_mover(costs, desk, a, i)
    _list_guest(desk, i, b)
    _offer_guest(costs, desk, i)


@part
def _replace_mover(costs: FloatArray, desk: Desk, a: int, gone: int) -> None:
    """Find other movers for the edges out of table a that the guest who left was the cheapest for."""
    stale = 0
    for b in range(costs.shape[1]):
        if desk.mover[a, b] == gone:
            desk.rise[a, b] = np.inf
            desk.mover[a, b] = -1
            desk.waiting[stale] = b
            stale += 1
    i = desk.first[a]
    while i >= 0:
        here = costs[i, a]
        for x in range(stale):
            b = desk.waiting[x]
            rise = costs[i, b] - here
            if rise < desk.rise[a, b]:
                desk.rise[a, b] = rise
                desk.mover[a, b] = i
        i = desk.following[i]

"""The assignment step as a transportation problem: n guests to k tables of given sizes, exactly.

Every guest first takes the table with the least cost + price. Overfull tables are then relieved along
shortest paths over the graph of the k tables, whose edge a→b is the cheapest single guest to move:
length(a, b) = min_{i at a} (c_ib − c_ia) + p_b − p_a. Each guest sits at a table of least cost + price all the
time, so no length is negative and Dijkstra serves (Ahuja, Magnanti & Orlin, *Network Flows*, § 9.7). One search
starts at all overfull tables and ends when every table with free seats is reached; raising the price of each
table passed by (D − distance) makes all those paths cost nothing, and every path that shares no guest with
an earlier one is used. Any prices are a valid start: those of the last k-means iteration save most of the work.

`app.solver.clustering.reference.assign_by_slots` is the same step on n × n slots.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from app.solver.numba_support.compilation import inlined, kernel, part
from app.solver.problem import FloatArray, IntArray

StopFlag = NDArray[np.int64]
"""One number that another thread sets to 1 to end a kernel early."""


class TransportWork(NamedTuple):
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


def assign_by_transport(
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
    work = make_transport_work(*costs.shape)
    _assign(costs, sizes, prices, work, np.zeros(1, dtype=np.int64) if stop is None else stop)
    return work.table, prices


def make_transport_work(guests: int, tables: int) -> TransportWork:
    """Allocate the working arrays; outside the kernels, where it would take long to compile."""
    by_guest, by_table, by_pair = guests, tables, (tables, tables)
    return TransportWork(
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
def _assign(costs: FloatArray, sizes: IntArray, prices: FloatArray, work: TransportWork, stop: StopFlag) -> bool:
    return assign_guests(costs, sizes, prices, work, stop)


@part
def assign_guests(costs: FloatArray, sizes: IntArray, prices: FloatArray, work: TransportWork, stop: StopFlag) -> bool:
    """Fill `work.table` and adjust the prices; false if stopped before the end."""
    over = _seat_at_cheapest(costs, sizes, prices, work)
    if over > 0:
        _find_movers(costs, work)
    while over > 0:
        if stop[0] != 0:
            return False
        passed, reached = _search_paths(sizes, prices, work)
        if reached == 0:
            return False
        _raise_prices(prices, work, passed)
        for free in range(reached):
            over -= _use_path(costs, sizes, work, work.free[free])
    return True


@part
def _seat_at_cheapest(costs: FloatArray, sizes: IntArray, prices: FloatArray, work: TransportWork) -> int:
    """Seat everyone at the table of least cost + price; return how many guests are too many where they sit."""
    guests, tables = costs.shape
    for t in range(tables):
        work.seated[t] = 0
        work.first[t] = -1
    for i in range(guests):
        least, t = np.inf, 0
        for b in range(tables):
            cost = costs[i, b] + prices[b]
            if cost < least:
                least, t = cost, b
        work.seated[t] += 1
        _list_guest(work, i, t)
    over = 0
    for t in range(tables):
        over += max(work.seated[t] - sizes[t], 0)
    return over


@part
def _list_guest(work: TransportWork, i: int, t: int) -> None:
    """Put guest i at the head of the list of table t."""
    head = work.first[t]
    work.table[i] = t
    work.following[i] = head
    work.preceding[i] = -1
    if head >= 0:
        work.preceding[head] = i
    work.first[t] = i


@inlined
def _find_movers(costs: FloatArray, work: TransportWork) -> None:
    """Find for each pair of tables the guest who costs least to move, without prices: those cancel out later."""
    for a in range(costs.shape[1]):
        for b in range(costs.shape[1]):
            work.rise[a, b] = np.inf
    for i in range(costs.shape[0]):
        _offer_guest(costs, work, i)


@part
def _offer_guest(costs: FloatArray, work: TransportWork, i: int) -> None:
    """Let guest i be the mover to every table where that costs less than the current one."""
    a = work.table[i]
    here = costs[i, a]
    for b in range(costs.shape[1]):
        rise = costs[i, b] - here
        if rise < work.rise[a, b]:
            work.rise[a, b] = rise
            work.mover[a, b] = i


@part
def _search_paths(sizes: IntArray, prices: FloatArray, work: TransportWork) -> tuple[int, int]:
    """Run Dijkstra from all overfull tables to all with free seats; return how many tables it passed and reached."""
    distance, parent, waiting = work.distance, work.parent, work.waiting
    left, wanted, at = len(sizes), 0, -1
    for b in range(len(sizes)):
        waiting[b] = b
        parent[b] = -1
        distance[b] = np.inf
        if work.seated[b] > sizes[b]:
            distance[b] = 0.0
            at = b
        elif work.seated[b] < sizes[b]:
            wanted += 1
    passed, reached = 0, 0
    while at >= 0:
        a = waiting[at]
        left -= 1
        waiting[at] = waiting[left]
        work.passed[passed] = a
        passed += 1
        if work.seated[a] < sizes[a]:
            work.free[reached] = a
            reached += 1
            if reached == wanted:
                break
        at = _relax(prices, work, a, left)
    return passed, reached


@part
def _relax(prices: FloatArray, work: TransportWork, a: int, left: int) -> int:
    """Shorten the ways through table a; return where in `waiting` the nearest table now is."""
    distance, waiting = work.distance, work.waiting
    so_far = distance[a]
    offset = so_far - prices[a]
    least, at = np.inf, -1
    for x in range(left):
        b = waiting[x]
        # Rounding can leave a length of −1e-16 where it is 0: no way may lead back in distance.
        length = max(offset + work.rise[a, b] + prices[b], so_far)
        if length < distance[b]:
            distance[b] = length
            work.parent[b] = a
        if distance[b] < least:
            least, at = distance[b], x
    return at


@inlined
def _raise_prices(prices: FloatArray, work: TransportWork, passed: int) -> None:
    """Make the ways to all tables passed cost nothing, and note who would move along each of them."""
    farthest = work.distance[work.passed[passed - 1]]
    for x in range(passed):
        b = work.passed[x]
        prices[b] += farthest - work.distance[b]
        if work.parent[b] >= 0:
            work.guest[b] = work.mover[work.parent[b], b]


@inlined
def _use_path(costs: FloatArray, sizes: IntArray, work: TransportWork, end: int) -> int:
    """Move one guest along each edge of the way to a free seat; return 1, or 0 if an earlier path took one of them."""
    start = end
    while work.parent[start] >= 0:
        if work.table[work.guest[start]] != work.parent[start]:
            return 0
        start = work.parent[start]
    if work.seated[start] <= sizes[start]:
        return 0
    work.seated[start] -= 1
    work.seated[end] += 1
    while end != start:
        _move_guest(costs, work, work.guest[end], end)
        end = work.parent[end]
    return 1


@part
def _move_guest(costs: FloatArray, work: TransportWork, i: int, b: int) -> None:
    """Move guest i to table b and bring the movers of both tables up to date."""
    a, before, after = work.table[i], work.preceding[i], work.following[i]
    if before >= 0:
        work.following[before] = after
    else:
        work.first[a] = after
    if after >= 0:
        work.preceding[after] = before
    _replace_mover(costs, work, a, i)
    _list_guest(work, i, b)
    _offer_guest(costs, work, i)


@part
def _replace_mover(costs: FloatArray, work: TransportWork, a: int, gone: int) -> None:
    """Find other movers for the edges out of table a that the guest who left was the cheapest for."""
    stale = 0
    for b in range(costs.shape[1]):
        if work.mover[a, b] == gone:
            work.rise[a, b] = np.inf
            work.mover[a, b] = -1
            work.waiting[stale] = b
            stale += 1
    i = work.first[a]
    while i >= 0:
        here = costs[i, a]
        for x in range(stale):
            b = work.waiting[x]
            rise = costs[i, b] - here
            if rise < work.rise[a, b]:
                work.rise[a, b] = rise
                work.mover[a, b] = i
        i = work.following[i]

"""Who sits next to whom: the order of the seats around each table.

Round tables count neighbours. Long ones have two sides, seats numbered clockwise: the first along one side, the rest
back along the other; they count neighbours on a side and, half as much, whoever sits opposite. The sides are as even as
the rows of those who must sit side by side allow. Up to EXACT_SEATS seats the order is the best there is
(`app.solver.order.exact_order`), above that it comes from a local search. Side-by-side rules weigh more than everything
else together, neighbours who share a value by which guests alternate more than all scores; whatever is searched starts
from an order that keeps the first and has few of the second (`app.solver.order.alternation`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache

import numpy as np

from app.solver.deadline import Deadline, Stopped
from app.solver.feasibility.side_by_side import Row, choose_first, first_side, rows_for, rows_of
from app.solver.order.alternation import (
    Values,
    alternate,
    are_exclusive,
    count_alike,
    fill_greedily,
    mark_alike,
    pick,
    values_by_guest,
)
from app.solver.order.exact_order import OPPOSITE, best_long_order, best_round_order
from app.solver.problem import FloatArray, IntArray, Problem, Table, neighbours
from app.solver.result import ShouldStop, never_stop
from app.solver.score import guests_by_table

ScoresAmong = Callable[[IntArray], FloatArray]
EXACT_SEATS = 12
TURNED_SEATS, SEARCHED_SEATS = 60, 100
"""A search above these sizes takes longer than the plan itself: up to the first stretches are turned round too."""
MOST_STEPS = 2000
SEATS_SHARE = 0.02
"""The part of a time limit that ordering the seats may take when nothing is left of it."""


def order_seats(
    problem: Problem,
    assignment: IntArray,
    is_over: ShouldStop = never_stop,
    scores_among: ScoresAmong | None = None,
    most_searched: int = SEARCHED_SEATS,
) -> IntArray:
    """Return the seat of every guest at their table, counted from 0 without gaps.

    Once `is_over` says so, and at tables of more than `most_searched`, guests sit as they come; rules are kept all the
    same.
    """
    seats = np.zeros(len(assignment), dtype=np.int64)
    rows, scores_among = rows_of(problem), scores_among or problem.scores_among
    values = values_by_guest(problem)
    for table, here in zip(problem.tables, guests_by_table(assignment, len(problem.tables)), strict=True):
        place = {int(guest): i for i, guest in enumerate(here)} if rows else {}
        own = [Row(tuple(place[g] for g in row.guests), row.is_ring) for row in rows if row.guests[0] in place]
        first = guests_along(table, len(here), own)
        if not 3 <= len(here) <= most_searched or is_over():
            order = first_order(len(here), first, own, pick(values, here))
        else:
            order = order_table(scores_among(here), first, own, is_over, pick(values, here))
        seats[here[order]] = np.arange(len(here))
    return seats


def seats_in_time(
    problem: Problem,
    assignment: IntArray,
    deadline: Deadline,
    *,
    quick: bool = False,
    scores_among: ScoresAmong | None = None,
    most_searched: int = SEARCHED_SEATS,
) -> IntArray:
    """Order the seats; if `quick`, or once time is over, in the order given, with the rules kept."""
    # Whatever came before, there is a little time for the seats.
    limit = np.inf if deadline.time_limit is None else deadline.time_limit
    until = max(limit + deadline.seconds_by_stage.get("compile", 0.0), deadline.seconds + SEATS_SHARE * limit)

    def is_over() -> bool:
        return quick or deadline.stopped or deadline.seconds > until

    try:
        return deadline.run_in_thread(lambda: order_seats(problem, assignment, is_over, scores_among, most_searched))
    except Stopped:
        return order_seats(problem, assignment, lambda: True)


def guests_along(table: Table, guests: int, rows: list[Row]) -> int | None:
    """Return how many of a table's guests sit along its first side; None where they sit around it."""
    if table.goes_around:
        return None
    first = first_side([len(row.guests) for row in rows], guests, table.sides)
    return (guests + 1) // 2 if first is None else first


def order_table(
    scores: FloatArray, first: int | None, rows: list[Row], is_over: ShouldStop = never_stop, values: Values = ()
) -> IntArray:
    """Return the guests of one table in the order of their seats."""
    fitting = scores - _penalty(scores, values) if any(values) else scores
    weights = fitting + _bonus(fitting, rows)
    if len(scores) > EXACT_SEATS:
        return _search_order(scores, weights, first, rows, is_over, values)
    return best_round_order(weights) if first is None else best_long_order(scores, weights, first)


@lru_cache(maxsize=4096)
def fewest_alike(values: Values, first: int | None, rows: tuple[Row, ...]) -> int:
    """Return how few neighbours can be alike in any order that keeps the rows.

    Of more than EXACT_SEATS guests with rows, or with two values of one guest, it is what a search finds.
    """
    order: list[int] | IntArray = alternate(values, first)
    fewest = count_alike(tuple(values[guest] for guest in order), first)
    if len(values) > 2 and (rows or (fewest and not are_exclusive(values))):
        order = order_table(np.zeros((len(values), len(values))), first, list(rows), values=values)
        fewest = count_alike(tuple(values[guest] for guest in order), first)
    return fewest


def count_needless(table: Table, chairs: Sequence[int], values: Values, pairs: Iterable[tuple[int, int]] = ()) -> int:
    """Return how many more neighbours share a value than must.

    Guests are given in the order of their chairs; `pairs` are the places of those who sit side by side by a rule.
    """
    first = None if table.goes_around else sum(chair < table.sides[0] for chair in chairs)
    alike = count_alike(values, first)
    if not alike:
        return 0
    rows = tuple(rows_for(pairs))
    # Without rows only the numbers count, which other tables have as well.
    known = values if rows else tuple(sorted(values, key=sorted))
    return max(alike - fewest_alike(known, first, rows), 0)


def _penalty(scores: FloatArray, values: Values) -> FloatArray:
    """Return what two neighbours cost who share a value: more than any two orders differ by."""
    return mark_alike(values) * (1.0 + 4.0 * len(scores) * float(np.abs(scores).max()))


def _bonus(scores: FloatArray, rows: list[Row]) -> FloatArray:
    """Return a bonus on pairs that must be neighbours, larger than all scores together."""
    bonus = np.zeros_like(scores)
    for row in rows:
        for one, other in row.pairs:
            bonus[one, other] = bonus[other, one] = 1.0 + 4.0 * float(np.abs(scores).sum())
    return bonus


Pairs = tuple[IntArray, IntArray]


def seat_pairs(seats: int, first: int | None) -> tuple[Pairs, Pairs]:
    """Return which seats are neighbours and which are opposite each other, `first` being along the first side."""
    beside = np.array(sorted(neighbours(seats, first)), dtype=np.int64).reshape(-1, 2)
    opposite = np.arange(0 if first is None else min(first, seats - first))
    return (beside[:, 0], beside[:, 1]), (opposite, seats - 1 - opposite)


def order_value(scores: FloatArray, order: IntArray, first: int | None) -> float:
    """Return what an order is worth: the scores of neighbours and half of those opposite."""
    return float(_values(scores, scores, np.asarray(order)[None, :], first)[0])


def _values(scores: FloatArray, weights: FloatArray, orders: IntArray, first: int | None) -> FloatArray:
    """Return what each row of orders is worth, neighbours by their weights."""
    (p, q), (o, r) = seat_pairs(orders.shape[1], first)
    beside = weights[orders[:, p], orders[:, q]].sum(axis=1)
    return np.asarray(beside + OPPOSITE * scores[orders[:, o], orders[:, r]].sum(axis=1))


def _search_order(
    scores: FloatArray,
    weights: FloatArray,
    first: int | None,
    rows: list[Row],
    is_over: ShouldStop,
    values: Values = (),
) -> IntArray:
    """Swap guests and turn stretches round, the best change first, until nothing gains or time is over."""
    seats = len(scores)
    beside, opposite = seat_pairs(seats, first)
    highest = np.abs(weights if any(values) else scores).max()  # sums of large numbers are rounded
    order, gain = first_order(seats, first, rows, values), 1e-9 * highest
    for _ in range(MOST_STEPS):
        if is_over():
            break
        block = np.ix_(order, order)
        gains = _swap_gains(beside, weights[block]) + OPPOSITE * _swap_gains(opposite, scores[block])
        p, q = np.unravel_index(int(gains.argmax()), gains.shape)
        if gains[p, q] > gain:
            order[[p, q]] = order[[q, p]]
            continue
        orders = order[_turns(seats)] if seats <= TURNED_SEATS else order[None, :]
        worths = _values(scores, weights, orders, first)
        best = int(worths.argmax())
        if worths[best] <= worths[0] + gain + 1e-9 * abs(worths[0]):
            break
        order = orders[best]
    return order


def _swap_gains(pairs: Pairs, weights: FloatArray) -> FloatArray:
    """Return for every two seats what swapping their guests gains, as in the quadratic assignment problem.

    With p the sum of the weights of each guest to those at the seats paired with a seat, that is
    p_ab + p_ba − p_aa − p_bb, and the weight of a pair itself is lost twice in it.
    """
    one, other = pairs
    product = np.zeros_like(weights)
    product[one] += weights[other]
    product[other] += weights[one]
    stay = np.diag(product)
    gains = product + product.T - stay[:, None] - stay[None, :]
    gains[one, other] += 2 * weights[one, other]
    gains[other, one] += 2 * weights[one, other]
    np.fill_diagonal(gains, 0.0)
    return np.asarray(gains)


@lru_cache(maxsize=8)
def _turns(seats: int) -> IntArray:
    """Return the seats as they are, then with one stretch of them turned round, for every stretch."""
    ends = [(start, start + n) for start in range(seats - 1) for n in range(2, seats - start + 1)]
    turns = np.tile(np.arange(seats), (1 + len(ends), 1))
    for number, (start, end) in enumerate(ends, start=1):
        turns[number, start:end] = np.arange(end - 1, start - 1, -1)
    turns.flags.writeable = False
    return turns


def first_order(count: int, first: int | None, rows: list[Row], values: Values = ()) -> IntArray:
    """Return an order that keeps rows in one piece, none of them round the end of a long table."""
    if not rows and any(values):
        return np.array(alternate(values, first), dtype=np.int64)
    loose = sorted(set(range(count)) - {guest for row in rows for guest in row.guests})
    order = _rows_first(count, first, rows, loose)
    if any(values):
        order = fill_greedily(order, set(loose), values, first)
    return np.array(order, dtype=np.int64)


def _rows_first(count: int, first: int | None, rows: list[Row], loose: list[int]) -> list[int]:
    if first is None:
        return [*(guest for row in rows for guest in row.guests), *loose]
    longest = sorted(rows, key=lambda row: -len(row.guests))
    chosen = set(choose_first(tuple(len(row.guests) for row in longest), (first, count - first)) or ())
    along = [guest for place in sorted(chosen) for guest in longest[place].guests]
    back = [guest for place, row in enumerate(longest) if place not in chosen for guest in row.guests]
    return [*along, *loose, *back]

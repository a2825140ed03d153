"""Who sits next to whom: the order of the seats around each table.

Round tables count neighbours. Long ones have two sides, seats numbered clockwise: the first half along one side, the
rest back along the other; they count neighbours on a side and, half as much, whoever sits opposite. Up to EXACT_SEATS
seats the best order comes from a dynamic programme over sets of guests (Held & Karp 1962; for long tables column
by column), above that from a local search. Side-by-side rules weigh more than everything else together.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import numpy as np

from app.solver.neighbours import Row, make_rows
from app.solver.problem import FloatArray, IntArray, Problem, Shape

EXACT_SEATS = 12
TURNED_SEATS, SEARCHED_SEATS = 40, 100
"""A search above these sizes takes longer than the plan itself: up to the first stretches are turned round too."""
OPPOSITE = 0.5
MOST_STEPS = 2000


def order_seats(problem: Problem, assignment: IntArray, *, quick: bool = False) -> IntArray:
    """Return the seat of every guest at their table, counted from 0 without gaps; `quick` keeps the rules alone."""
    seats = np.zeros(len(assignment), dtype=np.int64)
    rows = make_rows([rule.guests for rule in problem.rules if rule.kind == "side_by_side"]) or []
    for number, table in enumerate(problem.tables):
        here = np.flatnonzero(assignment == number)
        if len(here) > 2:
            place = {int(guest): i for i, guest in enumerate(here)}
            own = [tuple(place[g] for g in row) for row in rows if row[0] in place]
            scores = problem.scores[np.ix_(here, here)]
            order = first_order(len(here), table.shape, own) if quick else order_table(scores, table.shape, own)
            seats[here[order]] = np.arange(len(here))
        else:
            seats[here] = np.arange(len(here))
    return seats


def order_table(scores: FloatArray, shape: Shape, rows: list[Row]) -> IntArray:
    """Return the guests of one table in the order of their seats."""
    weights, bonus = with_bonus(scores, rows)
    if len(scores) > SEARCHED_SEATS:
        return first_order(len(scores), shape, rows)
    if len(scores) > EXACT_SEATS:
        return _search_order(scores, bonus, shape, rows)
    return best_round_order(weights) if shape == "round" else best_long_order(scores, weights)


def with_bonus(scores: FloatArray, rows: list[Row]) -> tuple[FloatArray, FloatArray]:
    """Return the scores with a bonus on pairs that must be neighbours, larger than all scores together."""
    bonus = np.zeros_like(scores)
    large = 1.0 + 4.0 * float(np.abs(scores).sum())
    for row in rows:
        for one, other in pairwise(row):
            bonus[one, other] = bonus[other, one] = large
    return scores + bonus, bonus


def seat_graph(seats: int, shape: Shape) -> tuple[FloatArray, FloatArray]:
    """Return which seats are neighbours, and which are opposite each other."""
    beside, opposite = np.zeros((seats, seats)), np.zeros((seats, seats))
    for seat in range(seats):
        if shape == "round":
            beside[seat, (seat + 1) % seats] = beside[(seat + 1) % seats, seat] = 1.0
            continue
        turns = seat in ((seats + 1) // 2 - 1, seats - 1)
        if not turns:
            beside[seat, seat + 1] = beside[seat + 1, seat] = 1.0
        if seat != seats - 1 - seat:
            opposite[seat, seats - 1 - seat] = 1.0
    return beside, opposite


def order_value(scores: FloatArray, order: IntArray, shape: Shape) -> float:
    """Return what an order is worth: the scores of neighbours and half of those opposite."""
    beside, opposite = seat_graph(len(order), shape)
    return float(((beside + OPPOSITE * opposite) * scores[np.ix_(order, order)]).sum() / 2)


def best_round_order(weights: FloatArray) -> IntArray:
    """Return the best order around a round table, guest 0 first.

    best[S, j] is the best path from guest 0 through the set S to j; sets are taken by their number of guests.
    """
    others = len(weights) - 1
    inner, first = weights[1:, 1:], weights[0, 1:]
    best = np.full((1 << others, others), -np.inf)
    best[1 << np.arange(others), np.arange(others)] = first
    before = np.zeros((1 << others, others), dtype=np.int64)
    for sets in _sets_by_count(others)[2:]:
        for last in range(others):
            here = sets[(sets >> last) & 1 == 1]
            paths = best[here ^ (1 << last)] + inner[:, last]
            before[here, last] = paths.argmax(axis=1)
            best[here, last] = paths.max(axis=1)
    rest = (1 << others) - 1
    last = int((best[rest] + first).argmax())
    order = [last]
    while len(order) < others:
        last, rest = int(before[rest, last]), rest ^ (1 << last)
        order.append(last)
    return np.array([0, *(guest + 1 for guest in order)], dtype=np.int64)


def _sets_by_count(elements: int) -> list[IntArray]:
    numbers = np.arange(1 << elements, dtype=np.int64)
    counts = np.bitwise_count(numbers)
    return [numbers[counts == count] for count in range(elements + 1)]


def best_long_order(scores: FloatArray, weights: FloatArray) -> IntArray:
    """Return the best order at a long table, column after column.

    best[S, a, b] is the best filling of the first columns with the set S, the last column holding a and b. A
    column comes in two steps, first c beside a, then d beside b, so a step costs m³ and not m⁴.
    """
    count = len(scores)
    sets = _sets_by_count(count)
    opposite = OPPOSITE * scores
    best = _initial(count, opposite)
    steps: list[tuple[FloatArray, FloatArray]] = []
    for filled in range(2, count - 1, 2):
        half = _add_first(best, weights, sets[filled])
        best = _add_second(half, weights, opposite, sets[filled + 1])
        steps.append((half, best))
    return _read_long(steps, weights, opposite, count)


def _add_first(best: FloatArray, weights: FloatArray, sets: IntArray) -> FloatArray:
    """Seat c beside a: half[S + c, c, b] = max_a best[S, a, b] + w_ac."""
    half = np.full_like(best, -np.inf)
    for c in range(best.shape[1]):
        here = sets[(sets >> c) & 1 == 0]
        half[here | (1 << c), c, :] = (best[here] + weights[:, c][None, :, None]).max(axis=1)
    return half


def _add_second(half: FloatArray, weights: FloatArray, opposite: FloatArray, sets: IntArray) -> FloatArray:
    """Seat d beside b and opposite c: best[S + d, c, d] = max_b half[S, c, b] + w_bd + opposite_cd."""
    best = np.full_like(half, -np.inf)
    for d in range(half.shape[1]):
        here = sets[(sets >> d) & 1 == 0]
        best[here | (1 << d), :, d] = (half[here] + weights[:, d]).max(axis=2) + opposite[:, d]
    return best


def _read_long(
    steps: list[tuple[FloatArray, FloatArray]],
    weights: FloatArray,
    opposite: FloatArray,
    count: int,
) -> IntArray:
    """Walk back from the best last column to the first."""
    rest = (1 << count) - 1
    top: list[int] = []
    bottom: list[int] = []
    columns = [_initial(count, opposite), *(full for _, full in steps)]
    if count % 2:
        c = int(np.argmax([(columns[-1][rest ^ (1 << c)] + weights[:, [c]]).max() for c in range(count)]))
        rest ^= 1 << c
        top.append(c)
        column = int((columns[-1][rest] + weights[:, [c]]).argmax())
    else:
        column = int(columns[-1][rest].argmax())
    a, b = divmod(column, count)
    for step in range(len(steps) - 1, -1, -1):
        half = steps[step][0]
        top.append(a)
        bottom.append(b)
        rest ^= 1 << b
        before_b = int((half[rest, a] + weights[:, b]).argmax())
        rest ^= 1 << a
        before_a = int((columns[step][rest, :, before_b] + weights[:, a]).argmax())
        a, b = before_a, before_b
    top.append(a)
    bottom.append(b)
    return np.array([*reversed(top), *bottom], dtype=np.int64)


def _initial(count: int, opposite: FloatArray) -> FloatArray:
    best = np.full((1 << count, count, count), -np.inf)
    for a in range(count):
        for b in range(count):
            if a != b:
                best[(1 << a) | (1 << b), a, b] = opposite[a, b]
    return best


def _search_order(scores: FloatArray, bonus: FloatArray, shape: Shape, rows: list[Row]) -> IntArray:
    """Swap guests and turn stretches round, the best change first, until nothing gains."""
    beside, opposite = seat_graph(len(scores), shape)
    order = first_order(len(scores), shape, rows)

    def value(candidate: IntArray) -> float:
        block = np.ix_(candidate, candidate)
        return float((beside * (scores + bonus)[block] + OPPOSITE * opposite * scores[block]).sum() / 2)

    for _ in range(MOST_STEPS):
        block = np.ix_(order, order)
        gains = _swap_gains(beside, (scores + bonus)[block]) + _swap_gains(OPPOSITE * opposite, scores[block])
        p, q = np.unravel_index(int(gains.argmax()), gains.shape)
        if gains[p, q] > 1e-9 * (1 + np.abs(scores).max()):
            order[[p, q]] = order[[q, p]]
            continue
        turned = _best_turn(order, value) if len(order) <= TURNED_SEATS else None
        if turned is None:
            break
        order = turned
    return order


def _swap_gains(graph: FloatArray, weights: FloatArray) -> FloatArray:
    """Return for every pair of seats what swapping their guests gains, as in the quadratic assignment problem."""
    product = graph @ weights
    stay = np.diag(product)
    gains = product + product.T - stay[:, None] - stay[None, :] + 2 * graph * weights
    np.fill_diagonal(gains, 0.0)
    return np.asarray(gains)


def _best_turn(order: IntArray, value: Callable[[IntArray], float]) -> IntArray | None:
    """Turn one stretch round if that gains; None if none does."""
    now = value(order)
    for start in range(len(order) - 1):
        for end in range(start + 2, min(len(order), start + 16) + 1):
            turned = np.concatenate([order[:start], order[start:end][::-1], order[end:]])
            if value(turned) > now + 1e-9 * (1 + abs(now)):
                return turned
    return None


def first_order(count: int, shape: Shape, rows: list[Row]) -> IntArray:
    """Return an order that keeps rows in one piece, none of them round the end of a long table."""
    loose = sorted(set(range(count)) - {guest for row in rows for guest in row})
    if shape == "round":
        return np.array([*(guest for row in rows for guest in row), *loose], dtype=np.int64)
    sides: list[list[int]] = [[], []]
    room = [(count + 1) // 2, count // 2]
    for row in sorted(rows, key=len, reverse=True):
        side = 0 if len(sides[0]) + len(row) <= room[0] else 1
        sides[side].extend(row)
    for guest in loose:
        sides[0 if len(sides[0]) < room[0] else 1].append(guest)
    return np.array(sides[0] + sides[1], dtype=np.int64)

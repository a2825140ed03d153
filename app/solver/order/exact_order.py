"""The best order around one table, by a dynamic programme over sets of guests (Held & Karp 1962)."""

from __future__ import annotations

import numpy as np

from app.solver.problem import FloatArray, IntArray

OPPOSITE = 0.5
"""What somebody opposite counts for, against a neighbour."""


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


def best_long_order(scores: FloatArray, weights: FloatArray, first: int) -> IntArray:
    """Return the best order at a long table with `first` guests along its first side, never fewer than opposite.

    best[S, a, b] is the best filling of the first columns with the set S, the last column holding a and b. A column
    comes in two steps, first c beside a, then d beside b, so a step costs m³ and not m⁴. Whoever sits along the
    first side beyond the last column has nobody opposite: tail[S, a] is the best filling that ends with a.
    """
    count = len(scores)
    sets, opposite = _sets_by_count(count), OPPOSITE * scores
    columns = [_first_column(count, opposite)] if first < count else []
    halves: list[FloatArray] = []
    for filled in range(2, 2 * (count - first), 2):
        halves.append(_add_first(columns[-1], weights, sets[filled]))
        columns.append(_add_second(halves[-1], weights, opposite, sets[filled + 1]))
    tails = [columns[-1].max(axis=2) if columns else _first_alone(count)]
    for filled in range(max(2 * (count - first), 1), count):
        tails.append(_add_to_tail(tails[-1], weights, sets[filled]))
    return _read_long(columns, halves, tails, weights)


def _first_column(count: int, opposite: FloatArray) -> FloatArray:
    best = np.full((1 << count, count, count), -np.inf)
    a, b = np.nonzero(~np.eye(count, dtype=bool))
    best[(1 << a) | (1 << b), a, b] = opposite[a, b]
    return best


def _first_alone(count: int) -> FloatArray:
    tail = np.full((1 << count, count), -np.inf)
    tail[1 << np.arange(count), np.arange(count)] = 0.0
    return tail


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


def _add_to_tail(tail: FloatArray, weights: FloatArray, sets: IntArray) -> FloatArray:
    """Seat c beside a, nobody opposite: longer[S + c, c] = max_a tail[S, a] + w_ac."""
    longer = np.full_like(tail, -np.inf)
    for c in range(tail.shape[1]):
        here = sets[(sets >> c) & 1 == 0]
        longer[here | (1 << c), c] = (tail[here] + weights[:, c]).max(axis=1)
    return longer


def _read_long(
    columns: list[FloatArray], halves: list[FloatArray], tails: list[FloatArray], weights: FloatArray
) -> IntArray:
    """Walk back from the end of the first side to the first column."""
    rest = len(tails[0]) - 1
    a = int(tails[-1][rest].argmax())
    top, bottom = [a], []
    for tail in reversed(tails[:-1]):
        rest ^= 1 << a
        a = int((tail[rest] + weights[:, a]).argmax())
        top.append(a)
    if columns:
        b = int(columns[-1][rest, a].argmax())
        bottom.append(b)
        for column, half in zip(reversed(columns[:-1]), reversed(halves), strict=True):
            rest ^= 1 << b
            before_b = int((half[rest, a] + weights[:, b]).argmax())
            rest ^= 1 << a
            a, b = int((column[rest, :, before_b] + weights[:, a]).argmax()), before_b
            top.append(a)
            bottom.append(b)
    return np.array([*reversed(top), *bottom], dtype=np.int64)

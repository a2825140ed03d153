"""Rings in which few elements differ by what can be divided by: products of finite fields, with a table for each.

For a number of elements such as 12 = 4 · 3 the ring is GF(4) × GF(3). `multiples(a)` are a·w for all w.
"""

from __future__ import annotations

from itertools import product

import numpy as np

from app.solver.problem import IntArray

LARGEST = 512
"""Elements of the largest ring that is built."""


def prime_powers(number: int) -> list[tuple[int, int]]:
    """Return the factors of a number as (prime, exponent)."""
    found, prime = [], 2
    while number > 1:
        exponent = 0
        while number % prime == 0:
            number, exponent = number // prime, exponent + 1
        if exponent:
            found.append((prime, exponent))
        prime += 1
    return found


def build_ring(size: int) -> tuple[IntArray, IntArray]:
    """Return the tables of sums and products of a ring of so many elements, of which the first is 0."""
    sums, products = np.zeros((1, 1), np.int64), np.zeros((1, 1), np.int64)
    for prime, exponent in prime_powers(size):
        more = build_field(prime, exponent)
        sums, products = _both(sums, more[0]), _both(products, more[1])
    return sums, products


def unit_differences(size: int) -> int:
    """Return how many elements of the ring differ pairwise by a unit, at most: as many as its smallest field has."""
    return min((prime**exponent for prime, exponent in prime_powers(size)), default=1)


def elements_apart(size: int) -> IntArray:
    """Return elements that differ pairwise by units: in each field the same number."""
    found, weight = np.zeros(unit_differences(size), np.int64), 1
    for prime, exponent in reversed(prime_powers(size)):
        found += np.arange(len(found)) * weight
        weight *= prime**exponent
    return found


def build_field(prime: int, exponent: int) -> tuple[IntArray, IntArray]:
    """Return the tables of sums and products of GF(prime^exponent); elements are polynomials by their digits."""
    size = prime**exponent
    digits = np.array(list(product(range(prime), repeat=exponent)), np.int64)  # the highest power first
    weights = prime ** np.arange(exponent - 1, -1, -1)
    sums = ((digits[:, None] + digits[None, :]) % prime) @ weights
    powers = next(filter(None, (_powers(prime, exponent, tail) for tail in product(range(prime), repeat=exponent))))
    logs = {element: log for log, element in enumerate(powers)}
    products = np.zeros((size, size), np.int64)
    for a, b in product(range(1, size), repeat=2):
        products[a, b] = powers[(logs[a] + logs[b]) % (size - 1)]
    return sums, products


def _powers(prime: int, exponent: int, tail: tuple[int, ...]) -> list[int] | None:
    """Return all powers of x where x^exponent is the polynomial `tail`, if they are all elements but 0.

    In a field of prime order x is the number `tail` itself.
    """
    element = (0,) * (exponent - 1) + (1,)
    found: list[int] = []
    for _ in range(prime**exponent - 1):
        found.append(_number(element, prime))
        carry = element[0]
        shifted = (*element[1:], 0) if exponent > 1 else (0,)
        element = tuple((s + carry * t) % prime for s, t in zip(shifted, tail, strict=True))
    return found if len(set(found)) == prime**exponent - 1 and 0 not in found else None


def _number(digits: tuple[int, ...], prime: int) -> int:
    number = 0
    for digit in digits:
        number = number * prime + digit
    return number


def _both(one: IntArray, other: IntArray) -> IntArray:
    """Return the table of pairs of elements from the tables of each."""
    paired = one[:, None, :, None] * len(other) + other[None, :, None, :]
    return paired.reshape(len(one) * len(other), -1)

"""The assignment step finds what the Hungarian algorithm finds on n × n slots."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from app.solver.clustering.reference import assign_by_slots, squared_costs
from app.solver.clustering.transport import assign_by_transport
from app.solver.problem import FloatArray, IntArray


def total(costs: FloatArray, table: IntArray) -> float:
    return float(costs[np.arange(len(costs)), table].sum())


def assert_exact(costs: FloatArray, sizes: IntArray, prices: FloatArray | None = None) -> FloatArray:
    table, prices = assign_by_transport(costs, sizes, prices)
    assert np.array_equal(np.bincount(table, minlength=len(sizes)), sizes)
    least = total(costs, assign_by_slots(costs, sizes))
    scale = max(abs(least), np.abs(costs).max(initial=0.0))
    assert abs(total(costs, table) - least) <= 1e-9 * scale
    return prices


def random_sizes(rng: np.random.Generator, guests: int, tables: int) -> IntArray:
    """Return sizes ≥ 1 that sum to the number of guests."""
    cuts = np.sort(rng.choice(np.arange(1, guests), tables - 1, replace=False))
    return np.diff(np.concatenate([[0], cuts, [guests]]))


def random_cases(count: int, seed: int) -> Iterator[tuple[FloatArray, IntArray]]:
    """Yield costs of many kinds: points, unrelated numbers, ties, duplicates, zeros, tiny and huge ones."""
    rng = np.random.default_rng(seed)
    for _ in range(count):
        guests = int(rng.integers(2, 40))
        tables = int(rng.integers(1, guests + 1))
        sizes = random_sizes(rng, guests, tables)
        points = rng.normal(size=(guests, int(rng.integers(1, 12))))
        doubled = points[rng.integers(0, max(1, guests // 3), guests)]
        yield squared_costs(points, points[rng.choice(guests, tables, replace=False)]), sizes
        yield squared_costs(doubled, doubled[rng.choice(guests, tables, replace=False)]), sizes
        yield rng.normal(size=(guests, tables)), sizes
        yield rng.integers(0, 3, (guests, tables)).astype(float), sizes
        yield rng.exponential(size=(guests, tables)) * 10.0 ** rng.integers(-12, 13), sizes


def test_cost_equals_the_hungarian_algorithm_on_thousands_of_cases() -> None:
    for costs, sizes in random_cases(800, seed=1):
        assert_exact(costs, sizes)


@pytest.mark.parametrize("tables", [1, 2, 7, 30])
def test_cost_is_exact_when_all_costs_are_equal(tables: int) -> None:
    sizes = random_sizes(np.random.default_rng(tables), 30, tables)
    for value in (0.0, 5.0, -3.0, 1e300):
        assert_exact(np.full((30, tables), value), sizes)


def test_two_guests_at_two_tables_of_one_take_the_cheaper_exchange() -> None:
    table, _ = assign_by_transport(np.array([[0.0, 1.0], [0.0, 5.0]]), np.array([1, 1]))
    assert table.tolist() == [1, 0]


def test_a_table_of_size_zero_stays_empty() -> None:
    costs = np.random.default_rng(2).random((9, 4)) + np.array([0.0, -5.0, 0.0, 0.0])
    assert_exact(costs, np.array([3, 0, 4, 2]))


def test_costs_over_many_orders_of_magnitude_are_exact_to_their_scale() -> None:
    rng = np.random.default_rng(3)
    for _ in range(200):
        costs = 10.0 ** rng.uniform(-8, 8, (20, 6))
        assert_exact(costs, random_sizes(rng, 20, 6))


def test_a_table_that_everyone_prefers_is_relieved() -> None:
    rng = np.random.default_rng(4)
    costs = rng.random((60, 12))
    costs[:, 3] -= 10.0
    assert_exact(costs, np.full(12, 5))


def test_any_prices_are_a_valid_start() -> None:
    rng = np.random.default_rng(5)
    for costs, sizes in random_cases(60, seed=6):
        scale = np.abs(costs).max() + 1.0
        assert_exact(costs, sizes, rng.normal(size=len(sizes)) * scale)


def test_prices_of_one_assignment_start_the_next() -> None:
    rng = np.random.default_rng(7)
    costs, sizes = rng.random((50, 8)), random_sizes(rng, 50, 8)
    prices = None
    for _ in range(20):
        prices = assert_exact(costs, sizes, prices)
        costs = costs + rng.normal(size=costs.shape) * 0.05


def test_every_guest_has_the_least_cost_plus_price_at_the_end() -> None:
    for costs, sizes in random_cases(100, seed=8):
        table, prices = assign_by_transport(costs, sizes)
        priced = costs + prices
        slack = priced[np.arange(len(costs)), table] - priced.min(axis=1)
        assert slack.max() <= 1e-9 * (np.abs(priced).max() + 1e-300)


@pytest.mark.parametrize(("guests", "tables"), [(300, 4), (300, 60), (300, 300), (1000, 100)])
def test_cost_is_exact_for_larger_parties(guests: int, tables: int) -> None:
    rng = np.random.default_rng(guests + tables)
    points = rng.normal(size=(guests, 5))
    costs = squared_costs(points, points[rng.choice(guests, tables, replace=False)])
    assert_exact(costs, random_sizes(rng, guests, tables))


@given(
    hnp.arrays(
        np.float64,
        st.tuples(st.integers(2, 12), st.integers(1, 4)).filter(lambda shape: shape[0] >= shape[1]),
        elements=st.floats(-1e6, 1e6, allow_subnormal=False),
    ),
    st.integers(0, 1000),
)
@settings(max_examples=300)
def test_no_matrix_makes_the_assignment_wrong(costs: FloatArray, seed: int) -> None:
    assert_exact(costs, random_sizes(np.random.default_rng(seed), *costs.shape))


@pytest.mark.parametrize(
    ("costs", "sizes"),
    [
        (np.array([[np.nan, 1.0]]), np.array([1, 0])),
        (np.array([[np.inf, 1.0]]), np.array([0, 1])),
        (np.ones((2, 2)), np.array([1, 2])),
        (np.ones((2, 2)), np.array([-1, 3])),
    ],
)
def test_impossible_input_is_refused(costs: FloatArray, sizes: IntArray) -> None:
    with pytest.raises(ValueError, match="finite costs and sizes"):
        assign_by_transport(costs, sizes)

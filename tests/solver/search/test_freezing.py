"""Where plans freeze, and the temperatures that follow from it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from app.solver.errors import Unsolvable
from app.solver.numba_support.random_numbers import random_state
from app.solver.problem import FloatArray, Problem, Table
from app.solver.search.freezing import FALL, HOTTEST, MOST_FALLS, Cooling, cool, mean_of
from app.solver.search.search_state import build_search_state
from app.solver.search.strategy import heat_around, measure_swaps, sets_every
from app.solver.search.temper import MOST_COPIES
from tests.solver.full_helpers import blocks_of, events

CURVE = Cooling(
    temperatures=np.array([8.0, 4.0, 2.0, 1.0, 0.5, 0.25]),
    values=np.array([0.0, 40.0, 60.0, 90.0, 99.0, 100.0]),
    moved=np.array([0.9, 0.8, 0.5, 0.2, 0.03, 0.0]),
)


def test_plans_freeze_between_half_of_the_blocks_moving_and_hardly_any() -> None:
    assert CURVE.span() == (2.0, 0.5)


def test_the_span_ends_where_nothing_is_left_to_gain_although_blocks_still_move() -> None:
    always_moving = Cooling(CURVE.temperatures, CURVE.values, np.full(6, 0.9))
    assert always_moving.span() == (1.0, 0.25)


def test_neighbours_on_the_ladder_change_places_equally_often() -> None:
    temperatures = np.geomspace(8.0, 1.0, 400)
    # Between two temperatures, (V − V')·(1/T − 1/T') is the square of a difference of 20/T.
    cooling = Cooling(temperatures, 400.0 / temperatures, np.linspace(0.5, 0.03, 400))
    ladder = cooling.ladder(spacing=2.0)
    assert (np.diff(ladder) > 0).all()
    assert (ladder[0], ladder[-1]) == cooling.span()[::-1]
    np.testing.assert_allclose((20 * np.diff(1 / ladder)) ** 2, 2.0, rtol=0.2)


def test_a_ladder_has_at_least_two_places_and_never_too_many() -> None:
    flat = Cooling(CURVE.temperatures, np.ones(6), CURVE.moved)
    assert len(flat.ladder()) == 2
    assert len(CURVE.ladder(spacing=1e-6)) == MOST_COPIES


@given(st.lists(st.floats(-100, 100), min_size=2, max_size=30))
def test_noise_never_makes_a_colder_plan_worth_less(values: list[float]) -> None:
    temperatures = np.geomspace(HOTTEST, HOTTEST * FALL ** len(values), len(values))
    cooling = Cooling(temperatures, np.array(values), np.full(len(values), 0.5))
    rising = cooling._rising()
    assert (np.diff(rising) >= 0).all()
    assert rising.mean() == pytest.approx(np.mean(values), abs=1e-9)
    assert np.isfinite(cooling.ladder()).all()


def test_the_mean_of_coolings_goes_as_far_as_the_shortest() -> None:
    short = Cooling(CURVE.temperatures[:2], np.array([10.0, 20.0]), np.array([0.7, 0.6]))
    mean = mean_of([CURVE, short])
    assert mean.temperatures.tolist() == [8.0, 4.0]
    np.testing.assert_allclose(mean.values, [5.0, 30.0])
    np.testing.assert_allclose(mean.moved, [0.8, 0.7])


def test_anneals_begin_hotter_and_end_colder_than_plans_freeze() -> None:
    heat = heat_around((8.0, 2.0))
    assert heat.hot > 8.0 > heat.warm > 2.0 > heat.cold


@settings(max_examples=20)
@given(events(with_rules=True), st.integers(0, 100))
def test_a_cooling_keeps_rules_and_ends_at_the_worth_of_its_plan(problem: Problem, seed: int) -> None:
    try:
        blocks, at = blocks_of(problem)
    except Unsolvable:
        return
    assume(not blocks.fairness and blocks.table_count > 1 and len(blocks.movable) > 1)
    search_state = build_search_state(blocks, at)
    cooling, steps = cool(blocks, search_state, 1e-6, 4, random_state(seed, 0), np.zeros(2))
    assert blocks.keeps_rules(search_state.at)
    assert cooling is not None
    assert steps > 0
    assert 1 < len(cooling.values) <= MOST_FALLS
    if not cooling.moved[-1]:
        assert cooling.values[-1] == pytest.approx(blocks.value(search_state.at), rel=1e-6, abs=1e-6)


def test_a_cooling_that_time_cuts_off_shows_nothing() -> None:
    blocks, at = blocks_of(Problem(np.random.default_rng(3).normal(size=(30, 30)), (Table(10, 10),) * 3))
    for control in (np.array([1.0, 0.0]), np.array([0.0, 1.0])):
        assert cool(blocks, build_search_state(blocks, at), 1.0, 64, random_state(0, 0), control)[0] is None


def test_distances_freeze_far_colder_than_scores_at_random() -> None:
    rng = np.random.default_rng(5)
    points = rng.uniform(size=(48, 3))
    distances = np.sqrt(((points[:, None] - points) ** 2).sum(axis=2))
    scores = np.triu(rng.uniform(size=(48, 48)), 1)
    assert 2 * _hottest(distances) < _hottest(scores + scores.T)


def _hottest(scores: FloatArray) -> float:
    """Return the hot end of where plans freeze, as a part of what random swaps change."""
    blocks, at = blocks_of(Problem(scores, (Table(8, 8),) * 6, objective="total"))
    spread = measure_swaps(blocks, (at,), 1)[0]
    cooling, _ = cool(
        blocks, build_search_state(blocks, at), spread, sets_every(blocks), random_state(1, 0), np.zeros(2)
    )
    assert cooling is not None
    return cooling.span()[0] / spread

"""Which search for which size and time limit."""

from __future__ import annotations

import pytest

from app.solver.search.strategy import choose_effort


@pytest.mark.parametrize(
    ("blocks", "seconds", "is_tempered"),
    [(120, 3, True), (300, 5, True), (480, 20, False), (480, 60, True), (1000, 600, False)],
)
def test_events_are_tempered_where_time_allows_it(blocks: int, seconds: float, is_tempered: bool) -> None:
    effort = choose_effort(blocks, restarts=10_000, time_limit=seconds)
    assert (effort.timed, effort.long) == (is_tempered, not is_tempered)


def test_slow_steps_need_more_time_for_tempering() -> None:
    assert choose_effort(480, restarts=10_000, time_limit=60, step_cost=3.0).long


def test_restarts_that_all_fit_depend_on_no_time() -> None:
    effort = choose_effort(60, restarts=10, time_limit=60)
    assert not effort.timed
    assert not effort.long
    assert effort == choose_effort(60, restarts=10, time_limit=None)

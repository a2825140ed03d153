"""The short version of `make fault`: kills of everything for some seconds, and not one run is lost or done twice.

What kills do on SQLite is tested in test_kills.
"""

from __future__ import annotations

import pytest

from fault.kills import kill_for


@pytest.mark.postgres
def test_every_run_is_done_once_whatever_dies_on_postgresql(postgres: str) -> None:
    outcome, _ = kill_for(runs=4, seconds=4.0, seed=2, workers=2)
    assert outcome.is_right
    assert outcome.acknowledged == 4

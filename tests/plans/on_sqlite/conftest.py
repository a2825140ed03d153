"""A plan that the tests of its pages look at."""

from __future__ import annotations

import pytest

from app.accounts.actor import Actor
from app.db.session import Sessions, transaction
from tests.factories import Planned, make_plan
from tests.plans.on_sqlite.plan_pages import SCORES


@pytest.fixture
def made(sessions: Sessions, owner: Actor) -> Planned:
    """Aino and Bo at the first table of 3; Cleo, Dan and Eve fill the second."""
    with transaction(sessions) as session:
        return make_plan(
            session,
            owner,
            sizes=(3, 3),
            names=["Aino", "Bo", "Cleo", "Dan", "Eve"],
            matrix=SCORES,
            assignment=[0, 0, 1, 1, 1],
            bound=0.4,
        )

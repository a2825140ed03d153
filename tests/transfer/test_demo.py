"""The demo event."""

from __future__ import annotations

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import select

from app.accounts.actor import Actor
from app.db.models import Plan
from app.db.session import Sessions, transaction
from app.problem.snapshot import copy_problem
from app.solver import solve
from app.transfer.demo import create_demo


def test_demo_has_the_tables_of_the_paper_as_plain_sizes(web: TestClient, sessions: Sessions, owner: Actor) -> None:
    with transaction(sessions) as session:
        event = create_demo(session, owner)
    page = web.get(f"/events/{event.id}/tables").text
    assert 'value="4 4 5 6 3"' in page
    assert "22 guests, 22 seats: exactly enough." in page


def test_plan_that_comes_with_the_demo_is_the_best_one(sessions: Sessions, owner: Actor) -> None:
    with transaction(sessions) as session:
        event = create_demo(session, owner)
        plan = session.scalars(select(Plan).where(Plan.event_id == event.id)).one()
        problem = copy_problem(session, event, objective="average").problem
        best = solve(problem, restarts=50)
    assert best.mse == best.bound
    assert plan.mse == pytest.approx(best.mse, abs=1e-12)

"""The demo event."""

from __future__ import annotations

from dataclasses import astuple

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import select

from app.accounts.actor import Actor
from app.clock import now
from app.db.models import Event, Plan
from app.db.session import Sessions, transaction
from app.events.measuring import events_to_measure
from app.plans.figures import Figures
from app.problem.snapshot import copy_problem
from app.questions.batches import read_batch
from app.questions.question_snapshot import take_inquiry
from app.runs.options import RunOptions
from app.solver import solve
from app.transfer.demo import create_demo
from app.worker.choose_questions import choose_for
from tests.pages import words_of

PATIENCE = 300.0


def test_demo_has_the_tables_of_the_paper_as_plain_sizes(web: TestClient, sessions: Sessions, owner: Actor) -> None:
    with transaction(sessions) as session:
        event = create_demo(session, owner)
    page = web.get(f"/events/{event.id}/tables").text
    assert 'value="4 4 5 6 3"' in page
    assert "22 guests, 22 seats: exactly enough." in page


def test_recorded_plan_of_the_demo_is_what_a_run_finds(sessions: Sessions, owner: Actor) -> None:
    with transaction(sessions) as session:
        event = create_demo(session, owner)
        plan = session.scalars(select(Plan).where(Plan.event_id == event.id)).one()
        problem = copy_problem(session, event, objective="average").problem
    found, figures = solve(problem, restarts=50, time_limit=PATIENCE), Figures.from_stored(plan.figures)
    assert (found.proven_optimal, plan.proven_optimal, figures.solved.proven) == (True, True, True)
    stored = (plan.mse, plan.bound, plan.total, figures.solved.mse, figures.solved.total, figures.history[-1].value)
    assert stored == pytest.approx((found.mse, found.bound, found.total, found.mse, found.total, found.mse), abs=1e-12)
    assert figures.restarts == RunOptions().restarts
    assert figures.paper is not None
    assert figures.paper.mse >= found.mse - 1e-12


def test_page_of_the_demo_shows_what_that_of_a_solved_plan_shows(
    web: TestClient, sessions: Sessions, owner: Actor
) -> None:
    with transaction(sessions) as session:
        event = create_demo(session, owner)
        plan = session.scalars(select(Plan).where(Plan.event_id == event.id)).one()
    page = f"/events/{event.id}/plans/{plan.id}"
    assert "This is the best possible plan." in words_of(web.get(page).text)
    found = words_of(web.get(f"{page}/found").text)
    for words in (
        "1,000 attempts. This search was recorded when the demo was made.",
        "Best so far: mean squared distance",
        "How certain this plan is",
        "Map of the guests",
    ):
        assert words in found


def test_demo_comes_with_the_questions_that_a_worker_chooses(web: TestClient, sessions: Sessions, owner: Actor) -> None:
    with transaction(sessions) as session:
        event_id = create_demo(session, owner).id
        assert events_to_measure(session) == []
        inquiry = take_inquiry(session, session.get_one(Event, event_id))
        stored = read_batch(session, event_id)
    chosen = choose_for(inquiry, RunOptions().seed, now())
    assert stored is not None
    assert chosen is not None
    assert "Your plan is 80% settled. Answer" in words_of(web.get(f"/events/{event_id}/ratings/all").text)
    assert stored.measured == chosen.measured
    assert [q[:3] for q in map(astuple, stored.batch.questions)] == [
        q[:3] for q in map(astuple, chosen.batch.questions)
    ]
    assert [one[:3] for one in map(astuple, stored.lists)] == [one[:3] for one in map(astuple, chosen.lists)]

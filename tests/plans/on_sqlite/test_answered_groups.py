"""What a plan's sentence says of a seating does not get worse because more pairs were rated elsewhere."""

from __future__ import annotations

import re
from uuid import UUID

import pytest
from fastapi.testclient import TestClient
from sqlalchemy.orm import Session

from app.accounts.actor import Actor
from app.db import models
from app.db.session import Sessions, transaction
from app.plans.save import create_plan
from app.problem.packing import pack, unpack
from app.problem.snapshot import names_in, take_snapshot, with_names
from tests.factories import make_event, make_guests, make_result, make_tables
from tests.plans.on_sqlite.plan_pages import text_of
from tests.rating_helpers import add_group, rate_groups

SIZE, COUNT = 8, 24
SEATING = [0, 0, 0, 0, 1, 1, 1, 2, 2, 2, 2, 1, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5]
"""Guests 7 and 11 sit with nobody of their group."""


@pytest.fixture
def event_id(sessions: Sessions, owner: Actor) -> UUID:
    """Three groups of eight; within each everyone is close."""
    with transaction(sessions) as session:
        event = make_event(session, owner)
        guests = make_guests(session, event, [f"Guest {number}" for number in range(COUNT)])
        make_tables(session, event, (4,) * 6)
        for start in range(0, COUNT, SIZE):
            group = add_group(session, event, f"Group {start}", guests[start : start + SIZE])
            rate_groups(session, event, group, group, 2.0)
        return event.id


def make_seating(session: Session, owner: Actor, event: models.Event) -> UUID:
    """Make a plan with the same seating from what is known now."""
    taken = take_snapshot(session, event, objective="average")
    stored, names = pack(taken), names_in(taken)
    snapshot = with_names(unpack(stored), names)
    run = models.Run(event_id=event.id, user_id=owner.user_id, status="done", method="paper", objective="average")
    run.restarts, run.time_limit, run.seed, run.problem = 1, 5.0, 1, stored
    session.add(run)
    session.flush()
    session.add(models.RunNames(run_id=run.id, names=names))
    result = make_result(snapshot.problem, SEATING)
    return create_plan(session, event_id=event.id, run_id=run.id, snapshot=snapshot, result=result).id


def sentence(web: TestClient, sessions: Sessions, owner: Actor, event_id: UUID) -> str:
    with transaction(sessions) as session:
        plan_id = make_seating(session, owner, session.get_one(models.Event, event_id))
    page = text_of(web.get(f"/events/{event_id}/plans/{plan_id}").text)
    found = re.search(r"(All |\d+ of )24 sit [^.;]*", page)
    return found[0] if found else ""


def test_rating_pairs_elsewhere_leaves_who_sits_with_someone_they_like(
    web: TestClient, sessions: Sessions, owner: Actor, event_id: UUID
) -> None:
    before = sentence(web, sessions, owner, event_id)
    with transaction(sessions) as session:
        guests = session.query(models.Guest).filter_by(event_id=event_id).order_by(models.Guest.position).all()
        for number in range(12):
            one, other = sorted((guests[number % SIZE].id, guests[SIZE + number].id))
            score = float(number % 4 - 1)
            session.add(models.Rating(event_id=event_id, guest_a=one, guest_b=other, score=score))
    assert before == "22 of 24 sit with someone they like"
    assert sentence(web, sessions, owner, event_id).startswith(before)

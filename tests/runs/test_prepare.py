"""Runs are prepared before anything is written, and refused when the event has changed meanwhile."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from typing import Annotated
from uuid import UUID

import pytest
from fastapi import FastAPI, Request
from fastapi.testclient import TestClient
from pydantic import BaseModel
from sqlalchemy import select
from sqlalchemy.orm import Session

from app.accounts.actor import Actor
from app.config import Settings
from app.db.models import Event, Guest, Run, Table
from app.db.session import Sessions, transaction
from app.errors import EventChanged
from app.events import edit as events
from app.events.context import open_event
from app.events.queries import revision_of
from app.guests import edit as guests
from app.guests.entries import GuestEntry
from app.guests.groups import GroupEntry, add_group
from app.main import create_app
from app.plans import read as plans
from app.plans.moves.edit import MoveEntry, make_move
from app.ratings.group_defaults import GroupPair, set_group_ratings
from app.rules import edit as rules
from app.rules.edit import RuleEntry
from app.runs import start as runs
from app.runs.options import RunOptions
from app.runs.prepare import PreparedRun, prepare_run
from app.runs.queue import NullQueue
from app.tables import edit as tables
from app.web.deps import Db
from app.web.one_hop import Before, Router
from app.web.tried import Tried, tried
from app.worker.execute import execute_run
from tests.rating_helpers import set_pair
from tests.run_helpers import read_run, stored_event, stored_run

Change = Callable[[Session, Actor, UUID], object]


def prepared(sessions: Sessions, owner: Actor, event_id: UUID) -> Tried[PreparedRun]:
    """Prepare a run in a transaction that cannot write."""
    with transaction(sessions, read_only=True) as session:
        return tried(lambda: prepare_run(open_event(session, owner, event_id), RunOptions(restarts=3)))


def guest_ids(session: Session, event_id: UUID) -> list[UUID]:
    """Return the guests of an event."""
    return list(session.scalars(select(Guest.id).where(Guest.event_id == event_id).order_by(Guest.position)))


def pair_of(session: Session, event_id: UUID) -> tuple[UUID, UUID]:
    """Return two guests of the event."""
    return tuple(guest_ids(session, event_id)[:2])  # type: ignore[return-value]


def rate_pair(session: Session, owner: Actor, event_id: UUID) -> None:
    """Rate two guests."""
    set_pair(open_event(session, owner, event_id), *pair_of(session, event_id), -1.0)


def change_table(session: Session, owner: Actor, event_id: UUID) -> None:
    """Delete a table."""
    table = session.scalars(select(Table.id).where(Table.event_id == event_id)).first()
    assert table is not None
    tables.remove_table(open_event(session, owner, event_id), table)


def lock_guest(session: Session, owner: Actor, event_id: UUID) -> None:
    """Lock a guest in the newest plan."""
    plan_id = plans.current_plan_id(open_event(session, owner, event_id))
    assert plan_id is not None
    make_move(open_event(session, owner, event_id), plan_id, MoveEntry("lock", guest_ids(session, event_id)[0]))


def rate_groups(session: Session, owner: Actor, event_id: UUID) -> None:
    """Make a group and rate it."""
    group = add_group(open_event(session, owner, event_id), GroupEntry("Choir"))
    set_group_ratings(open_event(session, owner, event_id), [GroupPair(group.id, group.id, 1.0)])


CHANGES: list[Change] = [
    lambda session, owner, event_id: guests.add_guest(open_event(session, owner, event_id), GuestEntry("Zoé")),
    lambda session, owner, event_id: guests.remove_guest(
        open_event(session, owner, event_id), guest_ids(session, event_id)[0]
    ),
    lambda session, owner, event_id: events.change_event(open_event(session, owner, event_id), seats_undecided=False),
    lambda session, owner, event_id: rules.add_rule(
        open_event(session, owner, event_id), RuleEntry("apart", pair_of(session, event_id))
    ),
    rate_pair,
    change_table,
    rate_groups,
    lock_guest,
]


@pytest.mark.parametrize("change", CHANGES)
def test_run_prepared_before_a_change_is_refused(sessions: Sessions, owner: Actor, change: Change) -> None:
    event_id = stored_event(sessions, owner)
    execute_run(sessions, stored_run(sessions, owner, event_id, restarts=2))
    ready = prepared(sessions, owner, event_id)
    with transaction(sessions) as session:
        change(session, owner, event_id)
    with transaction(sessions) as session, pytest.raises(EventChanged):
        runs.start_prepared(open_event(session, owner, event_id), NullQueue(), ready)
    with transaction(sessions, read_only=True) as session:
        assert len(runs.list_runs(open_event(session, owner, event_id))) == 1


def test_run_prepared_before_another_plan_is_refused(sessions: Sessions, owner: Actor) -> None:
    event_id = stored_event(sessions, owner)
    run_id = stored_run(sessions, owner, event_id, restarts=2)
    ready = prepared(sessions, owner, event_id)
    execute_run(sessions, run_id)
    with transaction(sessions) as session, pytest.raises(EventChanged):
        runs.start_prepared(open_event(session, owner, event_id), NullQueue(), ready)


def test_runs_prepared_at_one_moment_are_all_started(sessions: Sessions, owner: Actor) -> None:
    event_id = stored_event(sessions, owner)
    ready = [prepared(sessions, owner, event_id) for _ in range(3)]
    for one in ready:
        with transaction(sessions) as session:
            run = runs.start_prepared(open_event(session, owner, event_id), NullQueue(), one)
        assert read_run(sessions, run.id).status == "queued"


def test_starting_a_prepared_run_reads_no_guest_and_no_rating(sessions: Sessions, owner: Actor) -> None:
    event_id = stored_event(sessions, owner)
    ready = prepared(sessions, owner, event_id)
    with transaction(sessions) as session:
        runs.start_prepared(open_event(session, owner, event_id), NullQueue(), ready)
        loaded = {type(row) for row in session.identity_map.values()}
    assert loaded <= {Event, Run}


def test_every_change_counts_the_revision_and_leaves_the_version_of_the_event(sessions: Sessions, owner: Actor) -> None:
    event_id = stored_event(sessions, owner)
    with transaction(sessions) as session:
        before = open_event(session, owner, event_id).event
        version, edited, counted = before.version, before.updated_at, revision_of(session, event_id)
    with transaction(sessions) as session:
        guests.add_guest(open_event(session, owner, event_id), GuestEntry("Zoé"))
    with transaction(sessions) as session:
        after = open_event(session, owner, event_id).event
        assert (after.version, after.updated_at) == (version, edited)
        assert revision_of(session, event_id) == (counted or 0) + 1
        events.change_event(open_event(session, owner, event_id), on=date(2030, 6, 1))
        assert revision_of(session, event_id) == (counted or 0) + 2


class Course(BaseModel):
    """How often something was prepared and written."""

    prepared: int = 0
    written: int = 0


def prepare_once_more(request: Request, session: Db) -> int:
    """Count how often this was prepared."""
    course: Course = request.app.state.course
    course.prepared += 1
    return course.prepared


@pytest.fixture
def changing(settings: Settings) -> FastAPI:
    """A server whose event is changed by others as often as the address says, each time after it was prepared."""
    app, router = create_app(settings, NullQueue()), Router()
    app.state.course = Course()

    @router.post("/changed/{times}")
    def write(request: Request, session: Db, times: int, number: Annotated[int, Before(prepare_once_more)]) -> Course:
        course: Course = request.app.state.course
        course.written += 1
        if number <= times:
            raise EventChanged
        return course

    app.include_router(router)
    return app


def test_what_was_prepared_too_early_is_prepared_again(changing: FastAPI) -> None:
    with TestClient(changing, base_url="http://localhost") as client:
        assert client.post("/changed/2").json() == {"prepared": 3, "written": 3}


def test_event_that_keeps_changing_is_a_conflict(changing: FastAPI) -> None:
    with TestClient(changing, base_url="http://localhost") as client:
        answer = client.post("/changed/99", headers={"Accept": "application/json"})
    assert answer.status_code == 409

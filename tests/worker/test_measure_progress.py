"""Plans are measured soon after each change, though nobody opens a page that asks for it."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from uuid import UUID

import pytest
from sqlalchemy import delete, select, update
from sqlalchemy.orm import Session

from app import clock
from app.accounts.actor import Actor
from app.db.models import Event, Member, QuestionBatch, Run
from app.db.session import Sessions, transaction
from app.events import measuring
from app.events.context import open_event
from app.events.progress import NOT_YET, Measured, Progress, show_progress
from app.events.queries import QUIET, count_revision
from app.runs.queue import NullQueue
from app.runs.start import side_run
from app.worker.execute import execute_run
from app.worker.measure_progress import measure_changed
from tests.factories import make_event, make_guests, make_tables


@pytest.fixture
def later(monkeypatch: pytest.MonkeyPatch) -> Callable[[timedelta], None]:
    """Let time pass for those who look for events to measure."""
    return lambda passed: monkeypatch.setattr(measuring, "now", lambda: clock.now() + passed)


def test_changed_event_is_measured_once_nobody_changes_it(
    sessions: Sessions, owner: Actor, later: Callable[[timedelta], None]
) -> None:
    with transaction(sessions) as session:
        event_id = make_event(session, owner).id
        ctx = open_event(session, owner, event_id)
        make_guests(session, ctx.event, [f"Guest {number}" for number in range(8)])
        ctx.edit()
    later(QUIET)
    assert measure_changed(sessions, NullQueue()) == 0  # there are no tables yet
    later(timedelta())
    with transaction(sessions) as session:
        make_tables(session, open_event(session, owner, event_id).event, [4, 4])
        count_revision(session, event_id, "tables")
    assert measure_changed(sessions, NullQueue()) == 0  # somebody may still be at it
    later(QUIET)
    assert measure_changed(sessions, NullQueue()) == 1
    assert measure_changed(sessions, NullQueue()) == 0
    with transaction(sessions) as session:
        ctx = open_event(session, owner, event_id)
        assert show_progress(ctx) == Progress(None, NOT_YET, is_settled=False, is_current=False, is_coming=True)
        (run,) = session.scalars(select(Run.id).where(Run.event_id == event_id))
    assert execute_run(sessions, run) == "done"
    with transaction(sessions) as session:
        progress = show_progress(open_event(session, owner, event_id))
        assert progress is not None
        assert progress.percent is not None
        assert progress.is_current
        count_revision(session, event_id, "plans")
        assert waits_until(session, event_id) is not None
    later(timedelta(days=1))  # however long the event rests after a slow measurement
    assert measure_changed(sessions, NullQueue()) == 0  # plans change nothing about it
    with transaction(sessions) as session:
        assert waits_until(session, event_id) is None


def test_event_that_changes_while_it_is_measured_is_measured_again(
    sessions: Sessions, owner: Actor, later: Callable[[timedelta], None]
) -> None:
    with transaction(sessions) as session:
        event = make_event(session, owner)
        make_guests(session, event, ["Aino", "Bo", "Cleo", "Dan"])
        make_tables(session, event, [4])
        event_id = event.id
        open_event(session, owner, event_id).edit()
    later(QUIET)
    assert measure_changed(sessions, NullQueue()) == 1
    with transaction(sessions) as session:
        count_revision(session, event_id, "tables")
        (run,) = session.scalars(select(Run.id).where(Run.event_id == event_id))
    later(2 * QUIET)
    assert measure_changed(sessions, NullQueue()) == 0  # the first is not done
    assert execute_run(sessions, run) == "done"
    later(4 * QUIET)
    assert measure_changed(sessions, NullQueue()) == 1


def test_lower_measure_is_told_with_the_one_before(
    sessions: Sessions, owner: Actor, later: Callable[[timedelta], None]
) -> None:
    with transaction(sessions) as session:
        event = make_event(session, owner)
        make_guests(session, event, [f"Guest {number}" for number in range(8)])
        make_tables(session, event, [4, 4])
        event_id = event.id
        before = Measured(0.84, (), event.revision, 0).as_json()
        open_event(session, owner, event_id).edit()
    later(QUIET)
    measure(sessions, event_id)
    with transaction(sessions) as session:
        session.execute(update(QuestionBatch).values(progress=before))
        count_revision(session, event_id, "tables")
    later(timedelta(days=1))  # however long the event rests after a slow measurement
    measure(sessions, event_id)
    with transaction(sessions) as session:
        progress = show_progress(open_event(session, owner, event_id))
    assert progress is not None
    assert progress.text.startswith("Your plan is 0% settled. Before your latest changes it was 84%: ")


def measure(sessions: Sessions, event_id: UUID) -> None:
    """Let a worker measure what was changed."""
    assert measure_changed(sessions, NullQueue()) == 1
    with transaction(sessions) as session:
        run = session.scalars(select(Run.id).where(Run.event_id == event_id, Run.status == "queued")).one()
    assert execute_run(sessions, run) == "done"


def planned_event(session: Session, owner: Actor, guests: int = 4) -> UUID:
    """Make an event that can be measured."""
    event = make_event(session, owner)
    make_guests(session, event, [f"Guest {number}" for number in range(guests)])
    make_tables(session, event, [4])
    open_event(session, owner, event.id).edit()
    return event.id


def waits_until(session: Session, event_id: UUID) -> datetime | None:
    return session.scalar(select(Event.measure_at).where(Event.id == event_id))


def test_event_that_cannot_be_measured_holds_nobody_up(
    sessions: Sessions, owner: Actor, later: Callable[[timedelta], None]
) -> None:
    with transaction(sessions) as session:
        unreadable, left_alone, usual = (planned_event(session, owner) for _ in range(3))
        session.add(QuestionBatch(event_id=unreadable, content=b"not a batch"))
        session.execute(delete(Member).where(Member.event_id == left_alone))
    later(QUIET)
    assert measure_changed(sessions, NullQueue()) == 1
    with transaction(sessions) as session:
        assert session.scalars(select(Run.event_id)).all() == [usual]
        again = waits_until(session, unreadable)
        assert again is not None
        assert again > clock.now() + QUIET
        assert waits_until(session, left_alone) is None
        assert waits_until(session, usual) is not None  # it is looked at again


def test_few_measurements_wait_so_that_those_asked_for_come_soon(
    sessions: Sessions, owner: Actor, later: Callable[[timedelta], None]
) -> None:
    with transaction(sessions) as session:
        for _ in range(4):
            planned_event(session, owner)
    later(QUIET)
    assert measure_changed(sessions, NullQueue()) == 2
    assert measure_changed(sessions, NullQueue()) == 0
    with transaction(sessions) as session:
        session.scalars(select(Run)).first().status = "running"  # type: ignore[union-attr]  # there are two
    assert measure_changed(sessions, NullQueue()) == 1


@pytest.mark.parametrize(("took", "rest"), [(5, 15), (40, 16.2)], ids=["usual", "busy machine"])
def test_event_rests_after_a_measurement_for_as_long_as_its_size_allows(
    sessions: Sessions, owner: Actor, later: Callable[[timedelta], None], took: int, rest: float
) -> None:
    ended = clock.now()
    with transaction(sessions) as session:
        event_id = planned_event(session, owner, guests=300)
        run = side_run("questions", owner, event_id, b"")
        run.status, run.started_at, run.finished_at = "done", ended - timedelta(seconds=took), ended
        session.add(run)
    later(QUIET)
    assert measure_changed(sessions, NullQueue()) == 0
    with transaction(sessions) as session:
        assert waits_until(session, event_id) == ended + timedelta(seconds=rest)
    later(timedelta(seconds=rest + 1))
    assert measure_changed(sessions, NullQueue()) == 1

"""Runs: start, list, cancel."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any
from uuid import UUID, uuid4

import pytest
from sqlalchemy.orm import Session

from app.accounts.actor import Actor
from app.db.session import Sessions, transaction
from app.errors import Conflict, Forbidden, Invalid, NotFound
from app.events.context import open_event
from app.rules.edit import RuleEntry, add_rule
from app.runs import start as runs
from app.runs.leases import take_lease
from app.runs.options import RunOptions
from app.runs.queue import NullQueue
from tests.factories import make_event, make_guests, make_member, make_tables
from tests.run_helpers import read_run, stored_event, stored_run


class CountingQueue(NullQueue):
    """Remembers what was handed over."""

    def __init__(self) -> None:
        self.submitted: list[UUID] = []

    def submit(self, session: Session, run_id: UUID, turns: Sequence[int]) -> None:
        self.submitted.append(run_id)


def test_run_waits_with_what_was_asked(sessions: Sessions, owner: Actor) -> None:
    event_id, queue = stored_event(sessions, owner), CountingQueue()
    options = RunOptions(method="paper", objective="total", restarts=7, seed=3)
    with transaction(sessions) as session:
        run = runs.start_run(open_event(session, owner, event_id), queue, options)
    assert queue.submitted == [run.id]
    assert read_run(sessions, run.id) == run
    assert (run.status, run.options, run.plan_id) == ("queued", options, None)


def test_form_sent_twice_starts_one_run(sessions: Sessions, owner: Actor) -> None:
    event_id, queue, run_id = stored_event(sessions, owner), CountingQueue(), uuid4()
    for _ in range(2):
        with transaction(sessions) as session:
            assert runs.start_run(open_event(session, owner, event_id), queue, run_id=run_id).id == run_id
    assert queue.submitted == [run_id]


def test_form_sent_twice_at_once_starts_one_run(sessions: Sessions, owner: Actor) -> None:
    event_id, queue, run_id = stored_event(sessions, owner), CountingQueue(), uuid4()
    together, started = threading.Barrier(4), []

    def send() -> None:
        together.wait()
        with transaction(sessions) as session:
            started.append(runs.start_run(open_event(session, owner, event_id), queue, run_id=run_id).id)

    threads = [threading.Thread(target=send) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert started == [run_id] * 4
    assert queue.submitted == [run_id]


def test_form_of_one_event_starts_nothing_in_another(sessions: Sessions, owner: Actor) -> None:
    run_id = stored_run(sessions, owner, stored_event(sessions, owner))
    other = stored_event(sessions, owner)
    with transaction(sessions) as session, pytest.raises(Conflict):
        runs.start_run(open_event(session, owner, other), NullQueue(), run_id=run_id)


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("method", "magic"),
        ("objective", "beauty"),
        ("restarts", 0),
        ("restarts", 1_000_001),
        ("time_limit", 0.05),
        ("time_limit", 3601.0),
        ("time_limit", float("nan")),
        ("seed", -1),
        ("seed", 2**31),
        ("shards", 0),
        ("shards", 65),
    ],
)
def test_option_out_of_bounds_is_named(session: Session, owner: Actor, option: str, value: Any) -> None:
    event = make_event(session, owner)
    with pytest.raises(Invalid) as refused:
        runs.start_run(open_event(session, owner, event.id), NullQueue(), RunOptions(**{option: value}))
    assert [fault.where for fault in refused.value.faults] == [option]


def test_rules_that_cannot_all_hold_are_told_before_anything_runs(session: Session, owner: Actor) -> None:
    event = make_event(session, owner)
    aino, bo = make_guests(session, event, ["Aino", "Bo"])
    make_tables(session, event, (2, 2))
    add_rule(open_event(session, owner, event.id), RuleEntry("together", (aino.id, bo.id)))
    add_rule(open_event(session, owner, event.id), RuleEntry("apart", (aino.id, bo.id)))
    with pytest.raises(Invalid) as refused:
        runs.start_run(open_event(session, owner, event.id), NullQueue())
    assert refused.value.faults[0].where == "rules"
    assert "Aino" in refused.value.message
    assert runs.list_runs(open_event(session, owner, event.id)) == []


def test_waiting_run_is_cancelled_at_once(sessions: Sessions, owner: Actor) -> None:
    event_id = stored_event(sessions, owner)
    run_id = stored_run(sessions, owner, event_id)
    with transaction(sessions) as session:
        run = runs.cancel_run(open_event(session, owner, event_id), run_id)
    assert (run.status, run.is_over, run.finished_at is not None) == ("cancelled", True, True)
    with transaction(sessions) as session:
        assert take_lease(session, run_id) is None


def test_running_run_is_asked_to_stop(sessions: Sessions, owner: Actor) -> None:
    event_id = stored_event(sessions, owner)
    run_id = stored_run(sessions, owner, event_id)
    with transaction(sessions) as session:
        take_lease(session, run_id)
    with transaction(sessions) as session:
        run = runs.cancel_run(open_event(session, owner, event_id), run_id)
    assert (run.status, run.cancel_requested, run.finished_at) == ("running", True, None)


def test_runs_are_listed_from_the_newest_in_pages(sessions: Sessions, owner: Actor) -> None:
    event_id = stored_event(sessions, owner)
    # A form chooses the id when it is opened, which may be long before it is sent.
    ids = [stored_run(sessions, owner, event_id, run_id=UUID(int=number)) for number in (5, 4, 9, 1)]
    with transaction(sessions, read_only=True) as session:
        first = runs.list_runs(open_event(session, owner, event_id), limit=3)
        rest = runs.list_runs(open_event(session, owner, event_id), limit=3, after=first[-1].id)
    assert [run.id for run in first + rest] == ids[::-1]


def test_stranger_and_viewer_start_see_and_cancel_nothing(sessions: Sessions, owner: Actor, stranger: Actor) -> None:
    event_id = stored_event(sessions, owner)
    run_id = stored_run(sessions, owner, event_id)
    with transaction(sessions) as session:
        viewer = make_member(session, event_id, "viewer")
        for actor, error in ((stranger, NotFound), (viewer, Forbidden)):
            with pytest.raises(error):
                runs.start_run(open_event(session, actor, event_id), NullQueue())
            with pytest.raises(error):
                runs.show_run(open_event(session, actor, event_id), run_id)
            with pytest.raises(error):
                runs.list_runs(open_event(session, actor, event_id))
            with pytest.raises(error):
                runs.cancel_run(open_event(session, actor, event_id), run_id)
    assert read_run(sessions, run_id).status == "queued"


def test_run_of_another_event_is_not_found(sessions: Sessions, owner: Actor) -> None:
    run_id = stored_run(sessions, owner, stored_event(sessions, owner))
    other = stored_event(sessions, owner)
    with transaction(sessions) as session, pytest.raises(NotFound):
        runs.show_run(open_event(session, owner, other), run_id)

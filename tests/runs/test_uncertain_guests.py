"""Runs that count on some guests staying away."""

from __future__ import annotations

import pytest
from fastapi.testclient import TestClient

from app.accounts.actor import Actor
from app.db.models import Guest, Plan, Table
from app.db.session import Sessions, transaction
from app.errors import Invalid
from app.plans.figures import Figures
from app.runs.options import RunOptions
from app.worker.execute import execute_run
from tests.run_helpers import read_run, stored_event, stored_run


def test_plan_says_what_counting_on_absences_costs(sessions: Sessions, owner: Actor) -> None:
    event_id = stored_event(sessions, owner)
    with transaction(sessions) as session:
        guests = session.query(Guest).filter(Guest.event_id == event_id).order_by(Guest.position).all()
        guests[0].reply, guests[1].reply = "maybe", "invited"
        for guest in guests[2:]:
            guest.reply = "yes"
    run_id = stored_run(sessions, owner, event_id, restarts=20, time_limit=1.0, maybe_percent=50, no_reply_percent=80)
    assert execute_run(sessions, run_id) == "done"
    with transaction(sessions, read_only=True) as session:
        plan = session.get(Plan, read_run(sessions, run_id).plan_id)
        assert plan is not None
        report = Figures.from_stored(plan.figures).attendance
    assert report is not None
    assert (report.uncertain, report.price >= 0, report.gain >= 0) == (2, True, True)


def test_program_reads_the_price_and_how_often_minimums_fail(api: TestClient, sessions: Sessions, owner: Actor) -> None:
    event_id = stored_event(sessions, owner)
    with transaction(sessions) as session:
        for table in session.query(Table).filter(Table.event_id == event_id):
            table.min_seats = 4
        for guest in session.query(Guest).filter(Guest.event_id == event_id):
            guest.reply = "maybe"
    run_id = stored_run(sessions, owner, event_id, restarts=20, time_limit=1.0, maybe_percent=50)
    assert execute_run(sessions, run_id) == "done"
    address = f"events/{event_id}/plans/{read_run(sessions, run_id).plan_id}"
    found = api.get(address).json()["attendance"]
    assert (found["uncertain"], found["minimums_kept"] < 0.2) == (8, True)
    assert "8 guests may not come." in found["sentence"]
    share = f"{1 - found['minimums_kept']:.0%}" if found["minimums_kept"] else "100%"
    assert f"A table then has fewer guests than its minimum in {share} of the cases;" in found["sentence"]


def test_everyone_counts_for_certain_unless_asked_otherwise(sessions: Sessions, owner: Actor) -> None:
    event_id = stored_event(sessions, owner)
    run_id = stored_run(sessions, owner, event_id, restarts=5)
    assert execute_run(sessions, run_id) == "done"
    with transaction(sessions, read_only=True) as session:
        plan = session.get(Plan, read_run(sessions, run_id).plan_id)
        assert plan is not None
        assert Figures.from_stored(plan.figures).attendance is None


@pytest.mark.parametrize("other", [{"method": "paper"}, {"rounds": 2}, {"shards": 2}, {"repair": True}])
def test_chances_are_refused_where_they_would_be_ignored(other: dict[str, object]) -> None:
    RunOptions(**other).check()  # type: ignore[arg-type]
    with pytest.raises(Invalid, match="can't be combined"):
        RunOptions(maybe_percent=50, **other).check()  # type: ignore[arg-type]


def test_chances_out_of_range_are_named() -> None:
    with pytest.raises(Invalid) as refused:
        RunOptions(maybe_percent=101, no_reply_percent=0).check()
    assert [fault.message for fault in refused.value.faults] == [
        "The chance that a “maybe” comes must be from 1 to 100 %.",
        "The chance that guests without a reply come must be from 1 to 100 %.",
    ]

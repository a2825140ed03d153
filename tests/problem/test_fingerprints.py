"""Whether the event has changed since a run, by value, and repeating a run as the event was then."""

from __future__ import annotations

import re
from html import unescape
from uuid import UUID, uuid4

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import select
from sqlalchemy.event import listen, remove

from app.accounts.actor import Actor
from app.db.models import Event, Guest, Run, Table
from app.db.session import Sessions, transaction
from app.errors import NotFound
from app.events.context import open_event
from app.guests.edit import change_guest
from app.guests.entries import GuestEntry
from app.plans.staleness import WhatChanged, find_what_changed
from app.problem.fingerprints import list_changes
from app.ratings.change import Entry, put_ratings
from app.rules.edit import RuleEntry, add_rule
from app.runs.queue import NullQueue
from app.runs.start import repeat_run
from app.worker.execute import execute_run
from tests.factories import make_guests
from tests.run_helpers import read_run, seated, stored_event, stored_run


def changes(sessions: Sessions, owner: Actor, event_id: UUID, run_id: UUID) -> tuple[str, ...]:
    with transaction(sessions, read_only=True) as session:
        return list_changes(open_event(session, owner, event_id), run_id)


def rate(sessions: Sessions, owner: Actor, event_id: UUID, score: float) -> None:
    with transaction(sessions) as session:
        a, b = session.scalars(select(Guest).where(Guest.event_id == event_id).order_by(Guest.position).limit(2))
        others = session.scalars(
            select(Guest).where(Guest.event_id == event_id).order_by(Guest.position).offset(2)
        ).all()
        pairs = zip(others[::2], others[1::2], strict=False)
        entries = [Entry(a.id, b.id, score), *(Entry(one.id, other.id, 2.0) for one, other in pairs)]
        put_ratings(open_event(session, owner, event_id), entries)


def test_event_that_is_as_it_was_has_no_changes(sessions: Sessions, owner: Actor) -> None:
    event_id = stored_event(sessions, owner)
    assert changes(sessions, owner, event_id, stored_run(sessions, owner, event_id)) == ()


def test_rating_that_was_changed_and_changed_back_is_no_change(sessions: Sessions, owner: Actor) -> None:
    event_id = stored_event(sessions, owner)
    run_id = stored_run(sessions, owner, event_id)
    rate(sessions, owner, event_id, -1.0)
    assert changes(sessions, owner, event_id, run_id) == ("ratings",)
    rate(sessions, owner, event_id, 2.0)
    assert changes(sessions, owner, event_id, run_id) == ()


def test_each_thing_that_a_plan_depends_on_is_named(sessions: Sessions, owner: Actor) -> None:
    event_id = stored_event(sessions, owner)
    run_id = stored_run(sessions, owner, event_id)
    with transaction(sessions) as session:
        one, other = session.scalars(select(Guest).where(Guest.event_id == event_id).limit(2))
        add_rule(open_event(session, owner, event_id), RuleEntry("apart", (one.id, other.id)))
        one.name = "Renamed"
        session.scalars(select(Table).where(Table.event_id == event_id).limit(1)).one().seats += 1
    assert changes(sessions, owner, event_id, run_id) == ("guests", "tables", "rules")


def test_run_without_marks_claims_no_change(sessions: Sessions, owner: Actor) -> None:
    event_id = stored_event(sessions, owner)
    run_id = stored_run(sessions, owner, event_id)
    with transaction(sessions) as session:
        session.get_one(Run, run_id).marks = None
    assert changes(sessions, owner, event_id, run_id) == ()


def test_repeated_run_gives_the_plan_of_the_event_as_it_was(sessions: Sessions, owner: Actor) -> None:
    event_id = stored_event(sessions, owner)
    first = stored_run(sessions, owner, event_id, restarts=20, seed=6, time_limit=600.0)
    execute_run(sessions, first)
    with transaction(sessions) as session:
        session.scalars(select(Guest).where(Guest.event_id == event_id).limit(1)).one().name = "Renamed"
        make_guests(session, session.get_one(Event, event_id), ["Latecomer"])
    with transaction(sessions) as session:
        again = repeat_run(open_event(session, owner, event_id), first, NullQueue())
    assert (again.options.seed, again.options.restarts, again.status) == (6, 20, "queued")
    assert execute_run(sessions, again.id) == "done"
    assert {frozenset(t) for t in seated(sessions, again.id)} == {frozenset(t) for t in seated(sessions, first)}
    assert changes(sessions, owner, event_id, again.id) == ("guests",)


def test_repeat_lets_the_database_copy_the_problem(sessions: Sessions, owner: Actor) -> None:
    event_id = stored_event(sessions, owner)
    first = stored_run(sessions, owner, event_id)
    said: list[str] = []

    def hear(_: object, __: object, statement: str, *rest: object) -> None:
        said.append(statement)

    engine = sessions.kw["bind"]
    listen(engine, "before_cursor_execute", hear)
    with transaction(sessions) as session:
        again = repeat_run(open_event(session, owner, event_id), first, NullQueue()).id
    remove(engine, "before_cursor_execute", hear)
    [copy] = [statement for statement in said if "problem" in statement]
    assert copy.startswith("INSERT")
    assert "problem" not in copy.partition("RETURNING")[2]
    with transaction(sessions) as session:
        assert session.get_one(Run, again).problem == session.get_one(Run, first).problem


def test_form_for_a_repeat_sent_twice_starts_one_run(sessions: Sessions, owner: Actor) -> None:
    event_id, form = stored_event(sessions, owner), uuid4()
    first = stored_run(sessions, owner, event_id)
    for _ in range(2):
        with transaction(sessions) as session:
            assert repeat_run(open_event(session, owner, event_id), first, NullQueue(), new_run_id=form).id == form
    with transaction(sessions) as session, pytest.raises(NotFound):
        repeat_run(open_event(session, owner, event_id), uuid4(), NullQueue())


def test_repeat_pressed_twice_on_the_page_starts_one_run(web: TestClient, sessions: Sessions, owner: Actor) -> None:
    event_id = stored_event(sessions, owner)
    runs = [stored_run(sessions, owner, event_id, restarts=5) for _ in range(2)]
    for run_id in runs:
        execute_run(sessions, run_id)
    page = web.get(f"/events/{event_id}/plan?new=1").text
    forms = re.findall(r'action="(/events/[^"]+/repeat)">(.*?)</form>', page, re.DOTALL)
    assert len(forms) == 2
    led_to = set()
    for action, inside in forms:
        entered = dict(re.findall(r'name="(\w+)" value="([^"]+)"', inside))
        led_to |= {web.post(action, data=entered, follow_redirects=False).headers["location"] for _ in range(2)}
    assert len(led_to) == 2


def test_page_of_a_plan_says_what_has_changed(web: TestClient, sessions: Sessions, owner: Actor) -> None:
    event_id = stored_event(sessions, owner)
    run_id = stored_run(sessions, owner, event_id, restarts=5)
    execute_run(sessions, run_id)
    page = f"/events/{event_id}/plans/{read_run(sessions, run_id).plan_id}"
    assert "changed since this plan was created" not in web.get(page).text
    rate(sessions, owner, event_id, -2.0)
    assert "The ratings have changed since this plan was created." in web.get(page).text


def test_page_of_a_plan_names_who_and_what_has_changed(web: TestClient, sessions: Sessions, owner: Actor) -> None:
    event_id = stored_event(sessions, owner)
    run_id = stored_run(sessions, owner, event_id, restarts=5)
    execute_run(sessions, run_id)
    with transaction(sessions) as session:
        one, other, third, *_ = session.scalars(select(Guest).order_by(Guest.position)).all()
        names = one.name, other.name, third.name
        one.reply, other.name = "no", "Renamed"
        table = session.scalars(select(Table).order_by(Table.position)).first()
        assert table is not None
        table.seats += 2
        make_guests(session, session.get_one(Event, event_id), ["Latecomer"])
    page = unescape(web.get(f"/events/{event_id}/plans/{read_run(sessions, run_id).plan_id}").text)
    changes = f"{names[0]} is no longer attending; {names[1]} is now Renamed; changed tables: {table.name}"
    message = f"({changes}): Latecomer has no seat."
    assert f"The guests and tables have changed since this plan was created {message}" in page


def test_guests_in_another_party_are_named(sessions: Sessions, owner: Actor) -> None:
    event_id = stored_event(sessions, owner)
    run_id = stored_run(sessions, owner, event_id)
    with transaction(sessions) as session:
        one, other, *_ = session.scalars(select(Guest).order_by(Guest.position)).all()
        change_guest(open_event(session, owner, event_id), one.id, GuestEntry(one.name, party="Carter"))
        change_guest(open_event(session, owner, event_id), other.id, GuestEntry(other.name, party="Carter"))
        session.flush()
        found = find_what_changed(open_event(session, owner, event_id), run_id)
        assert found == WhatChanged([], [], [], [one.name, other.name], [], [], [])


def test_run_is_repeated_over_page_and_api(web: TestClient, api: TestClient, sessions: Sessions, owner: Actor) -> None:
    event_id = stored_event(sessions, owner)
    run_id = stored_run(sessions, owner, event_id, shards=2)
    over_api = api.post(f"events/{event_id}/runs/{run_id}/repeat")
    assert (over_api.status_code, over_api.json()["shards"]) == (202, 2)
    sent = web.post(f"/events/{event_id}/runs/{run_id}/repeat", data={"submission": str(uuid4())})
    assert sent.status_code == 303
    assert f"/events/{event_id}/runs/" in sent.headers["location"]

"""What a page asks the database: nothing twice."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from uuid import UUID

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import Connection, event

from app.accounts.actor import Actor
from app.clock import now
from app.db.models import Wish
from app.db.session import Sessions, transaction
from app.events.context import open_event
from app.guests.edit import change_guest, list_guests
from app.guests.entries import GuestEntry
from app.rules import edit as rules
from app.rules.edit import RuleEntry
from app.tables.edit import list_tables
from app.transfer.demo import create_demo
from app.worker.execute import execute_run
from tests.run_helpers import read_run, stored_run

PAGES = (
    "guests",
    "guests/{guest}",
    "guests/{guest}/rules",
    "guests/{guest}/likes",
    "guests.csv",
    "groups",
    "rules",
    "ratings",
    "ratings/groups",
    "ratings/guests/{guest}",
    "ratings/questions",
    "wishes",
    "tables",
    "plan?new=1",
    "plans/{plan}",
    "plans/{plan}?guest={guest}",
    "plans/{plan}?tab=problems",
    "plans/{plan}?tab=changes",
    "plans/{plan}/panel?tab=guest&guest={guest}",
    "plans/{plan}/found",
    "share",
    "settings",
    "event.xlsx",
)


@pytest.fixture
def full(sessions: Sessions, owner: Actor) -> dict[str, UUID]:
    """The ids of an event with something of everything, of one of its guests, and of its plan."""
    with transaction(sessions) as session:
        event_id = create_demo(session, owner).id
        first, second, third, fourth = (guest.id for guest in list_guests(open_event(session, owner, event_id))[:4])
        for guest, name in ((first, "Maija"), (second, "Olli")):
            change_guest(open_event(session, owner, event_id), guest, GuestEntry(name, party="Virtanen"))
        table = list_tables(open_event(session, owner, event_id))[0].id
        rules.add_rule(open_event(session, owner, event_id), RuleEntry("apart", (first, fourth)))
        rules.add_rule(open_event(session, owner, event_id), RuleEntry("pinned", (third,), (table,)))
        session.add(Wish(event_id=event_id, guest_id=first, other_id=fourth, created_at=now()))
    run_id = stored_run(sessions, owner, event_id, restarts=5)
    execute_run(sessions, run_id)
    plan_id = read_run(sessions, run_id).plan_id
    assert plan_id is not None
    return {"event": event_id, "guest": first, "plan": plan_id}


@contextmanager
def questions_to(sessions: Sessions) -> Iterator[Counter[str]]:
    """Count the statements with what is asked for in them."""
    asked: Counter[str] = Counter()

    def note(_connection: Connection, _cursor: object, statement: str, parameters: object, *_: object) -> None:
        if statement != "BEGIN":
            asked[f"{statement} {parameters}"] += 1

    engine = sessions.kw["bind"]
    event.listen(engine, "before_cursor_execute", note)
    try:
        yield asked
    finally:
        event.remove(engine, "before_cursor_execute", note)


MOST_QUESTIONS = {"plans/{plan}": 30, "plans/{plan}?guest={guest}": 30}
"""Each takes a tenth of a millisecond or more, whatever it reads."""


def test_pages_ask_few_questions(web: TestClient, sessions: Sessions, full: dict[str, UUID]) -> None:
    for name, most in MOST_QUESTIONS.items():
        with questions_to(sessions) as asked:
            assert web.get(f"/events/{full['event']}/{name.format(**full)}").status_code == 200
        assert sum(asked.values()) <= most, "\n".join((name, *asked))


def test_pages_ask_nothing_twice(web: TestClient, sessions: Sessions, full: dict[str, UUID]) -> None:
    repeated = {}
    for name in PAGES:
        with questions_to(sessions) as asked:
            answer = web.get(f"/events/{full['event']}/{name.format(**full)}")
        assert answer.status_code == 200, (name, answer.headers.get("location"))
        assert asked, name
        repeated[name] = [question for question, times in asked.items() if times > 1]
    assert {name: questions for name, questions in repeated.items() if questions} == {}

"""What a page asks the database: nothing twice."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import Connection, event

from app.db.session import Sessions
from app.jobs.execute import execute_run
from app.services.access import Actor
from tests.run_helpers import stored_event, stored_run


@contextmanager
def questions_to(sessions: Sessions) -> Iterator[Counter[str]]:
    """Count the statements with what is asked for in them."""
    asked: Counter[str] = Counter()

    def note(_connection: Connection, _cursor: object, statement: str, parameters: object, *_: object) -> None:
        asked[f"{statement} {parameters}"] += 1

    engine = sessions.kw["bind"]
    event.listen(engine, "before_cursor_execute", note)
    try:
        yield asked
    finally:
        event.remove(engine, "before_cursor_execute", note)


PAGES = (
    "guests",
    "groups",
    "rules",
    "ratings",
    "ratings/groups",
    "ratings/questions",
    "wishes",
    "tables",
    "plan",
    "share",
    "settings",
)


@pytest.mark.parametrize("name", PAGES)
def test_page_asks_nothing_twice(web: TestClient, sessions: Sessions, owner: Actor, name: str) -> None:
    address = f"/events/{stored_event(sessions, owner)}/{name}"
    with questions_to(sessions) as asked:
        assert web.get(address).status_code == 200
    assert asked
    assert [question for question, times in asked.items() if times > 1] == []


def test_page_of_a_plan_asks_nothing_twice(web: TestClient, sessions: Sessions, owner: Actor) -> None:
    event_id = stored_event(sessions, owner)
    run_id = stored_run(sessions, owner, event_id, restarts=5)
    execute_run(sessions, run_id)
    address = web.get(f"/events/{event_id}/runs/{run_id}").headers["location"]
    with questions_to(sessions) as asked:
        assert web.get(address).status_code == 200
    assert [question for question, times in asked.items() if times > 1] == []

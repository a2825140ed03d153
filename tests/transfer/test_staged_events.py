"""Events from workbooks are written in short steps, and nobody sees one before the last step."""

from __future__ import annotations

import threading
from datetime import timedelta
from itertools import pairwise
from uuid import UUID

import pytest
from sqlalchemy import func, select, update

from app.accounts.actor import Actor
from app.admin.retention import Retention
from app.clock import now
from app.db.models import Event, Guest, Rating
from app.db.session import Sessions, transaction
from app.errors import Invalid, NotFound
from app.events.context import open_event
from app.events.edit import list_events
from app.files.sheet_limits import SheetRow
from app.transfer import staged_events
from app.transfer.staged_events import StagedEvent, stage_event
from app.transfer.workbook_reader import Book
from app.worker.retention_loop import delete_old_data

FOR_EVER = Retention(0, 0)
GUESTS = 7


def rows(*lines: tuple[str, ...]) -> list[SheetRow]:
    return [SheetRow(number, cells) for number, cells in enumerate((("heading",), *lines), start=1)]


@pytest.fixture
def book() -> Book:
    """A workbook of seven guests, each of whom likes the next."""
    names = [f"Guest {number}" for number in range(GUESTS)]
    return {
        "Event": rows(("Name", "Large party")),
        "Guests": rows(*((name, f"Party {place // 2}", "Choir") for place, name in enumerate(names))),
        "Ratings": rows(*((a, b, "2") for a, b in pairwise(names))),
    }


def write(sessions: Sessions, staged: StagedEvent) -> None:
    for step in staged.steps:
        with transaction(sessions) as session:
            step.write(session)


def is_stored(sessions: Sessions, event_id: UUID) -> bool:
    with transaction(sessions, read_only=True) as session:
        return session.get(Event, event_id) is not None


def test_event_is_seen_only_when_all_of_it_is_written(
    sessions: Sessions, owner: Actor, book: Book, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(staged_events, "MOST_ROWS", 3)
    staged = stage_event(owner, book)
    assert max(len(step.rows) for step in staged.steps) == 3
    write(sessions, staged)
    with transaction(sessions, read_only=True) as session:
        assert list_events(session, owner) == []
        with pytest.raises(NotFound):
            open_event(session, owner, staged.id)
    with transaction(sessions) as session:
        staged.finish(session)
    with transaction(sessions, read_only=True) as session:
        assert [event.name for event in list_events(session, owner)] == ["Large party"]
        assert open_event(session, owner, staged.id, "owner").event.revision == staged.revision > 0
        counts = [session.scalar(select(func.count()).select_from(model)) for model in (Guest, Rating)]
        assert counts == [GUESTS, GUESTS - 1]


def test_event_that_was_not_finished_is_deleted_after_a_while(sessions: Sessions, owner: Actor, book: Book) -> None:
    left, finished = stage_event(owner, book), stage_event(owner, book)
    for staged in (left, finished):
        write(sessions, staged)
    with transaction(sessions) as session:
        finished.finish(session)
    assert delete_old_data(sessions, FOR_EVER, threading.Event(), pause=0).unfinished == 0  # it may still be written
    with transaction(sessions) as session:
        session.execute(update(Event).values(created_at=now() - timedelta(hours=2)))
    assert delete_old_data(sessions, FOR_EVER, threading.Event(), pause=0).unfinished == 1
    assert (is_stored(sessions, left.id), is_stored(sessions, finished.id)) == (False, True)


def test_workbook_with_a_mistake_writes_nothing(sessions: Sessions, owner: Actor, book: Book) -> None:
    wrong = {**book, "Ratings": rows(("Guest 0", "Nobody", "2"))}
    with pytest.raises(Invalid, match="Nobody"):
        stage_event(owner, wrong)
    with transaction(sessions, read_only=True) as session:
        assert session.scalar(select(func.count()).select_from(Event)) == 0

"""Overwriting what was erased in the file of SQLite."""

from __future__ import annotations

import sqlite3
import threading
from contextlib import closing

import pytest
from fastapi.testclient import TestClient

from app.accounts.actor import Actor
from app.config import Settings
from app.db import erased_bytes
from app.db.session import Sessions, transaction
from app.events import erased
from tests.conftest import signed_in_client
from tests.factories import make_plan


def test_erasure_is_answered_while_the_file_cannot_be_overwritten(
    client: TestClient, sessions: Sessions, owner: Actor, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    with transaction(sessions) as session:
        made = make_plan(session, owner, sizes=(2,), names=["Aino", "Bo"])
    web, address = signed_in_client(client, sessions, owner), f"/events/{made.event.id}/guests/{made.guests[0].id}"
    monkeypatch.setattr(erased_bytes, "BUSY_SECONDS", 0.05)
    monkeypatch.setattr("app.events.erased.overwrite_erased", lambda path: _overwrite_while_locked(settings))
    assert web.post(f"{address}/erase", data={"sure": "on"}).status_code == 303
    assert web.get(address).status_code == 404
    assert erased_bytes.overwrite_erased(settings.sqlite_path) is True


def test_erasures_one_after_the_other_are_overwritten_together(
    client: TestClient, sessions: Sessions, owner: Actor, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    with transaction(sessions) as session:
        made = make_plan(session, owner, sizes=(4,), names=["Aino", "Bo", "Cleo", "Dan"])
    web = signed_in_client(client, sessions, owner)
    monkeypatch.setattr(erased, "LARGEST_EACH_TIME", 0)
    left, timers = [], []
    for guest in made.guests[:3]:
        web.post(f"/events/{made.event.id}/guests/{guest.id}/erase", data={"sure": "on"})
        left.append(_count_erasures(settings))
        timers += [one for one in threading.enumerate() if isinstance(one, threading.Timer) and one not in timers]
    assert (left, len(timers)) == ([0, 1, 2], 1)
    timers[0].cancel()
    timers[0].function(*timers[0].args)
    assert _count_erasures(settings) == 0


def _count_erasures(settings: Settings) -> int:
    with closing(sqlite3.connect(settings.sqlite_path)) as connection:
        return int(connection.execute("PRAGMA user_version").fetchone()[0])


def _overwrite_while_locked(settings: Settings) -> None:
    with closing(sqlite3.connect(settings.sqlite_path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        erased_bytes.overwrite_erased(settings.sqlite_path)


def test_erasure_during_an_overwriting_is_overwritten_by_the_next(
    sessions: Sessions, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    empty_log = erased_bytes._empty_log

    def erase_meanwhile(connection: sqlite3.Connection) -> bool:
        monkeypatch.undo()
        is_empty = empty_log(connection)
        _note(sessions)
        return is_empty

    _note(sessions)
    monkeypatch.setattr(erased_bytes, "_empty_log", erase_meanwhile)
    overwritten = [erased_bytes.overwrite_erased(settings.sqlite_path) for _ in range(3)]
    assert overwritten == [True, True, False]


def _note(sessions: Sessions) -> None:
    with transaction(sessions) as session:
        erased_bytes.note_erasure(session)

"""A backup a day beside SQLite, and not more of them than wished."""

from __future__ import annotations

import os
import sqlite3
import threading
from contextlib import closing
from datetime import timedelta
from pathlib import Path

import pytest
import structlog

from app.clock import now
from app.config import Settings
from app.db import daily_backup
from app.db.backup_file import check_file, written_whole
from app.db.daily_backup import DailyBackups, backups_in, keep_backups
from tests.conftest import sqlite_copy
from tests.server import wait_for


@pytest.fixture
def settings(request: pytest.FixtureRequest, tmp_path: Path) -> Settings:
    """Settings with a database, for two backups."""
    return Settings(database_url=sqlite_copy(request, tmp_path), data_dir=tmp_path, backups_kept=2, _env_file=None)


def made_days_ago(settings: Settings, days: int) -> Path:
    """Leave a file as an earlier backup would be."""
    settings.backups.mkdir(exist_ok=True)
    moment = now() - timedelta(days=days)
    path = settings.backups / f"convive-{moment:%Y%m%d-%H%M%S}.db"
    path.write_text("old")
    os.utime(path, (moment.timestamp(), moment.timestamp()))
    return path


def test_backup_is_made_when_a_day_has_passed_and_the_oldest_go(settings: Settings) -> None:
    kept, old, older = (made_days_ago(settings, days) for days in (1, 2, 3))
    other = settings.backups / "before the wedding.db"
    other.write_text("mine")
    left = [settings.backups / f".{old.name}.a1b2{end}" for end in (".partial", ".partial-journal")]
    for path in left:
        path.write_text("left by a process that was killed")
        os.utime(path, (old.stat().st_mtime,) * 2)
    made = keep_backups(settings, threading.Event())
    assert made is not None
    check_file(made)
    assert made.stat().st_mode & 0o077 == 0
    assert backups_in(settings.backups) == [made, kept]
    assert (other.exists(), old.exists(), older.exists()) == (True, False, False)
    assert [path.exists() for path in left] == [False, False]
    assert keep_backups(settings, threading.Event()) is None  # not twice a day


def test_failed_backup_removes_no_older_one(settings: Settings) -> None:
    kept = [made_days_ago(settings, days) for days in (1, 2, 3)]
    settings.sqlite_path.write_text("no database at all")
    assert keep_backups(settings, threading.Event()) is None
    assert backups_in(settings.backups) == kept


def test_server_makes_the_first_one_by_itself_and_none_when_they_are_off(settings: Settings) -> None:
    off = DailyBackups(settings.model_copy(update={"backups_kept": 0}), first_seconds=0)
    off.start()
    on = DailyBackups(settings, first_seconds=0)
    on.start()
    wait_for(lambda: settings.backups.exists() and backups_in(settings.backups), "the first backup")
    on.stop()
    off.stop()
    assert len(backups_in(settings.backups)) == 1


def test_partial_files_of_backups_in_progress_are_left_alone(settings: Settings) -> None:
    settings.backups.mkdir()
    by_hand = settings.backups / "convive-wedding.db"
    with written_whole(by_hand) as first, written_whole(by_hand) as second:  # by processes that may have the same id
        os.utime(first, (0, 0))
        daily = settings.backups / ".convive-20260101-000000.db.a1b2.partial"
        daily.touch()
        assert keep_backups(settings, threading.Event()) is not None
        assert [path.exists() for path in (first, second, daily)] == [True, True, True]
        assert [path.stat().st_mode & 0o077 for path in (first, second)] == [0, 0]


def test_backup_that_does_not_end_is_ended(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(daily_backup, "MAKE_SECONDS", 3.0)
    with closing(sqlite3.connect(settings.sqlite_path)) as connection, structlog.testing.capture_logs() as lines:
        connection.execute("PRAGMA journal_mode=DELETE")
        connection.execute("BEGIN EXCLUSIVE")  # the backup waits for it for a minute
        assert keep_backups(settings, threading.Event()) is None
    assert [line["reason"] for line in lines] == ["It took longer than 3 seconds."]
    assert list(settings.backups.iterdir()) == []

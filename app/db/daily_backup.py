"""A backup a day beside a SQLite database, made by a process of its own; the oldest ones go."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import subprocess
import threading
import time
from datetime import datetime, timedelta
from pathlib import Path

from app.clock import now
from app.config import OWN_COMMAND, Settings
from app.db.backup_file import BESIDE, PARTIAL
from app.logs import logger

FIRST_SECONDS, LOOK_SECONDS = 20.0, 600.0
EVERY = timedelta(days=1)
NAME = re.compile(r"convive-\d{8}-\d{6}\.db")
PARTIAL_NAME = re.compile(rf"\.{NAME.pattern}\..+{re.escape(PARTIAL)}({'|'.join(BESIDE)})?")
MAKE_SECONDS = 3600.0
"""A backup that takes longer is ended; what is left of one that nobody writes to for as long is removed."""
NICENESS = 10
log = logger(__name__)


class DailyBackups:
    """Looks every few minutes whether a backup is due, while the server runs."""

    def __init__(self, settings: Settings, first_seconds: float = FIRST_SECONDS) -> None:
        self._settings, self._first_seconds = settings, first_seconds
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._work, name="daily backups", daemon=True)

    def start(self) -> None:
        if self._settings.is_sqlite and self._settings.backups_kept:
            self._thread.start()

    def stop(self) -> None:
        """End; a backup that is being made is given up and leaves nothing behind."""
        self._stopping.set()
        if self._thread.is_alive():
            self._thread.join(5.0)

    def _work(self) -> None:
        pause = self._first_seconds
        while not self._stopping.wait(pause):
            pause = LOOK_SECONDS
            try:
                keep_backups(self._settings, self._stopping)
            except OSError as error:
                log.error("daily backup failed", error=error.strerror)


def keep_backups(settings: Settings, stopping: threading.Event) -> Path | None:
    """Make a backup if the newest is a day old, and remove those beyond the number to keep; return the new one."""
    folder = settings.backups
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    moment = now()
    if not is_due(folder, moment):
        return None
    _remove_old_partials(folder, moment)
    if not _has_room(settings):
        return None
    path = folder / f"convive-{moment:%Y%m%d-%H%M%S}.db"
    if not _make(settings, path, stopping):
        return None
    for old in backups_in(folder)[settings.backups_kept :]:
        old.unlink()
    log.info("daily backup created", file=path.name)
    return path


def backups_in(folder: Path) -> list[Path]:
    """Return the daily backups of a folder, the newest first; files with other names are not ours."""
    return sorted((path for path in folder.iterdir() if NAME.fullmatch(path.name)), reverse=True)


def is_due(folder: Path, moment: datetime) -> bool:
    newest = backups_in(folder)[:1]
    return not newest or moment.timestamp() - newest[0].stat().st_mtime >= EVERY.total_seconds()


def _has_room(settings: Settings) -> bool:
    """Return whether the disk has room for two more copies."""
    needed = 2 * settings.sqlite_path.stat().st_size
    if shutil.disk_usage(settings.backups).free >= needed:
        return True
    log.warning("not enough disk space for the daily backup", needed_bytes=needed)
    return False


def _make(settings: Settings, path: Path, stopping: threading.Event) -> bool:
    process = subprocess.Popen(  # noqa: S603  our own command
        [*OWN_COMMAND, "backup", str(path)],
        env=settings.environment("database_url", "data_dir"),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )
    if os.name == "posix":
        os.setpriority(os.PRIO_PROCESS, process.pid, NICENESS)
    problem = _wait(process, stopping)
    if process.returncode:
        _remove_partials(path)
    if problem:
        log.error("daily backup failed", reason=problem)
    return process.returncode == 0


def _wait(process: subprocess.Popen[bytes], stopping: threading.Event) -> str:
    """Wait for the process, or end it; return what went wrong."""
    deadline = time.monotonic() + MAKE_SECONDS
    errors = None
    with process:
        while errors is None:
            try:
                _, errors = process.communicate(timeout=0.5)
            except subprocess.TimeoutExpired:
                if stopping.is_set() or time.monotonic() > deadline:
                    process.kill()  # while SQLite waits or copies, SIGTERM has no effect
    if not process.returncode or stopping.is_set():
        return ""
    if time.monotonic() > deadline:
        return f"It took longer than {MAKE_SECONDS:,.0f} seconds."
    return errors.decode(errors="replace").strip()[-300:] or f"It ended with {process.returncode}."


def _remove_partials(path: Path) -> None:
    """Remove what the process left that was to make this backup, and has ended."""
    for partial in path.parent.glob(f".{path.name}.*{PARTIAL}*"):
        partial.unlink(missing_ok=True)


def _remove_old_partials(folder: Path, moment: datetime) -> None:
    """Remove what killed processes left of daily backups; others may be in progress."""
    for path in folder.iterdir():
        with contextlib.suppress(FileNotFoundError):
            if PARTIAL_NAME.fullmatch(path.name) and moment.timestamp() - path.stat().st_mtime > MAKE_SECONDS:
                path.unlink()

"""Checks of the data folder: there, writable, private, with room left, and backed up."""

from __future__ import annotations

import os
import shlex
import time
from collections.abc import Iterator
from pathlib import Path

from app.cli.checks import Finding, ok, problem, warning
from app.config import Settings
from app.db.daily_backup import backups_in
from app.process_metrics import free_bytes
from app.sentences import count
from app.web.link_tokens import BYTES, KEY_FILE

LATE_HOURS = 48
LITTLE, TOO_LITTLE = 1_000_000_000, 100_000_000


def check_data_folder(settings: Settings) -> Iterator[Finding]:
    """Look at the folder that holds everything; with PostgreSQL only the key of links is stored in it."""
    yield _check_link_key(settings)
    if not settings.is_sqlite:
        yield ok("data folder", "Not needed: everything is in PostgreSQL.")
        return
    database = settings.sqlite_path
    folder = database.parent
    if not folder.is_dir():
        yield _missing(folder)
        return
    yield _check_writable(folder, database)
    if os.name == "posix":
        yield _check_private(folder, database)
    yield _check_space(folder)
    if database.exists():
        yield _check_backups(settings)


def _check_link_key(settings: Settings) -> Finding:
    """Look whether the addresses of links can be shown again, after a restart as well."""
    path = settings.data_dir / KEY_FILE
    if settings.link_key.get_secret_value():
        return ok("link key", "Set by CONVIVE_LINK_KEY.")
    try:
        length = len(path.read_bytes())
    except FileNotFoundError:
        return ok("link key", "None yet. It is created with the first link.")
    except OSError:
        return problem("link key", f"This account cannot read {path}.")
    if length < BYTES:
        advice = "Restore it from a backup, or delete it: links keep working, but older ones cannot be copied again."
        return problem("link key", f"{path} has {count(length, 'byte')} instead of {BYTES}. {advice}")
    return ok("link key", f"{path} is there. Keep a copy with your backups.")


def _missing(folder: Path) -> Finding:
    if folder.exists():
        return problem("data folder", f"{folder} is not a folder. Set CONVIVE_DATA_DIR to one.")
    parent = next(parent for parent in folder.parents if parent.exists())
    if os.access(parent, os.W_OK | os.X_OK):
        return ok("data folder", f"{folder} does not exist yet. “convive serve” creates it.")
    return problem("data folder", f"{folder} does not exist, and this account cannot create it in {parent}.")


def _check_writable(folder: Path, database: Path) -> Finding:
    closed = [
        path
        for path, mode in ((folder, os.W_OK | os.X_OK), (database, os.R_OK | os.W_OK))
        if path.exists() and not os.access(path, mode)
    ]
    if closed:
        return problem("data folder", f"This account cannot write to {closed[0]}.")
    return ok("data folder", f"{folder} is writable.")


def _check_private(folder: Path, database: Path) -> Finding:
    for path, mode in ((folder, 700), (database, 600)):
        if path.exists() and path.stat().st_mode & 0o077:
            advice = f"“chmod {mode} {shlex.quote(str(path))}” makes it private."
            return warning("permissions", f"Others on this machine can read {path}. {advice}")
    return ok("permissions", "Only this account can read the data folder.")


def _check_space(folder: Path) -> Finding:
    free = free_bytes(folder) or 0
    text = f"{free / 1e9:,.1f} GB free"
    if free < TOO_LITTLE:
        return problem("disk", f"{text}. Writes fail when the disk is full: free some space.")
    return warning("disk", f"{text}: free some space soon.") if free < LITTLE else ok("disk", f"{text}.")


def _check_backups(settings: Settings) -> Finding:
    """Look for the newest of the daily backups that a server makes by itself."""
    if not settings.backups_kept:
        return ok("backups", "Daily backups are off (CONVIVE_BACKUPS_KEPT=0).")
    found = backups_in(settings.backups) if settings.backups.is_dir() else []
    if not found:
        return warning("backups", f"None in {settings.backups} yet. A running server creates one every day.")
    hours = (time.time() - found[0].stat().st_mtime) / 3600
    text = f"{count(len(found), 'backup')} in {settings.backups}, the newest {hours:,.0f} hours old"
    return warning("backups", f"{text}: see the server's log.") if hours > LATE_HOURS else ok("backups", f"{text}.")

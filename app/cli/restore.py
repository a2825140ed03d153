"""convive restore."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from app.cli.common import DataDir, read_settings, refuse, tidy_up_when_terminated

if TYPE_CHECKING:
    from app.config import Settings
    from app.db.backup_file import Contents

File = Annotated[Path, typer.Argument(help="A file created by “convive backup”.", show_default=False)]


def restore(file: File, data_dir: DataDir = None) -> None:
    """Replace all data with a backup. Stop the server and workers first."""
    from app.db.backup_file import BackupError

    tidy_up_when_terminated()
    settings = read_settings(data_dir=data_dir)
    try:
        with _no_worker(settings):
            contents, kept = _restore(settings, file.absolute())
    except BackupError as error:
        refuse(str(error))
    typer.echo(f"Restored {contents.rows:,} rows in {len(contents.tables)} tables.")
    if kept:
        typer.echo(f"Your previous data is in {kept}. Delete it when you no longer need it.")


def _restore(settings: Settings, file: Path) -> tuple[Contents, Path | None]:
    from app.db.restore import restore_postgres, restore_sqlite
    from app.db.session import make_engine, make_sessions, transaction
    from app.runs.interruptions import requeue_running
    from app.runs.queues.procrastinate import adopt_orphans

    if settings.is_sqlite:
        return restore_sqlite(file, settings.sqlite_path)
    settings.data_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
    engine = make_engine(settings.database)
    try:
        found = restore_postgres(file, engine, settings.data_dir)
        with transaction(make_sessions(engine)) as session:
            requeue_running(session)
            adopt_orphans(session, 0.0)  # a job for every run that was waiting or under way
    finally:
        engine.dispose()
    return found


@contextlib.contextmanager
def _no_worker(settings: Settings) -> Iterator[None]:
    """Hold the lock of the one worker beside SQLite, so that none starts meanwhile."""
    from filelock import FileLock, Timeout

    from app.runs.queues.embedded import lock_path

    if not settings.is_sqlite:
        yield
        return
    try:
        settings.sqlite_path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        lock = FileLock(lock_path(settings)).acquire(timeout=0)
    except Timeout:
        refuse(f"Stop “convive serve” first: it is using {settings.sqlite_path}.")
    except OSError as error:
        refuse(f"Cannot write to {settings.sqlite_path.parent}: {error.strerror}.")
    with lock:
        yield

"""What several commands share: settings, database, and errors in one clear line."""

from __future__ import annotations

import atexit
import gc
import os
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer
from typer.core import TyperCommand

if TYPE_CHECKING:
    from sqlalchemy import Engine
    from sqlalchemy.orm import Session

    from app.config import Settings
    from app.db.session import Sessions

DataDir = Annotated[Path | None, typer.Option(help="The data folder.", show_default="by platform")]
BAD_INPUT = 2
COLLECTED_AFTER = 20_000, 10, 20
PATIENCE = 60.0
WAIT_SECONDS = 0.3
_started_at: list[float] = []
SIGNS_OF_A_START = ("refused", "No such file", "starting up", "shutting down", "recovery", "closed the connection")


def refuse(message: str) -> NoReturn:
    """Print in one line on stderr what is wrong, and exit."""
    typer.echo(f"convive: {message}", err=True)
    raise typer.Exit(BAD_INPUT)


@contextmanager
def refusing_failures() -> Iterator[None]:
    """Turn a failure of the database or the disk into one line, in every command."""
    try:
        yield
    except Exception as error:
        message = _failure(error)
        if message is None:
            raise
        typer.echo(f"convive: {message}", err=True)
        sys.exit(BAD_INPUT)


def _failure(error: Exception) -> str | None:
    """Say what failed; None where it is something else, whose traceback is worth reading."""
    if not isinstance(error, OSError) and "sqlalchemy" not in sys.modules:
        return None  # such as a solve without a database: there is no need to load it now
    from app.db.failures import describe
    from app.db.migrate import NewerSchema

    return str(error) if isinstance(error, NewerSchema) else describe(error)


def collect_rarely() -> None:
    """Run the garbage collector of cycles less often.

    It took a sixth of the time of a start: loading makes many objects and no garbage. A page about thousands of guests
    makes hundreds of thousands of objects, and a third of its time went into looking through them.
    """
    gc.set_threshold(*COLLECTED_AFTER)


def leave_quickly() -> None:
    """Let the process end without looking through all objects that it has loaded, which takes a quarter of a second."""
    gc.freeze()


def note_start() -> None:
    """Note when the user started this command: when the system created the process, or now where it does not say."""
    _started_at[:] = [time.monotonic() - _process_seconds()]


def seconds_since_start() -> float:
    """Return how long ago the user started this command; 0 in a program that was not started as a command."""
    return time.monotonic() - _started_at[0] if _started_at else 0.0


def _process_seconds() -> float:
    with suppress(OSError, ValueError, AttributeError, IndexError):
        # The 22nd field, counted after the name in brackets, which may hold anything.
        ticks = float(Path("/proc/self/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[19])
        return max(time.clock_gettime(time.CLOCK_BOOTTIME) - ticks / os.sysconf("SC_CLK_TCK"), 0.0)
    return 0.0


def tidy_up_when_terminated() -> None:
    """Let SIGTERM end the command as Ctrl+C does, so that nothing half-written stays."""

    def leave(number: int, frame: FrameType | None) -> None:
        sys.exit(128 + number)

    signal.signal(signal.SIGTERM, leave)


class OneLineCommand(TyperCommand):
    """A command that says in one line what is wrong with its flags, too."""

    def parse_args(self, ctx: typer.Context, args: list[str]) -> list[str]:  # type: ignore[override]  # click's Context
        try:
            return super().parse_args(ctx, args)
        except Exception as error:
            # Typer does not export the class of its usage errors; no other error has this.
            message = getattr(error, "format_message", None)
            if message is None:
                raise
            refuse(" ".join(message().split()))


def read_settings(**flags: object) -> Settings:
    """Read the settings, where flags win over the environment, and set up the logs."""
    from app.config import SettingsError, load_settings
    from app.logs import set_up_logs

    try:
        settings = load_settings(**flags)
    except SettingsError as error:
        refuse(str(error))
    set_up_logs(settings.log_level, settings.log_format)
    return settings


def open_database(settings: Settings, patience: float = 0.0) -> Sessions:
    """Bring the database to the newest schema and return its sessions; wait some seconds for one that is starting."""
    from app.db.session import make_engine, make_sessions

    try:
        if settings.is_sqlite:  # with PostgreSQL nothing is stored here, and the folder may be missing or read-only
            settings.data_dir.mkdir(mode=0o700, parents=True, exist_ok=True)  # private: it holds who dislikes whom
        engine = make_engine(settings.database)
    except OSError as error:
        refuse(f"CONVIVE_DATA_DIR: {settings.data_dir} cannot be used: {error.strerror}.")
    if settings.is_sqlite and not os.access(settings.sqlite_path, os.W_OK):
        refuse(f"{settings.sqlite_path} is read-only. Check its permissions and how the disk is mounted.")
    _migrate(engine, patience)
    atexit.register(engine.dispose)  # the last connection to a SQLite file leaves nothing beside it
    return make_sessions(engine)


@contextmanager
def open_session(data_dir: DataDir) -> Iterator[Session]:
    """Yield a session on the database of the settings; a ConviveError becomes one line."""
    from app.db.session import transaction
    from app.errors import ConviveError

    sessions = open_database(read_settings(data_dir=data_dir))
    try:
        with transaction(sessions) as session:
            yield session
    except ConviveError as error:
        refuse(error.message)


def _migrate(engine: Engine, patience: float) -> None:
    from sqlalchemy.exc import OperationalError

    end = time.monotonic() + patience
    while True:
        try:
            _migrate_now(engine)
        except OperationalError as error:
            if time.monotonic() > end or not any(sign in str(error.orig) for sign in SIGNS_OF_A_START):
                raise
            time.sleep(WAIT_SECONDS)
        else:
            return


def _migrate_now(engine: Engine) -> None:
    from app.db.schema_version import has_newest_schema

    with engine.connect() as connection:
        if has_newest_schema(connection):
            return  # without alembic, which takes long to load
    from app.db.migrate import migrate

    migrate(engine)

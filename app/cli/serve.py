"""convive serve."""

from __future__ import annotations

import errno
import gc
import logging
import os
import shlex
import socket
import subprocess
import sys
import webbrowser
from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated

import typer

from app.cli.common import PATIENCE, DataDir, demo_words, open_database, read_settings, refuse, sign_in_address
from app.cli.web_processes import supervise

if TYPE_CHECKING:
    from app.config import Settings
    from app.db.session import Sessions
    from app.runs.engine import Engine

GRACE_SECONDS = 2
COLLECTED_AFTER = 20_000, 10, 20
SWITCH_SECONDS = 0.0005
"""How long a thread that builds a page may keep the event loop waiting: by default 5 ms, once for each such thread."""
Host = Annotated[str | None, typer.Option(help="Where to listen.", show_default="127.0.0.1")]
Port = Annotated[int | None, typer.Option(help="The port; 0 takes a free one.", show_default="8000")]
Open = Annotated[bool, typer.Option("--open", help="Open the address in the browser, where there is a desktop.")]
Demo = Annotated[bool, typer.Option("--demo", help="Put the demo event into a database that is new.")]


def serve(
    host: Host = None, port: Port = None, data_dir: DataDir = None, open_browser: Open = False, demo: Demo = False
) -> None:
    """Start the server: pages, API and, with SQLite, the worker that solves."""
    settings = read_settings(host=host, port=port, data_dir=data_dir)
    listener = listen(settings)
    settings = settings.model_copy(update={"port": listener.getsockname()[1]})
    sessions = open_database(settings, PATIENCE)
    _warn_of_readers(settings)
    if demo and _is_unseen(sessions):
        _fill_demo(settings)
    elif demo:
        _tell_demo(settings, sessions)
    sentence, address = _welcome(settings, sessions)
    sessions.kw["bind"].dispose()  # the application has connections of its own

    def tell() -> None:
        typer.echo(f"\n{sentence}\n\n    {address}\n\nStop with Ctrl+C.\n")
        if open_browser and _has_desktop():
            webbrowser.open(address)

    if settings.process_count > 1:
        supervise(settings, listener, tell)
    else:
        run_server(settings, listener, tell)


def listen(settings: Settings) -> socket.socket:
    """Take the port before anything else, so that whoever starts a second server learns it at once."""
    try:
        family = socket.getaddrinfo(settings.host, settings.port, type=socket.SOCK_STREAM)[0][0]
        made = socket.create_server((settings.host, settings.port), family=family, backlog=2048)
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            refuse(f"Port {settings.port} is in use. Choose another one: convive serve --port {settings.port + 1}")
        refuse(f"Cannot listen on {settings.host}, port {settings.port}: {error.strerror}.")
    return speaking_tcp(made)


def speaking_tcp(made: socket.socket) -> socket.socket:
    """Return the same socket with its protocol, which create_server leaves at 0.

    asyncio sets TCP_NODELAY only where a socket says that it speaks TCP; without it each answer on a connection that
    stays open waits 40 ms for the client's delayed acknowledgement.
    """
    return socket.socket(made.family, made.type, socket.IPPROTO_TCP, fileno=made.detach())


def _warn_of_readers(settings: Settings) -> None:
    """Say which of the folder and the database in it others on this machine can read."""
    if not settings.is_sqlite or os.name != "posix":
        return
    database = settings.sqlite_path
    for path, mode in ((database.parent, 700), (database, 600)):
        if path.stat().st_mode & 0o077:
            closing = f"“chmod {mode} {shlex.quote(str(path))}” keeps it to yourself."
            typer.echo(f"Warning: others on this machine can read {path}. {closing}", err=True)


def _is_unseen(sessions: Sessions) -> bool:
    """Tell whether nobody has signed in yet: then there is nothing of theirs that a demo would stand beside."""
    from app.accounts.accounts import has_signed_in
    from app.db.session import transaction

    with transaction(sessions, read_only=True) as session:
        return not has_signed_in(session)


def _fill_demo(settings: Settings) -> None:
    # In a process of its own: the server never loads the solver.
    typer.echo("Preparing the demo event …")
    told = {
        "CONVIVE_HOST": settings.host,
        "CONVIVE_PORT": str(settings.port),
        "CONVIVE_DATA_DIR": str(settings.data_dir),
    }
    command = [sys.executable, "-P", "-m", "app.cli", "demo"]
    done = subprocess.run(command, env={**os.environ, **told}, check=False)  # noqa: S603  our own command
    if done.returncode:
        typer.echo("The demo event could not be made; Convive starts without it.", err=True)


def _tell_demo(settings: Settings, sessions: Sessions) -> None:
    """Say where the demo event of an earlier start is, if it is still there."""
    from app.accounts.accounts import actor_of, local_user
    from app.db.session import transaction
    from app.plans.read import newest_plan_id
    from app.transfer.demo import find_demo

    with transaction(sessions) as session:
        actor = actor_of(local_user(session))
        event = find_demo(session, actor)
        plan_id = newest_plan_id(session, actor, event.id) if event else None
    if event and plan_id:
        typer.echo(demo_words(settings, event.id, plan_id))


def _welcome(settings: Settings, sessions: Sessions) -> tuple[str, str]:
    """Return what to say at the start, and the address to open."""
    from app.accounts.accounts import create_sign_in_key, has_password_account
    from app.db.session import transaction

    if settings.is_loopback:
        return "Convive is running. Open this address, which signs you in once:", sign_in_address(settings, sessions)
    with transaction(sessions) as session:
        if has_password_account(session):
            return "Convive is running. Open this address and sign in:", settings.address
        address = f"{settings.address}/setup?key={create_sign_in_key(session, 'setup')}"
    return "Convive is running and others can reach it. Make the first account at this address:", address


def _has_desktop() -> bool:
    return sys.platform in ("darwin", "win32") or bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


def run_server(settings: Settings, listener: socket.socket, tell: Callable[[], None]) -> None:
    """Serve until a signal says stop; `tell` is called when the first request can be answered."""
    import uvicorn

    from app.db.daily_backup import DailyBackups
    from app.db.sqlite_file import fold, hold_open
    from app.main import create_app
    from app.web.server.slow_clients import impatient_protocol

    app = create_app(settings, _engine(settings))
    backups = DailyBackups(settings)
    in_use = hold_open(settings.sqlite_path) if settings.is_sqlite else None

    class Server(uvicorn.Server):
        async def startup(self, sockets: list[socket.socket] | None = None) -> None:
            await super().startup(sockets)
            collect_rarely()
            sys.setswitchinterval(SWITCH_SECONDS)
            backups.start()
            tell()

        async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
            app.state.feed.close()  # streams would never end by themselves
            await super().shutdown(sockets)
            backups.stop()
            app.state.sessions.kw["bind"].dispose()
            if in_use is not None:
                in_use.close()
                fold(settings.sqlite_path)  # one file that holds everything, and may be copied

    config = uvicorn.Config(
        app,
        log_config=None,
        access_log=False,
        server_header=False,
        http=impatient_protocol(settings),
        timeout_graceful_shutdown=GRACE_SECONDS,
    )
    logging.getLogger("uvicorn").setLevel(logging.WARNING)
    Server(config).run(sockets=[listener])


def collect_rarely() -> None:
    """Let the collector of cycles leave alone what is loaded once, and come by less often.

    A page about thousands of guests makes hundreds of thousands of objects; a third of its time went into looking
    through them and through the whole program for cycles.
    """
    gc.freeze()
    gc.set_threshold(*COLLECTED_AFTER)


def _engine(settings: Settings) -> Engine:
    from app.runs.embedded_queue import EmbeddedEngine
    from app.runs.procrastinate_queue import ProcrastinateEngine

    return EmbeddedEngine(settings) if settings.is_sqlite else ProcrastinateEngine()

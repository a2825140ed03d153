"""convive serve."""

from __future__ import annotations

import errno
import os
import shlex
import socket
import sys
import webbrowser
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from app.cli.common import PATIENCE, DataDir, open_database, read_settings, refuse
from app.cli.demo import add_demo, print_demo_address
from app.cli.one_server import one_server
from app.cli.web_server import as_tcp_socket, run_server

if TYPE_CHECKING:
    from app.config import Settings
    from app.db.session import Sessions

Host = Annotated[str | None, typer.Option(help="The host to listen on.", show_default="127.0.0.1")]
Port = Annotated[int | None, typer.Option(help="The port; 0 chooses a free one.", show_default="8000")]
Open = Annotated[bool, typer.Option("--open", help="Open the address in your browser.")]
Demo = Annotated[bool, typer.Option("--demo", help="Add the demo event to a new database.")]


def serve(
    host: Host = None, port: Port = None, data_dir: DataDir = None, open_browser: Open = False, demo: Demo = False
) -> None:
    """Start the server: pages, API and, with SQLite, the worker."""
    settings = read_settings(host=host, port=port, data_dir=data_dir)
    listener = listen(settings)
    settings = settings.model_copy(update={"port": listener.getsockname()[1]})
    with one_server(settings):
        _serve(settings, listener, open_browser=open_browser, demo=demo)


def _serve(settings: Settings, listener: socket.socket, *, open_browser: bool, demo: bool) -> None:
    sessions = open_database(settings, PATIENCE)
    _warn_of_settings(settings)
    _warn_of_readers(settings)
    if demo:
        _show_demo(settings, sessions)
    sentence, address = _welcome(settings, sessions)
    sessions.kw["bind"].dispose()  # the application has connections of its own

    def when_ready() -> None:
        typer.echo(f"\n{sentence}\n\n    {address}\n\nStop with Ctrl+C.\n")
        if open_browser and _has_desktop():
            webbrowser.open(address)

    if settings.process_count > 1:
        from app.cli.web_processes import supervise

        supervise(settings, listener, when_ready)
    else:
        run_server(settings, listener, when_ready)


def listen(settings: Settings) -> socket.socket:
    """Take the port before anything else, so that starting a second server fails at once."""
    try:
        family = socket.getaddrinfo(settings.host, settings.port, type=socket.SOCK_STREAM)[0][0]
        made = socket.create_server((settings.host, settings.port), family=family, backlog=2048)
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            refuse(f"Port {settings.port} is in use. Choose another: convive serve --port {settings.port + 1}")
        refuse(f"Cannot listen on {settings.host}, port {settings.port}: {error.strerror}.")
    return as_tcp_socket(made)


def _warn_of_settings(settings: Settings) -> None:
    """Say which settings have no effect, and what a proxy hides."""
    from app.cli.checks.names import misspelt_settings
    from app.cli.checks.network import UNNAMED_PROXY

    for message in (*misspelt_settings(), *([UNNAMED_PROXY] if settings.has_unnamed_proxy else [])):
        typer.echo(f"Warning: {message}", err=True)


def _warn_of_readers(settings: Settings) -> None:
    """Say which of the folder, the database in it and the settings others on this machine can read."""
    if os.name != "posix":
        return
    database = settings.sqlite_path
    private = ((database.parent, 700), (database, 600)) if settings.is_sqlite else ()
    for path, mode in (*private, (Path(".env"), 600)):
        if path.exists() and path.stat().st_mode & 0o077:
            closing = f"“chmod {mode} {shlex.quote(str(path))}” makes it private."
            typer.echo(f"Warning: others on this machine can read {path}. {closing}", err=True)


def _show_demo(settings: Settings, sessions: Sessions) -> None:
    """Say where the demo event is; a new database gets one."""
    if not print_demo_address(settings, sessions) and _is_unused(sessions):
        add_demo(settings, sessions)


def _is_unused(sessions: Sessions) -> bool:
    """Return whether nobody has signed in yet: only then a demo event is added by itself."""
    from app.accounts.sign_in_keys import has_signed_in
    from app.db.session import transaction

    with transaction(sessions, read_only=True) as session:
        return not has_signed_in(session)


def _welcome(settings: Settings, sessions: Sessions) -> tuple[str, str]:
    """Return what to say at the start, and the address to open."""
    from app.accounts.queries import has_password_account
    from app.accounts.sign_in_keys import create_sign_in_key, has_local_keys
    from app.db.session import transaction

    with transaction(sessions) as session:
        if has_local_keys(session, settings):
            address = f"{settings.address}/sign-in?key={create_sign_in_key(session, 'local')}"
            return "Convive is running. Open this address to sign in (it works once):", address
        if has_password_account(session):
            return "Convive is running. Open this address and sign in:", settings.address
        address = f"{settings.address}/setup?key={create_sign_in_key(session, 'setup')}"
    return "Convive is running and others can reach it. Create the first account here:", address


def _has_desktop() -> bool:
    return sys.platform in ("darwin", "win32") or bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))

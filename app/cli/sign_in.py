"""convive sign-in."""

from __future__ import annotations

from typing import Annotated

import typer

from app.cli.common import DataDir, open_database, read_settings, refuse

Port = Annotated[int | None, typer.Option(help="The port of the server.", show_default="8000")]


def sign_in(data_dir: DataDir = None, port: Port = None) -> None:
    """Print a new one-time sign-in address for this machine."""
    from app.accounts.sign_in_keys import create_sign_in_key, has_local_keys
    from app.db.session import transaction

    settings = read_settings(data_dir=data_dir, port=port)
    sessions = open_database(settings)
    with transaction(sessions) as session:
        if not has_local_keys(session, settings):
            refuse(
                "This server has a public address or accounts with passwords, so sign in with your password. "
                "“convive user create you@example.org” gives you one, and “convive user reset” a new one."
            )
        typer.echo(f"{settings.address}/sign-in?key={create_sign_in_key(session, 'local')}")

"""convive sign-in."""

from __future__ import annotations

from typing import Annotated

import typer

from app.cli.common import DataDir, open_database, read_settings, sign_in_address

Port = Annotated[int | None, typer.Option(help="The port of the server.", show_default="8000")]


def sign_in(data_dir: DataDir = None, port: Port = None) -> None:
    """Print a new one-time sign-in address for this machine."""
    settings = read_settings(data_dir=data_dir, port=port)
    sessions = open_database(settings)
    typer.echo(sign_in_address(settings, sessions))

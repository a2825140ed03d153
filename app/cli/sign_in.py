"""convive sign-in."""

from __future__ import annotations

import typer

from app.cli.common import DataDir, open_database, read_settings, sign_in_address


def sign_in(data_dir: DataDir = None) -> None:
    """Print a new one-time address that signs the person at this machine in."""
    settings = read_settings(data_dir=data_dir)
    sessions = open_database(settings)
    typer.echo(sign_in_address(settings, sessions))

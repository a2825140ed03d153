"""The command `convive`: one module a verb, heavy imports only where a verb needs them."""

from __future__ import annotations

import typer

app = typer.Typer(no_args_is_help=True, add_completion=False, help="Convive plans who sits where.")


def main() -> None:
    """Run the command line."""
    app()

"""The command `convive`: one module a verb, heavy imports only where a verb needs them."""

from __future__ import annotations

import typer

from app.cli import accounts
from app.cli.backup import backup
from app.cli.common import OneLineCommand, refusing_failures
from app.cli.demo import demo
from app.cli.restore import restore
from app.cli.serve import serve
from app.cli.sign_in import sign_in
from app.cli.solve import solve
from app.cli.worker import worker

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_show_locals=False,
    help="Convive plans who sits where.",
)
app.command()(serve)
app.command()(worker)
app.command()(demo)
app.command(cls=OneLineCommand)(solve)
app.command("sign-in")(sign_in)
app.command()(backup)
app.command()(restore)
app.add_typer(accounts.key, name="key")
app.add_typer(accounts.user, name="user")


def main() -> None:
    """Run the command line."""
    with refusing_failures():
        app()

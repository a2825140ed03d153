"""The command `convive`: one module per verb; heavy imports only where a verb needs them."""

from __future__ import annotations

from typing import Annotated

import typer

from app import __version__
from app.cli import accounts, members
from app.cli.backup import backup
from app.cli.common import OneLineCommand, collect_rarely, leave_quickly, note_start, refusing_failures
from app.cli.demo import demo
from app.cli.doctor import doctor
from app.cli.prepare import prepare
from app.cli.purge import purge
from app.cli.restore import restore
from app.cli.serve import serve
from app.cli.sign_in import sign_in
from app.cli.solve import solve
from app.cli.web_process import serve_process
from app.cli.worker import worker

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_show_locals=False,
)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"convive {__version__}")
        raise typer.Exit


Version = Annotated[
    bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and exit.")
]


@app.callback()
def convive(version: Version = False) -> None:
    """Convive plans who sits where."""


app.command()(serve)
app.command("serve-process", hidden=True)(serve_process)
app.command()(worker)
app.command()(demo)
app.command()(prepare)
app.command(cls=OneLineCommand)(solve)
app.command("sign-in")(sign_in)
app.command()(backup)
app.command()(restore)
app.command()(purge)
app.command()(doctor)
app.add_typer(accounts.key, name="key")
app.add_typer(accounts.user, name="user")
app.add_typer(members.member, name="member")


def main() -> None:
    note_start()
    collect_rarely()
    try:
        with refusing_failures():
            app()
    finally:
        leave_quickly()

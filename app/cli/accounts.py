"""convive key … and convive user …"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated
from uuid import UUID

import typer

from app.cli.common import DataDir, open_database, read_settings, refuse

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

key = typer.Typer(no_args_is_help=True, help="Keys for programs that use the API.")
user = typer.Typer(no_args_is_help=True, help="Accounts with a password, for a server that others can reach.")
Account = Annotated[str | None, typer.Option(help="Whose key, by e-mail address.", show_default="the first account")]
Days = Annotated[int | None, typer.Option(min=1, help="End the key after so many days.", show_default="never")]
FromStdin = Annotated[bool, typer.Option("--password-stdin", help="Read the password from a line of stdin.")]
Email = Annotated[str, typer.Argument(help="The e-mail address that signs in.")]


@key.command("create")
def create_key(
    name: Annotated[str, typer.Option(help="What the key is for; you see it in “key list”.")],
    account: Account = None,
    days: Days = None,
    data_dir: DataDir = None,
) -> None:
    """Make an API key and print it; it is shown this once."""
    from app.accounts import accounts

    with _session(data_dir) as session:
        token = accounts.create_api_key(session, accounts.account_of(session, account), name, days)
    typer.echo("Send it as “Authorization: Bearer <key>”. It is shown this once:", err=True)
    typer.echo(token)


@key.command("list")
def list_keys(account: Account = None, data_dir: DataDir = None) -> None:
    """List the keys that work: id, made on, ends on, name."""
    from app.accounts import accounts

    with _session(data_dir) as session:
        for row in accounts.list_api_keys(session, accounts.account_of(session, account)):
            end = f"{row.expires_at:%Y-%m-%d}" if row.expires_at else "never     "
            typer.echo(f"{row.id}  {row.created_at:%Y-%m-%d}  {end}  {row.name}")


@key.command("revoke")
def revoke_key(key_id: UUID, account: Account = None, data_dir: DataDir = None) -> None:
    """End a key at once, by its id."""
    from app.accounts import accounts

    with _session(data_dir) as session:
        accounts.revoke_api_key(session, accounts.account_of(session, account), key_id)
    typer.echo("The key is revoked.")


@user.command("create")
def create_user(email: Email, password_stdin: FromStdin = False, data_dir: DataDir = None) -> None:
    """Make an account; the first one takes over what was made on this machine before."""
    from app.accounts import accounts

    password = _read_password(password_stdin)
    with _session(data_dir) as session:
        accounts.create_account(session, email, password)
    typer.echo("The account is made.")


@user.command("operator")
def make_operator(email: Email, data_dir: DataDir = None) -> None:
    """Let an account see /admin/runs: how many runs wait, run and failed, of everybody."""
    from app.accounts import accounts

    with _session(data_dir) as session:
        accounts.make_operator(session, email)
    typer.echo("The account is an operator's now.")


@user.command("password")
def change_password(email: Email, password_stdin: FromStdin = False, data_dir: DataDir = None) -> None:
    """Give an account a new password and sign it out everywhere."""
    from app.accounts import accounts

    password = _read_password(password_stdin)
    with _session(data_dir) as session:
        accounts.change_password(session, email, password)
    typer.echo("The password is changed.")


def _read_password(from_stdin: bool) -> str:
    if from_stdin:
        return sys.stdin.readline().rstrip("\r\n")
    return str(typer.prompt("Password", hide_input=True, confirmation_prompt="The same again"))


@contextmanager
def _session(data_dir: DataDir) -> Iterator[Session]:
    """Give a session on the database of the settings; an error of ours becomes one line."""
    from app.db.session import transaction
    from app.errors import ConviveError

    sessions = open_database(read_settings(data_dir=data_dir))
    try:
        with transaction(sessions) as session:
            yield session
    except ConviveError as error:
        refuse(error.message)

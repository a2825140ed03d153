"""convive key … and convive user …"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated
from uuid import UUID

import typer

from app.cli.common import DataDir, open_session, read_settings, refuse

if TYPE_CHECKING:
    from app.accounts.passwords import HashedPassword

key = typer.Typer(no_args_is_help=True, help="Manage API keys.")
user = typer.Typer(no_args_is_help=True, help="Manage accounts for a server that others can reach.")
Account = Annotated[
    str | None, typer.Option(help="E-mail address of the key's owner.", show_default="the first account")
]
Days = Annotated[int, typer.Option(min=0, max=3660, help="Number of days until the key expires; 0 means never.")]
Scopes = Annotated[
    list[str] | None,
    typer.Option(
        "--scope",
        help=(
            "read: all that the account sees, without the addresses of links and invitations; write: changes, and "
            "these addresses; solve: start, follow and cancel runs. Repeat it for several."
        ),
        show_default="all three",
    ),
]
EventId = Annotated[UUID | None, typer.Option("--event", help="Id of the only event.", show_default="all events")]
FromStdin = Annotated[bool, typer.Option("--password-stdin", help="Read the password from stdin.")]
KeepKeys = Annotated[bool, typer.Option("--keep-keys", help="Leave the account's API keys valid.")]
RemoveSecondStep = Annotated[
    bool,
    typer.Option("--remove-second-step", help="Remove codes from an app and passkeys when the link is used."),
]
Email = Annotated[str, typer.Argument(help="The account's e-mail address.")]


@key.command("create")
def create_key(
    name: Annotated[str, typer.Option(help="A name for the key, shown in “key list”.")],
    account: Account = None,
    scope: Scopes = None,
    event: EventId = None,
    days: Days = 90,
    data_dir: DataDir = None,
) -> None:
    """Create an API key and print it. It is shown only once."""
    from app.accounts.api_keys import create_api_key
    from app.accounts.scopes import ALL_SCOPES
    from app.accounts.users import account_of

    with open_session(data_dir) as session:
        owner = account_of(session, account)
        token = create_api_key(session, owner, name, days or None, scopes=scope or ALL_SCOPES, event_id=event)
    typer.echo("Send it as “Authorization: Bearer <key>”. It is shown only once:", err=True)
    typer.echo(token)


@key.command("list")
def list_keys(account: Account = None, data_dir: DataDir = None) -> None:
    """List active keys: id, created, expires, scopes, the only event (or all), name."""
    from app.accounts import queries
    from app.accounts.users import account_of

    with open_session(data_dir) as session:
        for row in queries.api_keys_of(session, account_of(session, account).user_id):
            end = f"{row.expires_at:%Y-%m-%d}" if row.expires_at else "never     "
            event = str(row.event_id or "all events")
            typer.echo(f"{row.id}  {row.created_at:%Y-%m-%d}  {end}  {row.scopes:16}  {event:36}  {row.name}")


@key.command("revoke")
def revoke_key(key_id: UUID, account: Account = None, data_dir: DataDir = None) -> None:
    """Revoke a key by its id."""
    from app.accounts.api_keys import revoke_api_key
    from app.accounts.users import account_of

    with open_session(data_dir) as session:
        revoke_api_key(session, account_of(session, account), key_id)
    typer.echo("Key revoked.")


@user.command("create")
def create_user(
    email: Email,
    name: Annotated[str, typer.Option(help="What others call you. By default it is taken from the address.")] = "",
    password_stdin: FromStdin = False,
    data_dir: DataDir = None,
) -> None:
    """Create an account. The first account takes over events already created on this machine."""
    from app.accounts.users import create_account

    password = _new_password(email, password_stdin)
    with open_session(data_dir) as session:
        create_account(session, email, password, name)
    typer.echo("Account created.")


@user.command("operator")
def add_operator(email: Email, data_dir: DataDir = None) -> None:
    """Let an account see all runs of all accounts at /admin/runs."""
    from app.accounts.users import make_operator

    with open_session(data_dir) as session:
        make_operator(session, email)
    typer.echo("The account is now an operator.")


@user.command("password")
def change_password(
    email: Email, password_stdin: FromStdin = False, keep_keys: KeepKeys = False, data_dir: DataDir = None
) -> None:
    """Change an account's password and sign it out everywhere. Its API keys are revoked, unless you keep them."""
    from app.accounts import queries, users

    with open_session(data_dir) as session:
        keys = {row.id: row.name for row in queries.api_keys_of(session, users.account_with(session, email).id)}
    password = _new_password(email, password_stdin)
    revoked = {key: name for key, name in keys.items() if not keep_keys and (password_stdin or _asked_to_revoke(name))}
    with open_session(data_dir) as session:
        users.change_password(session, users.account_with(session, email), password, revoked_keys=revoked)
    typer.echo("Password changed. All browsers are signed out.")
    if revoked:
        typer.echo(f"Revoked API keys: {', '.join(revoked.values())}.")


@user.command("reset")
def reset_password(email: Email, remove_second_step: RemoveSecondStep = False, data_dir: DataDir = None) -> None:
    """Print a link with which the account chooses a new password. It works once, for a day."""
    from app.accounts.reset_links import create_reset_link
    from app.accounts.second_factors.factors import has_second_factors
    from app.accounts.users import account_with

    settings = read_settings(data_dir=data_dir)
    with open_session(data_dir) as session:
        account = account_with(session, email)
        link = create_reset_link(session, account, settings, by=None, removes_factors=remove_second_step)
        has_factors = has_second_factors(session, account.id)
    typer.echo("Send this link to the account's owner. Whoever has it can set the password:", err=True)
    if remove_second_step:
        typer.echo("Codes from an app, recovery codes and passkeys are removed when it is used.", err=True)
    elif has_factors:
        typer.echo(
            "Codes from an app and passkeys of this account stay. If their owner lost them, use --remove-second-step.",
            err=True,
        )
    typer.echo(link)


def _asked_to_revoke(name: str) -> bool:
    return bool(typer.confirm(f"Revoke the API key “{name}” too?", default=True))


def _new_password(email: str, from_stdin: bool) -> HashedPassword:
    """Ask for a password and hash it, before the database is opened for writing."""
    from app.accounts.passwords import check_new_password, hash_password
    from app.accounts.users import clean_email
    from app.errors import ConviveError

    try:
        email = clean_email(email)
        password = _read_password(from_stdin)
        check_new_password(password, email)
    except ConviveError as error:
        refuse(error.message)
    return hash_password(password)


def _read_password(from_stdin: bool) -> str:
    if from_stdin:
        return sys.stdin.readline().rstrip("\r\n")
    return str(typer.prompt("Password", hide_input=True, confirmation_prompt="Repeat password"))

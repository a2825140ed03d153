"""convive member …"""

from __future__ import annotations

from typing import Annotated, Literal
from uuid import UUID

import typer

from app.cli.common import DataDir, open_session

member = typer.Typer(no_args_is_help=True, help="Manage who works on an event.")
EventId = Annotated[UUID, typer.Argument(help="The event's id; “member list” shows all.", show_default=False)]
Email = Annotated[str, typer.Argument(help="The account's e-mail address.", show_default=False)]
RoleName = Literal["owner", "editor", "viewer"]
Role = Annotated[RoleName, typer.Option(help="owner: everything; editor: no members, no deletion; viewer: reads.")]


@member.command("list")
def list_members(
    event: Annotated[UUID | None, typer.Argument(help="The event's id.", show_default="all events")] = None,
    data_dir: DataDir = None,
) -> None:
    """List the members of an event: role, e-mail address, name. Without an event, list all events with their ids."""
    from app.admin import members as verbs
    from app.sentences import count

    with open_session(data_dir) as session:
        if event is None:
            for row in verbs.list_events(session):
                day = row.date.isoformat() if row.date else "no date"
                typer.echo(f"{row.id}  {day:10}  {count(row.members, 'member'):>11}  {row.name}")
            return
        for person in verbs.list_members(session, event):
            typer.echo(f"{person.role:6}  {person.email or '-':30}  {person.name}")


@member.command("add")
def add_member(event: EventId, email: Email, role: Role = "editor", data_dir: DataDir = None) -> None:
    """Make an account a member of an event."""
    from app.admin import members as verbs

    with open_session(data_dir) as session:
        verbs.add_member(session, event, email, role)
    typer.echo("Member added.")


@member.command("role")
def change_role(
    event: EventId,
    email: Email,
    role: Annotated[RoleName, typer.Argument(help="The new role.", show_default=False)],
    data_dir: DataDir = None,
) -> None:
    """Change a member's role. An event always keeps an owner."""
    from app.admin import members as verbs

    with open_session(data_dir) as session:
        verbs.change_role(session, event, email, role)
    typer.echo("Role changed.")


@member.command("remove")
def remove_member(event: EventId, email: Email, data_dir: DataDir = None) -> None:
    """Remove a member from an event. They lose access at once."""
    from app.admin import members as verbs

    with open_session(data_dir) as session:
        verbs.remove_member(session, event, email)
    typer.echo("Member removed.")

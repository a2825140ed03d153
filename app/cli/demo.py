"""convive demo."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from app.cli.common import DataDir, open_database, read_settings

if TYPE_CHECKING:
    from app.config import Settings
    from app.db.session import Sessions

Again = Annotated[bool, typer.Option("--again", help="Create another demo event even if one exists.")]


def demo(again: Again = False, data_dir: DataDir = None) -> None:
    """Create a demo event: 22 guests at tables of 4, 4, 5, 6 and 3, rated, planned and shared."""
    settings = read_settings(data_dir=data_dir)
    sessions = open_database(settings)
    if again or not print_demo_address(settings, sessions):
        add_demo(settings, sessions)


def add_demo(settings: Settings, sessions: Sessions) -> None:
    """Create the demo event and a link to its plan, and say where they are."""
    from app.accounts.users import actor_of, local_user
    from app.db.session import transaction
    from app.events.context import open_event
    from app.sharing.links import create_link, days_beyond
    from app.transfer.demo import create_demo
    from app.web.link_tokens import link_key

    with transaction(sessions) as session:
        actor = actor_of(local_user(session))
        ctx = open_event(session, actor, create_demo(session, actor).id)
        days = days_beyond(ctx.event) or settings.link_days
        token = create_link(ctx, days=days, key=link_key(settings)).token
    typer.echo(f"Demo, shared: {settings.address}/s/{token}")
    print_demo_address(settings, sessions)


def print_demo_address(settings: Settings, sessions: Sessions) -> bool:
    """Print where the newest demo event is; return false if there is none."""
    from app.accounts.users import actor_of, local_user
    from app.db.session import transaction
    from app.events.context import open_event
    from app.plans.read import current_plan_id
    from app.transfer.demo import find_demo

    with transaction(sessions) as session:
        actor = actor_of(local_user(session))
        event = find_demo(session, actor)
        plan_id = current_plan_id(open_event(session, actor, event.id)) if event else None
    if event:
        page = f"/plans/{plan_id}" if plan_id else ""
        typer.echo(f"Demo, yours:  {settings.address}/events/{event.id}{page}")
    return event is not None

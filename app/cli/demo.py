"""convive demo."""

from __future__ import annotations

import logging
import time
from typing import TYPE_CHECKING, Annotated

import typer

from app.cli.common import DataDir, demo_words, open_database, read_settings, refuse

if TYPE_CHECKING:
    from uuid import UUID

    from app.accounts.actor import Actor
    from app.config import Settings
    from app.db.session import Sessions

RESTARTS = 1000
POLL_SECONDS = 0.2
Again = Annotated[bool, typer.Option("--again", help="Create another demo event even if one exists.")]


def demo(again: Again = False, data_dir: DataDir = None) -> None:
    """Create a demo event: 22 guests at tables of 4, 4, 5, 6 and 3, rated, solved and shared."""
    from app.accounts.users import actor_of, local_user
    from app.db.session import transaction
    from app.events.context import open_event
    from app.plans.read import current_plan_id
    from app.transfer.demo import create_demo, find_demo

    settings = read_settings(data_dir=data_dir)
    logging.getLogger("app.worker").setLevel(logging.WARNING)  # this command prints its own progress
    sessions = open_database(settings)
    with transaction(sessions) as session:
        actor = actor_of(local_user(session))
        known = None if again else find_demo(session, actor)
        event_id = (known or create_demo(session, actor)).id
        plan_id = current_plan_id(open_event(session, actor, event_id))
    if plan_id is None:  # one that was interrupted is taken up again
        plan_id = _solve(sessions, actor, event_id)
        token = _share(sessions, actor, event_id, settings)
        typer.echo(f"Demo, shared: {settings.address}/s/{token}")
    typer.echo(demo_words(settings, event_id, plan_id))


def _solve(sessions: Sessions, actor: Actor, event_id: UUID) -> UUID:
    """Solve in this process, unless a worker of a running server was quicker to take the run."""
    from app.db.session import transaction
    from app.errors import ConviveError
    from app.events.context import open_event
    from app.runs.options import RunOptions
    from app.runs.queue import NullQueue
    from app.runs.start import show_run, start_run
    from app.worker.execute import execute_run

    try:
        with transaction(sessions) as session:
            run = start_run(open_event(session, actor, event_id), NullQueue(), RunOptions(restarts=RESTARTS))
    except ConviveError as error:
        refuse(f"The demo event cannot be solved now: {error.message} Create a new one with “convive demo --again”.")
    execute_run(sessions, run.id)
    while not run.is_over:
        time.sleep(POLL_SECONDS)
        with transaction(sessions, read_only=True) as session:
            run = show_run(open_event(session, actor, event_id), run.id)
    if run.plan_id is None:
        refuse(f"The demo event was created, but not solved: {run.error}")
    return run.plan_id


def _share(sessions: Sessions, actor: Actor, event_id: UUID, settings: Settings) -> str:
    from app.db.session import transaction
    from app.events.context import open_event
    from app.sharing.link_tokens import link_key
    from app.sharing.links import create_link, days_beyond

    with transaction(sessions) as session:
        ctx = open_event(session, actor, event_id)
        days = days_beyond(ctx.event) or settings.link_days
        return create_link(ctx, days=days, key=link_key(settings)).token

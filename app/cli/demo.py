"""convive demo."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Annotated

import typer

from app.cli.common import DataDir, open_database, read_settings, refuse

if TYPE_CHECKING:
    from uuid import UUID

    from app.db.session import Sessions
    from app.services.access import Actor
    from app.db.queries.runs import RunRow

RESTARTS = 1000
POLL_SECONDS = 0.2
Again = Annotated[bool, typer.Option("--again", help="Make one more, even if there is one already.")]


def demo(again: Again = False, data_dir: DataDir = None) -> None:
    """Make a demo event: a party of 22 at tables of 4, 4, 5, 6 and 3, rated, solved and shared."""
    from app.db.session import transaction
    from app.services.accounts import actor_of, local_user
    from app.services.demo import create_demo, find_demo

    settings = read_settings(data_dir=data_dir)
    sessions, _ = open_database(settings)
    with transaction(sessions) as session:
        actor = actor_of(local_user(session))
        found = None if again else find_demo(session, actor)
        event_id = (found or create_demo(session, actor)).id
    if found is not None:
        typer.echo(f"There is a demo event already: {settings.address}/events/{event_id}")
        return
    run = _solve(sessions, actor, event_id)
    if run.plan_id is None:
        refuse(f"The demo event was made, but not solved: {run.error}")
    token = _share(sessions, actor, event_id, run.plan_id)
    typer.echo(f"Demo plan:   {settings.address}/events/{event_id}/plans/{run.plan_id}")
    typer.echo(f"Shared with: {settings.address}/s/{token}")


def _solve(sessions: Sessions, actor: Actor, event_id: UUID) -> RunRow:
    """Solve in this process, unless a worker of a running server was quicker to take the run."""
    from app.db.session import transaction
    from app.jobs.execute import execute_run
    from app.jobs.polled import PolledEngine
    from app.services.runs import show_run, start_run

    with transaction(sessions) as session:
        run = start_run(session, actor, event_id, PolledEngine(), restarts=RESTARTS)
    execute_run(sessions, run.id)
    while True:
        with transaction(sessions, read_only=True) as session:
            run = show_run(session, actor, event_id, run.id)
        if run.is_over:
            return run
        time.sleep(POLL_SECONDS)


def _share(sessions: Sessions, actor: Actor, event_id: UUID, plan_id: UUID) -> str:
    from app.db.session import transaction
    from app.services.links import create_link

    with transaction(sessions) as session:
        return create_link(session, actor, event_id, plan_id).token

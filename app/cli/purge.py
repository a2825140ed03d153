"""convive purge."""

from __future__ import annotations

import threading
from typing import Annotated

import typer

from app.cli.common import DataDir, open_database, read_settings
from app.sentences import count

DryRun = Annotated[bool, typer.Option("--dry-run", help="Show what would be deleted without deleting it.")]
RunsDays = Annotated[
    int | None,
    typer.Option(min=0, help="Days to keep runs without a plan.", show_default="CONVIVE_KEEP_RUNS_DAYS"),
]
PlansDays = Annotated[
    int | None, typer.Option(min=0, help="Days to keep unused plans.", show_default="CONVIVE_KEEP_PLANS_DAYS")
]


def purge(
    dry_run: DryRun = False, runs_days: RunsDays = None, plans_days: PlansDays = None, data_dir: DataDir = None
) -> None:
    """Delete old runs and unused plans now. Workers also do this every few hours. 0 days keeps them for ever."""
    from app.admin.retention import Retention, measure_old_data
    from app.db.session import transaction
    from app.worker.retention_loop import delete_old_data, purge_erased

    settings = read_settings(data_dir=data_dir, keep_runs_days=runs_days, keep_plans_days=plans_days)
    sessions = open_database(settings)
    keep = Retention(settings.keep_runs_days, settings.keep_plans_days, settings.keep_audit_days)
    typer.echo(f"Runs without a plan: {_rule(keep.runs_days)}. Unused plans: {_rule(keep.plans_days)}.")
    if dry_run:
        with transaction(sessions, read_only=True) as session:
            old = measure_old_data(session, keep)
        size = f"{old.run_bytes / 1_000_000:,.1f} MB"
        message = f"{count(old.plans, 'plan')} and {count(old.runs, 'run')} ({size})"
        typer.echo(f"Would delete {message}. Nothing was changed.")
        return
    deleted = delete_old_data(sessions, keep, threading.Event())
    purge_erased(settings)
    typer.echo(f"Deleted {count(deleted.plans, 'plan')} and {count(deleted.runs, 'run')}.")
    typer.echo(f"Erased {count(deleted.guests, 'removed guest')} and {count(deleted.events, 'event')} past their day.")


def _rule(days: int) -> str:
    return f"kept for {count(days, 'day')}" if days else "kept for ever"

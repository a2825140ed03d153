"""What was asked of the rounds in use, as the form would say it: for planning them again."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from uuid import UUID

from app.events.context import EventContext
from app.guests.queries.guests import seated_names_of
from app.problem.queries.rounds import later_rounds_of
from app.problem.queries.seats import current_plan_id, plan_of
from app.runs.options import RunOptions
from app.runs.queries import RunRow, run_by_id, runs_of
from app.runs.rounds.met_tables import write_met_tables
from app.runs.rounds.tables import FIELD
from app.tables.queries import tables_of


def rounds_in_use(ctx: EventContext) -> dict[str, str]:
    """Return the fields about rounds that the plan in use was made with; nothing if it has no rounds.

    Of rounds that were imported only their number is known, and whether they separate households.
    """
    plan_id = current_plan_id(ctx.session, ctx.event_id)
    plan = plan_of(ctx.session, ctx.event_id, plan_id) if plan_id else None
    if plan is None or not plan.round:
        return {}
    count = 1 + len(later_rounds_of(ctx.session, plan.id))
    typed = {"rounds": str(count), "split_households": "on" if plan.split_households else ""}
    run = run_by_id(ctx.session, plan.run_id) if plan.run_id else None
    return typed | write_rounds(ctx, run.options, count) if run else typed


def rounds_at_first(ctx: EventContext) -> dict[str, str]:
    """Return the fields about rounds that the form begins with: of a run that made no plan, else of those in use."""
    run = run_without_plan(ctx)
    return rounds_of_run(ctx, run.options) if run else rounds_in_use(ctx)


def run_without_plan(ctx: EventContext) -> RunRow | None:
    """Return the newest run of the event if it was cancelled or failed: whoever started it wants to try again."""
    newest = next(iter(runs_of(ctx.session, ctx.event_id, limit=1)), None)
    return run_by_id(ctx.session, newest.id) if newest and is_without_plan(newest) else None


def is_without_plan(run: RunRow) -> bool:
    """Say whether a run was cancelled or failed."""
    return run.status in ("cancelled", "failed")


def rounds_of_run(ctx: EventContext, options: RunOptions) -> dict[str, str]:
    """Return the fields about rounds as they were typed for a run; nothing for one round."""
    if options.rounds == 1:
        return {}
    typed = {"rounds": str(options.rounds), "split_households": "on" if options.split_households else ""}
    return typed | write_rounds(ctx, options, options.rounds)


def write_rounds(ctx: EventContext, options: RunOptions, rounds: int) -> dict[str, str]:
    """Write whom people should meet, the guests and the tables as the form does."""
    names = {guest.id: guest.name for guest in seated_names_of(ctx.session, ctx.event_id)}
    return {
        "goal": options.goal,
        "hosts": "\n".join(names[host] for host in options.hosts if host in names),
        "met_at": str(options.met_at or ""),
        "met_tables": write_met_tables(options.met_tables, names),
    } | _tables_as_typed(ctx, options.round_tables, rounds)


def _tables_as_typed(ctx: EventContext, used: Sequence[Sequence[UUID]], rounds: int) -> dict[str, str]:
    """Return the rounds of each table that some of them leave out; a list without tables means all of them."""
    if not any(used):
        return {}
    typed = {}
    for table in tables_of(ctx.session, ctx.event_id):
        numbers = [number for number, tables in enumerate(used, 1) if not tables or table.id in tables]
        if numbers and len(numbers) < rounds:
            typed[f"{FIELD}{table.id}"] = write_numbers(numbers)
    return typed


def write_numbers(numbers: Sequence[int]) -> str:
    """Write ascending numbers as people do, such as “1, 3-4”."""
    runs = [[number for _, number in run] for _, run in groupby(enumerate(numbers), lambda pair: pair[1] - pair[0])]
    return ", ".join(f"{run[0]}-{run[-1]}" if len(run) > 1 else str(run[0]) for run in runs)

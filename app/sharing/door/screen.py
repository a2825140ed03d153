"""The big screen: tables and names of the plan in use, and nothing else."""

from __future__ import annotations

from app.events.context import EventContext
from app.plans.read import current_plan_id, require_plan, view_plan
from app.sharing.links import SharedPlan, SharedTable


def read_screen(ctx: EventContext) -> SharedPlan:
    """Return the tables of the plan in use with the names there; none before there is a plan."""
    plan_id = current_plan_id(ctx)
    if plan_id is None:
        return SharedPlan(ctx.event.name, ctx.event.date, ())
    view = view_plan(ctx.session, require_plan(ctx, plan_id), can_edit=False)
    tables = (SharedTable(table.name, tuple(guest.name for guest in table.guests)) for table in view.tables)
    return SharedPlan(ctx.event.name, ctx.event.date, tuple(table for table in tables if table.guests))

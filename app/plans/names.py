"""What a plan is called: the name that somebody gave it, or its number."""

from __future__ import annotations

from app.db.models import Plan


def plan_name(plan: Plan) -> str:
    """Return the plan's own name, or `Version 3` and `Alternative to version 3`."""
    default = f"Version {plan.number}" if plan.alternative_of is None else f"Alternative to version {plan.number}"
    return plan.name or default

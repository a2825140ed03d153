"""What a plan is called: the name that somebody gave it, or its number."""

from __future__ import annotations

from app.db.models import Plan


def plan_name(plan: Plan) -> str:
    """Return the plan's own name, or `Version 3` and `Alternative to version 3`; later rounds say which they are."""
    if plan.round > 1:
        return f"{plan.name or default_name(plan.number, is_alternative=False)}, round {plan.round}"
    return plan.name or default_name(plan.number, is_alternative=plan.alternative_of is not None)


def default_name(number: int, *, is_alternative: bool) -> str:
    """Return what a plan is called as long as nobody has named it."""
    return f"Alternative to version {number}" if is_alternative else f"Version {number}"

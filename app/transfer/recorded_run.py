"""The run that made the plan of the demo event, recorded: the first page waits for no solver, and shows what one found.

`python -m tests.transfer.record_demo` records it. A test solves the event again and compares.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
from sqlalchemy import select

from app.db.models import Plan
from app.events.context import EventContext
from app.plans.save import create_plan
from app.runs.options import RunOptions
from app.solver import Alternative, Improvement, Result
from app.transfer.imported_plans import add_run

RECORD = Path(__file__).with_name("recorded_run.json")
ARRAYS = ("assignment", "seats", "positions", "pair_frequency")
DIGITS = 3
"""Of positions and shares, which are drawn and not computed with."""


def add_recorded_plan(ctx: EventContext) -> None:
    """Store the recorded run with its plans; they are measured by the ratings that the event has now."""
    record = json.loads(RECORD.read_text(encoding="utf-8"))
    paper = result_of(record["paper"]) if record["paper"] else None
    run_id, snapshot = add_run(ctx, RunOptions())
    found = result_of(record["result"])
    create_plan(ctx.session, event_id=ctx.event_id, run_id=run_id, snapshot=snapshot, result=found, paper=paper)
    for plan in ctx.session.scalars(select(Plan).where(Plan.run_id == run_id)):
        plan.figures = {**plan.figures, "recorded": True}
    ctx.session.flush()


def result_of(plain: dict[str, Any]) -> Result:
    """Read a result."""
    arrays = {name: None if plain[name] is None else np.array(plain[name]) for name in ARRAYS}
    others = tuple(
        Alternative(**{**other, "assignment": np.array(other["assignment"]), "seats": np.array(other["seats"])})
        for other in plain["alternatives"]
    )
    history = tuple(Improvement(*step) for step in plain["history"])
    return Result(**{**plain, **arrays, "alternatives": others, "history": history})


def plain_result(result: Result) -> dict[str, Any]:
    """Return a result as it is recorded."""
    arrays = {name: getattr(result, name) for name in ARRAYS}
    return {
        **vars(result),
        **{name: None if array is None else array.round(DIGITS).tolist() for name, array in arrays.items()},
        "history": [[step.seconds, step.restart, step.value] for step in result.history],
        "alternatives": [
            {**vars(other), "assignment": other.assignment.tolist(), "seats": other.seats.tolist()}
            for other in result.alternatives
        ],
    }

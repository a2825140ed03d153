"""Solve the demo event as a worker does, and record what it finds: python -m tests.transfer.record_demo."""

from __future__ import annotations

import json
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

from app.accounts.users import actor_of, local_user
from app.clock import now
from app.db.migrate import migrate
from app.db.session import make_engine, make_sessions, transaction
from app.problem.snapshot import copy_problem
from app.questions.question_snapshot import Inquiry, take_inquiry
from app.runs.options import RunOptions
from app.solver import Problem, Result, solve
from app.transfer.demo import create_unplanned
from app.transfer.recorded_questions import QUESTIONS, plain_questions
from app.transfer.recorded_run import RECORD, plain_result
from app.worker.choose_questions import choose_for
from app.worker.execute import PAPER_SHARE


def main() -> None:
    """Write the file."""
    with tempfile.TemporaryDirectory() as folder:
        engine = make_engine(f"sqlite:///{Path(folder) / 'demo.db'}")
        migrate(engine)
        with transaction(make_sessions(engine)) as session:
            ctx = create_unplanned(session, actor_of(local_user(session)))
            problem = copy_problem(session, ctx.event, objective="average").problem
            inquiry = take_inquiry(session, ctx.event)
        engine.dispose()
    record = {"result": plain_result(_solve_as_asked(problem)), "paper": plain_result(_solve_by_paper(problem))}
    RECORD.write_text(json.dumps(record) + "\n", encoding="utf-8")
    QUESTIONS.write_text(json.dumps(record_questions(inquiry)) + "\n", encoding="utf-8")


def record_questions(inquiry: Inquiry) -> dict[str, Any]:
    """Return the questions that a worker chooses, and how settled it finds the plan."""
    chosen = choose_for(inquiry, RunOptions().seed, now())
    assert chosen is not None
    assert chosen.measured is not None
    return plain_questions(chosen.batch, chosen.measured, chosen.lists)


def _solve_as_asked(problem: Problem) -> Result:
    """Return what a run with the usual options finds, without the time that compiling takes."""
    asked = RunOptions()
    solve(problem, restarts=2, time_limit=asked.time_limit, seed=asked.seed)
    return solve(problem, restarts=asked.restarts, time_limit=asked.time_limit, seed=asked.seed)


def _solve_by_paper(problem: Problem) -> Result:
    asked = RunOptions()
    limit = PAPER_SHARE * asked.time_limit
    found = solve(problem, method="paper", restarts=asked.restarts, time_limit=limit, seed=asked.seed)
    return replace(found, history=(), alternatives=(), pair_frequency=None)


if __name__ == "__main__":
    main()

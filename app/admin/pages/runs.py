"""The page for whoever runs the installation: what waits, what runs, what failed and why."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from fastapi import Depends, Request, Response

from app.accounts.current_user import CurrentUser
from app.admin import all_runs as operation
from app.admin.queries import OperatorRun
from app.clock import now
from app.runs.failure_messages import reason_for_operator
from app.runs.queue import AppQueue
from app.web.deps import Db, guard_form
from app.web.html.filters import moment
from app.web.html.rendering import redirect, render
from app.web.one_hop import Router

router = Router(prefix="/admin/runs", dependencies=[Depends(guard_form)])
STATES = {"queued": "waiting", "running": "running", "failed": "failed", "done": "done"}


@dataclass(frozen=True)
class RunLine:
    """One run in a table."""

    id: UUID
    account: str
    state: str
    method: str
    moment: str
    attempts: int
    reason: str = ""


@dataclass(frozen=True)
class OperatorPage:
    """The figures, the runs on their way and those that failed."""

    figures: Sequence[tuple[str, str]]
    going_on: Sequence[RunLine]
    failed: Sequence[RunLine]
    most_rows: int
    no_workers: bool


@router.get("")
def show_runs(request: Request, session: Db, actor: CurrentUser) -> Response:
    overview = operation.show_overview(session, actor)
    page = OperatorPage(
        figures=_figures(overview.figures),
        going_on=[_line(run, STATES[run.status]) for run in overview.going_on],
        failed=[_line(run, "failed", reason_for_operator(run.error)) for run in overview.failed],
        most_rows=operation.MOST_ROWS,
        no_workers=overview.figures.workers == 0,
    )
    return render(request, "admin/runs.html", page)


@router.post("/{run_id}/retry")
def retry_run(session: Db, actor: CurrentUser, queue: AppQueue, run_id: UUID) -> Response:
    operation.retry_run(session, actor, run_id, queue)
    return redirect("/admin/runs")


def _figures(figures: operation.Figures) -> list[tuple[str, str]]:
    words = [(f"{figures.by_status[status]:,}", name) for status, name in STATES.items()]
    words.append((_span(figures.longest_wait_seconds), "longest wait"))
    if figures.workers is not None:
        words.append((f"{figures.workers:,}", "worker" if figures.workers == 1 else "workers"))
    return words


def _line(run: OperatorRun, state: str, reason: str = "") -> RunLine:
    if run.shards > 1:
        state = f"{state}, {run.shards - run.shards_left} of {run.shards} shards done"
    since = run.finished_at or run.started_at or run.created_at
    message = moment(since) if reason else f"{_span((now() - since).total_seconds())} ago"
    method = run.method if run.purpose == "plan" else run.purpose
    return RunLine(run.id, run.account or "deleted account", state, method, message, run.attempts, reason)


def _span(seconds: float) -> str:
    if seconds < 120:
        return f"{max(seconds, 0):.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 7200 else f"{seconds / 3600:.0f} h"

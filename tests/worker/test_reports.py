"""What a worker says of itself and of its runs, in logs and metrics; never what people entered."""

from __future__ import annotations

import re
from typing import Any
from uuid import UUID

import pytest
import structlog
from prometheus_client import REGISTRY
from sqlalchemy import update

from app import __version__
from app.accounts.actor import Actor
from app.config import Settings
from app.db.models import Run
from app.db.session import Sessions, transaction
from app.runs.failure_messages import CHANGED, GIVEN_UP, NO_MEMORY, UNFORESEEN, reason_code
from app.worker.execute import execute_run
from app.worker.report import HOST, report_start
from tests.run_helpers import stored_event, stored_run

QUICK: dict[str, Any] = {"restarts": 2, "time_limit": 0.5}


def count(outcome: str) -> float:
    return REGISTRY.get_sample_value("convive_worker_runs_total", {"kind": "run", "outcome": outcome}) or 0.0


def observed() -> float:
    return REGISTRY.get_sample_value("convive_worker_solve_seconds_count", {"kind": "run"}) or 0.0


def line_of(sessions: Sessions, run_id: UUID) -> dict[str, object]:
    """Execute a run and return the one line that is logged about it."""
    with structlog.testing.capture_logs() as lines:
        execute_run(sessions, run_id)
    notice = [line for line in lines if line["event"] == "run"]
    assert len(notice) == 1
    return dict(notice[0])


def test_run_is_logged_with_seconds_host_attempt_and_outcome(sessions: Sessions, owner: Actor) -> None:
    run_id = stored_run(sessions, owner, stored_event(sessions, owner), **QUICK)
    done, seen = count("done"), observed()
    line = line_of(sessions, run_id)
    seconds = line.pop("seconds")
    assert isinstance(seconds, float)
    assert line == {
        "event": "run",
        "log_level": "info",
        "run": str(run_id),
        "outcome": "done",
        "host": HOST,
        "attempt": 1,
        "method": "full",
    }
    assert (count("done"), observed()) == (done + 1, seen + 1)


def test_failed_run_is_logged_with_a_word_for_the_reason(sessions: Sessions, owner: Actor) -> None:
    run_id = stored_run(sessions, owner, stored_event(sessions, owner), **QUICK)
    with transaction(sessions) as session:
        session.execute(update(Run).where(Run.id == run_id).values(attempts=3))
    failed = count("failed")
    line = line_of(sessions, run_id)
    assert (line["outcome"], line["reason"], line["attempt"]) == ("failed", "interrupted", 4)
    assert count("failed") == failed + 1


@pytest.mark.parametrize(
    ("message", "code"),
    [
        (GIVEN_UP.format(times=3), "interrupted"),
        (CHANGED, "event-changed"),
        (NO_MEMORY, "out-of-memory"),
        (UNFORESEEN.format(run="0190"), "unhandled"),
        ("Canary and Secret must sit together and apart.", "unsolvable"),
        (None, "unsolvable"),
    ],
)
def test_reason_in_the_log_names_nobody(message: str | None, code: str) -> None:
    assert reason_code(message) == code


def test_worker_says_at_its_start_what_it_is(sessions: Sessions, settings: Settings) -> None:
    with structlog.testing.capture_logs() as lines:
        report_start(settings, sessions)
    (line,) = lines
    kind = "sqlite" if settings.is_sqlite else "postgresql"
    assert (line["event"], line["host"], line["version"]) == ("worker started", HOST, __version__)
    assert line["cores"] >= 1
    assert line["database"] == kind
    assert not re.search("password|://", str(line))

"""Retention: old runs without a plan and unused plans go; whatever somebody uses stays."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path
from uuid import UUID

import pytest
from sqlalchemy import event, select, update
from sqlalchemy.orm import Session
from typer.testing import CliRunner

from app.accounts.actor import Actor
from app.admin.retention import OldData, Retention, delete_unused_plan, measure_old_data
from app.cli import app
from app.clock import now
from app.config import Settings
from app.db import models
from app.db.session import Sessions, transaction
from app.events.context import open_event
from app.plans.moves.edit import MoveEntry, make_move
from app.plans.save import create_plan
from app.plans.versions import rename_plan, use_plan
from app.problem.packing import pack
from app.sharing.links import create_link, revoke_link
from app.worker import retention_loop
from app.worker.retention_loop import Deleted, delete_old_data
from tests.factories import Planned, make_event, make_plan, make_result
from tests.server import wait_for

KEEP = Retention(runs_days=90, plans_days=365)
LONG_AGO = timedelta(days=400)


def add_run(session: Session, made: Planned, owner: Actor, **values: object) -> models.Run:
    """Add a run that ended long ago without a plan, unless something else is said."""
    given = {"status": "done", "finished_at": now() - LONG_AGO, **values}
    kept = {"method": "paper", "objective": "average", "restarts": 1, "time_limit": 5.0, "seed": 1}
    run = models.Run(event_id=made.event.id, user_id=owner.user_id, problem=pack(made.snapshot), **kept, **given)
    session.add(run)
    session.flush()
    return run


def add_plan(session: Session, made: Planned, owner: Actor, *, others: int = 0) -> models.Plan:
    """Add a plan that a run made just now, with other good plans beside it."""
    run = add_run(session, made, owner)
    result = make_result(made.snapshot.problem)
    plan = create_plan(session, event_id=made.event.id, run_id=run.id, snapshot=made.snapshot, result=result)
    for _ in range(others):
        beside = create_plan(session, event_id=made.event.id, run_id=None, snapshot=made.snapshot, result=result)
        beside.run_id, beside.alternative_of = run.id, plan.id
    session.flush()
    return plan


def grow_old(session: Session, at: datetime | None = None) -> None:
    """Let all plans and runs be of another time."""
    then = at or now() - LONG_AGO
    session.execute(update(models.Plan).values(created_at=then, updated_at=then))
    session.execute(update(models.Run).values(created_at=then, finished_at=then))


def ids(sessions: Sessions, model: type[models.Plan] | type[models.Run] | type[models.AuditEntry]) -> set[UUID]:
    with transaction(sessions, read_only=True) as session:
        return set(session.scalars(select(model.id)))


def sweep(sessions: Sessions, keep: Retention = KEEP) -> Deleted:
    return delete_old_data(sessions, keep, threading.Event(), pause=0)


def name_it(session: Session, owner: Actor, plan: models.Plan, made: Planned) -> None:
    rename_plan(open_event(session, owner, plan.event_id), plan.id, "For aunt Leena")


def move_somebody(session: Session, owner: Actor, plan: models.Plan, made: Planned) -> None:
    entry = MoveEntry("swap", guest=made.guests[0].id, other=made.guests[-1].id)
    make_move(open_event(session, owner, plan.event_id), plan.id, entry)


def undo_a_move(session: Session, owner: Actor, plan: models.Plan, made: Planned) -> None:
    move_somebody(session, owner, plan, made)
    make_move(open_event(session, owner, plan.event_id), plan.id, MoveEntry("undo"))


def share_it(session: Session, owner: Actor, plan: models.Plan, made: Planned) -> None:
    create_link(open_event(session, owner, plan.event_id), plan.id, days=30)


def share_and_close(session: Session, owner: Actor, plan: models.Plan, made: Planned) -> None:
    share_it(session, owner, plan, made)
    link = session.scalars(select(models.Link)).one()
    revoke_link(open_event(session, owner, plan.event_id), link.id)


def share_one_beside(session: Session, owner: Actor, plan: models.Plan, made: Planned) -> None:
    share_it(session, owner, _one_beside(session, plan), made)


def choose_another(session: Session, owner: Actor, plan: models.Plan, made: Planned) -> None:
    use_plan(open_event(session, owner, plan.event_id), _one_beside(session, plan).id)


def start_from_it(session: Session, owner: Actor, plan: models.Plan, made: Planned) -> None:
    add_run(session, made, owner, status="queued", finished_at=None, from_plan=plan.id)


def _one_beside(session: Session, plan: models.Plan) -> models.Plan:
    return session.scalars(select(models.Plan).where(models.Plan.alternative_of == plan.id)).all()[0]


USES: list[Callable[[Session, Actor, models.Plan, Planned], None]] = [
    name_it,
    move_somebody,
    undo_a_move,
    share_it,
    share_and_close,
    share_one_beside,
    choose_another,
    start_from_it,
]


def test_unused_plans_go_with_their_runs_and_the_newest_stays(sessions: Sessions, owner: Actor) -> None:
    with transaction(sessions) as session:
        made = make_plan(session, owner)
        add_plan(session, made, owner, others=3)
        newest = add_plan(session, made, owner, others=1)
        kept = {plan.id for plan in session.scalars(select(models.Plan)) if newest.id in (plan.id, plan.alternative_of)}
        kept_run = newest.run_id
        grow_old(session)
    with transaction(sessions, read_only=True) as session:
        old = measure_old_data(session, KEEP)
        assert old == OldData(runs=2, run_bytes=2 * len(pack(made.snapshot)), plans=5)
    assert sweep(sessions) == Deleted(runs=2, plans=5)
    assert (ids(sessions, models.Plan), ids(sessions, models.Run)) == (kept, {kept_run})
    assert sweep(sessions) == Deleted()


@pytest.mark.parametrize("use", USES)
def test_plan_that_somebody_uses_stays(
    sessions: Sessions, owner: Actor, use: Callable[[Session, Actor, models.Plan, Planned], None]
) -> None:
    with transaction(sessions) as session:
        made = make_plan(session, owner)
        used = add_plan(session, made, owner, others=1)
        add_plan(session, made, owner)
        use(session, owner, used, made)
        session.flush()
        grow_old(session)
        run_id = used.run_id
    before = ids(sessions, models.Plan)
    assert sweep(sessions).plans == 1  # the one that nobody uses
    assert before - ids(sessions, models.Plan) == {made.plan.id}
    assert run_id in ids(sessions, models.Run)


def test_plans_are_kept_for_ever_unless_days_are_set(sessions: Sessions, owner: Actor) -> None:
    with transaction(sessions) as session:
        made = make_plan(session, owner)
        add_plan(session, made, owner)
        add_run(session, made, owner)
        grow_old(session)
    before = ids(sessions, models.Plan)
    assert sweep(sessions, Retention(runs_days=0, plans_days=0)) == Deleted()
    assert sweep(sessions, Retention(runs_days=90, plans_days=0)) == Deleted(runs=1)
    assert ids(sessions, models.Plan) == before


def test_lines_of_the_audit_log_go_when_they_are_old(sessions: Sessions, owner: Actor) -> None:
    with transaction(sessions) as session:
        make_event(session, owner, "Old")
        session.flush()
        session.execute(update(models.AuditEntry).values(created_at=now() - timedelta(days=366)))
        make_event(session, owner, "New")
    assert sweep(sessions, Retention(0, 0, audit_days=0)).audit == 0
    assert sweep(sessions, Retention(0, 0, audit_days=365)).audit == 1
    assert len(ids(sessions, models.AuditEntry)) == 1


def test_runs_without_a_plan_go_when_they_are_old_and_over(sessions: Sessions, owner: Actor) -> None:
    recent = now() - timedelta(days=89)
    with transaction(sessions) as session:
        made = make_plan(session, owner)
        old = {
            add_run(session, made, owner, status="failed").id,
            add_run(session, made, owner, status="cancelled").id,
            add_run(session, made, owner, purpose="questions").id,
        }
        add_run(session, made, owner, status="failed", finished_at=recent)
        add_run(session, made, owner, status="queued", finished_at=None, created_at=now() - LONG_AGO)
        add_run(session, made, owner, status="running", finished_at=None, created_at=now() - LONG_AGO)
    before = ids(sessions, models.Run)
    assert sweep(sessions) == Deleted(runs=3)
    assert before - ids(sessions, models.Run) == old


def test_plan_shared_after_it_was_found_stays(sessions: Sessions, owner: Actor) -> None:
    with transaction(sessions) as session:
        made = make_plan(session, owner)
        add_plan(session, made, owner)
        grow_old(session)
        share_it(session, owner, made.plan, made)
    with transaction(sessions) as session:
        assert not delete_unused_plan(session, made.plan.id, now() - timedelta(days=365))


def test_plan_that_is_being_shared_while_it_is_deleted_stays(sessions: Sessions, owner: Actor) -> None:
    with transaction(sessions) as session:
        made = make_plan(session, owner)
        add_plan(session, made, owner)
        grow_old(session)
    outcome: list[bool] = []

    def delete_it() -> None:
        with transaction(sessions) as session:
            outcome.append(delete_unused_plan(session, made.plan.id, now() - timedelta(days=365)))

    thread = threading.Thread(target=delete_it)
    with transaction(sessions) as session:
        share_it(session, owner, made.plan, made)
        session.flush()
        thread.start()
        thread.join(0.5)  # it waits for the row, or for SQLite's one writer
        assert outcome == []
    thread.join(30)
    assert outcome == [False]
    assert made.plan.id in ids(sessions, models.Plan)


def test_command_says_what_would_go_and_deletes_it(
    sessions: Sessions, owner: Actor, settings: Settings, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CONVIVE_DATABASE_URL", settings.database)
    monkeypatch.setenv("CONVIVE_DATA_DIR", str(tmp_path))
    with transaction(sessions) as session:
        made = make_plan(session, owner)
        add_plan(session, made, owner)
        add_run(session, made, owner)
        grow_old(session)

    def purge(*flags: str) -> str:
        done = CliRunner().invoke(app, ["purge", *flags])
        assert done.exit_code == 0, done.output
        return done.stdout

    nothing = "Erased 0 removed guests and 0 events past their day.\n"
    rule = "Runs without a plan: kept for 90 days. Unused plans: kept for"
    assert purge("--dry-run") == f"{rule} ever.\nWould delete 0 plans and 1 run (0.0 MB). Nothing was changed.\n"
    shown = purge("--dry-run", "--plans-days", "365")
    assert shown == f"{rule} 365 days.\nWould delete 1 plan and 2 runs (0.0 MB). Nothing was changed.\n"
    assert len(ids(sessions, models.Plan)) == 2
    assert purge("--plans-days", "365") == f"{rule} 365 days.\nDeleted 1 plan and 2 runs.\n{nothing}"
    assert len(ids(sessions, models.Plan)) == 1


def test_each_transaction_deletes_one_row(sessions: Sessions, owner: Actor) -> None:
    with transaction(sessions) as session:
        made = make_plan(session, owner)
        add_plan(session, made, owner, others=2)
        add_plan(session, made, owner)
        grow_old(session)
    deleted_in = [0]

    @event.listens_for(sessions.kw["bind"], "begin")
    def begin(_connection: object) -> None:
        deleted_in.append(0)

    @event.listens_for(sessions.kw["bind"], "after_cursor_execute")
    def count(_c: object, _cursor: object, statement: str, *_: object) -> None:
        deleted_in[-1] += statement.startswith("DELETE")

    assert sweep(sessions) == Deleted(runs=2, plans=4)
    assert (max(deleted_in), sum(deleted_in)) == (1, 6)


def test_worker_deletes_in_the_background_until_it_stops(
    sessions: Sessions, owner: Actor, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(retention_loop, "FIRST_SECONDS", 0.01)  # a worker that starts has better things to do
    with transaction(sessions) as session:
        made = make_plan(session, owner)
        old = add_run(session, made, owner).id
    stopping = threading.Event()
    retention_loop.start_retention(settings, sessions, stopping)
    wait_for(lambda: old not in ids(sessions, models.Run), "the old run to be gone")
    stopping.set()
    wait_for(lambda: "retention" not in [thread.name for thread in threading.enumerate()], "the end of the thread")
    assert made.run.id in ids(sessions, models.Run)


def test_large_problem_is_freed_without_writing_as_much(sessions: Sessions, owner: Actor, settings: Settings) -> None:
    if not settings.is_sqlite:
        return
    with transaction(sessions) as session:
        made = make_plan(session, owner)
        add_run(session, made, owner).problem = os.urandom(8_000_000)
        assert session.connection().exec_driver_sql("PRAGMA secure_delete=ON").scalar_one() == 1
    with sessions.kw["bind"].connect() as connection:
        connection.exec_driver_sql("COMMIT")
        connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)")
    assert sweep(sessions) == Deleted(runs=1)
    assert Path(f"{settings.database.removeprefix('sqlite:///')}-wal").stat().st_size < 1_000_000
    with transaction(sessions) as session:
        assert session.connection().exec_driver_sql("PRAGMA secure_delete").scalar_one() == 1


def test_counting_runs_reads_no_problem(sessions: Sessions) -> None:
    if sessions.kw["bind"].dialect.name != "sqlite":
        return  # PostgreSQL keeps large values apart from their rows
    with transaction(sessions, read_only=True) as session:
        plan = "EXPLAIN QUERY PLAN SELECT status, count(*) FROM runs WHERE purpose = 'plan' GROUP BY status"
        steps = session.connection().exec_driver_sql(plan).all()
    assert "COVERING INDEX ix_runs_purpose_status" in str(steps)

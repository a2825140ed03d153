"""Versions of a plan: which one is in use, copies, and deleting with undo."""

from __future__ import annotations

import threading
from datetime import timedelta
from uuid import UUID

import pytest
from sqlalchemy import select, update
from sqlalchemy.orm import Session

from app.accounts.actor import Actor
from app.admin.retention import OldData, Retention, measure_old_data
from app.clock import now
from app.db import models
from app.db.session import Sessions, transaction
from app.errors import Conflict, Forbidden, NotFound
from app.events.context import EventContext, open_event
from app.events.queries import counts
from app.plans import read, versions
from app.plans.moves import edit
from app.plans.moves.edit import MoveEntry
from app.plans.names import plan_name
from app.plans.save import create_plan
from app.plans.views.in_use import read_plan_in_use
from app.problem.packing import pack
from app.runs.queries import run_by_id
from app.sharing.links import create_link, list_links, open_link
from app.worker.retention_loop import Deleted, delete_old_data
from tests.factories import Planned, make_member, make_plan, make_result
from tests.plans.test_good_plans import make_family, others_of

KEEP = Retention(runs_days=90, plans_days=0)


def add_version(session: Session, made: Planned, *, use: bool | None = None) -> models.Plan:
    """Let another run make a plan for the same event."""
    run = models.Run(event_id=made.event.id, status="done", method="full", objective="average", restarts=1, seed=1)
    run.time_limit, run.problem = 1.0, pack(made.snapshot)
    session.add(run)
    session.flush()
    result = make_result(made.snapshot.problem)
    return create_plan(
        session,
        event_id=made.event.id,
        run_id=run.id,
        snapshot=made.snapshot,
        result=result,
        use=use,
    )


def context(session: Session, owner: Actor, made: Planned) -> EventContext:
    return open_event(session, owner, made.event.id)


def seats_of(session: Session, plan_id: UUID) -> set[tuple[UUID, UUID, int, bool]]:
    rows = session.scalars(select(models.Seat).where(models.Seat.plan_id == plan_id))
    return {(row.guest_id, row.table_id, row.seat, row.locked) for row in rows}


def test_versions_are_numbered_and_the_one_made_last_is_in_use(session: Session, owner: Actor) -> None:
    made = make_family(session, owner)
    second = add_version(session, made)
    (beside,) = others_of(session, made.plan)
    assert [plan_name(plan) for plan in (made.plan, beside, second)] == [
        "Version 1",
        "Alternative to version 1",
        "Version 2",
    ]
    assert read.current_plan_id(context(session, owner, made)) == second.id


def test_plan_waits_while_open_links_show_another(session: Session, owner: Actor) -> None:
    made = make_plan(session, owner)
    ctx = context(session, owner, made)
    create_link(ctx, audience="guests")
    waiting = add_version(session, made)
    assert read.current_plan_id(ctx) == made.plan.id
    asked = read_plan_in_use(ctx)
    assert (asked.name, asked.links) == ("Version 1", 1)
    assert asked.ask(waiting.id) == "Use this plan? 1 open link will show it. Until then it shows Version 1."
    assert asked.ask(made.plan.id) == ""
    versions.use_plan(ctx, waiting.id)
    assert read.current_plan_id(ctx) == waiting.id
    wanted = add_version(session, made, use=True)
    assert read.current_plan_id(ctx) == wanted.id


def test_plan_that_is_not_to_be_used_waits_though_nobody_sees_another(session: Session, owner: Actor) -> None:
    made = make_plan(session, owner)
    ctx = context(session, owner, made)
    add_version(session, made, use=False)
    assert read.current_plan_id(ctx) == made.plan.id
    versions.delete_plan(ctx, made.plan.id)
    first = add_version(session, made, use=False)
    assert first.used_at is None  # the version before it is left
    for plan in read.list_plans(ctx):
        versions.delete_plan(ctx, plan.id)
    assert add_version(session, made, use=False).used_at is not None


def test_links_that_nobody_can_open_or_that_show_one_plan_let_a_new_plan_be_used(
    session: Session, owner: Actor
) -> None:
    made = make_plan(session, owner)
    ctx = context(session, owner, made)
    create_link(ctx, audience="guests", plan_id=made.plan.id)
    closed, expired = create_link(ctx, audience="guests").link, create_link(ctx, audience="guests").link
    closed.revoked_at, expired.expires_at = now(), now() - timedelta(days=1)
    session.flush()
    second = add_version(session, made)
    assert read.current_plan_id(ctx) == second.id
    assert read_plan_in_use(ctx).links == 0


def test_older_version_is_in_use_once_somebody_chose_it(session: Session, owner: Actor) -> None:
    made = make_plan(session, owner)
    second = add_version(session, made)
    ctx = context(session, owner, made)
    versions.use_plan(ctx, made.plan.id)
    assert read.current_plan_id(ctx) == made.plan.id
    third = add_version(session, made)
    assert read.current_plan_id(ctx) == third.id
    versions.delete_plan(ctx, third.id)
    assert read.current_plan_id(ctx) == made.plan.id != second.id


def test_copy_is_a_plan_of_its_own_that_can_be_edited(session: Session, owner: Actor) -> None:
    made = make_plan(session, owner)
    ctx = context(session, owner, made)
    edit.make_move(ctx, made.plan.id, MoveEntry("lock", made.guests[0].id))
    copy = versions.duplicate_plan(ctx, made.plan.id)
    assert (copy.name, copy.number, copy.created_by) == ("Copy of Version 1", 2, owner.user_id)
    assert seats_of(session, copy.id) == seats_of(session, made.plan.id)
    assert read.current_plan_id(ctx) == made.plan.id
    before = seats_of(session, made.plan.id)
    edit.make_move(ctx, copy.id, MoveEntry("swap", made.guests[1].id, other=made.guests[-1].id))
    assert seats_of(session, copy.id) != before == seats_of(session, made.plan.id)
    run = run_by_id(session, made.run.id)
    assert run is not None
    assert run.plan_id == made.plan.id


def test_copy_of_an_alternative_stands_by_itself(session: Session, owner: Actor) -> None:
    made = make_family(session, owner)
    ctx = context(session, owner, made)
    (beside,) = others_of(session, made.plan)
    copy = versions.duplicate_plan(ctx, beside.id)
    assert (copy.alternative_of, copy.name) == (None, "Copy of Alternative to version 1")
    versions.duplicate_plan(ctx, copy.id)
    assert len(versions.list_versions(ctx, limit=10)) == 3


def test_deleted_plan_is_hidden_everywhere_and_comes_back_as_it_was(session: Session, owner: Actor) -> None:
    made = make_family(session, owner)
    ctx = context(session, owner, made)
    token = create_link(ctx, made.plan.id).token
    (beside,) = others_of(session, made.plan)
    versions.delete_plan(ctx, made.plan.id)
    for plan_id in (made.plan.id, beside.id):
        with pytest.raises(NotFound):
            read.read_plan(ctx, plan_id)
    with pytest.raises(NotFound):
        open_link(session, token)
    assert (read.current_plan_id(ctx), read.list_plans(ctx, alternatives=True)) == (None, [])
    assert [link.plan_id for link in list_links(ctx)] == [made.plan.id]  # it can still be closed
    assert counts(session, [made.event.id])[made.event.id][3] == 0
    run = run_by_id(session, made.run.id)
    assert run is not None
    assert run.plan_id is None
    assert [row.plan.id for row in versions.list_deleted(ctx)] == [made.plan.id]

    versions.restore_plan(ctx, made.plan.id)
    assert read.current_plan_id(ctx) == made.plan.id
    assert [one.id for one in read.read_plan(ctx, made.plan.id).alternatives] == [beside.id]
    assert open_link(session, token).plan_id == made.plan.id
    assert versions.list_deleted(ctx) == []


def test_alternative_deleted_by_itself_does_not_come_back_with_its_plan(session: Session, owner: Actor) -> None:
    made = make_family(session, owner)
    ctx = context(session, owner, made)
    (beside,) = others_of(session, made.plan)
    versions.delete_plan(ctx, beside.id)
    versions.delete_plan(ctx, made.plan.id)
    with pytest.raises(Conflict, match="Restore Version 1 first"):
        versions.restore_plan(ctx, beside.id)
    versions.restore_plan(ctx, made.plan.id)
    assert read.read_plan(ctx, made.plan.id).alternatives == ()
    versions.restore_plan(ctx, beside.id)
    assert [one.id for one in read.read_plan(ctx, made.plan.id).alternatives] == [beside.id]


def test_runs_that_end_at_once_make_versions_of_different_numbers(sessions: Sessions, owner: Actor) -> None:
    with transaction(sessions) as session:
        made = make_plan(session, owner)
    saved = threading.Event()

    def save() -> None:
        with transaction(sessions) as session:
            add_version(session, made)
        saved.set()

    with transaction(sessions) as session:
        add_version(session, made)
        thread = threading.Thread(target=save)
        thread.start()
        saved.wait(0.3)  # the other one waits until this one is stored
    thread.join()
    with transaction(sessions, read_only=True) as session:
        assert sorted(session.scalars(select(models.Plan.number))) == [1, 2, 3]


def test_viewer_changes_no_version(session: Session, owner: Actor) -> None:
    made = make_plan(session, owner)
    ctx = open_event(session, make_member(session, made.event.id, "viewer"), made.event.id)
    for verb in (versions.use_plan, versions.duplicate_plan, versions.delete_plan, versions.restore_plan):
        with pytest.raises(Forbidden):
            verb(ctx, made.plan.id)
    with pytest.raises(Forbidden):
        versions.list_deleted(ctx)


def test_plan_of_another_event_cannot_be_restored(session: Session, owner: Actor) -> None:
    made, other = make_plan(session, owner), make_plan(session, owner)
    versions.delete_plan(context(session, owner, made), made.plan.id)
    with pytest.raises(NotFound):
        versions.restore_plan(context(session, owner, other), made.plan.id)


def test_plan_deleted_long_ago_goes_for_good_with_those_beside_it(sessions: Sessions, owner: Actor) -> None:
    with transaction(sessions) as session:
        made = make_family(session, owner)
        kept = add_version(session, made).id
        recent = add_version(session, made).id
        ctx = context(session, owner, made)
        versions.delete_plan(ctx, made.plan.id)
        long_ago = now() - versions.RESTORABLE - timedelta(minutes=1)
        session.execute(update(models.Plan).where(models.Plan.deleted_at.is_not(None)).values(deleted_at=long_ago))
        versions.delete_plan(ctx, recent)
    with transaction(sessions) as session:
        ctx = context(session, owner, made)
        assert measure_old_data(session, KEEP) == OldData(runs=0, run_bytes=0, plans=2)
        assert [row.plan.id for row in versions.list_deleted(ctx)] == [recent]
        with pytest.raises(NotFound):
            versions.restore_plan(ctx, made.plan.id)
    assert delete_old_data(sessions, KEEP, threading.Event(), pause=0) == Deleted(plans=2)
    with transaction(sessions, read_only=True) as session:
        assert set(session.scalars(select(models.Plan.id))) == {kept, recent}

"""Who works on a plan: announced, followed by others, forgotten when they go."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest
from sqlalchemy import update
from sqlalchemy.orm import Session

from app.accounts.actor import Actor
from app.accounts.current_user import Credential
from app.accounts.sessions import actor_of_session, start_session
from app.clock import now
from app.db.models import PlanEditor, User
from app.db.session import Sessions, transaction
from app.errors import Conflict, Forbidden, Invalid
from app.events.context import EventContext, open_event
from app.events.feed import Feed, StreamLimits
from app.events.members import remove_member
from app.plans.live.presence import MOST_GUESTS, MOST_TABS, announce, follow_plan, leave
from app.plans.live.queries import GONE_AFTER, live_plans
from app.plans.moves.edit import MoveEntry, make_move
from app.plans.versions import delete_plan
from tests.factories import Planned, make_member, make_plan
from tests.loops import in_a_loop


@pytest.fixture
def made(session: Session, owner: Actor) -> Planned:
    return make_plan(session, owner, sizes=(3, 3), names=["Aino", "Bo", "Cleo", "Dan"], assignment=[0, 0, 1, 1])


@pytest.fixture
def ctx(session: Session, owner: Actor, made: Planned) -> EventContext:
    return open_event(session, owner, made.event.id)


def test_others_see_who_is_there_and_whom_they_hold(session: Session, ctx: EventContext, made: Planned) -> None:
    partner = open_event(session, make_member(session, made.event.id, "editor"), made.event.id)
    own, theirs = uuid4(), uuid4()
    announce(ctx, made.plan.id, own)
    announce(partner, made.plan.id, theirs, [made.guests[1].id])
    editors = {one.tab: one for one in follow_plan(ctx, made.plan.id).editors}
    assert editors[own].guests == ()
    assert editors[theirs].guests == (str(made.guests[1].id),)
    assert editors[theirs].user_id == partner.actor.user_id
    announce(partner, made.plan.id, theirs)
    assert not any(one.guests for one in follow_plan(ctx, made.plan.id).editors)


def test_closed_and_silent_tabs_are_gone(session: Session, ctx: EventContext, made: Planned) -> None:
    closed, silent = uuid4(), uuid4()
    announce(ctx, made.plan.id, closed)
    announce(ctx, made.plan.id, silent)
    leave(ctx, made.plan.id, closed)
    assert [one.tab for one in follow_plan(ctx, made.plan.id).editors] == [silent]
    session.execute(update(PlanEditor).values(seen_at=now() - GONE_AFTER - timedelta(seconds=1)))
    assert follow_plan(ctx, made.plan.id).editors == ()
    session.execute(update(PlanEditor).values(seen_at=now() - 3 * GONE_AFTER))
    announce(ctx, made.plan.id, closed)
    assert session.query(PlanEditor).count() == 1


def test_nobody_speaks_for_another(session: Session, ctx: EventContext, made: Planned) -> None:
    partner = open_event(session, make_member(session, made.event.id, "editor"), made.event.id)
    tab = uuid4()
    announce(partner, made.plan.id, tab, [made.guests[0].id])
    leave(ctx, made.plan.id, tab)
    announce(ctx, made.plan.id, tab)
    held = {one.user_id: one.guests for one in follow_plan(ctx, made.plan.id).editors}
    assert held == {partner.actor.user_id: (str(made.guests[0].id),), ctx.actor.user_id: ()}


def test_viewer_follows_but_does_not_announce(session: Session, ctx: EventContext, made: Planned) -> None:
    viewer = open_event(session, make_member(session, made.event.id, "viewer"), made.event.id)
    assert follow_plan(viewer, made.plan.id).version == made.plan.version
    with pytest.raises(Forbidden):
        announce(viewer, made.plan.id, uuid4())


def test_tabs_and_guests_are_bounded(ctx: EventContext, made: Planned) -> None:
    with pytest.raises(Invalid, match="At most 50 guests"):
        announce(ctx, made.plan.id, uuid4(), [uuid4() for _ in range(MOST_GUESTS + 1)])
    tabs = [uuid4() for _ in range(MOST_TABS)]
    for tab in tabs:
        announce(ctx, made.plan.id, tab)
    with pytest.raises(Conflict, match="Close one of them"):
        announce(ctx, made.plan.id, uuid4())
    announce(ctx, made.plan.id, tabs[0])


def test_stream_shows_moves_and_editors_of_others(sessions: Sessions, owner: Actor) -> None:
    with transaction(sessions) as session:
        made = make_plan(session, owner, sizes=(3, 3), names=["Aino", "Bo", "Cleo"], assignment=[0, 0, 1])
        event_id, plan_id = made.event.id, made.plan.id
        guest_id, table_id = made.guests[0].id, made.tables[1].id
        viewer = make_member(session, event_id, "viewer")
        token = start_session(session, session.get_one(User, viewer.user_id), days=1)

    def change(work: Callable[[EventContext], Any]) -> Any:
        with transaction(sessions) as session:
            return work(open_event(session, owner, event_id))

    async def read(work: Callable[[Session], Any]) -> Any:
        with transaction(sessions, read_only=True) as session:
            return work(session)

    async def watch() -> tuple[int, list[UUID]]:
        feed = Feed(read, live_plans, role="viewer", limits=StreamLimits())
        start = change(lambda ctx: follow_plan(ctx, plan_id))
        follower = feed.join(viewer.user_id, Credential(actor_of_session, token), start)
        for work in (
            lambda ctx: announce(ctx, plan_id, uuid4(), [guest_id]),
            lambda ctx: make_move(ctx, plan_id, MoveEntry("move", guest_id, table=table_id)),
        ):
            await asyncio.wait_for(follower.changed.wait(), 60)
            follower.changed.clear()
            change(work)
        await asyncio.wait_for(follower.changed.wait(), 60)
        while follower.latest.row.version == start.version:
            follower.changed.clear()
            await asyncio.wait_for(follower.changed.wait(), 60)
        feed.leave(follower)
        row = follower.latest.row
        return row.version - start.version, [one.user_id for one in row.editors]

    assert in_a_loop(watch) == (1, [owner.user_id])


def test_removed_member_is_sent_no_change_between_two_checks(sessions: Sessions, owner: Actor) -> None:
    with transaction(sessions) as session:
        made = make_plan(session, owner, sizes=(3, 3), names=["Aino", "Bo", "Cleo"], assignment=[0, 0, 1])
        event_id, plan_id, guest_id, table_id = made.event.id, made.plan.id, made.guests[0].id, made.tables[1].id
        viewer = make_member(session, event_id, "viewer")
        token = start_session(session, session.get_one(User, viewer.user_id), days=1)
        start = follow_plan(open_event(session, viewer, event_id), plan_id)

    async def read(work: Callable[[Session], Any]) -> Any:
        with transaction(sessions, read_only=True) as session:
            return work(session)

    async def watch() -> tuple[bool, int]:
        feed = Feed(read, live_plans, role="viewer", limits=StreamLimits())
        feed._checked_at = asyncio.get_running_loop().time() + 1000  # the regular check is not due
        follower = feed.join(viewer.user_id, Credential(actor_of_session, token), start)
        follower.changed.clear()
        with transaction(sessions) as session:
            ctx = open_event(session, owner, event_id)
            make_move(ctx, plan_id, MoveEntry("move", guest_id, table=table_id))
            remove_member(ctx, viewer.user_id)
        await asyncio.wait_for(follower.changed.wait(), 60)
        feed.leave(follower)
        return follower.is_closed, follower.latest.row.version - start.version

    assert in_a_loop(watch) == (True, 0)


def test_deleted_plan_is_no_longer_followed(session: Session, ctx: EventContext, made: Planned) -> None:
    assert made.plan.id in live_plans(session, [made.plan.id])
    delete_plan(ctx, made.plan.id)
    assert live_plans(session, [made.plan.id]) == {}

"""Streams of runs: one reader for all of them, bounded, and closed when their reader may see no more."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from uuid import UUID, uuid4

import pytest
from sqlalchemy import event
from sqlalchemy.orm import Session

from app.accounts.actor import Actor
from app.accounts.current_user import Credential
from app.accounts.sessions import actor_of_session, end_session, start_session
from app.db.models import Member, User
from app.db.session import Sessions, transaction
from app.errors import Overloaded, TooManyStreams
from app.events.context import open_event
from app.events.feed import FIRST_SECONDS, READ_SECONDS, Feed, Follower, StreamLimits
from app.runs import start as runs
from app.runs.queries import RunRow, runs_by_ids
from tests.factories import make_member
from tests.run_helpers import stored_event, stored_run

MANY = StreamLimits(1000, 1000)


def make_feed(sessions: Sessions, limits: StreamLimits = MANY) -> Feed[RunRow]:
    async def read(work: Callable[[Session], Any]) -> Any:
        with transaction(sessions, read_only=True) as session:
            return work(session)

    return Feed(read, runs_by_ids, role="editor", limits=limits)


def read_run(sessions: Sessions, actor: Actor, event_id: UUID, run_id: UUID) -> RunRow:
    with transaction(sessions, read_only=True) as session:
        return runs.show_run(open_event(session, actor, event_id), run_id)


def sign_in(sessions: Sessions, actor: Actor) -> Credential:
    with transaction(sessions) as session:
        return Credential(actor_of_session, start_session(session, session.get_one(User, actor.user_id), days=1))


async def statuses(feed: Feed[RunRow], follower: Follower[RunRow]) -> list[str]:
    """Return what a stream shows until it ends."""
    shown = []
    while True:
        await asyncio.wait_for(follower.changed.wait(), 60)
        if follower.is_closed:
            break
        follower.changed.clear()
        shown.append(follower.latest.row.status)
        if follower.latest.row.is_over:
            break
    feed.leave(follower)
    return shown


def in_loop(work: Callable[[], Awaitable[Any]]) -> Any:
    # In a thread of its own: a browser that other tests keep open has a loop in this one.
    async def main() -> Any:
        return await work()

    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, main()).result()


@pytest.mark.parametrize("loss", ["session", "membership", "role"])
def test_stream_ends_when_its_reader_may_see_no_more(sessions: Sessions, owner: Actor, loss: str) -> None:
    event_id = stored_event(sessions, owner)
    run_id = stored_run(sessions, owner, event_id)
    with transaction(sessions) as session:
        editor = make_member(session, event_id, "editor")
    credential = sign_in(sessions, editor)

    def lose() -> None:
        with transaction(sessions) as session:
            member = session.get_one(Member, (event_id, editor.user_id))
            if loss == "session":
                end_session(session, credential.token)
            elif loss == "membership":
                session.delete(member)
            else:
                member.role = "viewer"

    async def watch() -> list[str]:
        feed = make_feed(sessions)
        follower = feed.join(owner.user_id, credential, read_run(sessions, editor, event_id, run_id))
        lose()
        with transaction(sessions) as session:
            runs.cancel_run(open_event(session, owner, event_id), run_id)
        return await statuses(feed, follower)

    assert in_loop(watch) == ["queued"]


def test_stream_ends_within_seconds_when_nothing_else_happens(sessions: Sessions, owner: Actor) -> None:
    event_id = stored_event(sessions, owner)
    run_id, credential = stored_run(sessions, owner, event_id), sign_in(sessions, owner)

    async def watch() -> list[str]:
        feed = make_feed(sessions)
        follower = feed.join(owner.user_id, credential, read_run(sessions, owner, event_id, run_id))
        with transaction(sessions) as session:
            end_session(session, credential.token)
        return await statuses(feed, follower)

    assert in_loop(watch) == ["queued"]


def test_all_streams_of_a_run_share_one_reader(sessions: Sessions, owner: Actor) -> None:
    event_id = stored_event(sessions, owner)
    run_id, credential = stored_run(sessions, owner, event_id), sign_in(sessions, owner)
    asked: list[str] = []

    def note(_connection: Any, _cursor: Any, statement: str, *_: Any) -> None:
        asked.append(statement)

    async def watch() -> list[list[str]]:
        feed = make_feed(sessions)
        followers = [
            feed.join(owner.user_id, credential, read_run(sessions, owner, event_id, run_id)) for _ in range(50)
        ]
        watched = asyncio.gather(*(statuses(feed, follower) for follower in followers))
        await asyncio.sleep(3.5 * READ_SECONDS)
        event.listen(sessions.kw["bind"], "before_cursor_execute", note)
        await asyncio.sleep(4 * READ_SECONDS)
        event.remove(sessions.kw["bind"], "before_cursor_execute", note)
        with transaction(sessions) as session:
            runs.cancel_run(open_event(session, owner, event_id), run_id)
        return await watched

    assert in_loop(watch) == [["queued", "cancelled"]] * 50
    assert len([statement for statement in asked if "FROM runs" in statement]) <= 5


def test_run_that_is_followed_later_is_looked_at_as_soon_as_the_first_one(
    sessions: Sessions, owner: Actor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.events.feed.READ_SECONDS", 3600.0)
    event_id = stored_event(sessions, owner)
    earlier, later = (stored_run(sessions, owner, event_id) for _ in range(2))
    credential = sign_in(sessions, owner)

    async def watch() -> list[str]:
        feed = make_feed(sessions)
        other = feed.join(owner.user_id, credential, read_run(sessions, owner, event_id, earlier))
        await asyncio.sleep(2 * sum(FIRST_SECONDS))  # then the reader pauses for an hour
        follower = feed.join(owner.user_id, credential, read_run(sessions, owner, event_id, later))
        with transaction(sessions) as session:
            runs.cancel_run(open_event(session, owner, event_id), later)
        shown = await asyncio.wait_for(statuses(feed, follower), 30)
        feed.leave(other)
        return shown

    assert in_loop(watch) == ["queued", "cancelled"]


def test_more_people_who_follow_the_same_run_do_not_hurry_its_reader(
    sessions: Sessions, owner: Actor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.events.feed.READ_SECONDS", 3600.0)
    event_id = stored_event(sessions, owner)
    run = read_run(sessions, owner, event_id, stored_run(sessions, owner, event_id))
    credential = sign_in(sessions, owner)
    looks: list[UUID] = []

    async def read(work: Callable[[Session], Any]) -> Any:
        looks.append(run.id)
        with transaction(sessions, read_only=True) as session:
            return work(session)

    async def watch() -> None:
        feed = Feed(read, runs_by_ids, role="editor", limits=MANY)
        for _ in range(3):
            feed.join(owner.user_id, credential, run)
            await asyncio.sleep(2 * sum(FIRST_SECONDS))

    in_loop(watch)
    assert 0 < len(looks) <= len(FIRST_SECONDS)


def test_written_once_for_all_streams_of_a_form(sessions: Sessions, owner: Actor) -> None:
    event_id = stored_event(sessions, owner)
    run_id, credential = stored_run(sessions, owner, event_id), sign_in(sessions, owner)
    written: list[str] = []

    def encode(run: RunRow) -> bytes:
        written.append(run.status)
        return run.status.encode()

    async def watch() -> list[bytes]:
        feed = make_feed(sessions)
        followers = [
            feed.join(owner.user_id, credential, read_run(sessions, owner, event_id, run_id)) for _ in range(20)
        ]
        with transaction(sessions) as session:
            runs.cancel_run(open_event(session, owner, event_id), run_id)
        while not all(follower.latest.row.is_over for follower in followers):
            await asyncio.sleep(0.01)
        sent = [follower.latest.write(encode) for follower in followers]
        for follower in followers:
            feed.leave(follower)
        return sent

    assert in_loop(watch) == [b"cancelled"] * 20
    assert written == ["cancelled"]


def test_streams_are_bounded_and_end_with_the_server(sessions: Sessions, owner: Actor) -> None:
    event_id = stored_event(sessions, owner)
    run_id, credential = stored_run(sessions, owner, event_id), sign_in(sessions, owner)

    async def watch() -> list[str]:
        feed = make_feed(sessions, StreamLimits(most=2, most_of_account=1))
        run = read_run(sessions, owner, event_id, run_id)
        follower = feed.join(owner.user_id, credential, run)
        with pytest.raises(TooManyStreams):
            feed.join(owner.user_id, credential, run)
        other = feed.join(uuid4(), credential, run)
        with pytest.raises(Overloaded):
            feed.join(uuid4(), credential, run)
        feed.close()
        shown = [*await statuses(feed, follower), *await statuses(feed, other)]
        feed.leave(feed.join(owner.user_id, credential, run))
        return shown

    assert in_loop(watch) == []

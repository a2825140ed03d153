"""Whose turn it is: accounts share the workers, and small events come first."""

from __future__ import annotations

from uuid import UUID

from app.accounts.actor import Actor
from app.db.session import Sessions, transaction
from app.runs.fair_queue import price
from app.runs.leases import end_run, find_waiting, take_lease
from app.runs.shards import take_shard
from tests.run_helpers import stored_event, stored_run


def served(sessions: Sessions, count: int) -> list[UUID]:
    """Take so many runs in the order in which workers would."""
    order = []
    for _ in range(count):
        with transaction(sessions) as session:
            ticket = find_waiting(session)
            assert ticket is not None
            assert take_lease(session, ticket.run_id) is not None
            order.append(ticket.run_id)
    return order


def test_hundred_runs_of_one_account_do_not_hold_up_the_one_of_another(
    sessions: Sessions, owner: Actor, stranger: Actor
) -> None:
    busy, other = stored_event(sessions, owner), stored_event(sessions, stranger)
    many = [stored_run(sessions, owner, busy) for _ in range(100)]
    one = stored_run(sessions, stranger, other)
    assert served(sessions, 3) == [many[0], one, many[1]]


def test_accounts_that_keep_sending_take_turns(sessions: Sessions, owner: Actor, stranger: Actor) -> None:
    busy, other = stored_event(sessions, owner), stored_event(sessions, stranger)
    many = [stored_run(sessions, owner, busy) for _ in range(10)]
    order = []
    for _ in range(3):  # the other account always has one run waiting, and overtakes nobody for ever
        one = stored_run(sessions, stranger, other)
        order += [run == one for run in served(sessions, 2)]
    assert order.count(True) == 3
    assert order.count(False) == 3
    assert served(sessions, 1) == [many[3]]


def test_small_event_comes_before_a_large_one(sessions: Sessions, owner: Actor, stranger: Actor) -> None:
    large = stored_event(sessions, owner, guests=220, sizes=(10,) * 22)
    small = stored_event(sessions, stranger)
    first = stored_run(sessions, owner, large)
    second = stored_run(sessions, stranger, small)
    assert served(sessions, 2) == [second, first]


def test_large_event_is_not_overtaken_for_ever_by_accounts_that_come_back(
    sessions: Sessions, owner: Actor, stranger: Actor
) -> None:
    large = stored_event(sessions, owner, guests=220, sizes=(10,) * 22)
    small = stored_event(sessions, stranger)
    waiting = stored_run(sessions, owner, large)
    order = []
    for _ in range(12):
        stored_run(sessions, stranger, small)
        with transaction(sessions) as session:
            ticket = find_waiting(session)
            assert ticket is not None
            lease = take_lease(session, ticket.run_id)
            assert lease is not None
            order.append(ticket.run_id)
            assert end_run(session, lease, "failed", error="for the test")
    assert waiting in order


def test_price_grows_by_one_with_each_doubling() -> None:
    assert [price(guests) for guests in (1, 22, 49, 50, 100, 200, 2000)] == [1, 1, 1, 2, 3, 4, 7]


def test_shards_of_one_run_leave_room_for_another_account(sessions: Sessions, owner: Actor, stranger: Actor) -> None:
    split, other = stored_event(sessions, owner), stored_event(sessions, stranger)
    run = stored_run(sessions, owner, split, shards=8)
    one = stored_run(sessions, stranger, other)
    with transaction(sessions) as session:
        assert find_waiting(session) == (run, 0)
    with transaction(sessions) as session:
        assert take_shard(session, run, 0) is not None
    with transaction(sessions) as session:
        assert find_waiting(session) == (one, None)

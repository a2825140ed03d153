"""Doors: how many work at once, and what happens to the others."""

from __future__ import annotations

import threading
from functools import partial
from uuid import UUID, uuid4

import anyio
import pytest

from app.errors import Overloaded
from app.web.server.admission import Doors
from tests.loops import in_a_loop


def test_no_more_are_admitted_than_there_are_places() -> None:
    doors = Doors(readers=3, writers=0, max_waiting=100)
    lock, at_work, most = threading.Lock(), 0, 0

    def work() -> None:
        nonlocal at_work, most
        with lock:
            at_work += 1
            most = max(most, at_work)
        threading.Event().wait(0.01)
        with lock:
            at_work -= 1

    async def check() -> None:
        async with anyio.create_task_group() as group:
            for number in range(30):
                group.start_soon(partial(doors.run, work, writes=number % 2 == 0))

    in_a_loop(check)
    assert (most, doors.readers.admitted, doors.readers.waiting) == (3, 0, 0)


def test_reader_does_not_wait_for_a_writer() -> None:
    doors = Doors(readers=1, writers=1, max_waiting=10)
    may_end, has_read = threading.Event(), threading.Event()

    async def check() -> None:
        async with anyio.create_task_group() as group:
            group.start_soon(lambda: doors.run(lambda: may_end.wait(30), writes=True))
            await doors.run(has_read.set, writes=False)
            may_end.set()

    in_a_loop(check)
    assert has_read.is_set()


def test_full_waiting_line_is_refused_at_once_and_leaves_the_others_alone() -> None:
    doors = Doors(readers=1, writers=0, max_waiting=2)
    may_end, done = threading.Event(), []

    async def check() -> None:
        async with anyio.create_task_group() as group:
            group.start_soon(lambda: doors.run(lambda: done.append(may_end.wait(30)), writes=False))
            for _ in range(2):
                await anyio.wait_all_tasks_blocked()
                group.start_soon(lambda: doors.run(lambda: done.append(True), writes=False))
            await anyio.wait_all_tasks_blocked()
            with pytest.raises(Overloaded):
                await doors.run(lambda: done.append(False), writes=False)
            may_end.set()

    in_a_loop(check)
    assert done == [True, True, True]


def test_long_wait_is_refused() -> None:
    doors = Doors(readers=1, writers=0, max_waiting=2, max_wait_seconds=0.05)
    may_end = threading.Event()

    async def check() -> None:
        async with anyio.create_task_group() as group:
            group.start_soon(lambda: doors.run(lambda: may_end.wait(30), writes=False))
            await anyio.wait_all_tasks_blocked()
            with pytest.raises(Overloaded):
                await doors.run(lambda: None, writes=False)
            may_end.set()

    in_a_loop(check)
    assert (doors.readers.admitted, doors.readers.waiting) == (0, 0)


def test_failed_work_gives_its_place_back() -> None:
    doors = Doors(readers=1, writers=0, max_waiting=2)

    def fail() -> None:
        raise ValueError("canary")

    async def check() -> None:
        for _ in range(3):
            with pytest.raises(ValueError, match="canary"):
                await doors.run(fail, writes=False)

    in_a_loop(check)
    assert doors.readers.admitted == 0


def test_account_that_prepares_much_does_not_keep_another_one_waiting() -> None:
    doors = Doors(readers=1, writers=1, max_waiting=20)
    many, other = uuid4(), uuid4()
    may_end, begun = threading.Event(), []

    def work(account: UUID) -> None:
        begun.append(account)
        may_end.wait(30)

    async def check() -> None:
        async with anyio.create_task_group() as group:
            for _ in range(5):
                group.start_soon(doors.prepare, many, partial(work, many))
                await anyio.wait_all_tasks_blocked()
            await doors.prepare(other, partial(begun.append, other))
            assert begun == [many, other]
            may_end.set()

    in_a_loop(check)
    assert begun == [many, other, *[many] * 4]


def test_long_wait_to_prepare_is_refused_and_takes_no_place() -> None:
    doors = Doors(readers=1, writers=1, max_waiting=20, max_wait_seconds=0.05)
    account, may_end = uuid4(), threading.Event()

    async def check() -> None:
        async with anyio.create_task_group() as group:
            group.start_soon(doors.prepare, account, lambda: may_end.wait(30))
            await anyio.wait_all_tasks_blocked()
            with pytest.raises(Overloaded):
                await doors.prepare(account, lambda: None)
            may_end.set()
        assert await doors.prepare(account, lambda: "done") == "done"

    in_a_loop(check)

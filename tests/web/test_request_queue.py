"""The line of long work: places, turns of accounts, and no more waiting than there is room for."""

from __future__ import annotations

import asyncio
from uuid import UUID, uuid4

import pytest

from app.errors import Overloaded
from app.web.request_queue import RequestQueue
from tests.loops import in_a_loop


class Reading:
    """Uploads that are read until they are released one by one."""

    def __init__(self, queue: RequestQueue) -> None:
        self._queue = queue
        self.begun: list[UUID] = []
        self._ends: list[asyncio.Event] = []

    async def read(self, account: UUID) -> None:
        async with self._queue.place(account):
            end = asyncio.Event()
            self.begun.append(account)
            self._ends.append(end)
            await end.wait()

    def start(self, account: UUID) -> asyncio.Task[None]:
        return asyncio.create_task(self.read(account))

    async def finish_all(self) -> None:
        while self._ends:
            self._ends.pop(0).set()
            await settle()


async def settle() -> None:
    for _ in range(5):
        await asyncio.sleep(0)


def test_many_files_of_one_account_leave_places_for_others() -> None:
    async def act() -> None:
        reading, busy, other = Reading(RequestQueue(2)), uuid4(), uuid4()
        tasks = [reading.start(busy) for _ in range(45)]
        await settle()
        assert reading.begun == [busy]
        tasks.append(reading.start(other))
        await settle()
        assert reading.begun == [busy, other]
        await reading.finish_all()
        await asyncio.gather(*tasks)
        assert reading.begun.count(busy) == 45

    in_a_loop(act)


def test_accounts_that_wait_take_turns() -> None:
    async def act() -> None:
        reading, a, b, c = Reading(RequestQueue(1)), uuid4(), uuid4(), uuid4()
        tasks = [reading.start(account) for account in (a, a, a, b, b, c)]
        await settle()
        await reading.finish_all()
        await asyncio.gather(*tasks)
        assert reading.begun == [a, b, c, a, b, a]

    in_a_loop(act)


def test_full_line_is_refused_at_once() -> None:
    async def act() -> None:
        queue, busy = RequestQueue(1, most_waiting=2, most_of_account=2), uuid4()
        reading = Reading(queue)
        tasks = [reading.start(busy) for _ in range(3)]
        await settle()
        with pytest.raises(Overloaded):
            await reading.read(uuid4())
        await reading.finish_all()
        await asyncio.gather(*tasks)

    in_a_loop(act)


def test_one_account_cannot_fill_the_line() -> None:
    async def act() -> None:
        reading, busy, other = Reading(RequestQueue(1, most_waiting=9, most_of_account=2)), uuid4(), uuid4()
        tasks = [reading.start(busy) for _ in range(3)]
        await settle()
        with pytest.raises(Overloaded, match="your requests"):
            await reading.read(busy)
        tasks.append(reading.start(other))
        await settle()
        await reading.finish_all()
        await asyncio.gather(*tasks)
        assert other in reading.begun

    in_a_loop(act)


def test_client_that_goes_away_leaves_its_place() -> None:
    async def act() -> None:
        reading, busy = Reading(RequestQueue(1)), uuid4()
        first, second, third = (reading.start(busy) for _ in range(3))
        await settle()
        second.cancel()  # waits
        first.cancel()  # is being read
        await settle()
        assert len(reading.begun) == 2
        await reading.finish_all()
        await third

    in_a_loop(act)

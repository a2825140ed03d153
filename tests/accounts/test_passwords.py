"""Passwords are hashed outside of any transaction, few at a time, with a short queue."""

from __future__ import annotations

import os
import sys
import threading
from collections import Counter
from contextlib import suppress
from uuid import UUID, uuid4

import anyio
import pytest
from fastapi.testclient import TestClient

from app.accounts.passwords import (
    KNOWN_AT_ONCE,
    MOST_KNOWN,
    MOST_OF_ACCOUNT,
    MOST_STRANGERS,
    NICENESS,
    STRANGERS_AT_ONCE,
    PasswordQueue,
    PasswordsBusy,
    hash_password,
)
from app.accounts.users import called, create_account
from app.db.session import Sessions, transaction
from tests.loops import in_a_loop


class Gate:
    """Work that goes on until the gate is opened, and how much of it was going on at once."""

    def __init__(self) -> None:
        self.open = threading.Event()
        self.most = self._now = 0
        self._lock = threading.Lock()

    def work(self) -> None:
        with self._lock:
            self._now += 1
            self.most = max(self.most, self._now)
        assert self.open.wait(30)
        with self._lock:
            self._now -= 1


def test_one_stranger_and_one_known_person_are_hashed_at_once_and_full_lines_are_refused() -> None:
    async def main() -> None:
        queue, gate = PasswordQueue(), Gate()
        refused: Counter[tuple[str, int | None]] = Counter()

        async def one(known: UUID | None) -> None:
            try:
                async with queue.place(known):
                    await queue.run(gate.work, known)
            except PasswordsBusy as error:
                refused["known" if known else "stranger", error.retry_after] += 1

        async with anyio.create_task_group() as tasks:
            for _ in range(STRANGERS_AT_ONCE + MOST_STRANGERS + 3):
                tasks.start_soon(one, None)
            for _ in range(KNOWN_AT_ONCE + MOST_KNOWN + 2):
                tasks.start_soon(one, uuid4())
            while refused.total() < 5 or gate.most < 2:
                await anyio.sleep(0.01)
            gate.open.set()
        assert (gate.most, refused) == (2, {("stranger", 5): 3, ("known", 5): 2})

    in_a_loop(main)


def test_known_person_passes_strangers_and_whoever_fills_the_line_of_known_people() -> None:
    async def main() -> None:
        queue, gate, order, busy = PasswordQueue(), Gate(), [], uuid4()

        async def one(name: str, known: UUID | None) -> None:
            with suppress(PasswordsBusy):
                async with queue.place(known):
                    await queue.run(gate.work, known)
                    order.append(name)

        async with anyio.create_task_group() as tasks:
            for _ in range(STRANGERS_AT_ONCE + MOST_STRANGERS):
                tasks.start_soon(one, "stranger", None)
            for _ in range(2 * MOST_KNOWN):
                tasks.start_soon(one, "busy", busy)
            await anyio.sleep(0.05)
            tasks.start_soon(one, "owner", uuid4())
            await anyio.sleep(0.05)
            gate.open.set()
        assert [name for name in order if name != "stranger"] == ["busy", "owner", *["busy"] * MOST_OF_ACCOUNT]

    in_a_loop(main)


def test_strangers_are_hashed_at_a_low_priority_and_known_people_are_not() -> None:
    async def main() -> tuple[int, int]:
        queue = PasswordQueue()
        return await queue.run(own_niceness, None), await queue.run(own_niceness, uuid4())

    usual = os.getpriority(os.PRIO_PROCESS, 0)
    assert in_a_loop(main) == (max(NICENESS, usual) if sys.platform == "linux" else usual, usual)


def own_niceness() -> int:
    return os.getpriority(os.PRIO_PROCESS, threading.get_native_id())


def test_others_can_write_while_a_password_is_hashed(
    client: TestClient, sessions: Sessions, monkeypatch: pytest.MonkeyPatch
) -> None:
    with transaction(sessions) as session:
        create_account(session, "aino@example.org", hash_password("a long password"))

    def write_meanwhile(password: str, stored: str | None) -> bool:
        with transaction(sessions) as session:  # waits for ever, or fails, if the request holds the write lock
            create_account(session, "bo@example.org", hash_password(password))
        return True

    monkeypatch.setattr("app.accounts.sign_in.matches", write_meanwhile)
    form = {"email": "aino@example.org", "password": "a long password"}
    assert client.post("/sign-in", data=form).status_code == 303


@pytest.mark.parametrize(
    ("name", "email", "expected"),
    [
        ("", "emma@example.org", "Emma"),
        ("", "emma.o-wood99@example.org", "Emma O Wood"),
        ("", "42@example.org", "42"),
        (" Emma  Wood ", "e@example.org", "Emma Wood"),
    ],
)
def test_account_is_called_as_its_owner_says_or_as_the_address_suggests(name: str, email: str, expected: str) -> None:
    assert called(name, email) == expected

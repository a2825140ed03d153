"""Passwords are hashed outside of any transaction, few at a time, with a short queue."""

from __future__ import annotations

import threading
from functools import partial

import anyio
import pytest
from fastapi.testclient import TestClient

from app.accounts.passwords import AT_ONCE, MOST_WAITING, PasswordQueue, PasswordsBusy, hash_password
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


def test_few_are_hashed_at_once_and_a_full_line_is_refused() -> None:
    async def main() -> None:
        queue, gate = PasswordQueue(), Gate()
        refused = []

        async def one() -> None:
            try:
                async with queue.place():
                    await queue.run(gate.work)
            except PasswordsBusy as error:
                refused.append(error.retry_after)

        async with anyio.create_task_group() as tasks:
            for _ in range(AT_ONCE + MOST_WAITING + 3):
                tasks.start_soon(one)
            while len(refused) < 3 or gate.most < AT_ONCE:
                await anyio.sleep(0.01)
            gate.open.set()
        assert (gate.most, refused) == (AT_ONCE, [5, 5, 5])

    in_a_loop(main)


def test_known_browser_passes_a_full_line() -> None:
    async def main() -> None:
        queue, gate, order = PasswordQueue(), Gate(), []

        async def one(name: str, *, known: bool) -> None:
            async with queue.place(known=known):
                await queue.run(gate.work)
                order.append(name)

        async with anyio.create_task_group() as tasks:
            for _ in range(AT_ONCE + MOST_WAITING):
                tasks.start_soon(partial(one, "stranger", known=False))
            await anyio.sleep(0.05)
            tasks.start_soon(partial(one, "known", known=True))
            await anyio.sleep(0.05)
            gate.open.set()
        assert "known" in order[: AT_ONCE + 2]

    in_a_loop(main)


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

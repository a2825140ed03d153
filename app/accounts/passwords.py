"""Passwords: which are accepted, and hashing them, which is slow: never in a transaction, and few at a time."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from functools import cache, partial
from typing import NewType, TypeVar
from uuid import UUID

from anyio import CapacityLimiter, to_thread
from fastapi import Request
from pwdlib import PasswordHash

from app.accounts.slow_down import RecentRefusals
from app.errors import FieldError, Invalid, Overloaded
from app.thread_priority import lower_priority
from app.web.request_queue import RequestQueue
from app.web.server.admission import Door
from app.web.tokens import hash_token, new_token

T = TypeVar("T")
HashedPassword = NewType("HashedPassword", str)
SHORTEST_PASSWORD, LONGEST_PASSWORD = 10, 1000
FEWEST_DIFFERENT = 4
"""Different characters: “aaaaaaaaaa” is long, too."""
KNOWN_AT_ONCE = STRANGERS_AT_ONCE = 1
"""Two together: each hash takes 64 MiB and up to four cores."""
MOST_STRANGERS, MOST_KNOWN, MOST_OF_ACCOUNT = 16, 64, 8
LOOK_UPS_AT_ONCE, MOST_LOOK_UPS = 2, 100
LONGEST_WAIT_SECONDS = 10.0
NICENESS = 5


@cache
def _hasher() -> PasswordHash:
    return PasswordHash.recommended()


def check_new_password(password: str, email: str = "") -> None:
    """Refuse a password that is too short or too long, that many people use, or that is the e-mail address."""
    if len(password) < SHORTEST_PASSWORD:
        raise Invalid(FieldError("password", f"The password must have at least {SHORTEST_PASSWORD} characters."))
    if len(password) > LONGEST_PASSWORD:
        raise Invalid(FieldError("password", f"The password must have {LONGEST_PASSWORD:,} characters or fewer."))
    plain, address = password.strip().lower(), email.strip().lower()
    if plain in _common_passwords() or len(set(plain)) < FEWEST_DIFFERENT:
        raise Invalid(FieldError("password", "Many people use this password. Choose three or four unrelated words."))
    if address and plain in (address, *address.split("@")):
        raise Invalid(FieldError("password", "The password must not be your e-mail address."))


@cache
def _common_passwords() -> frozenset[str]:
    """Return the 30,000 commonest passwords, from the lists that zxcvbn brings; they are loaded at first use."""
    from zxcvbn.frequency_lists import FREQUENCY_LISTS  # type: ignore[import-untyped]  # noqa: PLC0415  slow to load

    return frozenset(FREQUENCY_LISTS["passwords"])


def hash_password(password: str) -> HashedPassword:
    """Return what is stored of a password. Slow: call it before the transaction, in requests through the queue."""
    return HashedPassword(_hasher().hash(password))


def matches(password: str, stored: str | None) -> bool:
    """Return whether the password is right; without a stored one it is wrong, and the check takes as long."""
    return _hasher().verify(password, stored or _decoy_hash()) and stored is not None


@cache
def _decoy_hash() -> str:
    # Checked when the account does not exist, so that the time taken says nothing.
    return hash_password(new_token())


class PasswordsBusy(Overloaded, retry_after=5):
    """Many people are signing in right now. Try again in a few seconds. Nothing was changed."""


class PasswordQueue:
    """The places for hashing in one server process, and before it those for looking up whether a try may be hashed.

    Whoever is known by a secret (a browser that signed in before, a session, a link) has a line and a thread apart
    from strangers, and none of them can fill it for the others. Strangers have one place at a low priority.
    """

    def __init__(self) -> None:
        def line(places: int, waiting: int) -> Door:
            return Door(places, max_waiting=waiting, max_wait_seconds=LONGEST_WAIT_SECONDS)

        self._look_ups = {has_cookie: line(LOOK_UPS_AT_ONCE, MOST_LOOK_UPS) for has_cookie in (True, False)}
        self._known = RequestQueue(
            KNOWN_AT_ONCE,
            most_waiting=MOST_KNOWN,
            most_of_account=MOST_OF_ACCOUNT,
            max_wait_seconds=LONGEST_WAIT_SECONDS,
        )
        self._known_threads = CapacityLimiter(KNOWN_AT_ONCE)
        self._strangers = line(STRANGERS_AT_ONCE, MOST_STRANGERS)
        self._stranger_threads = ThreadPoolExecutor(STRANGERS_AT_ONCE, initializer=partial(lower_priority, NICENESS))
        self.refusals = RecentRefusals()

    @asynccontextmanager
    async def look_up(self, *, has_cookie: bool) -> AsyncIterator[None]:
        """Wait in line to look up a try; few at a time, so that pages find the database free."""
        async with _busy(self._look_ups[has_cookie].enter()):
            yield

    @asynccontextmanager
    async def place(self, known: UUID | None) -> AsyncIterator[None]:
        """Wait in line until it is this request's turn to `run` something; `known` is whose secret it came with."""
        async with _busy(self._known.place(known) if known else self._strangers.enter()):
            yield

    async def run(self, work: Callable[[], T], known: UUID | None) -> T:
        """Hash or compare in a thread, for whoever has a place."""
        if known:
            return await to_thread.run_sync(work, limiter=self._known_threads)
        return await asyncio.get_running_loop().run_in_executor(self._stranger_threads, work)


@asynccontextmanager
async def _busy(line: AbstractAsyncContextManager[None]) -> AsyncIterator[None]:
    try:
        async with line:
            yield
    except Overloaded as error:
        raise PasswordsBusy if type(error) is Overloaded else error from None


def password_queue(request: Request) -> PasswordQueue:
    return request.app.state.passwords  # type: ignore[no-any-return]  # Starlette's state is untyped


async def hash_new_password(request: Request, password: str, email: str, *, secret: str) -> HashedPassword:
    """Check a new password and hash it, before any transaction of the request; the secret of a link was checked."""
    await to_thread.run_sync(check_new_password, password, email)
    queue, known = password_queue(request), UUID(hash_token(secret)[:32])
    async with queue.place(known):
        return await queue.run(partial(hash_password, password), known)

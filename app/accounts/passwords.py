"""Passwords: which are accepted, and hashing them, which is slow: never in a transaction, and few at a time."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import cache, partial
from typing import NewType, TypeVar

from anyio import CapacityLimiter, to_thread
from fastapi import Request
from pwdlib import PasswordHash

from app.errors import FieldError, Invalid, Overloaded
from app.web.server.admission import Door
from app.web.tokens import new_token

T = TypeVar("T")
HashedPassword = NewType("HashedPassword", str)
SHORTEST_PASSWORD, LONGEST_PASSWORD = 10, 1000
FEWEST_DIFFERENT = 4
"""Different characters: “aaaaaaaaaa” is long, too."""
AT_ONCE = 2
"""Each hash takes 64 MiB and a core or more."""
MOST_WAITING = 16
LONGEST_WAIT_SECONDS = 10.0


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
    """Say whether it is the password; without a stored one it takes as long and is wrong."""
    return _hasher().verify(password, stored or _decoy_hash()) and stored is not None


@cache
def _decoy_hash() -> str:
    # Checked when the account does not exist, so that the time taken says nothing.
    return hash_password(new_token())


class PasswordsBusy(Overloaded, retry_after=5):
    """Many people are signing in right now. Try again in a few seconds. Nothing was changed."""


class PasswordQueue:
    """The places for hashing in one server process. Known browsers have a line of their own, and never wait long."""

    def __init__(self) -> None:
        def line() -> Door:
            return Door(AT_ONCE, max_waiting=MOST_WAITING, max_wait_seconds=LONGEST_WAIT_SECONDS)

        self._lines = {True: line(), False: line()}
        self._threads = CapacityLimiter(AT_ONCE)

    @asynccontextmanager
    async def place(self, *, known: bool = False) -> AsyncIterator[None]:
        """Wait in line until it is this request's turn to `run` something."""
        try:
            async with self._lines[known].enter():
                yield
        except Overloaded as error:
            raise PasswordsBusy if type(error) is Overloaded else error from None

    async def run(self, work: Callable[[], T]) -> T:
        """Hash or compare in a thread, for whoever has a place."""
        return await to_thread.run_sync(work, limiter=self._threads)


def password_queue(request: Request) -> PasswordQueue:
    return request.app.state.passwords  # type: ignore[no-any-return]  # Starlette's state is untyped


async def hash_new_password(request: Request, password: str, email: str = "") -> HashedPassword:
    """Check a new password and hash it, before any transaction of the request."""
    await to_thread.run_sync(check_new_password, password, email)
    queue = password_queue(request)
    async with queue.place():
        return await queue.run(partial(hash_password, password))

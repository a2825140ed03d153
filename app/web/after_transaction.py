"""An answer that takes long to make and needs the database no more: it is made once the transaction has ended."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from fastapi import Response
from starlette.types import Receive, Scope, Send


class AfterTransaction(Response):
    """What an endpoint returns in place of the answer that `build` makes, in the event loop and without a session.

    The endpoint itself has checked access and read everything. Errors become pages and problem+json as usual.
    """

    def __init__(self, build: Callable[[], Awaitable[Response]]) -> None:
        super().__init__()
        self._build = build

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Make the answer and send it."""
        answer = await self._build()
        await answer(scope, receive, send)

"""Pacing: requests that arrive together start a few at a time.

Hundreds of requests in one moment would keep the event loop busy until the last of them has been read, routed and
checked. Here a few start in each round of the loop, and between two rounds the loop looks at the network: whether the
server is healthy is answered at once, and answers that are ready go out.
"""

from __future__ import annotations

import asyncio
from collections import deque

from starlette.types import ASGIApp, Receive, Scope, Send

from app.web.server.for_requests import ForRequests

STARTS = 4
"""How many requests start in one round of the event loop."""
NEVER_WAIT = ("/healthz", "/readyz")


class StartInTurn(ForRequests):
    """Lets requests start in the order in which they came, a few in each round of the event loop."""

    def __init__(self, app: ASGIApp) -> None:
        super().__init__(app)
        self._loop: asyncio.AbstractEventLoop | None = None
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._started = 0

    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["path"] not in NEVER_WAIT:
            await self._take_turn()
        await self.app(scope, receive, send)

    async def _take_turn(self) -> None:
        loop = asyncio.get_running_loop()
        if loop is not self._loop:  # the first request, or the first in a new loop
            self._loop, self._started = loop, 0
            self._waiting.clear()
        if not self._started:
            loop.call_soon(self._next_round)
        if self._started < STARTS:
            self._started += 1
            return
        turn = loop.create_future()
        self._waiting.append(turn)
        await turn

    def _next_round(self) -> None:
        self._started = 0
        while self._waiting and self._started < STARTS:
            turn = self._waiting.popleft()
            if not turn.done():  # else its client has gone
                turn.set_result(None)
                self._started += 1
        if self._started and self._loop is not None:
            self._loop.call_soon(self._next_round)

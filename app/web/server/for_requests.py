"""What all our middleware shares."""

from __future__ import annotations

from starlette.types import ASGIApp, Receive, Scope, Send


class ForRequests:
    """Middleware that `handle`s requests; what else a server sends, such as its start and end, passes by."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            await self.handle(scope, receive, send)
        else:
            await self.app(scope, receive, send)

    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, with the help of `self.app`."""
        raise NotImplementedError

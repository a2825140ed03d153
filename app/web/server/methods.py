"""Methods of HTTP that no route has to care for: HEAD works wherever GET does, and 405 names what a path takes."""

from __future__ import annotations

import re
from collections.abc import Iterable

from fastapi import APIRouter
from fastapi.routing import APIRoute
from starlette.types import Message, Receive, Scope, Send

from app.web.server.for_requests import ForRequests

SIGN_IN = "/sign-in"


class AnswerHead(ForRequests):
    """Answer HEAD with the status and the headers of GET, without the body."""

    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let the application take a HEAD for a GET, and drop the body of what it answers."""
        if scope["method"] != "HEAD":
            await self.app(scope, receive, send)
            return

        async def send_head(message: Message) -> None:
            if message["type"] == "http.response.start":
                scope["method"] = "HEAD"  # the server needs it to know that no body follows
                await send(message)
                await send({"type": "http.response.body", "body": b"", "more_body": False})

        scope["method"] = "GET"
        if scope["path"] == SIGN_IN:
            scope["query_string"] = b""  # a look at a sign-in address must not use up its key
        try:
            await self.app(scope, receive, send_head)
        finally:
            scope["method"] = "HEAD"


class MethodTable:
    """Which methods each path takes. Of routes that match a path the first one says what it is, as in routing."""

    def __init__(self, routers: Iterable[APIRouter]) -> None:
        self._methods: dict[str, set[str]] = {}
        self._patterns: list[tuple[re.Pattern[str], str]] = []
        for router in routers:
            for route in router.routes:
                if isinstance(route, APIRoute):
                    if route.path not in self._methods:
                        self._patterns.append((route.path_regex, route.path))
                    self._methods.setdefault(route.path, set()).update(route.methods or ())

    def allowed(self, path: str) -> tuple[str, ...]:
        """Return the methods that a path takes; none where it leads nowhere."""
        for pattern, route_path in self._patterns:
            if pattern.match(path):
                methods = self._methods[route_path]
                return tuple(sorted(methods | {"HEAD"} if "GET" in methods else methods))
        return ()

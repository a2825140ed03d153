"""The check of the Host header, which lets health checks through."""

from __future__ import annotations

from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.types import Receive, Scope, Send

HEALTH_PATHS = ("/healthz", "/readyz")


class CheckHost(TrustedHostMiddleware):
    """Answer only to the server's own names, except for health checks: load balancers ask machines by address."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and scope["path"] in HEALTH_PATHS:
            await self.app(scope, receive, send)
        else:
            await super().__call__(scope, receive, send)

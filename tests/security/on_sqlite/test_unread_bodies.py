"""Strangers fill no memory: what they send is not read before it is known who they are."""

from __future__ import annotations

from typing import Any

from fastapi.testclient import TestClient

from app.config import Settings
from app.web.deps import session_cookie
from tests.security.route_table import routes_for
from tests.security.world import World, fill

LENGTH = 3 << 20
SECRETS_OF_NOBODY = "x" * 43
TYPES = ("application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "application/json")


class Sender:
    """Sends the head of a request with a large body, and counts how often somebody wants a part of it."""

    def __init__(self, client: TestClient, settings: Settings) -> None:
        self.client, self.cookie = client, f"{session_cookie(settings)}={SECRETS_OF_NOBODY}"

    def send(self, method: str, path: str, content_type: str) -> tuple[int, int]:
        """Return the status of the answer, and how many parts were read before it."""
        sent = {
            "host": "localhost",
            "content-type": content_type,
            "content-length": str(LENGTH),
            "cookie": self.cookie,
            "authorization": f"Bearer {SECRETS_OF_NOBODY}",
        }
        scope = {
            "type": "http",
            "asgi": {"version": "3.0"},
            "http_version": "1.1",
            "method": method,
            "scheme": "http",
            "path": path,
            "raw_path": path.encode(),
            "query_string": b"",
            "headers": [(name.encode(), value.encode()) for name, value in sent.items()],
            "client": ("192.0.2.1", 1),
            "server": ("localhost", 80),
        }
        reads, status = 0, 0

        async def receive() -> dict[str, Any]:
            nonlocal reads
            reads += 1
            return {"type": "http.request", "body": b"x" * 1000, "more_body": reads < 3}

        async def answer(message: Any) -> None:
            nonlocal status
            status = message.get("status", status)

        assert self.client.portal is not None
        self.client.portal.call(self.client.app, scope, receive, answer)
        return status, reads


def test_nothing_large_is_read_from_a_stranger(client: TestClient, settings: Settings, world: World) -> None:
    stranger, found = Sender(client, settings), {}
    routes = [route for route in routes_for("person", "viewer", "editor", "owner") if route[0] != "GET"]
    for number, (method, path) in enumerate(routes):
        kind = "application/json" if path.startswith("/api/") else TYPES[number % 2]
        status, reads = stranger.send(method, fill(path, world.ids), kind)
        if status != 413 and (reads or status not in (303, 401, 403, 415)):  # 413: thrown away as it comes
            found[method, path] = status, reads
    assert len(routes) > 150
    assert found == {}

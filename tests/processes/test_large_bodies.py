"""Large bodies: one of each account at a time, from its first byte to the answer."""

from __future__ import annotations

import select
import socket
from urllib.parse import urlsplit

from tests.processes.test_sharing import other_account
from tests.run_helpers import stored_event
from tests.server import ServerProcess

BODY = b'{"guests": [], "matrix": []}'
REFUSED = b"HTTP/1.1 4"  # for there is no guest in it
JSON = {"Content-Type": "application/json", "If-Match": "*"}


def send_matrix(server: ServerProcess, path: str, key: str, body: bytes) -> socket.socket:
    """Send the head of an upload and this much of its body."""
    address = urlsplit(server.address)
    head = (
        f"PUT /api/v1/{path} HTTP/1.1\r\nHost: {address.netloc}\r\nAuthorization: {key}\r\n"
        f"If-Match: *\r\nContent-Type: application/json\r\nContent-Length: {len(BODY)}\r\nConnection: close\r\n\r\n"
    )
    connection = socket.create_connection((str(address.hostname), address.port or 80), timeout=30)
    connection.sendall(head.encode() + body)
    return connection


def is_answered(connection: socket.socket, seconds: float = 0.5) -> bool:
    return bool(select.select([connection], [], [], seconds)[0])


def test_account_sends_one_matrix_at_a_time_and_others_do_not_wait_for_it(server: ServerProcess) -> None:
    own, (other, other_api) = server.api(), other_account(server)
    matrix, other_matrix = (
        f"events/{stored_event(server.sessions(), actor)}/ratings/matrix" for actor in (server.owner(), other)
    )
    key = own.headers["Authorization"]
    with send_matrix(server, matrix, key, BODY[:-1]) as slow:
        assert not is_answered(slow)
        with send_matrix(server, matrix, key, BODY) as second:
            assert other_api.put(other_matrix, content=BODY, headers=JSON).is_client_error
            assert not is_answered(second)
            slow.sendall(BODY[-1:])
            assert [one.recv(len(REFUSED)) for one in (slow, second)] == [REFUSED, REFUSED]

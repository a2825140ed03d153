"""What is said between whoever wants a process and the one that is copied: JSON, and open files beside it."""

from __future__ import annotations

import json
import socket
import struct
from collections.abc import Sequence
from pathlib import Path
from typing import Any

LENGTH = struct.Struct("!I")
NUMBER = struct.Struct("!i")
STANDARD_FILES = 3  # stdin, stdout, stderr
MOST_PASSED = 16
"""How many open files come with a message."""
SOLVING = ("worker", "demo", "solve")
"""The commands that need the solver."""
COUNTING_TOGETHER = ("serve-process",)
"""The commands whose metrics Prometheus counts across processes, which is decided when its library is loaded."""


def address_for(folder: Path, command: str) -> str:
    """Return the socket of the process that is copied for a command."""
    kind = "solver" if command in SOLVING else "processes" if command in COUNTING_TOGETHER else "server"
    return str(folder / kind)


def connect(address: str) -> socket.socket:
    """Return a connection to a process that is copied."""
    connection = socket.socket(socket.AF_UNIX)
    try:
        connection.connect(address)
    except OSError:
        connection.close()
        raise
    return connection


def send(connection: socket.socket, message: dict[str, Any], files: Sequence[int] = ()) -> None:
    """Send a message, with open files or without."""
    content = json.dumps(message).encode()
    socket.send_fds(connection, [LENGTH.pack(len(content))], files)
    connection.sendall(content)


def receive(connection: socket.socket) -> tuple[dict[str, Any], list[int]]:
    """Return a message and the files that came with it."""
    head, files, _, _ = socket.recv_fds(connection, LENGTH.size, MOST_PASSED)
    return json.loads(_read(connection, LENGTH.unpack(head)[0])), files


def send_number(connection: socket.socket, number: int) -> None:
    """Send the id of a process, or how it ended."""
    connection.sendall(NUMBER.pack(number))


def receive_number(connection: socket.socket) -> int:
    """Return the id of a process, or how it ended."""
    return int(NUMBER.unpack(_read(connection, NUMBER.size))[0])


def has_arrived(connection: socket.socket) -> bool:
    """Say whether there is something to receive, without waiting for it."""
    try:
        connection.recv(1, socket.MSG_PEEK | socket.MSG_DONTWAIT)
    except BlockingIOError:
        return False
    return True


def _read(connection: socket.socket, length: int) -> bytes:
    content = b""
    while len(content) < length:
        part = connection.recv(length - len(content))
        if not part:
            raise ConnectionError("The process that is copied has ended.")
        content += part
    return content

"""convive serve-process: one of several server processes on one port."""

from __future__ import annotations

import os
import socket
import threading
from contextlib import suppress

from app.cli.common import read_settings
from app.cli.web_server import as_tcp_socket, run_server


def serve_process(listener: int, control: int) -> None:
    """Serve on a socket that another process has opened, once everything is loaded: until then the others answer."""
    supervisor = socket.socket(fileno=control)

    def end_with_supervisor() -> None:
        with suppress(OSError):  # it died before it read that this process is ready
            supervisor.recv(1)
        os._exit(1)

    threading.Thread(target=end_with_supervisor, daemon=True).start()
    opened = as_tcp_socket(socket.socket(fileno=listener))
    run_server(read_settings(), opened, lambda: supervisor.sendall(b"1"), load_first=True)

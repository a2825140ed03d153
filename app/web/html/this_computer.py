"""Commands for whoever runs the server on their own computer, complete enough to be copied."""

from __future__ import annotations

import shlex
import socket
import sys
from pathlib import Path

from fastapi import Request

from app.config import Settings
from app.web.deps import get_settings

ANYWHERE = ("192.0.2.1", 9)
"""An address of nobody: a datagram socket that is connected sends nothing, but has this computer's own address."""
EXAMPLE_ADDRESS = "192.168.1.20"


def convive_command(request: Request, arguments: str) -> str:
    """Return a command of this program with the data folder in use."""
    settings = get_settings(request)
    return f"{shlex.quote(_program())} {arguments}{_folder(settings)}"


def reach_command(request: Request) -> str:
    """Return the command that starts this server so that phones in the same network reach it."""
    settings = get_settings(request)
    address = f"http://{_own_address() or EXAMPLE_ADDRESS}:{settings.port}"
    usual = Settings.model_fields["port"].default
    serve = "serve" if settings.port == usual else f"serve --port {settings.port}"
    return f"CONVIVE_HOST=0.0.0.0 CONVIVE_BASE_URL={address} {convive_command(request, serve)}"


def _program() -> str:
    return str(Path(sys.executable).with_name("convive"))


def _folder(settings: Settings) -> str:
    usual = Settings.model_fields["data_dir"].get_default(call_default_factory=True)
    return "" if settings.data_dir == usual else f" --data-dir {shlex.quote(str(settings.data_dir.absolute()))}"


def _own_address() -> str:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(ANYWHERE)
        except OSError:
            return ""
        return str(probe.getsockname()[0])

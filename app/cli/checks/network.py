"""Checks of the address: who answers at the port, and whether people can reach the server by its links."""

from __future__ import annotations

import json
import socket
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import urlsplit

from app import __version__
from app.cli.checks import Finding, ok, problem, warning
from app.config import LOOPBACK_NAMES, Settings

PATIENCE = 3.0
CHECK = "address"
UNNAMED_PROXY = (
    "Visitors cannot be distinguished behind the HTTPS proxy: they share limits, and the audit log has no networks. "
    "Set CONVIVE_TRUSTED_PROXIES to the proxy's address."
)


@dataclass(frozen=True)
class Answering:
    """Who answers at the port: Convive with its version, another program, or nobody."""

    is_used: bool
    version: str | None = None


def look_at_port(settings: Settings) -> Answering:
    """Ask whoever listens at the port for the health of Convive."""
    address = settings.model_copy(update={"base_url": ""}).address
    try:
        with urllib.request.urlopen(f"{address}/healthz", timeout=PATIENCE) as answer:  # noqa: S310  always http  # nosec B310
            version = json.load(answer).get("version")
            return Answering(is_used=True, version=str(version) if version else None)
    except (OSError, ValueError, AttributeError):
        return Answering(is_used=not _is_free(settings))


def _is_free(settings: Settings) -> bool:
    try:
        family = socket.getaddrinfo(settings.host, settings.port, type=socket.SOCK_STREAM)[0][0]
        socket.create_server((settings.host, settings.port), family=family).close()
    except OSError:
        return False
    return True


def check_network(settings: Settings, answering: Answering) -> Iterator[Finding]:
    yield _check_port(settings, answering)
    yield _check_address(settings)
    if settings.has_unnamed_proxy:
        yield warning("proxy", UNNAMED_PROXY)


def _check_port(settings: Settings, answering: Answering) -> Finding:
    where = f"{settings.host}, port {settings.port}"
    if settings.port == 0:
        return ok("port", "Any free one (CONVIVE_PORT=0).")
    if not answering.is_used:
        return ok("port", f"Free: {where}.")
    if answering.version is None:
        return problem("port", f"{where} cannot be used, or another program listens there. Set CONVIVE_PORT.")
    if answering.version != __version__:
        return warning("port", f"Convive {answering.version} serves at {where}, not {__version__}: restart it.")
    return ok("port", f"Convive {answering.version} serves at {where}.")


def _check_address(settings: Settings) -> Finding:
    base = urlsplit(settings.base_url)
    is_local_name = (base.hostname or "") in LOOPBACK_NAMES
    if settings.is_loopback and not settings.base_url:
        return ok(CHECK, f"{settings.address}, for this machine only.")
    if not settings.base_url:
        text = f"Others can reach the server, but its links say {settings.address}. Set CONVIVE_BASE_URL."
        return warning(CHECK, text)
    if is_local_name and not settings.is_loopback:
        return warning(CHECK, f"Links say {settings.base_url}, which opens on this machine only.")
    if base.scheme == "http" and not is_local_name:
        return warning(CHECK, f"{settings.base_url} is not encrypted. Put an HTTPS proxy in front of it: see deploy/.")
    return ok(CHECK, f"{settings.base_url}.")

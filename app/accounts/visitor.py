"""Where a request comes from: the visitor's address and network, and the browser in words."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Sequence

from fastapi import Request

from app.config import Settings, is_loopback
from app.web.networks import network_of

BROWSERS = (
    ("Edg", "Edge"),
    ("OPR", "Opera"),
    ("SamsungBrowser", "Samsung Internet"),
    ("Firefox", "Firefox"),
    ("FxiOS", "Firefox"),
    ("CriOS", "Chrome"),
    ("(Headless)?Chrome", "Chrome"),
    ("Safari", "Safari"),
)
"""Most browsers name others as well, so the first that is found counts."""
SYSTEMS = (
    ("iPhone", "iPhone"),
    ("iPad", "iPad"),
    ("Android", "Android"),
    ("CrOS", "ChromeOS"),
    ("Windows", "Windows"),
    ("Macintosh", "Mac"),
    ("Linux", "Linux"),
)
LIMITED_BITS = {4: 32, 6: 64}


def visitor_address(request: Request, settings: Settings) -> str:
    """Return the visitor's address, or nothing where only that of a proxy is known that nobody named.

    uvicorn has put the address from X-Forwarded-For in place of that of a trusted proxy.
    """
    host = request.client.host if request.client else ""
    is_proxy = (is_loopback(host) and not settings.is_only_here) or _is_in(host, settings.trusted_proxies)
    return "" if is_proxy else host


def _is_in(host: str, networks: Sequence[str]) -> bool:
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return False
    return any(address in ipaddress.ip_network(network) for network in networks)


def limited_network(address: str) -> str:
    """Return what counts as one visitor: an IPv4 address, or the /64 that a customer has with IPv6."""
    return network_of(address, LIMITED_BITS)


def device_of(user_agent: str) -> str:
    """Return a browser and its system in words, such as “Firefox on Linux”; nothing else of the header is kept."""
    browser = _first(BROWSERS, user_agent) or "Unknown browser"
    system = _first(SYSTEMS, user_agent)
    return f"{browser} on {system}" if system else browser


def _first(names: tuple[tuple[str, str], ...], text: str) -> str:
    return next((name for sign, name in names if re.search(rf"\b{sign}\b", text)), "")

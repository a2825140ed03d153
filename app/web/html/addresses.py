"""The address of this server as links carry it, and whether others can open it."""

from __future__ import annotations

from urllib.parse import urlsplit

from fastapi import Request

from app.config import LOOPBACK_NAMES
from app.web.deps import get_settings


def own_address(request: Request) -> str:
    """Return where links lead: to the address that the settings name, else to the one that was asked."""
    return get_settings(request).base_url or str(request.base_url)


def is_only_here(address: str) -> bool:
    """Say whether an address opens on this computer only."""
    return urlsplit(address).hostname in LOOPBACK_NAMES

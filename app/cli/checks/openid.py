"""Checks of the sign-in provider, where one is set up: whether it describes itself under its address."""

from __future__ import annotations

from collections.abc import Iterator

from app.accounts.openid.fetch import ProviderAway, fetch_json
from app.accounts.openid.provider import DISCOVERY, read_addresses
from app.cli.checks import Finding, ok, problem, warning
from app.config import Settings

CHECK = "provider"


def check_openid(settings: Settings) -> Iterator[Finding]:
    if not settings.has_openid:
        return
    issuer = settings.openid_issuer
    try:
        keys = fetch_json(read_addresses(fetch_json(issuer.rstrip("/") + DISCOVERY), issuer).keys)
    except ProviderAway:
        yield problem(CHECK, f"{issuer} does not answer as an OpenID Connect provider of that name. Check the address.")
        return
    count = len(keys.get("keys") or [])
    yield ok(CHECK, f"{issuer} answers.") if count else problem(CHECK, f"{issuer} publishes no keys.")
    if not settings.base_url:
        text = f"It has to send people back to {settings.address}/sign-in/openid/callback. Set CONVIVE_BASE_URL."
        yield warning(CHECK, text)

"""Asking the provider over HTTP: encrypted, without redirects, and with limits on time and size."""

from __future__ import annotations

import http.client
import json
import time
import urllib.request
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode

from app.config import is_safe_provider
from app.errors import ConviveError

PATIENCE_SECONDS = 10.0
MOST_BYTES = 512 * 1024
CHUNK = 16 * 1024


class ProviderAway(ConviveError, status=503, title="Sign-in service unavailable", retry_after=10):
    """The sign-in service is not answering as it should. Try again in a few minutes, or use your password."""


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """An address that leads elsewhere is refused: it could lead to a server that only this machine reaches."""

    def redirect_request(self, *_args: Any) -> None:
        """Follow nothing."""


def fetch_json(address: str, form: Mapping[str, str] | None = None, authorization: str = "") -> dict[str, Any]:
    """Get, or send a form to, an address of the provider and return the JSON object. Slow: never in a transaction."""
    if not is_safe_provider(address):
        raise ProviderAway
    headers = {"Accept": "application/json", **({"Authorization": authorization} if authorization else {})}
    body = urlencode(form).encode() if form is not None else None
    request = urllib.request.Request(address, body, headers)  # noqa: S310  checked above
    deadline = time.monotonic() + PATIENCE_SECONDS
    try:
        with urllib.request.build_opener(_NoRedirects).open(request, timeout=PATIENCE_SECONDS) as answer:
            found = json.loads(_read(answer, deadline))
    except (OSError, ValueError, RecursionError, http.client.HTTPException) as error:
        raise ProviderAway from error
    if not isinstance(found, dict):
        raise ProviderAway
    return found


def _read(answer: http.client.HTTPResponse, deadline: float) -> bytes:
    """Read all of an answer that is short and comes soon; one that drips would hold a thread for ever."""
    parts: list[bytes] = []
    while part := answer.read1(CHUNK):
        parts.append(part)
        if sum(map(len, parts)) > MOST_BYTES or time.monotonic() > deadline:
            raise ProviderAway
    return b"".join(parts)

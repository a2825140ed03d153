"""The provider: its configuration, its keys, and exchanging a code for a person."""

from __future__ import annotations

import base64
import hashlib
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar
from urllib.parse import quote, urlencode

import anyio
from anyio import CapacityLimiter, to_thread
from fastapi import Request

from app.accounts.openid.fetch import ProviderAway, fetch_json
from app.accounts.openid.flow import Started
from app.accounts.openid.id_token import NotValid, Person, UnknownKey, read_id_token
from app.config import Settings, is_safe_provider
from app.web.server.admission import Door

T = TypeVar("T")
AT_ONCE, MOST_WAITING, LONGEST_WAIT_SECONDS = 8, 200, 20.0
KEPT_SECONDS = 3600.0
LEAST_SECONDS_BETWEEN_KEYS = 60.0
"""Somebody who sends tokens with unknown keys must not make the server ask for keys all the time."""
DISCOVERY = "/.well-known/openid-configuration"


@dataclass(frozen=True)
class Addresses:
    """The provider's endpoints."""

    authorize: str
    token: str
    keys: str
    takes_basic: bool


class Provider:
    """The provider of one server process; it is asked when the first person signs in, and its answers are kept."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._door = Door(AT_ONCE, max_waiting=MOST_WAITING, max_wait_seconds=LONGEST_WAIT_SECONDS)
        self._threads = CapacityLimiter(AT_ONCE)
        self._asking = anyio.Lock()
        self._addresses: tuple[float, Addresses] | None = None
        self._keys: tuple[float, Mapping[str, Any]] | None = None

    @property
    def redirect_uri(self) -> str:
        return f"{self._settings.address}/sign-in/openid/callback"

    async def authorize_address(self, started: Started, *, again: bool) -> str:
        """Return where the browser goes to sign in; `again` makes the provider ask for the password."""
        challenge = base64.urlsafe_b64encode(hashlib.sha256(started.verifier.encode()).digest()).rstrip(b"=")
        query = {
            "response_type": "code",
            "client_id": self._settings.openid_client_id,
            "redirect_uri": self.redirect_uri,
            "scope": "openid email profile",
            "state": started.state,
            "nonce": started.nonce,
            "code_challenge": challenge.decode(),
            "code_challenge_method": "S256",
            **({"prompt": "login", "max_age": "0"} if again else {}),
        }
        address = (await self._find()).authorize
        return f"{address}{'&' if '?' in address else '?'}{urlencode(query)}"

    async def identify(self, code: str, started: Started) -> Person:
        """Return the person that the code identifies, after checking the provider's token for it."""
        addresses = await self._find()
        form, authorization = self._credentials(addresses)
        form |= {
            "grant_type": "authorization_code",
            "code": code,
            "redirect_uri": self.redirect_uri,
            "code_verifier": started.verifier,
        }
        answer = await self._run(partial(fetch_json, addresses.token, form, authorization))
        token = answer.get("id_token")
        if not isinstance(token, str):
            raise ProviderAway
        return await self._read(addresses, token, started)

    async def _read(self, addresses: Addresses, token: str, started: Started) -> Person:
        read = partial(
            read_id_token,
            token,
            issuer=self._settings.openid_issuer,
            client_id=self._settings.openid_client_id,
            nonce=started.nonce,
        )
        try:
            return await self._run(partial(read, keys=await self._find_keys(addresses, KEPT_SECONDS)))
        except UnknownKey:  # the provider may have changed its keys
            keys = await self._find_keys(addresses, LEAST_SECONDS_BETWEEN_KEYS)
        try:
            return await self._run(partial(read, keys=keys))
        except UnknownKey:
            raise NotValid from None

    async def _find(self) -> Addresses:
        async with self._asking:
            if self._addresses is None or self._addresses[0] + KEPT_SECONDS < time.monotonic():
                issuer = self._settings.openid_issuer
                answer = await self._run(partial(fetch_json, issuer.rstrip("/") + DISCOVERY))
                self._addresses = time.monotonic(), read_addresses(answer, issuer)
            return self._addresses[1]

    async def _find_keys(self, addresses: Addresses, most_seconds: float) -> Mapping[str, Any]:
        async with self._asking:
            if self._keys is None or self._keys[0] + most_seconds < time.monotonic():
                self._keys = time.monotonic(), await self._run(partial(fetch_json, addresses.keys))
            return self._keys[1]

    def _credentials(self, addresses: Addresses) -> tuple[dict[str, str], str]:
        """Return the fields and the header with which Convive identifies itself."""
        client_id, secret = self._settings.openid_client_id, self._settings.openid_client_secret.get_secret_value()
        if secret and addresses.takes_basic:
            both = f"{quote(client_id, safe='')}:{quote(secret, safe='')}"
            return {}, f"Basic {base64.b64encode(both.encode()).decode()}"
        return {"client_id": client_id, **({"client_secret": secret} if secret else {})}, ""

    async def _run(self, work: Callable[[], T]) -> T:
        async with self._door.enter():
            return await to_thread.run_sync(work, limiter=self._threads)


def read_addresses(answer: Mapping[str, Any], issuer: str) -> Addresses:
    """Return the endpoints from the provider's configuration; refuse that of another issuer."""
    found = [answer.get(name) for name in ("authorization_endpoint", "token_endpoint", "jwks_uri")]
    if answer.get("issuer") != issuer or not all(isinstance(one, str) and is_safe_provider(one) for one in found):
        raise ProviderAway
    authorize, token, keys = map(str, found)
    methods = answer.get("token_endpoint_auth_methods_supported") or ["client_secret_basic"]
    return Addresses(authorize, token, keys, "client_secret_basic" in methods)


def provider_of(request: Request) -> Provider:
    return request.app.state.openid  # type: ignore[no-any-return]  # Starlette's state is untyped

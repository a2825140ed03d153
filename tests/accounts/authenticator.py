"""A passkey device for tests: what a browser would send, signed with a real key."""

from __future__ import annotations

import hashlib
import json
import secrets
from base64 import urlsafe_b64encode
from dataclasses import dataclass, field
from typing import Any

import cbor2
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256

PRESENT, VERIFIED, ATTESTED = 0x01, 0x04, 0x40


@dataclass
class Authenticator:
    """One passkey; change a field to send something that must be refused."""

    origin: str
    host: str
    flags: int = PRESENT | VERIFIED
    count: int = 0
    user_handle: str = ""
    id: bytes = field(default_factory=lambda: secrets.token_bytes(32))
    key: ec.EllipticCurvePrivateKey = field(default_factory=lambda: ec.generate_private_key(ec.SECP256R1()))

    def register(self, options: dict[str, Any]) -> str:
        """Return the answer to the options for a new passkey."""
        self.user_handle = options["user"]["id"]
        numbers = self.key.public_key().public_numbers()
        public = {1: 2, 3: -7, -1: 1, -2: numbers.x.to_bytes(32, "big"), -3: numbers.y.to_bytes(32, "big")}
        attested = bytes(16) + len(self.id).to_bytes(2, "big") + self.id + cbor2.dumps(public)
        data = self._data(self.flags | ATTESTED) + attested
        attestation = cbor2.dumps({"fmt": "none", "attStmt": {}, "authData": data})
        client = self._client_data("webauthn.create", options)
        return self._credential({"clientDataJSON": text(client), "attestationObject": text(attestation)})

    def sign(self, options: dict[str, Any]) -> str:
        """Return the answer to the options for signing in."""
        self.count += 1
        client, data = self._client_data("webauthn.get", options), self._data(self.flags)
        signature = self.key.sign(data + hashlib.sha256(client).digest(), ec.ECDSA(SHA256()))
        sent = {"clientDataJSON": client, "authenticatorData": data, "signature": signature}
        return self._credential({**{k: text(v) for k, v in sent.items()}, "userHandle": self.user_handle})

    def _data(self, flags: int) -> bytes:
        return hashlib.sha256(self.host.encode()).digest() + bytes([flags]) + self.count.to_bytes(4, "big")

    def _client_data(self, kind: str, options: dict[str, Any]) -> bytes:
        return json.dumps({"type": kind, "challenge": options["challenge"], "origin": self.origin}).encode()

    def _credential(self, response: dict[str, str]) -> str:
        return json.dumps({"id": text(self.id), "rawId": text(self.id), "type": "public-key", "response": response})


def text(value: bytes) -> str:
    return urlsafe_b64encode(value).decode().rstrip("=")

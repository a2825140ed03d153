"""Encryption of secrets in the database, with a key that is derived from the server's key and not stored there."""

from __future__ import annotations

import secrets

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

KEY_BYTES, NONCE_BYTES = 32, 12
PURPOSE = b"secrets of code apps"


def seal(key: bytes, plain: bytes, owner: bytes) -> bytes:
    """Encrypt something of one owner; moved to another row it cannot be read."""
    nonce = secrets.token_bytes(NONCE_BYTES)
    return nonce + _cipher(key).encrypt(nonce, plain, owner)


def unseal(key: bytes, sealed: bytes, owner: bytes) -> bytes | None:
    """Return what was encrypted, or None where the key, the owner or the bytes are others."""
    try:
        return _cipher(key).decrypt(sealed[:NONCE_BYTES], sealed[NONCE_BYTES:], owner)
    except (InvalidTag, ValueError):
        return None


def _cipher(key: bytes) -> AESGCM:
    # The server's key also signs links, so each use has a key of its own.
    return AESGCM(HKDF(algorithm=SHA256(), length=KEY_BYTES, salt=None, info=PURPOSE).derive(key))

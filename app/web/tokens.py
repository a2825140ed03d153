"""Secrets that stand in addresses, cookies and headers: 256 random bits, stored only as a hash."""

from __future__ import annotations

import hashlib
import secrets


def new_token(prefix: str = "") -> str:
    """Return a fresh secret, safe in an address; the prefix tells people what it is."""
    return prefix + secrets.token_urlsafe(32)


def hash_token(token: str) -> str:
    """Return what is stored of a secret. It has full entropy, so a plain SHA-256 is enough."""
    return hashlib.sha256(token.encode()).hexdigest()


def form_token(session_token: str) -> str:
    """Return the form token of a session: derived, so that nothing needs storing."""
    return hashlib.sha256(b"form:" + session_token.encode()).hexdigest()


def mask_token(token: str) -> str:
    """Return a form token as a page shows it: different each time, so that compressed sizes tell nothing about it."""
    plain = bytes.fromhex(token)
    pad = secrets.token_bytes(len(plain))
    return (pad + _xor(plain, pad)).hex()


def unmask_token(masked: str) -> str:
    """Return the form token behind one that a page showed; anything else stays as it is."""
    try:
        both = bytes.fromhex(masked)
    except ValueError:
        return masked
    half = len(both) // 2
    return _xor(both[:half], both[half:]).hex() if len(both) == 2 * hashlib.sha256().digest_size else masked


def _xor(one: bytes, other: bytes) -> bytes:
    return bytes(a ^ b for a, b in zip(one, other, strict=True))

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

"""Tokens of links, invitations and undos: derived from the server's key and a seed (decision 64)."""

from __future__ import annotations

import base64
import hashlib
import hmac
import os
import secrets
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Literal

from app.config import Settings
from app.logs import logger
from app.web.tokens import hash_token

KEY_FILE = "link.key"
BYTES = 32
Purpose = Literal["link", "invitation", "circle"]
log = logger(__name__)


def link_key(settings: Settings) -> bytes:
    """Return the key from the settings, else that in the data folder, which is made at first use."""
    given = settings.link_key.get_secret_value()
    return given.encode() if given else _key_in(settings.data_dir / KEY_FILE)


def has_lasting_key(settings: Settings) -> bool:
    """Return whether the key is the same after a restart: what is encrypted with another one is lost then."""
    if settings.link_key.get_secret_value():
        return True
    link_key(settings)
    try:
        return (settings.data_dir / KEY_FILE).read_bytes() == link_key(settings)
    except OSError:
        return False


def new_seed() -> str:
    """Return what the token of a new link is derived from; without the key it says nothing about the token."""
    return secrets.token_hex(BYTES)


def repeated_seed(secret: str, request: str) -> str:
    """Return the seed for a request that may be sent again: the same for the same request of the same client."""
    return hmac.new(secret.encode(), request.encode(), hashlib.sha256).hexdigest()


def token_of(key: bytes, seed: str, purpose: Purpose = "link") -> str:
    """Return the token: 256 bits that nobody can guess without the key."""
    digest = hmac.new(key, f"{purpose}:{seed}".encode(), hashlib.sha256).digest()
    return base64.urlsafe_b64encode(digest).decode().rstrip("=")


def token_again(key: bytes, seed: str, token_hash: str, purpose: Purpose = "link") -> str | None:
    """Return the token of a stored link, or None where it was made with another key or before there was one."""
    token = token_of(key, seed, purpose)
    return token if seed and hmac.compare_digest(hash_token(token), token_hash) else None


@cache
def _key_in(path: Path) -> bytes:
    try:
        if not path.exists():
            _write_key(path)
        key = path.read_bytes()
    except OSError:
        log.warning("link key not stored", path=str(path))
        key = b""
    else:
        if len(key) < BYTES:
            log.error("link key too short, not used: restore the file or delete it", path=str(path))
    # Links work without the file; they can be copied again only until the server stops.
    return key if len(key) >= BYTES else secrets.token_bytes(BYTES)


def _write_key(path: Path) -> None:
    """Write a new key, whole or not at all; of two processes at once the first one's stays."""
    path.parent.mkdir(parents=True, exist_ok=True)
    own = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    try:
        _write_new(own)
        os.link(own, path)
    except FileExistsError:
        pass
    except OSError:  # a file system without hard links
        with suppress(FileExistsError):
            _write_new(path)
    finally:
        own.unlink(missing_ok=True)


def _write_new(path: Path) -> None:
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
        file.write(secrets.token_bytes(BYTES))

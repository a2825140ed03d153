"""A sign-in at the provider that is under way: kept in a cookie, for ten minutes."""

from __future__ import annotations

import base64
import json
from dataclasses import asdict, dataclass, fields
from typing import Literal, get_args

from app.web.tokens import new_token

Purpose = Literal["sign-in", "confirm", "connect"]
LIFE_SECONDS = 600
LONGEST_NEXT = 500
LEAST_SECRET = 40


@dataclass(frozen=True)
class Started:
    """Three secrets that bind the answer to this browser and this try, and what it is for."""

    state: str
    nonce: str
    verifier: str
    purpose: Purpose
    next: str

    def cookie(self) -> str:
        return base64.urlsafe_b64encode(json.dumps(asdict(self)).encode()).decode()


def start(purpose: Purpose, then: str) -> Started:
    return Started(new_token(), new_token(), new_token(), purpose, then if len(then) <= LONGEST_NEXT else "/")


def started_from(cookie: str) -> Started | None:
    """Return the started sign-in from the cookie, or None."""
    try:
        values = json.loads(base64.urlsafe_b64decode(cookie))
        state, nonce, verifier, purpose, then = (values[one.name] for one in fields(Started))
    except (ValueError, TypeError, KeyError):
        return None
    is_text = all(isinstance(one, str) for one in (state, nonce, verifier, then))
    is_ours = is_text and purpose in get_args(Purpose) and len(state) >= LEAST_SECRET
    return Started(state, nonce, verifier, purpose, then) if is_ours else None

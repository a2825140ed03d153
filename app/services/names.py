"""Names of guests, tables, groups and events: what is taken and when two are the same."""

from __future__ import annotations

import unicodedata

from app.db.models import NAME_LENGTH
from app.errors import Fault, Invalid


def clean_name(text: str, where: str = "name", what: str = "The name") -> str:
    """Return the name with its spaces tidied, or say why it cannot be taken."""
    name = " ".join("".join(" " if _is_control(c) else c for c in unicodedata.normalize("NFC", text)).split())
    if not name:
        raise Invalid(Fault(where, f"{what} is empty."))
    if len(name) > NAME_LENGTH:
        start = name[:20]
        raise Invalid(Fault(where, f"{what} “{start}…” has {len(name):,} characters; at most {NAME_LENGTH} are taken."))
    return name


def name_key(name: str) -> str:
    """Return what decides whether two names are the same: case and width do not count."""
    return unicodedata.normalize("NFKC", name).casefold()[: NAME_LENGTH * 3]


def _is_control(character: str) -> bool:
    # Cc only: format characters join emoji and steer right-to-left names.
    return unicodedata.category(character) == "Cc"

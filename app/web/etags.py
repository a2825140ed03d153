"""ETags: versions of what is sent, as clients name them."""

from __future__ import annotations


def has_tag(if_none_match: str, tag: str) -> bool:
    """Say whether a header names this tag."""
    return any(one.strip().removeprefix("W/") == tag.removeprefix("W/") for one in if_none_match.split(","))

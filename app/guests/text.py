"""Why a guest gets no seat, in words."""

from __future__ import annotations

from collections.abc import Sequence


def absence_words(replies: Sequence[str]) -> str:
    """Say of guests with these replies who are not to be seated that they do not come, or have not said so yet."""
    if any(reply != "no" for reply in replies):
        return "has not replied yes" if len(replies) == 1 else "have not replied yes"
    return "is not attending" if len(replies) == 1 else "are not attending"

"""Words about guests: why they get no seat, and what was done to several of them."""

from __future__ import annotations

from collections.abc import Sequence

from app.guests.bulk import Done
from app.sentences import count


def absence_words(replies: Sequence[str]) -> str:
    """Say of guests with these replies who are not to be seated that they do not come, or have not said so yet."""
    if any(reply != "no" for reply in replies):
        return "has not replied yes" if len(replies) == 1 else "have not replied yes"
    return "is not attending" if len(replies) == 1 else "are not attending"


def bulk_text(done: Done) -> str:
    """Say what was done to several guests at once."""
    guests = count(done.count, "guest")
    texts = {
        "set": f"{done.subject} changed to “{done.value}” for {guests}.",
        "joined": f"{guests} added to the group “{done.subject}”.",
        "left": f"{guests} removed from the group “{done.subject}”.",
        "household": f"{guests} added to the household “{done.subject}”.",
        "apart": f"{guests} left {'the household' if done.count == 1 else 'their households'}.",
        "removed": f"{guests} removed.",
        "changed": f"{guests} updated.",
    }
    return f"{done.subject} cleared for {guests}." if done.did == "set" and not done.value else texts[done.did]

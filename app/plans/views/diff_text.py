"""Guests who change tables, in words."""

from __future__ import annotations

from app.plans.plan_diff import Mover, Movers
from app.sentences import list_in_words
from app.web.html.text_metrics import LONGEST_IN_TEXT, shorten


def movers_words(movers: Movers) -> str:
    """Say who goes from where to where: `Aino from Table 1 to Table 2, Bo from Table 2 to Table 1 and 5 more`."""
    parts = [_part(mover) for mover in movers.named]
    more = movers.count - len(parts)
    return list_in_words([*parts, f"{more:,} more"] if more else parts)


def _part(mover: Mover) -> str:
    name, before, after = (shorten(text, LONGEST_IN_TEXT) for text in (mover.name, mover.before, mover.after))
    return f"{name} from {before} to {after}"

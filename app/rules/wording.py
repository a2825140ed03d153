"""What a rule says, in the forms that pages and messages need."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from app.sentences import list_in_words

Style = Literal["label", "sentence", "clause"]
PREDICATES: dict[str, dict[Style, str]] = {
    "together": {"label": "always at the same table", "sentence": "sit at the same table", "clause": "sit together"},
    "apart": {"label": "never at the same table", "sentence": "sit at different tables", "clause": "sit apart"},
    "side_by_side": {"label": "side by side", "sentence": "sit side by side", "clause": "sit side by side"},
    "pinned": {"label": "at", "sentence": "sit at", "clause": "must sit at"},
}


def predicate_of(kind: str, guests: int, style: Style) -> str:
    """Return what a rule says about its guests; the tables of a pinned rule follow it."""
    predicate = PREDICATES[kind][style]
    return predicate.replace("sit ", "sits ", 1) if guests == 1 and style == "sentence" else predicate


def rule_in_words(kind: str, guests: Sequence[str], tables: Sequence[str], style: Style = "label") -> str:
    """Say what a rule says: `Anna and Béla never at the same table`."""
    words = [list_in_words(guests), predicate_of(kind, len(guests), style)]
    return " ".join([*words, list_in_words(tables, "or")] if kind == "pinned" else words)

"""Where a pair's value comes from, in words."""

from __future__ import annotations

from app.ratings.pair_values import PairValues
from app.solver import Source
from app.web.html.numbers import short_number


def value_words(worth: PairValues, a: int, b: int) -> str:
    """Say what an unrated pair counts as and why; nothing where it is rated or nothing is known."""
    value = float(worth.values[a, b])
    text = short_number(value, signed=True)
    match Source(int(worth.source[a, b])):
        case Source.WISH:
            return f"{text} · a wish of theirs"
        case Source.PARTY:
            return f"{text} · they come together"
        case Source.GROUP:
            groups = worth.groups_of_pair(a, b)
            return f"{text} · from groups ({groups[0]} × {groups[1]})" if groups else f"{text} · from groups"
        case Source.GUESS:
            spread = f"{float(worth.uncertainty[a, b]):.1f}"
            return f"about {short_number(round(value, 1), signed=True)} · a guess, ± {spread}"
    return ""

"""What was said about pairs, and where a pair's value comes from, in words."""

from __future__ import annotations

from app.ratings.levels import LEVELS
from app.ratings.pair_values import PairValues
from app.sentences import count
from app.solver import Source
from app.web.html.numbers import short_number

LIKELY = 1.0  # a standard deviation below one level; grid-bar.js has the same


def rated_text(rated: int, pairs: int, group_answers: int) -> str:
    """Say how much was said: about groups, where anything was, and about pairs."""
    of_groups = f"{count(group_answers, 'answer')} about groups and " if group_answers else ""
    return f"{of_groups}{rated:,} of {pairs:,} pairs rated"


def value_text(worth: PairValues, a: int, b: int) -> str:
    """Say what an unrated pair counts as and why; nothing where it is rated or nothing is known."""
    value = float(worth.values[a, b])
    text = short_number(value, signed=True)
    match Source(int(worth.source[a, b])):
        case Source.WISH:
            return f"{text} · their wish"
        case Source.PARTY:
            return f"{text} · same household"
        case Source.GROUP:
            groups = worth.groups_of_pair(a, b)
            return f"{text} · from groups ({groups[0]} × {groups[1]})" if groups else f"{text} · from groups"
        case Source.GUESS:
            is_likely = float(worth.uncertainty[a, b]) < LIKELY
            return f"{LEVELS[min(max(round(value), -2), 2) + 2].label} · {'probably' if is_likely else 'perhaps'}"
    return ""

"""How many rounds and guests can be planned, without what loads numpy: the command line says it in its help."""

from __future__ import annotations

from app.sentences import count
from app.solver.errors import Unsolvable

MOST_ROUNDS = 60
MOST_IN_ROUNDS = 2000
"""More guests would need several values for each of millions of pairs."""
MOST_PLACES = 24_000
"""Seats in all rounds together: more take a gigabyte, and hardly change before the time is over."""


def refuse_rounds(rounds: int, guests: int) -> None:
    """Refuse numbers of rounds and guests that are beyond what can be planned."""
    if not 1 <= rounds <= MOST_ROUNDS:
        raise Unsolvable(f"{count(rounds, 'round')}: there can be 1 to {MOST_ROUNDS}.")
    if guests > MOST_IN_ROUNDS:
        raise Unsolvable(f"Several rounds work for up to {MOST_IN_ROUNDS:,} guests; there are {guests:,}.")
    if rounds * guests > MOST_PLACES:
        most = MOST_PLACES // guests
        raise Unsolvable(f"{rounds} rounds are too many for {guests:,} guests; maximum {most}.")

"""How many guests sit well in the best plan so far, in the words of the plan that is made of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from app.plans.satisfaction import AWAY_SCORE
from app.problem.snapshot import Snapshot
from app.runs.options import RunOptions
from app.runs.progress import MOST_SHOWN

CountWellSeated = Callable[[Sequence[int]], int]


def count_well_seated(snapshot: Snapshot, options: RunOptions) -> CountWellSeated | None:
    """Return what counts who sits with someone they like, from the table of each guest.

    Whoever also sits with someone they should avoid does not count, nor do liked members of the own household. There is
    nothing to count for distances, several rounds, large events, and where nobody is liked.
    """
    guests = len(snapshot.guest_ids)
    if snapshot.problem.kind != "score" or options.rounds > 1 or not 0 < guests <= MOST_SHOWN:
        return None
    scores, own = snapshot.known.symmetric, np.eye(guests, dtype=bool)
    for party in snapshot.problem.parties:
        own[np.ix_(party, party)] = True
    liked, averse = (scores > 0) & ~own, scores <= AWAY_SCORE

    def count(seating: Sequence[int]) -> int:
        at = np.array(seating)
        together = at[:, None] == at[None, :]
        return int(((together & liked).any(axis=1) & ~(together & averse).any(axis=1)).sum())

    return count if liked.any() else None

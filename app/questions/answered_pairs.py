"""Pairs that need no question any more: rated in any way, of one party, decided by a rule, or asked about already."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from itertools import combinations
from uuid import UUID

import numpy as np
from sqlalchemy.orm import Session

from app.guests.queries.parties import parties_of
from app.problem.queries.rules import rules_of
from app.questions.queries import Pair, asked_pairs
from app.ratings.known import known_values

DECIDED = ("together", "apart", "side_by_side")


def pairs_without_questions(session: Session, event_id: UUID) -> set[Pair]:
    """Return the pairs that were asked about, and those that a rule decides: no answer changes where they sit."""
    rules = (rule.guest_ids for rule in rules_of(session, event_id, only_seated=True) if rule.kind in DECIDED)
    return {*asked_pairs(session, event_id), *_within(rules)}


def closed_among(session: Session, event_id: UUID, pairs: Collection[Pair]) -> set[Pair]:
    """Return those of the pairs that are not to be asked about as the event is now."""
    ids = sorted({guest for pair in pairs for guest in pair})
    place = {guest: position for position, guest in enumerate(ids)}
    known = ~np.isnan(known_values(session, event_id, ids))
    rated = {(a, b) for a, b in pairs if known[place[a], place[b]]}
    return rated | (pairs_without_questions(session, event_id) | _within(parties_of(session, event_id))) & set(pairs)


def _within(groups: Iterable[Collection[UUID]]) -> set[Pair]:
    return {pair for guests in groups for pair in combinations(sorted(guests), 2)}

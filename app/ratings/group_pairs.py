"""Pairs of guests by their groups: which groups decide a pair, and about how many pairs nothing is said."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from sqlalchemy.orm import Session

from app.db import models
from app.guests.queries.guests import SeatedName
from app.ratings.known import known_values
from app.ratings.queries.ratings import has_matrix
from app.ratings.values import MOST_GUESSED, known_of, on_levels
from app.solver import IntArray, Known, Source, group_and_party_defaults


@dataclass(frozen=True)
class PairsOfGroups:
    """For every two groups, g × g: how many pairs of guests meet, and about how many of these nothing is said.

    `ungrouped` is how many of the guests are in no group.
    """

    pairs: IntArray
    undecided: IntArray
    ungrouped: int


def count_undecided_pairs(session: Session, event: models.Event, guests: Sequence[SeatedName]) -> PairsOfGroups | None:
    """Count the pairs of these guests by their groups; in an event too large for guesses all of them are undecided.

    None where groups count for nothing: a matrix has another scale, or rates an event that is so large.
    """
    ids, is_large = [guest.id for guest in guests], len(guests) > MOST_GUESSED
    rated = np.empty((0, 0)) if is_large else known_values(session, event.id, ids)
    if (is_large and has_matrix(session, event.id)) or not on_levels(rated):
        return None
    known, _ = known_of(session, event.id, ids, rated)
    members = known.groups.astype(np.int64)
    pairs, ungrouped = _meetings(members), int((~known.groups.any(axis=1)).sum())
    if is_large:
        return PairsOfGroups(pairs, pairs, ungrouped)
    defaults = group_and_party_defaults(known)
    undecided = (defaults.source == Source.NOTHING) & ~_said(known, defaults.source)
    np.fill_diagonal(undecided, False)
    return PairsOfGroups(pairs, _meetings(members, undecided), ungrouped)


def group_blocks(
    session: Session, event: models.Event, guests: Sequence[models.Guest]
) -> tuple[IntArray, NDArray[np.bool_]] | None:
    """Return from which groups each pair has its default, as `block` of PairValues, and where more is said.

    None where groups count for nothing: in an event of distances, or of another scale.
    """
    ids = [guest.id for guest in guests]
    rated = known_values(session, event.id, ids)
    if event.kind == "distance" or not on_levels(rated):
        return None
    known, _ = known_of(session, event.id, ids, rated)
    defaults = group_and_party_defaults(known)
    return defaults.block, _said(known, defaults.source)


def _said(known: Known, source: NDArray[np.int8]) -> NDArray[np.bool_]:
    """Return the pairs about which something stronger is known than groups: a rating, a wish or a party."""
    said: NDArray[np.bool_] = source == Source.PARTY
    for pairs in (known.pairs, known.wishes):
        if pairs is not None and len(pairs):
            said[pairs[:, 0], pairs[:, 1]] = said[pairs[:, 1], pairs[:, 0]] = True
    return said


def _meetings(members: IntArray, counted: NDArray[np.bool_] | None = None) -> IntArray:
    """Return how many of the counted pairs, or of all, meet in every two groups: each pair once."""
    sizes, one = members.sum(axis=0), members.astype(np.float32)
    shared = np.rint(one.T @ one).astype(np.int64)  # whole numbers are multiplied one by one, which takes seconds
    if counted is None:
        return np.asarray(np.outer(sizes, sizes) - shared - shared * (shared - 1) // 2, dtype=np.int64)
    met = np.rint(one.T @ (counted.astype(np.float32) @ one)).astype(np.int64)
    for i, j in np.argwhere(shared > 1).tolist():  # two who are both in both groups meet twice
        both = np.flatnonzero(members[:, i] & members[:, j])
        met[i, j] -= counted[np.ix_(both, both)].sum() // 2
    return met

"""Ratings of guests who come from another event: what is new here, what differs, and how it is written."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

import numpy as np

from app.db import models
from app.events.context import EventContext
from app.files.matrices.arrays import pack_square, unpack_square
from app.guests.queries.groups import group_ratings_of, groups_of
from app.guests.queries.guests import guest_ids_of
from app.ratings.change import Entry, is_same_value, open_ratings, patch_ratings, remove_ratings
from app.ratings.group_defaults import GroupPair, set_group_ratings
from app.ratings.known import known_pairs
from app.ratings.levels import RatingLevel
from app.ratings.queries import ratings as queries
from app.solver import FloatArray, Kind

MOST_SINGLE = 200_000
"""Pairs of a matrix that become single ratings, where this event has a matrix of its own."""
OTHER_KIND = (
    "The ratings can't come along: one event uses scores, the other distances, and this event has ratings already."
)
OTHER_SCALE = "The ratings can't come along: the uploaded matrix goes beyond −2 to 2, and this event's ratings don't."
TOO_MANY = (
    f"The ratings can't come along: both events have a matrix, and more than {MOST_SINGLE:,} pairs would have to be "
    "merged. Choose fewer guests."
)
Pair = tuple[UUID, UUID]
Scores = dict[Pair, float]
"""Ratings by their direction."""
GroupScore = tuple[str, str, float]
"""How two groups get along, by the keys of their names."""


@dataclass(frozen=True)
class Block:
    """The part of an uploaded matrix that comes along, with its guests in the other event."""

    guests: tuple[UUID, ...]
    values: FloatArray
    asymmetric: bool

    @property
    def pairs(self) -> int:
        """How many pairs it rates, in either direction."""
        known = ~np.isnan(self.values)
        return int(np.triu(known | known.T, 1).sum())


@dataclass(frozen=True)
class RatingsFit:
    """The other event's ratings of the chosen guests, by their ids there.

    `kind` is what this event changes to, as long as it has no rating.
    """

    new: Mapping[Pair, Scores] = field(default_factory=dict)
    differing: Mapping[Pair, Scores] = field(default_factory=dict)
    same: int = 0
    block: Block | None = None
    new_groups: Sequence[GroupScore] = ()
    differing_groups: Sequence[GroupScore] = ()
    kind: Kind | None = None
    problem: str = ""

    @property
    def added(self) -> int:
        """How many pairs are new here."""
        of_matrix = self.block.pairs - len(self.differing) - self.same if self.block else 0
        return len(self.new) + max(of_matrix, 0)


@dataclass(frozen=True)
class RatingsBefore:
    """What undoes the writing of ratings, by ids as texts: each pair with its score before and after."""

    kind: str = ""
    matrix: str = ""
    pairs: Sequence[tuple[str, str, float | None, float | None]] = ()
    groups: Sequence[tuple[str, str, float | None, float | None]] = ()


def compare_ratings(
    source: EventContext, target: EventContext, guests: Mapping[UUID, UUID | None], groups: Collection[str]
) -> RatingsFit:
    """Return what the source's ratings would do; `guests` are here with an id, or new. `groups` are keys of names."""
    ids = tuple(guests)
    scores = {(a, b): score for a, b, score in queries.ratings_among(source.session, source.event_id, ids)}
    block = _block(source, ids)
    cells = list(_group_scores(source, groups))
    if not scores and block is None and not cells:
        return RatingsFit()
    kind = None if source.event.kind == target.event.kind else source.event.kind
    problem = _problem(target, block, kind)
    if problem:
        return RatingsFit(problem=problem)
    if block is not None and queries.has_matrix(target.session, target.event_id):
        if block.pairs > MOST_SINGLE:
            return RatingsFit(problem=TOO_MANY)
        scores, block = {**_single(block, scores), **scores}, None
    if block is not None:
        scores = {**_rated_here(source, target, guests, scores), **scores}
    new, differing, same = _sorted_out(target, guests, _by_pair(scores))
    new_groups, other_groups = ([], []) if source.event.kind == "distance" else _sorted_groups(target, cells)
    return RatingsFit(new, differing, same, block, new_groups, other_groups, kind)


def write_ratings(
    ctx: EventContext, fit: RatingsFit, here: Mapping[UUID, UUID], added: Mapping[UUID, UUID], *, replace: bool
) -> RatingsBefore:
    """Write ratings of guests who were here or were just added; those that differ, only if asked.

    Return what undoes it. Ratings of added guests go with them.
    """
    if fit == RatingsFit():
        return RatingsBefore()
    ids = {**here, **added}
    event = open_ratings(ctx)
    kind_before = event.kind if fit.kind else ""
    if fit.kind:
        event.kind = fit.kind
        ctx.session.flush()
    made = _store_block(ctx, fit.block, ids) if fit.block else ""
    pairs = [*fit.new.values(), *(fit.differing.values() if replace else ())]
    changed = _write_pairs(ctx, pairs, ids) if pairs else []
    old = {str(guest) for guest in here.values()}
    before = [one for one in changed if old.issuperset(one[:2])]
    cells = [*fit.new_groups, *(fit.differing_groups if replace else ())]
    return RatingsBefore(kind_before, made, before, _write_groups(ctx, cells) if cells else [])


def undo_ratings(ctx: EventContext, before: Mapping[str, Any]) -> None:
    """Make ratings as they were, except those that somebody has changed since."""
    open_ratings(ctx)
    stored = queries.matrix_of(ctx.session, ctx.event_id)
    if stored is not None and before["matrix"] == stored.created_at.isoformat():
        ctx.session.delete(stored)
        ctx.session.flush()
    _restore_pairs(ctx, [(UUID(a), UUID(b), was, then) for a, b, was, then in before["pairs"]])
    _restore_groups(ctx, [(UUID(a), UUID(b), was, then) for a, b, was, then in before["groups"]])


def undo_kind(ctx: EventContext, before: Mapping[str, Any]) -> None:
    """Go back to scores or distances, if nothing is rated any more; what removed guests had is of the other kind."""
    event = open_ratings(ctx)
    if before["kind"] and not _is_rated(ctx):
        remove_ratings(ctx.session, ctx.event_id)
        event.kind = before["kind"]
        ctx.session.flush()


def _problem(target: EventContext, block: Block | None, kind: Kind | None) -> str:
    if kind and _is_rated(target):
        return OTHER_KIND
    has_own_scale = queries.has_matrix(target.session, target.event_id) or target.event.kind == "distance"
    if block is None or has_own_scale or not _is_rated(target):
        return ""
    return OTHER_SCALE if np.nanmax(np.abs(block.values), initial=0.0) > RatingLevel.CLOSE else ""


def _is_rated(ctx: EventContext) -> bool:
    session, event_id = ctx.session, ctx.event_id
    has_single = queries.count_rated(session, event_id) > 0
    return has_single or queries.has_matrix(session, event_id) or bool(group_ratings_of(session, event_id))


def _block(source: EventContext, ids: Sequence[UUID]) -> Block | None:
    stored = queries.matrix_of(source.session, source.event_id)
    if stored is None:
        return None
    wanted = set(ids)
    known = [UUID(text) for text in stored.guest_ids]
    here = [place for place, guest in enumerate(known) if guest in wanted]
    if len(here) <= 1:
        return None
    values = unpack_square(stored.values)
    values = values if len(here) == len(known) else values[np.ix_(here, here)]
    np.fill_diagonal(values, 0.0)
    return Block(tuple(known[place] for place in here), values, stored.asymmetric)


def _single(block: Block, scores: Scores) -> Scores:
    """Return a matrix as single ratings, without the pairs that have one already."""
    rated = {frozenset(pair) for pair in scores}
    found: Scores = {}
    rows, columns = np.nonzero(~np.isnan(block.values))
    for row, column in zip(rows.tolist(), columns.tolist(), strict=True):
        pair = (block.guests[row], block.guests[column])
        if (row < column or (row > column and block.asymmetric)) and frozenset(pair) not in rated:
            found[pair] = float(block.values[row, column])
    return found


def _rated_here(
    source: EventContext, target: EventContext, guests: Mapping[UUID, UUID | None], scores: Scores
) -> Scores:
    """Return what the source's matrix says about pairs that have a single rating here, which would override it."""
    there = {here: guest for guest, here in guests.items() if here is not None}
    rated = queries.rated_pairs(target.session, target.event_id)
    pairs = [(there[a], there[b]) for a, b in rated if a in there and b in there]
    pairs = [(a, b) for a, b in pairs if (a, b) not in scores and (b, a) not in scores]
    values = known_pairs(source.session, source.event_id, pairs).tolist()
    return {pair: value for pair, value in zip(pairs, values, strict=True) if not math.isnan(value)}


def _by_pair(scores: Scores) -> dict[Pair, Scores]:
    found: dict[Pair, Scores] = {}
    for (a, b), score in scores.items():
        found.setdefault((min(a, b), max(a, b)), {})[a, b] = score
    return found


def _sorted_out(
    target: EventContext, guests: Mapping[UUID, UUID | None], pairs: Mapping[Pair, Scores]
) -> tuple[dict[Pair, Scores], dict[Pair, Scores], int]:
    """Return the pairs that are not rated here, those that are rated otherwise, and how many are rated the same."""
    both: list[tuple[Pair, Pair]] = []
    for pair in pairs:
        a, b = guests[pair[0]], guests[pair[1]]
        if a is not None and b is not None:
            both.append((pair, (a, b)))
    values = known_pairs(target.session, target.event_id, [here for _, here in both]).tolist()
    rated = {pair: value for (pair, _), value in zip(both, values, strict=True) if not math.isnan(value)}
    differing = {
        pair: pairs[pair]
        for pair, value in rated.items()
        if not is_same_value(sum(pairs[pair].values()) / len(pairs[pair]), value)
    }
    new = {pair: scores for pair, scores in pairs.items() if pair not in rated}
    return new, differing, len(rated) - len(differing)


def _group_scores(source: EventContext, groups: Collection[str]) -> Iterator[GroupScore]:
    names = {group.id: group.name_key for group in groups_of(source.session, source.event_id)}
    for a, b, score in group_ratings_of(source.session, source.event_id):
        if names[a] in groups and names[b] in groups:
            yield names[a], names[b], score


def _sorted_groups(target: EventContext, cells: Sequence[GroupScore]) -> tuple[list[GroupScore], list[GroupScore]]:
    names = {group.id: group.name_key for group in groups_of(target.session, target.event_id)}
    present = {
        frozenset((names[a], names[b])): score for a, b, score in group_ratings_of(target.session, target.event_id)
    }
    new = [cell for cell in cells if frozenset(cell[:2]) not in present]
    rated = [cell for cell in cells if frozenset(cell[:2]) in present]
    return new, [cell for cell in rated if not is_same_value(present[frozenset(cell[:2])], cell[2])]


def _store_block(ctx: EventContext, block: Block, ids: Mapping[UUID, UUID]) -> str:
    row = models.RatingMatrix(
        event_id=ctx.event_id,
        guest_ids=[str(ids[guest]) for guest in block.guests],
        values=pack_square(block.values),
        asymmetric=block.asymmetric,
    )
    ctx.session.add(row)
    ctx.session.flush()
    ctx.session.refresh(row, ["created_at"])
    return row.created_at.isoformat()


def _write_pairs(
    ctx: EventContext, pairs: Sequence[Scores], ids: Mapping[UUID, UUID]
) -> list[tuple[str, str, float | None, float | None]]:
    """Write whole pairs, so that no direction of an earlier rating stays beside a new one."""
    after: dict[Pair, float | None] = {}
    for scores in pairs:
        for (a, b), score in scores.items():
            after[ids[a], ids[b]] = score
            after.setdefault((ids[b], ids[a]), None)
    touched = list({guest for pair in after for guest in pair})
    rows = queries.ratings_among(ctx.session, ctx.event_id, touched)
    before = {(a, b): score for a, b, score in rows if (a, b) in after}
    written = {pair: score for pair, score in after.items() if score is not None or pair in before}
    patch_ratings(ctx, [Entry(a, b, score) for (a, b), score in written.items()])
    return [(str(a), str(b), before.get((a, b)), score) for (a, b), score in written.items()]


def _write_groups(ctx: EventContext, cells: Sequence[GroupScore]) -> list[tuple[str, str, float | None, float | None]]:
    ids = {group.name_key: group.id for group in groups_of(ctx.session, ctx.event_id)}
    pairs = [GroupPair(ids[a], ids[b], score) for a, b, score in cells if a in ids and b in ids]
    before = _group_scores_now(ctx)
    set_group_ratings(ctx, pairs)
    return [(str(one.a), str(one.b), before.get(frozenset((one.a, one.b))), one.score) for one in pairs]


def _group_scores_now(ctx: EventContext) -> dict[frozenset[UUID], float]:
    return {frozenset((a, b)): score for a, b, score in group_ratings_of(ctx.session, ctx.event_id)}


Changed = tuple[UUID, UUID, float | None, float | None]


def _restore_pairs(ctx: EventContext, changed: Sequence[Changed]) -> None:
    touched = list({guest for one in changed for guest in one[:2]})
    now = {(a, b): score for a, b, score in queries.ratings_among(ctx.session, ctx.event_id, touched)}
    present = guest_ids_of(ctx.session, ctx.event_id)
    entries = [
        Entry(a, b, was)
        for a, b, was, then in changed
        if a in present and b in present and is_same_value(now.get((a, b)), then) and (was is not None or (a, b) in now)
    ]
    if entries:
        patch_ratings(ctx, entries)


def _restore_groups(ctx: EventContext, changed: Sequence[Changed]) -> None:
    now, known = _group_scores_now(ctx), {group.id for group in groups_of(ctx.session, ctx.event_id)}
    pairs = [
        GroupPair(a, b, was)
        for a, b, was, then in changed
        if a in known and b in known and is_same_value(now.get(frozenset((a, b))), then)
    ]
    if pairs:
        set_group_ratings(ctx, pairs)

"""How groups get along: the small grid that gives every pair of guests its default."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import and_, delete, or_
from sqlalchemy.orm import Session

from app.clock import now
from app.db import models
from app.db.upsert import upsert
from app.errors import FieldError, Invalid
from app.events.context import EventContext
from app.guests.queries import groups as group_queries
from app.guests.queries import guests as guest_queries
from app.ratings.group_pairs import group_blocks
from app.ratings.levels import RatingLevel
from app.ratings.values import MOST_GUESSED
from app.solver import IntArray
from app.web.bulk import MAX_FAULTS

DISTANCES = "This event uses distances, and group ratings need scores. Use scores instead, or upload the distances."
MOST_SHOWN = 30


@dataclass(frozen=True)
class GroupPair:
    """How two groups, or the guests of one, get along, as entered; None takes that back."""

    a: UUID
    b: UUID
    score: float | None


@dataclass(frozen=True)
class GroupCell:
    """One cell of the grid: its score, how many pairs to be seated meet in it, how many it sets, and the exceptions."""

    a: UUID
    b: UUID
    score: float | None
    pairs: int
    sets: int | None
    exceptions: int | None


@dataclass(frozen=True)
class GroupGrid:
    """The groups in the order in which they were made, and of the first ones sizes and cells from the diagonal on."""

    event: models.Event
    groups: Sequence[models.Group]
    sizes: Sequence[int]
    rows: Sequence[Sequence[GroupCell]]


def list_group_ratings(ctx: EventContext) -> list[GroupPair]:
    """Return what was entered about groups."""
    ctx.require("editor")
    return [GroupPair(a, b, score) for a, b, score in group_queries.group_ratings_of(ctx.session, ctx.event_id)]


def show_group_grid(ctx: EventContext) -> GroupGrid:
    """Return the grid of the first groups with what each cell does."""
    event = ctx.require("editor")
    groups = group_queries.groups_of(ctx.session, ctx.event_id)
    shown = [group.id for group in groups[:MOST_SHOWN]]
    members = {key: set(guests) for key, guests in group_queries.members_of(ctx.session, ctx.event_id, shown).items()}
    guests = guest_queries.seated_guests_of(ctx.session, event)
    seated = {guest.id for guest in guests}
    coming = {key: members[key] & seated for key in shown}
    scores = {(a, b): score for a, b, score in group_queries.group_ratings_of(ctx.session, ctx.event_id)}
    effects = _effects(ctx.session, event, guests, len(groups)) if scores else {}
    rows = [
        [_cell(one, other, scores, coming, effects.get((i, j))) for j, other in enumerate(shown[i:], start=i)]
        for i, one in enumerate(shown)
    ]
    return GroupGrid(event, groups, [len(coming[key]) for key in shown], rows)


def set_group_ratings(ctx: EventContext, entries: Sequence[GroupPair]) -> None:
    """Change these cells of the grid; the others stay."""
    event = ctx.edit()
    _check(ctx.session, event, entries)
    ordered = [GroupPair(min(e.a, e.b), max(e.a, e.b), e.score) for e in entries]
    cell = models.GroupRating
    for e in ordered:
        if e.score is None:
            ctx.session.execute(
                delete(cell).where(cell.event_id == ctx.event_id, cell.group_a == e.a, cell.group_b == e.b)
            )
    rows = [
        {"event_id": ctx.event_id, "group_a": e.a, "group_b": e.b, "score": e.score, "updated_at": now()}
        for e in ordered
        if e.score is not None
    ]
    upsert(ctx.session, models.GroupRating, rows, ["score", "updated_at"])


def skip_groups(ctx: EventContext, pairs: Sequence[tuple[UUID, UUID]]) -> None:
    """Note that these questions about groups were skipped; plans do not depend on that. Answers stay."""
    event = ctx.hold()
    _check(ctx.session, event, [GroupPair(*pair, None) for pair in pairs])
    entered = {(a, b) for a, b, _ in group_queries.group_ratings_of(ctx.session, ctx.event_id)}
    rows = [
        {"event_id": ctx.event_id, "group_a": a, "group_b": b, "score": None, "updated_at": now()}
        for a, b in ((min(pair), max(pair)) for pair in pairs)
        if (a, b) not in entered
    ]
    upsert(ctx.session, models.GroupRating, rows, ["updated_at"])


def forget_skipped(ctx: EventContext, pairs: Sequence[tuple[UUID, UUID]] | None = None) -> None:
    """Let these questions about groups, or all that were skipped, be asked again."""
    ctx.hold()
    cell = models.GroupRating
    skipped = [cell.event_id == ctx.event_id, cell.score.is_(None)]
    if pairs is not None:
        skipped.append(or_(*(and_(cell.group_a == min(pair), cell.group_b == max(pair)) for pair in pairs)))
    ctx.session.execute(delete(cell).where(*skipped))


def put_group_ratings(ctx: EventContext, entries: Sequence[GroupPair]) -> None:
    """Make these the whole grid; what was entered before goes."""
    ctx.edit()
    ctx.session.execute(delete(models.GroupRating).where(models.GroupRating.event_id == ctx.event_id))
    set_group_ratings(ctx, entries)


def _cell(
    one: UUID,
    other: UUID,
    scores: dict[tuple[UUID, UUID], float],
    members: dict[UUID, set[UUID]],
    effect: tuple[int, int] | None,
) -> GroupCell:
    a, b = min(one, other), max(one, other)
    pairs = _pairs_between(members[one], members[other])
    sets, exceptions = effect or (None, None)
    return GroupCell(a, b, scores.get((a, b)), pairs, sets, exceptions)


def _pairs_between(one: set[UUID], other: set[UUID]) -> int:
    both = len(one & other)
    return len(one) * len(other) - both - both * (both - 1) // 2


def _effects(
    session: Session, event: models.Event, guests: Sequence[models.Guest], groups: int
) -> dict[tuple[int, int], tuple[int, int]]:
    """Return for each entered cell how many pairs have it as their default, and how many of them something stronger."""
    if len(guests) > MOST_GUESSED:
        return {}
    found = group_blocks(session, event, guests)
    return _counts(*found, groups) if found else {}


def _counts(square: IntArray, stronger_ones: NDArray[np.bool_], groups: int) -> dict[tuple[int, int], tuple[int, int]]:
    upper = np.triu_indices(len(square), 1)
    block, said = square[upper], stronger_ones[upper]
    most = (groups + 1) ** 2
    every, stronger = np.bincount(block, minlength=most), np.bincount(block[said], minlength=most)
    set_by = np.flatnonzero(every)
    shown = set_by[(set_by // (groups + 1) < MOST_SHOWN) & (set_by % (groups + 1) < MOST_SHOWN)]
    return {
        divmod(number, groups + 1): (int(every[number] - stronger[number]), int(stronger[number]))
        for number in shown.tolist()
    }


def _check(session: Session, event: models.Event, entries: Sequence[GroupPair]) -> None:
    if event.kind != "score":
        raise Invalid(FieldError("", DISTANCES))
    known = {group.id for group in group_queries.groups_of(session, event.id)}
    seen: set[frozenset[UUID]] = set()
    faults = []
    for number, entry in enumerate(entries):
        message = _fault(entry, known, seen)
        if message:
            faults.append(FieldError(f"ratings/{number}", message))
        seen.add(frozenset((entry.a, entry.b)))
    if faults:
        raise Invalid(faults[:MAX_FAULTS])


def _fault(entry: GroupPair, known: set[UUID], seen: set[frozenset[UUID]]) -> str | None:
    if entry.a not in known or entry.b not in known:
        return f"“{'b' if entry.a in known else 'a'}” isn't a group of this event."
    if frozenset((entry.a, entry.b)) in seen:
        return "Duplicate pair of groups."
    if entry.score is not None and not abs(entry.score) <= RatingLevel.CLOSE:
        return "A score must be from −2 to 2."
    return None

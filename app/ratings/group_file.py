"""The grid of groups as a file: all of it out, and cells by the names of their groups in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

import numpy as np

from app.errors import FieldError, Invalid
from app.events.context import EventContext
from app.files.group_grid import NamedCell
from app.guests.queries import groups as group_queries
from app.guests.queries.groups import groups_of
from app.ratings.group_defaults import GroupPair, set_group_ratings
from app.ratings.levels import RatingLevel
from app.solver import FloatArray
from app.web.bulk import MAX_FAULTS
from app.web.html.numbers import read_decimal
from app.web.names import name_key

Pair = tuple[UUID, UUID]


@dataclass(frozen=True)
class GroupSquare:
    """The names of the groups, and how each gets along with each, both directions alike; NaN where nothing is set."""

    names: Sequence[str]
    scores: FloatArray


def export_group_grid(ctx: EventContext) -> GroupSquare:
    """Return the whole grid."""
    ctx.require("editor")
    groups = groups_of(ctx.session, ctx.event_id)
    place = {group.id: number for number, group in enumerate(groups)}
    scores = np.full((len(groups), len(groups)), np.nan)
    for a, b, score in group_queries.group_ratings_of(ctx.session, ctx.event_id):
        scores[place[a], place[b]] = scores[place[b], place[a]] = score
    return GroupSquare([group.name for group in groups], scores)


def take_group_scores(ctx: EventContext, cells: Sequence[NamedCell]) -> tuple[GroupPair, ...]:
    """Set these cells of the grid, all or none, and return what the changed ones were before."""
    ctx.edit()
    if not cells:
        raise Invalid(FieldError("", "There are no numbers. Put the group names in the first row and column."))
    wanted = _by_pair(_read_scores(cells), {group.name_key: group.id for group in groups_of(ctx.session, ctx.event_id)})
    stored: dict[Pair, float] = {
        (a, b): score for a, b, score in group_queries.group_ratings_of(ctx.session, ctx.event_id)
    }
    changed = {pair: score for pair, score in wanted.items() if stored.get(pair) != score}
    set_group_ratings(ctx, [GroupPair(*pair, score) for pair, score in changed.items()])
    return tuple(GroupPair(*pair, stored.get(pair)) for pair in changed)


def _read_scores(cells: Sequence[NamedCell]) -> list[tuple[NamedCell, float]]:
    found, faults = [], []
    for cell in cells:
        try:
            found.append((cell, read_decimal(cell.text) or 0.0))
        except ValueError:
            faults.append(FieldError("", f"{cell.place}: “{cell.text[:30]}” is not a number."))
    if faults:
        raise Invalid(faults[:MAX_FAULTS])
    return found


def _by_pair(scores: Sequence[tuple[NamedCell, float]], ids: Mapping[str, UUID]) -> dict[Pair, float]:
    wanted: dict[Pair, tuple[float, str]] = {}
    faults: list[FieldError] = []
    for cell, score in scores:
        unknown = [name for name in (cell.a, cell.b) if name_key(name) not in ids]
        if unknown or abs(score) > RatingLevel.CLOSE:
            wrong = f"“{unknown[0][:60]}” isn't a group of this event" if unknown else "a score must be from −2 to 2"
            faults.append(FieldError("", f"{cell.place}: {wrong}."))
            continue
        one, other = ids[name_key(cell.a)], ids[name_key(cell.b)]
        earlier, place = wanted.setdefault((min(one, other), max(one, other)), (score, cell.place))
        if earlier != score:
            places = f"{cell.place} and {place[0].lower()}{place[1:]}"
            faults.append(FieldError("", f"{places} have different values for the same two groups."))
    if faults:
        raise Invalid(faults[:MAX_FAULTS])
    return {pair: score for pair, (score, _) in wanted.items()}

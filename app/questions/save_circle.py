"""Keep a circle that was marked, or take back one that nobody has changed since."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import timedelta
from itertools import count as count_from
from uuid import UUID

from app.clock import now
from app.errors import FieldError, Invalid
from app.events.context import EventContext
from app.guests.groups import GroupEntry, add_group, delete_group, depending_on
from app.guests.queries.groups import group_of, group_ratings_of
from app.guests.queries.guests import SeatedName, seated_names_of
from app.questions.circles import FEWEST_CHOSEN, Circle, Pool, find_obstacle, households, list_pools
from app.ratings.group_defaults import GroupPair, set_group_ratings
from app.ratings.levels import RatingLevel
from app.ratings.queries.values import group_names_of
from app.sentences import list_in_words
from app.web.names import name_key

LONGEST_GUEST_NAME = 60
MOST_NAMED = 3
UNDONE_FOR = timedelta(hours=1)


@dataclass(frozen=True)
class SavedCircle:
    """The group that a circle is kept as; one that was there before is not new."""

    id: UUID
    is_new: bool


def save_circle(ctx: EventContext, chosen: Collection[UUID], pool_key: str, name: str = "") -> SavedCircle:
    """Keep guests of a group as a circle within it, each with those of their household who are in the group too.

    The same circle is kept once. Guests in no group become a group of close guests.
    """
    event = ctx.edit()
    seated = seated_names_of(ctx.session, ctx.event_id)
    if obstacle := find_obstacle(ctx, event, seated):
        raise Invalid(FieldError("", obstacle))
    pool = next((one for one in list_pools(ctx, seated) if one.key == pool_key), None)
    if pool is None:
        raise Invalid(FieldError("guest", "This group was deleted meanwhile. Choose another one."))
    found = _with_households(pool, chosen)
    ids = frozenset(guest.id for guest in found)
    same = next((circle for circle in pool.circles if circle.guests == ids), None)
    if same is not None:
        return SavedCircle(same.id, is_new=False)
    _refuse_others(pool, chosen)
    _refuse_in_circles(found, pool.circles)
    _refuse_too_few(found)
    if pool.group is not None and len(found) == len(pool.guests):
        return _rate_whole_group(ctx, pool.group.id)
    return SavedCircle(_add(ctx, pool, found, name), is_new=True)


def may_undo(ctx: EventContext, circle: UUID, version: int | None = None) -> bool:
    """Return whether a group is a circle that was just saved, and that nobody has used or changed since."""
    group = group_of(ctx.session, ctx.event_id, circle)
    if group is None or now() - group.created_at > UNDONE_FOR or version not in (None, group.version):
        return False
    uses = depending_on(ctx, circle)
    close = (circle, circle, float(RatingLevel.CLOSE))
    is_close = close in group_ratings_of(ctx.session, ctx.event_id)
    return is_close and (uses.rules, uses.ratings, uses.tables) == (0, 1, 0)


def undo_circle(ctx: EventContext, circle: UUID, version: int) -> bool:
    """Delete a circle that was just saved, not its guests; false if it was changed since, and then it stays."""
    ctx.edit()
    if not may_undo(ctx, circle, version):
        return False
    delete_group(ctx, circle)
    return True


def _with_households(pool: Pool, chosen: Collection[UUID]) -> list[SeatedName]:
    parties = {guest.party_id for guest in pool.guests if guest.id in chosen and guest.party_id}
    return [guest for guest in pool.guests if guest.id in chosen or guest.party_id in parties]


def _refuse_others(pool: Pool, chosen: Collection[UUID]) -> None:
    if not {guest.id for guest in pool.guests}.issuperset(chosen):
        text = "Some of the guests you selected are no longer in this group. Check the selection and save again."
        raise Invalid(FieldError("guest", text))


def _refuse_in_circles(found: Sequence[SeatedName], circles: Sequence[Circle]) -> None:
    """Refuse guests who are in a circle of the group already: somebody else may have marked it meanwhile."""
    for circle in circles:
        names = [guest.name for guest in found if guest.id in circle.guests]
        if names:
            more = [f"{len(names) - MOST_NAMED} more"] if len(names) > MOST_NAMED else []
            verb = "is" if len(names) == 1 else "are"
            text = f"{list_in_words([*names[:MOST_NAMED], *more])} {verb} in the circle “{circle.name}” already."
            raise Invalid(FieldError("guest", f"{text} Clear them here, or change that circle under Groups."))


def _refuse_too_few(found: Sequence[SeatedName]) -> None:
    if len(households(found)) < FEWEST_CHOSEN:
        raise Invalid(FieldError("guest", "Choose guests of at least two households."))


def _rate_whole_group(ctx: EventContext, group: UUID) -> SavedCircle:
    """Let all guests of a group count as close, unless somebody has answered otherwise."""
    said = {a: score for a, b, score in group_ratings_of(ctx.session, ctx.event_id) if a == b}.get(group)
    if said not in (None, float(RatingLevel.CLOSE)):
        text = "That is everyone in this group, for which another answer was given. Change it in the group table."
        raise Invalid(FieldError("guest", text))
    set_group_ratings(ctx, [GroupPair(group, group, float(RatingLevel.CLOSE))])
    return SavedCircle(group, is_new=False)


def _add(ctx: EventContext, pool: Pool, found: Sequence[SeatedName], name: str) -> UUID:
    free = name.strip() or _free_name(found[0].name, group_names_of(ctx.session, ctx.event_id).values())
    of = pool.group.id if pool.group else None
    circle = add_group(ctx, GroupEntry(free, guest_ids=[guest.id for guest in found], circle_of=of)).id
    set_group_ratings(ctx, [GroupPair(circle, circle, float(RatingLevel.CLOSE))])
    return circle


def _free_name(guest: str, taken: Collection[str]) -> str:
    """Return a name for the circle of a guest that no group has; a group's name has no comma."""
    name = f"{guest.replace(',', ' ')[:LONGEST_GUEST_NAME].strip()} and others"
    keys = {name_key(one) for one in taken}
    numbered = (name if number == 1 else f"{name} {number}" for number in count_from(1))
    return next(one for one in numbered if name_key(one) not in keys)

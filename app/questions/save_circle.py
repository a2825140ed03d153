"""Keep a circle that was marked, or take back one that nobody has changed since."""

from __future__ import annotations

from collections.abc import Collection, Sequence, Set
from dataclasses import dataclass
from datetime import timedelta
from itertools import count as count_from
from uuid import UUID

from app.clock import now
from app.errors import FieldError, Invalid
from app.events.context import EventContext
from app.guests.groups import GroupEntry, add_group, delete_group, depending_on
from app.guests.queries.groups import group_of
from app.guests.queries.guests import SeatedName, seated_names_of
from app.questions.circles import FEWEST_CHOSEN, Circle, Pool, counts_as_close, find_obstacle, households, list_pools
from app.questions.group_cards import NamedGroup
from app.ratings.group_defaults import GroupPair, set_group_ratings
from app.ratings.levels import RatingLevel
from app.ratings.queries.values import group_names_of
from app.sentences import list_in_words
from app.web.names import name_key

LONGEST_GROUP_NAME = 100
MOST_NAMED = 3
UNDONE_FOR = timedelta(hours=1)


@dataclass(frozen=True)
class SavedCircle:
    """The group that a circle is kept as; one that was there before is not new."""

    id: UUID
    version: int = 0
    is_new: bool = False


def save_circle(ctx: EventContext, chosen: Set[UUID], pool_key: str, name: str = "") -> SavedCircle:
    """Keep guests of a group as a circle within it, with those of their households who are in no circle of it yet.

    The same circle is kept once. Guests in no group become a group of close guests.
    """
    event = ctx.hold()  # what is refused changes nothing; each write below counts as a change
    seated = seated_names_of(ctx.session, ctx.event_id)
    if obstacle := find_obstacle(ctx, event, seated):
        raise Invalid(FieldError("", obstacle))
    pools = list_pools(ctx, seated)
    pool = next((one for one in pools if one.key == pool_key), None)
    if pool is None:
        raise Invalid(FieldError("guest", "This group was deleted meanwhile. Choose another one."))
    # Guests in no group who were saved already, such as by a click before, are in a group by now.
    known = pool.circles if pool.group else [_whole(one, one.group) for one in pools if one.group and one.is_close]
    same = next((circle for circle in known if _is_same(circle, chosen)), None)
    if same is not None:
        return _rate_close(ctx, same)
    _refuse_others(pool, chosen)
    found = _with_households(pool, chosen)
    _refuse_in_circles(found, pool.circles)
    _refuse_too_few(found)
    if pool.group is not None and len(found) == len(pool.guests):
        return _rate_close(ctx, _whole(pool, pool.group))
    return _add(ctx, pool, found, name)


def may_undo(ctx: EventContext, circle: UUID, version: int) -> bool:
    """Return whether nobody has used or changed a circle since it was saved, a while ago at most."""
    group = group_of(ctx.session, ctx.event_id, circle)
    if group is None or now() - group.created_at > UNDONE_FOR or version != group.version:
        return False
    uses = depending_on(ctx, circle)
    return counts_as_close(ctx, circle) and (uses.rules, uses.ratings, uses.tables) == (0, 1, 0)


def undo_circle(ctx: EventContext, circle: UUID, version: int) -> bool:
    """Delete a circle that was just saved, not its guests; false if it was changed since, and then it stays."""
    ctx.hold()
    if not may_undo(ctx, circle, version):
        return False
    delete_group(ctx, circle)
    return True


def _whole(pool: Pool, group: NamedGroup) -> Circle:
    """Return all guests of a group as one circle."""
    return Circle(group.id, group.name, pool.guests, pool.score)


def _is_same(circle: Circle, chosen: Set[UUID]) -> bool:
    """Return whether somebody of each household of the circle is chosen, and nobody else."""
    if not chosen or not chosen <= circle.guest_ids:
        return False
    return len(households([guest for guest in circle.guests if guest.id in chosen])) == len(households(circle.guests))


def _with_households(pool: Pool, chosen: Set[UUID]) -> list[SeatedName]:
    parties = {guest.party_id for guest in pool.guests if guest.id in chosen and guest.party_id}
    ids = chosen | {guest.id for guest in pool.free if guest.party_id in parties}
    return [guest for guest in pool.guests if guest.id in ids]


def _refuse_others(pool: Pool, chosen: Set[UUID]) -> None:
    if not {guest.id for guest in pool.guests} >= chosen:
        text = "Some of the guests you selected are no longer in this group. Check the selection and save again."
        raise Invalid(FieldError("guest", text))


def _refuse_in_circles(found: Sequence[SeatedName], circles: Sequence[Circle]) -> None:
    """Refuse guests who are in a circle of the group already: somebody else may have marked it meanwhile."""
    for circle in circles:
        taken = [guest for guest in found if circle.is_close and guest.id in circle.guest_ids]
        parties = {guest.party_id for guest in taken if guest.party_id}
        names = [guest.name for guest in circle.guests if guest in taken or guest.party_id in parties]
        if taken:
            more = [f"{len(names) - MOST_NAMED} more"] if len(names) > MOST_NAMED else []
            verb = "is" if len(names) == 1 else "are"
            text = f"{list_in_words([*names[:MOST_NAMED], *more])} {verb} in the circle “{circle.name}” already."
            raise Invalid(FieldError("guest", f"{text} Clear them here, or change that circle under Groups."))


def _refuse_too_few(found: Sequence[SeatedName]) -> None:
    if len(households(found)) < FEWEST_CHOSEN:
        raise Invalid(FieldError("guest", "Choose guests of at least two households."))


def _rate_close(ctx: EventContext, circle: Circle) -> SavedCircle:
    """Let all guests of a group that is there count as close, unless somebody has answered otherwise."""
    if circle.score is None:
        set_group_ratings(ctx, [GroupPair(circle.id, circle.id, float(RatingLevel.CLOSE))])
    elif not circle.is_close:
        text = f"These are the guests of “{circle.name}”, for which another answer was given."
        raise Invalid(FieldError("guest", f"{text} Change it in the group table."))
    return SavedCircle(circle.id)


def _add(ctx: EventContext, pool: Pool, found: Sequence[SeatedName], name: str) -> SavedCircle:
    free = name.strip() or _free_name(pool, group_names_of(ctx.session, ctx.event_id).values())
    of = pool.group.id if pool.group else None
    circle = add_group(ctx, GroupEntry(free, guest_ids=[guest.id for guest in found], circle_of=of))
    set_group_ratings(ctx, [GroupPair(circle.id, circle.id, float(RatingLevel.CLOSE))])
    return SavedCircle(circle.id, circle.version, is_new=True)


def _free_name(pool: Pool, taken: Collection[str]) -> str:
    """Return a name that no group has, without a name of a guest: it outlives guests who are erased."""
    start = f"{pool.group.name[:LONGEST_GROUP_NAME].strip()} circle" if pool.group else "Circle"
    keys = {name_key(one) for one in taken}
    return next(name for number in count_from(1) if name_key(name := f"{start} {number}") not in keys)

"""Rate pairs of guests: one by one, a guest's whole form, or many at once."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from uuid import UUID

from sqlalchemy import bindparam, delete
from sqlalchemy.orm import Session

from app.audit.actions import Action
from app.clock import now
from app.db import models
from app.errors import FieldError, Invalid
from app.events.context import EventContext
from app.events.queries import revision_of
from app.files.matrices.cells import LARGEST_NUMBER
from app.guests.queries import guests as guest_queries
from app.ratings.known import known_pairs
from app.ratings.levels import RatingLevel
from app.ratings.queries import ratings as queries
from app.solver import Kind
from app.web.bulk import MAX_FAULTS
from app.web.unset import UNSET, Unset

SAME = 1e-6


@dataclass(frozen=True)
class Entry:
    """How `a` gets along with `b`, as entered; None takes the rating back."""

    a: UUID
    b: UUID
    score: float | None


@dataclass(frozen=True)
class PairChange:
    """The new rating of a pair as a whole and the one shown before, if that matters; None stands for no rating.

    What is wrong with it is reported at `where`.
    """

    a: UUID
    b: UUID
    new: float | None
    expected: float | Unset | None = UNSET
    where: str = "score"


@dataclass(frozen=True)
class PairConflict:
    """A pair that somebody else rated meanwhile, and its rating now."""

    a: UUID
    b: UUID
    now: float | None


def is_same_value(one: float | None, other: float | None) -> bool:
    """Return whether two ratings are equal in single precision."""
    if one is None or other is None:
        return one is other
    return math.isclose(one, other, rel_tol=SAME, abs_tol=SAME)


def change_pairs(
    ctx: EventContext,
    changes: Sequence[PairChange],
    *,
    is_same: Callable[[float | None, float | None], bool] = is_same_value,
    all_or_none: bool = False,
) -> list[PairConflict]:
    """Rate pairs, each in both directions, except those that somebody else has changed since they were shown.

    Return the conflicts. With `all_or_none`, a single conflict means that nothing is written.
    """
    event = open_ratings(ctx)
    present = _rated_now(ctx, changes)
    conflicts, free = [], []
    for change in changes:
        pair = (change.a, change.b)
        if isinstance(change.expected, Unset) or pair not in present or is_same(present[pair], change.expected):
            free.append(change)
        elif not is_same(present[pair], change.new):
            conflicts.append(PairConflict(*pair, present[pair]))
    if not (conflicts and all_or_none):
        _write_pairs(ctx.session, event, free)
    return conflicts


def _rated_now(ctx: EventContext, changes: Sequence[PairChange]) -> dict[tuple[UUID, UUID], float | None]:
    """Return the rating of each pair that is to be compared with an expected one; others are faults, not conflicts."""
    guests = guest_queries.guest_ids_of(ctx.session, ctx.event_id)
    pairs = [(one.a, one.b) for one in changes if one.expected is not UNSET and {one.a, one.b} <= guests]
    values = known_pairs(ctx.session, ctx.event_id, pairs).tolist()
    return {pair: None if math.isnan(value) else value for pair, value in zip(pairs, values, strict=True)}


def check_ratings(ctx: EventContext, entries: Sequence[Entry], *, replacing: bool = False) -> int | None:
    """Check many ratings before anything is written, so that nobody waits for that; return the event's revision.

    As long as that is the same they need no second check.
    """
    event = ctx.require("editor")
    revision = revision_of(ctx.session, ctx.event_id)
    _check(ctx.session, event, entries, _paths(entries), replacing=replacing)
    return revision


def put_ratings(ctx: EventContext, entries: Sequence[Entry], checked_at: int | None = None) -> None:
    """Make these the event's ratings; all earlier ones go, an uploaded matrix too."""
    event = open_ratings(ctx)
    remove_ratings(ctx.session, ctx.event_id)
    _check_unless(ctx.session, event, entries, checked_at)
    _write(ctx.session, ctx.event_id, entries)


def patch_ratings(
    ctx: EventContext, entries: Sequence[Entry], checked_at: int | None = None, *, both_removed: bool = False
) -> None:
    """Add, change or (with None) remove these ratings, each in its direction; the others stay.

    With `both_removed` None removes both directions, before the entries are written.
    """
    event = open_ratings(ctx)
    _check_unless(ctx.session, event, entries, checked_at)
    removed = [(entry.a, entry.b) for entry in entries if entry.score is None]
    _delete(ctx.session, ctx.event_id, [*removed, *((b, a) for a, b in removed if both_removed)])
    _write(ctx.session, ctx.event_id, entries)


def start_over(ctx: EventContext, kind: Kind) -> models.Event:
    """Remove all ratings and go on with scores or with distances."""
    event = ctx.edit()
    remove_ratings(ctx.session, ctx.event_id)
    event.kind = kind
    ctx.session.flush()
    ctx.record(Action.RATINGS_DELETED)
    return event


def open_ratings(ctx: EventContext) -> models.Event:
    """Return the event to an editor who changes ratings alone, locked and as it is now: its kind may have changed."""
    return ctx.edit(only="ratings")


def remove_ratings(session: Session, event_id: UUID) -> None:
    """Remove the single ratings and the uploaded matrix."""
    session.execute(delete(models.Rating).where(models.Rating.event_id == event_id))
    session.execute(delete(models.RatingMatrix).where(models.RatingMatrix.event_id == event_id))


def fault_of_number(number: float, kind: str, quoted: str = "") -> str | None:
    """Say why a number can be neither a score nor a distance, if so; it is named only as `quoted`, to who sent it."""
    if math.isnan(number):
        return "not a number"
    if abs(number) > LARGEST_NUMBER:
        return f"{quoted or 'this number'} is too large"
    if kind == "distance" and number < 0:
        return f"{quoted} is negative; a distance must be 0 or more" if quoted else "a distance must be 0 or more"
    return None


def _write_pairs(session: Session, event: models.Event, changes: Sequence[PairChange]) -> None:
    entries = [Entry(change.a, change.b, change.new) for change in changes]
    _check(session, event, entries, [change.where for change in changes])
    # Always the same direction of a pair, so that two people who rate it at once write the same row.
    ordered = [Entry(min(e.a, e.b), max(e.a, e.b), e.score) for e in entries]
    _delete(session, event.id, [(e.b, e.a) for e in ordered] + [(e.a, e.b) for e in ordered if e.score is None])
    _write(session, event.id, ordered)


def _paths(entries: Sequence[Entry]) -> list[str]:
    return [f"ratings/{number}" for number in range(len(entries))]


def _check_unless(session: Session, event: models.Event, entries: Sequence[Entry], checked_at: int | None) -> None:
    """Check the entries, unless that was done and the event has not changed since."""
    if event.revision != checked_at:
        _check(session, event, entries, _paths(entries))


def _check(
    session: Session, event: models.Event, entries: Sequence[Entry], where: Sequence[str], *, replacing: bool = False
) -> None:
    known = guest_queries.guest_ids_of(session, event.id)
    # Beside an uploaded matrix of scores its own scale counts, and that may reach further than −2 … 2.
    levels = event.kind == "score" and (replacing or not queries.has_matrix(session, event.id))
    seen: set[tuple[UUID, UUID]] = set()
    faults: list[FieldError] = []
    for entry, path in zip(entries, where, strict=True):
        message = _fault_of_pair(entry, known, seen) or _fault_of_score(entry.score, event.kind, levels=levels)
        if message:
            faults.append(FieldError(path, f"{message[0].upper()}{message[1:]}."))
        seen.add((entry.a, entry.b))
    if faults:
        raise Invalid(faults[:MAX_FAULTS])


def _fault_of_pair(entry: Entry, known: set[UUID], seen: set[tuple[UUID, UUID]]) -> str | None:
    if entry.a not in known or entry.b not in known:
        return f"“{'b' if entry.a in known else 'a'}” isn't a guest of this event"
    if entry.a == entry.b:
        return "a guest can't be rated with themselves"
    return "duplicate rating" if (entry.a, entry.b) in seen else None


def _fault_of_score(score: float | None, kind: str, *, levels: bool) -> str | None:
    if score is None:
        return None
    if levels and abs(score) > RatingLevel.CLOSE:
        return "a score must be from −2 to 2"
    return fault_of_number(score, kind)


def _delete(session: Session, event_id: UUID, pairs: Sequence[tuple[UUID, UUID]]) -> None:
    if not pairs:
        return
    rows = [{"event": event_id, "a": a, "b": b} for a, b in sorted(pairs)]
    session.connection().execute(_DELETE_ONE, rows)


def _write(session: Session, event_id: UUID, entries: Sequence[Entry]) -> None:
    queries.write_scores(session, event_id, [(e.a, e.b, e.score) for e in entries if e.score is not None], now())


_TABLE = models.Rating.metadata.tables[models.Rating.__tablename__]
_DELETE_ONE = delete(_TABLE).where(
    _TABLE.c.event_id == bindparam("event"), _TABLE.c.guest_a == bindparam("a"), _TABLE.c.guest_b == bindparam("b")
)

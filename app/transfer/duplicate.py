"""A copy of an event: what is wanted of it, read as a file is, and staged as an imported one is.

Links, tokens, arrivals, prints, moves, runs and the audit log never come along: files of events do not have them.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal, get_args
from uuid import UUID

import numpy as np
from sqlalchemy.orm import Session

from app.audit.actions import Action
from app.db import models
from app.errors import FieldError, Forbidden, Invalid
from app.events.context import EventContext
from app.events.days import check_day
from app.events.member_queries import members_of
from app.files.event_file import read_event_file, write_event_file
from app.files.event_guests import GuestPart
from app.files.event_parts import EventFile, PlanPart, RoomPart, RulePart
from app.files.matrices.arrays import pack_square, unpack_square
from app.guests.queries.guests import named_guests
from app.guests.shared_values import AGE, GROUP, HOUSEHOLD, REPLY
from app.ratings.queries.ratings import matrix_of
from app.transfer.json_export import event_content
from app.transfer.staged_events import StagedEvent, stage_event
from app.web.names import clean_name

CopyPart = Literal["guests", "groups", "fields", "ratings", "rules", "tables", "plan", "wishes", "members"]
PARTS: tuple[CopyPart, ...] = get_args(CopyPart)
USUAL_PARTS: frozenset[CopyPart] = frozenset({"guests", "groups", "fields", "ratings", "rules", "tables"})
NEEDS: dict[CopyPart, tuple[CopyPart, ...]] = {
    "ratings": ("guests",),
    "rules": ("guests",),
    "wishes": ("guests",),
    "plan": ("guests", "tables"),
}
"""What makes no sense without something else."""
WORDS: dict[CopyPart, str] = {
    "guests": "guests",
    "ratings": "ratings",
    "rules": "rules",
    "wishes": "wishes",
    "plan": "the plan in use",
    "tables": "tables",
}
OF_FIELDS = ("side", "meals", "fields")


@dataclass(frozen=True)
class CopyWish:
    """What somebody wants a copy to be."""

    name: str
    on: dt.date | None
    parts: frozenset[CopyPart] = USUAL_PARTS
    keep_replies: bool = False


@dataclass(frozen=True)
class StoredMatrix:
    """An uploaded matrix as it is stored, with its guests by their places in the list of guests."""

    places: tuple[int, ...]
    values: bytes
    asymmetric: bool


def stage_copy(ctx: EventContext, wish: CopyWish) -> StagedEvent:
    """Build a copy of the event in memory, for its editors; only its owner takes the members along."""
    ctx.require("owner" if "members" in wish.parts else "editor")
    _check(ctx, wish)
    source = read_event_file(write_event_file(event_content(ctx, with_matrix=False)))
    matrix = _read_matrix(ctx) if "ratings" in wish.parts else None
    members = _members(ctx) if "members" in wish.parts else ()
    return stage_event(
        ctx.actor,
        take_parts(source, wish),
        lambda session, event: _add_matrix(session, event, matrix),
        action=Action.EVENT_COPIED,
        members=members,
    )


def take_parts(source: EventFile, wish: CopyWish) -> EventFile:
    """Return the file with nothing but what is wanted."""
    parts = wish.parts
    with_guests, with_groups, with_tables = "guests" in parts, "groups" in parts, "tables" in parts
    changes: dict[str, Any] = {
        "event": source.event.model_copy(update={"name": wish.name, "date": wish.on, "wishes_until": None}),
        "guests": tuple(_guest(guest, wish) for guest in source.guests) if with_guests else (),
        "plans": _plan_in_use(source.plans) if "plan" in parts else (),
    }
    if not with_groups:
        changes["tables"] = tuple(table.model_copy(update={"reserved_for": ""}) for table in source.tables)
        changes["groups"] = ()
    if not with_tables:
        changes |= {"tables": (), "room": RoomPart()}
    if "fields" not in parts:
        changes["fields"] = ()
        changes["event"] = changes["event"].model_copy(update={"balanced": ()})
    if "ratings" not in parts:
        changes |= {"ratings": (), "asked": ()}
    if "ratings" not in parts or not with_groups:
        changes["group_ratings"] = ()
    if "wishes" not in parts:
        changes["wishes"] = ()
    changes["rules"] = tuple(_rules(source, wish)) if "rules" in parts else ()
    return source.model_copy(update=changes)


def _check(ctx: EventContext, wish: CopyWish) -> None:
    if ctx.actor.only_event is not None:
        raise Forbidden("This key is for one event, and a copy would be another one.")
    clean_name(wish.name, what="The event name")
    check_day(wish.on)
    faults = [
        FieldError("parts", f"{WORDS[part].capitalize()} need {' and '.join(WORDS[one] for one in NEEDS[part])}.")
        for part in PARTS
        if part in wish.parts and not wish.parts.issuperset(NEEDS.get(part, ()))
    ]
    if faults:
        raise Invalid(faults)


def _guest(guest: GuestPart, wish: CopyWish) -> GuestPart:
    changes: dict[str, Any] = {} if wish.keep_replies else {"reply": "invited"}
    if "groups" not in wish.parts:
        changes |= {"groups": (), "household": ""}
    if "fields" not in wish.parts:
        changes |= {name: type(getattr(guest, name))() for name in OF_FIELDS}
    return guest.model_copy(update=changes)


def _plan_in_use(plans: Iterable[PlanPart]) -> tuple[PlanPart, ...]:
    """Return the plan in use without its alternatives, with all of its rounds."""
    known = tuple(plans)
    used = {plan.used_at: plan for plan in known if plan.used_at is not None and plan.alternative_of is None}
    if not used:
        return ()
    main = used[max(used)]
    return (main, *(plan for plan in known if plan.alternative_of == main.id and plan.round))


def _rules(source: EventFile, wish: CopyWish) -> Iterable[RulePart]:
    """Yield the rules whose tables, groups, households and fields all come along."""
    part_of = {GROUP: "groups", HOUSEHOLD: "groups", AGE: "guests", REPLY: "guests"}
    for rule in source.rules:
        fields = [*(field for field, _ in rule.values), *([rule.field] if rule.field else [])]
        needed = {part_of.get(field, "fields") for field in fields} | ({"tables"} if rule.tables else set())
        if needed <= wish.parts:
            yield rule


def _members(ctx: EventContext) -> tuple[tuple[UUID, models.Role], ...]:
    found = members_of(ctx.session, ctx.event_id)
    return tuple((member.user_id, member.role) for member in found if member.user_id != ctx.actor.user_id)


def _read_matrix(ctx: EventContext) -> StoredMatrix | None:
    """Read the uploaded matrix as it is packed; guests who were removed since are left out."""
    stored = matrix_of(ctx.session, ctx.event_id)
    if stored is None:
        return None
    place = {guest.id: number for number, guest in enumerate(named_guests(ctx.session, ctx.event_id))}
    ids = [UUID(text) for text in stored.guest_ids]
    here = [number for number, guest in enumerate(ids) if guest in place]
    values = stored.values if len(here) == len(ids) else pack_square(unpack_square(stored.values)[np.ix_(here, here)])
    return StoredMatrix(tuple(place[ids[number]] for number in here), values, stored.asymmetric)


def _add_matrix(session: Session, event: models.Event, matrix: StoredMatrix | None) -> None:
    if matrix is None:
        return
    guests = named_guests(session, event.id)
    ids = [str(guests[place].id) for place in matrix.places]
    row = models.RatingMatrix(event_id=event.id, guest_ids=ids, values=matrix.values, asymmetric=matrix.asymmetric)
    session.add(row)

"""A whole event as sheets: what was entered, by name, and the seating of one version, to be imported again.

Of that version its name and objective stay behind, and the seats of guests who are not attending. `json_export` has
them, with all other versions. See docs/decisions/0066-event-files.md.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from uuid import UUID

import numpy as np

from app.db import models
from app.errors import TooLarge
from app.events.context import EventContext
from app.files.matrices.arrays import unpack_square
from app.files.workbook import Sheet, Value
from app.files.xlsx import MOST_CELLS
from app.guests.queries import groups as group_queries
from app.guests.queries.guests import guests_of
from app.plans.read import current_plan_id
from app.problem.queries.rules import RuleRow, rules_of
from app.questions.queries import asked_pairs
from app.ratings.queries import ratings as rating_queries
from app.ratings.queries import values as value_queries
from app.tables.queries import tables_of
from app.tables.rooms import RoomView, read_room
from app.transfer.guest_sheets import fields_sheet, guests_sheet
from app.transfer.named_values import SEPARATOR, NamedValues
from app.transfer.seating_sheets import SEPARATE, seating_sheets, separates_households
from app.wishes.decide import state_of
from app.wishes.queries import wishes_of_event


def export_event(ctx: EventContext, plan_id: UUID | None = None) -> list[Sheet]:
    """Return the event's sheets with the seating of a plan; they hold ratings and notes, so they are for editors."""
    event = ctx.require("editor")
    names, plan_id = _names(ctx), plan_id or current_plan_id(ctx)
    sheets = [
        _event_sheet(event, separate=separates_households(ctx, plan_id)),
        fields_sheet(ctx),
        guests_sheet(ctx),
        _groups_sheet(ctx),
        _group_ratings_sheet(ctx),
        _ratings_sheet(ctx, names),
        *_matrix_sheets(ctx, names),
        _asked_sheet(ctx, names),
        _wishes_sheet(ctx, names),
        _rules_sheet(ctx, names),
        _tables_sheet(ctx),
        _room_sheet(read_room(ctx)),
        *seating_sheets(ctx, plan_id),
    ]
    _refuse_too_large(sum(len(sheet.headings) + sum(map(len, sheet.rows)) for sheet in sheets))
    return sheets


def _refuse_too_large(cells: int) -> None:
    """Refuse what could not be taken back in."""
    if cells > MOST_CELLS:
        raise TooLarge(
            f"With its ratings this event needs {cells:,} cells; maximum {MOST_CELLS:,} in an importable workbook. "
            "Export guests as a spreadsheet and ratings as CSV instead. You can import both again."
        )


def export_wishes(ctx: EventContext) -> Sheet:
    """Return who wishes to sit with whom and what was said to it, for editors."""
    ctx.require("editor")
    return _wishes_sheet(ctx, _names(ctx))


def export_rules(ctx: EventContext) -> Sheet:
    """Return the rules, a row for each guest and each table that one names, for editors."""
    ctx.require("editor")
    return _rules_sheet(ctx, _names(ctx))


def _names(ctx: EventContext) -> dict[UUID, str]:
    return {guest.id: guest.name for guest in guests_of(ctx.session, ctx.event_id)}


def _event_sheet(event: models.Event, *, separate: bool) -> Sheet:
    rows: list[Sequence[Value]] = [
        ("Name", event.name),
        ("Date", event.date.isoformat() if event.date else ""),
        ("Kind", event.kind),
        ("Seat the undecided", "yes" if event.seats_undecided else "no"),
        ("Wishes until", event.wishes_until.isoformat() if event.wishes_until else ""),
        ("Erase after days", event.erase_after_days or ""),
        *([(SEPARATE, "yes")] if separate else []),
    ]
    return Sheet("Event", ("What", "Value"), rows)


def _groups_sheet(ctx: EventContext) -> Sheet:
    groups = group_queries.groups_of(ctx.session, ctx.event_id)
    names, circles = {group.id: group.name for group in groups}, group_queries.circles_of(ctx.session, ctx.event_id)
    rows = [(group.name, group.colour, names[circles[group.id]] if group.id in circles else "") for group in groups]
    return Sheet("Groups", ("Name", "Colour", "Circle of"), rows)


def _group_ratings_sheet(ctx: EventContext) -> Sheet:
    names = value_queries.group_names_of(ctx.session, ctx.event_id)
    rows = [(names[a], names[b], score) for a, b, score in group_queries.group_ratings_of(ctx.session, ctx.event_id)]
    return Sheet("Group ratings", ("Group", "Other group", "Score"), rows)


def _ratings_sheet(ctx: EventContext, names: dict[UUID, str]) -> Sheet:
    found = rating_queries.ratings_among(ctx.session, ctx.event_id, tuple(names))
    rows = [(names[a], names[b], score) for a, b, score in found]
    return Sheet("Ratings", ("Guest", "Other guest", "Score"), sorted(rows))


def _matrix_sheets(ctx: EventContext, names: dict[UUID, str]) -> list[Sheet]:
    uploaded = rating_queries.matrix_of(ctx.session, ctx.event_id)
    if uploaded is None:
        return []
    ids = [UUID(text) for text in uploaded.guest_ids]
    here = [place for place, guest in enumerate(ids) if guest in names]
    _refuse_too_large(len(here) ** 2)  # before millions of them are unpacked
    values = unpack_square(uploaded.values)[np.ix_(here, here)]
    heads = [names[ids[place]] for place in here]
    rows = [[head, *_known(line)] for head, line in zip(heads, values.tolist(), strict=True)]
    return [Sheet("Matrix", ("", *heads), rows)]


def _known(line: Sequence[float]) -> list[Value]:
    return [None if value != value else value for value in line]  # noqa: PLR0124  NaN is not itself


def _asked_sheet(ctx: EventContext, names: dict[UUID, str]) -> Sheet:
    """Return the pairs that were asked about and not rated, so that they are not asked about again."""
    asked = asked_pairs(ctx.session, ctx.event_id).items()
    rows = [(*sorted((names[a], names[b])), answer) for (a, b), answer in asked if a in names and b in names]
    return Sheet("Asked", ("Guest", "Other guest", "Answer"), sorted(rows))


def _wishes_sheet(ctx: EventContext, names: dict[UUID, str]) -> Sheet:
    rows = [
        (names[wish.guest_id], names[wish.other_id], state_of(wish))
        for wish in wishes_of_event(ctx.session, ctx.event_id)
        if wish.guest_id in names and wish.other_id in names
    ]
    return Sheet("Wishes", ("Guest", "Wishes for", "State"), rows)


def _rules_sheet(ctx: EventContext, names: dict[UUID, str]) -> Sheet:
    tables = {table.id: table.name for table in tables_of(ctx.session, ctx.event_id)}
    rows: list[Sequence[Value]] = []
    found = rules_of(ctx.session, ctx.event_id)
    known = NamedValues(ctx.session, ctx.event_id) if any(rule.is_of_values for rule in found) else None
    for number, rule in enumerate(found, start=1):
        if known is not None and rule.is_of_values:
            rows += [(number, rule.kind, *line) for line in _of_values(rule, known)]
        else:
            rows += [(number, rule.kind, "guest", names[guest]) for guest in rule.guest_ids]
        rows += [(number, rule.kind, "table", tables[table]) for table in rule.table_ids]
    return Sheet("Rules", ("Rule", "Kind", "Guest or table", "Name"), rows)


def _of_values(rule: RuleRow, known: NamedValues) -> Iterator[tuple[str, str]]:
    """Yield what a rule about values is about: `value`, `group: Choir`."""
    yield from (("value", SEPARATOR.join(known.names_of(value))) for value in rule.values)
    if rule.field:
        yield "field", known.name_of_field(rule.field)
    if rule.number is not None:
        yield "limit", str(rule.number)


def _tables_sheet(ctx: EventContext) -> Sheet:
    groups = {group.id: group.name for group in group_queries.groups_of(ctx.session, ctx.event_id)}
    rows = [
        (
            *(t.name, t.shape, t.seats, t.min_seats, t.x, t.y, t.rotation, "yes" if t.end_seats else "no"),
            groups[t.reserved_for] if t.reserved_for else "",
        )
        for t in tables_of(ctx.session, ctx.event_id)
    ]
    heads = ("Name", "Shape", "Seats", "Least seats", "X", "Y", "Rotation", "End seats", "Reserved for")
    return Sheet("Tables", heads, rows)


def _room_sheet(room: RoomView) -> Sheet:
    """Return the size of the room and what stands in it, in floor units; its picture stays behind."""
    rows: list[Sequence[Value]] = []
    if room.width or room.height:
        rows.append(("room", "", None, None, room.width, room.height, None))
    rows += [(i.kind, i.text, i.x, i.y, i.width, i.height, i.rotation) for i in room.items]
    return Sheet("Room", ("What", "Text", "X", "Y", "Width", "Height", "Rotation"), rows)

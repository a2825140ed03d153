"""Many guests at once: pasted lines, and the whole list."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sqlalchemy import bindparam, update
from sqlalchemy.orm import Session
from sqlalchemy.orm.attributes import set_committed_value

from app.clock import now
from app.db.models import Guest
from app.errors import FieldError, Invalid
from app.events.context import EventContext
from app.files.guest_lists.pasted_lines import read_lines
from app.files.sheet_limits import SheetError
from app.files.text_rows import TextRow
from app.guests.edit import refuse_too_many
from app.guests.entries import GuestEntry, NewGuest, first_in_group, write_entries
from app.guests.entry_checks import check_entry
from app.guests.known_fields import KnownFields
from app.guests.party_and_group_names import TooManyGroups
from app.guests.queries import guests as queries
from app.web.bulk import check_list
from app.web.names import clean_name, name_key, taken_already, twice

MAX_FAULTS = 20


def paste_guests(ctx: EventContext, text: str) -> int:
    """Add a guest for each line, or none at all when a line cannot be taken; return how many."""
    ctx.edit()
    try:
        lines = read_lines(text)
    except SheetError as error:
        raise Invalid(FieldError("lines", str(error))) from None
    if not lines:
        raise Invalid(FieldError("lines", "Enter at least one name."))
    present = queries.guests_of(ctx.session, ctx.event_id)
    refuse_too_many(len(present) + len(lines), "lines")
    names = _names_of(lines, {guest.name_key: guest.name for guest in present})
    first = queries.last_position(ctx.session, ctx.event_id) + 1
    entries = [(NewGuest(ctx.event_id, position), GuestEntry(name)) for position, name in enumerate(names, first)]
    write_entries(ctx.session, ctx.event_id, entries)
    return len(entries)


def _names_of(lines: Sequence[TextRow], taken: Mapping[str, str]) -> list[str]:
    names, faults = [], []
    seen: dict[str, TextRow] = {}
    for line in lines:
        try:
            name = clean_name(line.text, "lines", f"Line {line.number}: the name")
        except Invalid as error:
            faults += error.faults
            continue
        key = name_key(name)
        if key in seen:
            also = twice(name, seen[key].text, f"line {seen[key].number}")
            faults.append(FieldError("lines", f"Line {line.number}: {also}"))
        elif key in taken:
            faults.append(FieldError("lines", f"Line {line.number}: {taken_already('guest', name, taken[key])}"))
        seen.setdefault(key, TextRow(line.number, name))
        names.append(name)
    if faults:
        raise Invalid(_shortened(faults))
    return names


def _shortened(faults: list[FieldError]) -> list[FieldError]:
    more = len(faults) - MAX_FAULTS
    if more <= 1:
        return faults
    return [*faults[:MAX_FAULTS], FieldError("lines", f"And {more:,} more lines cannot be added.")]


def replace_guests(ctx: EventContext, entries: Sequence[GuestEntry]) -> Sequence[Guest]:
    """Make these the event's guests, in this order.

    A guest whose id or name is among the entries stays, with all that is known about them; the others are
    removed; an id of a removed guest brings them back.
    """
    ctx.edit()
    refuse_too_many(len(entries), "guests")
    known = KnownFields.of(ctx.session, ctx.event_id)
    stored = queries.guests_of(ctx.session, ctx.event_id, with_removed=True)
    matched = check_list(
        "guests",
        entries,
        lambda entry, where, _: check_entry(entry, where, known),
        stored,
        lambda guest: guest.removed_at is None,
    )
    checked, meant = [entry for entry, _ in matched], [guest for _, guest in matched]
    kept = {guest.id for guest in meant if guest is not None}
    moment = now()
    for guest in stored:
        if guest.id in kept and guest.removed_at is not None:
            guest.removed_at = None
        elif guest.id not in kept and guest.removed_at is None:
            guest.removed_at = moment
    found = [guest or NewGuest(ctx.event_id, position) for position, guest in enumerate(meant)]
    try:
        write_entries(ctx.session, ctx.event_id, list(zip(found, checked, strict=True)))
    except TooManyGroups as error:
        number = first_in_group(checked, error.name)
        raise Invalid(FieldError(f"guests/{number}/groups", error.message)) from None
    _put_in_order(ctx.session, found)
    return queries.guests_of(ctx.session, ctx.event_id)


def _put_in_order(session: Session, guests: Sequence[Guest | NewGuest]) -> None:
    # Past the mapper, because a guest's place in the list is not covered by their version.
    moved = [(guest, place) for place, guest in enumerate(guests) if guest.position != place]
    if not moved:
        return
    table = Guest.metadata.tables[Guest.__tablename__]
    statement = update(table).where(table.c.id == bindparam("row")).values(position=bindparam("to"))
    session.connection().execute(statement, [{"row": guest.id, "to": place} for guest, place in moved])
    for guest, place in moved:
        set_committed_value(guest, "position", place)

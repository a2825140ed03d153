"""Guests from a file: kept until it is confirmed, then taken over as a whole, and undone as a whole."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from uuid import UUID

from sqlalchemy import delete
from sqlalchemy.orm import Session

from app.audit.actions import Action, Details
from app.clock import now
from app.db.models import NAME_LENGTH, Guest, GuestImport
from app.db.types import new_id
from app.errors import FieldError, Invalid, NotFound
from app.events.context import EventContext
from app.files.guest_lists.columns import guess_columns
from app.files.sheet_limits import ListSheet
from app.guests.edit import refuse_too_many
from app.guests.entries import GuestEntry, NewGuest, Written, first_in_group, write_entries
from app.guests.imports.choices import Choices
from app.guests.imports.fields import make_fields, plan_fields
from app.guests.imports.files import (
    ANYWHERE,
    Where,
    columns_of,
    find_sheet,
    likely_sheet,
    pack_columns,
    pack_sheets,
    reread,
    unpack_sheets,
)
from app.guests.imports.left_over import LeftOver, with_left_over
from app.guests.imports.preview import Preview, Taken, make_preview
from app.guests.imports.rows import ImportRow
from app.guests.imports.undo import remember, touched_before
from app.guests.namesakes import Newcomer, tell_apart
from app.guests.party_and_group_names import TooManyGroups
from app.guests.queries.guests import guests_of, import_of, last_position
from app.web.names import without_controls
from app.web.unset import Unset

MOST_ERRORS_SHOWN = 50


def open_import(ctx: EventContext, sheets: Sequence[ListSheet], file_name: str = "") -> GuestImport:
    """Keep the sheets of a file until it is confirmed; an earlier one that was not confirmed goes."""
    ctx.hold()
    waiting = (
        GuestImport.event_id == ctx.event_id,
        GuestImport.user_id == ctx.actor.user_id,
        GuestImport.status == "open",
    )
    ctx.session.execute(delete(GuestImport).where(*waiting))
    made = _kept_file(ctx, sheets, file_name)
    ctx.session.add(made)
    ctx.session.flush()
    return made


def preview_sheets(
    ctx: EventContext, sheets: Sequence[ListSheet], choices: Choices, where: Where = ANYWHERE
) -> Preview:
    """Return what an import of this file would do; nothing is kept, and no file that waits is touched."""
    ctx.require("editor")
    return make_preview(ctx, _kept_file(ctx, sheets, where=where), choices)


def preview_import(ctx: EventContext, import_id: UUID, choices: Choices | None = None) -> Preview:
    """Return what a file that waits would do, as the guests are now: with the choices stored, or with these."""
    ctx.require("editor")
    stored = _open_import(ctx, import_id)
    return make_preview(ctx, stored, Choices.unpack(stored.choices) if choices is None else choices)


def take_sheets(
    ctx: EventContext,
    sheets: Sequence[ListSheet],
    choices: Choices,
    known: Preview | None = None,
    where: Where = ANYWHERE,
) -> Preview:
    """Take the guests over at once, all of them or none, and return what was done; its id can be undone."""
    revision = ctx.edit().revision
    made = _kept_file(ctx, sheets, where=where)
    preview = _take(ctx, made, choices, known if known and known.revision == revision else None)
    ctx.session.add(made)
    ctx.session.flush()
    return preview


def confirm_import(
    ctx: EventContext, import_id: UUID, choices: Choices | None = None, known: Preview | None = None
) -> Taken:
    """Take the guests of a file that waits over, all of them or none, by the choices stored or by these.

    Of those who were there already, only guests whom the file changed count as updated.
    """
    revision = ctx.edit().revision
    stored = _open_import(ctx, import_id)
    chosen = Choices.unpack(stored.choices) if choices is None else choices
    is_known = known and known.revision == revision and known.choices == chosen
    before = {guest: guest.version for guest in guests_of(ctx.session, ctx.event_id)}
    preview = _take(ctx, stored, chosen, known if is_known else None)
    ctx.session.flush()
    return replace(preview.counts, updated=sum(guest.version != version for guest, version in before.items()))


def choose(ctx: EventContext, import_id: UUID, choices: Choices) -> None:
    """Keep what was chosen with the file."""
    ctx.hold()
    _open_import(ctx, import_id).choices = choices.pack()
    ctx.session.flush()


def set_sheet(ctx: EventContext, import_id: UUID, place: int) -> bool:
    """Read another sheet of the file; return whether it is another one. What was chosen about the first is dropped."""
    ctx.hold()
    stored = _open_import(ctx, import_id)
    sheets = unpack_sheets(stored.content)
    before, _ = columns_of(stored)
    if place == before or not 0 <= place < len(sheets):
        return False
    stored.columns = pack_columns(place, guess_columns(sheets[place].rows))
    stored.choices = {}
    ctx.session.flush()
    return True


def set_heading(ctx: EventContext, import_id: UUID, heading: int) -> bool:
    """Say in which row the headings are, 0 for none, and return whether that is another one than before."""
    ctx.hold()
    stored = _open_import(ctx, import_id)
    place, before = columns_of(stored)
    if heading == (before.above if before.has_heading else 0):
        return False
    stored.columns = pack_columns(place, guess_columns(unpack_sheets(stored.content)[place].rows, heading))
    ctx.session.flush()
    return True


def set_columns(ctx: EventContext, import_id: UUID, fields: Sequence[str]) -> bool:
    """Say what the columns hold, and return whether that is another thing than before."""
    ctx.hold()
    stored = _open_import(ctx, import_id)
    place, before = columns_of(stored)
    after = reread(before, fields)
    if after != before:
        stored.columns = pack_columns(place, after)
        ctx.session.flush()
    return after != before


def is_taken(ctx: EventContext, import_id: UUID) -> bool:
    """Say whether a file was confirmed already."""
    ctx.require("editor")
    found = import_of(ctx.session, ctx.event_id, import_id)
    return found is not None and found.status == "done"


def _take(ctx: EventContext, stored: GuestImport, choices: Choices, known: Preview | None) -> Preview:
    present = guests_of(ctx.session, ctx.event_id)
    preview = replace(known, id=stored.id) if known else make_preview(ctx, stored, choices)
    _refuse_errors(preview, choices)
    rows = _with_values(ctx, [row for row in preview.rows if not row.errors])
    pairs = _pair(rows, present, ctx.event_id, last_position(ctx.session, ctx.event_id) + 1)
    before = touched_before(ctx, pairs)
    _write(ctx.session, ctx.event_id, pairs, preview, rows)
    stored.undo = remember(ctx.session, ctx.event_id, pairs, before)
    stored.status, stored.finished_at, stored.content, stored.choices = "done", now(), b"", {}
    stored.file_name = ""  # a file may be called after a guest, and nothing shows it any more
    ctx.record(Action.GUESTS_IMPORTED, details=Details(count=len(rows)))
    return preview


def _with_values(ctx: EventContext, rows: Sequence[ImportRow]) -> list[ImportRow]:
    """Return the rows with their sides, meals and own fields, which are made where the event has none of that name."""
    made = make_fields(ctx, plan_fields(ctx, [row.row for row in rows if row.is_taken]))
    return [replace(row, entry=made.complete(row.row, row.entry)) if row.entry else row for row in rows]


def _write(session: Session, event_id: UUID, pairs: Written, preview: Preview, rows: Sequence[ImportRow]) -> None:
    try:
        write_entries(session, event_id, pairs)
    except TooManyGroups as error:
        counted = [row for row in rows if row.entry and row.choice != "skip"]
        row = counted[first_in_group([row.entry for row in counted if row.entry], error.name)].row
        advice = "If a column doesn't contain groups, choose another field for it or skip it."
        raise Invalid(FieldError("columns", f"{preview.label(row.number)}: {error.message} {advice}")) from None


def discard_import(ctx: EventContext, import_id: UUID) -> None:
    """Forget a file that was not confirmed."""
    ctx.hold()
    ctx.session.delete(_open_import(ctx, import_id))
    ctx.session.flush()


def _refuse_errors(preview: Preview, choices: Choices) -> None:
    if not preview.columns.has_name:
        raise Invalid(FieldError("columns", "No column contains names. Choose which one does."))
    faulty = preview.faulty
    if faulty and not choices.leave_faulty_out:
        shown = [
            FieldError("leave_out", f"{preview.label(row.row.number)}: {row.errors[0]}.")
            for row in faulty[:MOST_ERRORS_SHOWN]
        ]
        if len(faulty) > len(shown):
            shown.append(FieldError("leave_out", f"And {len(faulty) - len(shown):,} more rows cannot be imported."))
        raise Invalid(shown)
    if not preview.counts.added + preview.counts.updated:
        raise Invalid(FieldError("", "Every row would be skipped, so there is nothing to import."))


def _pair(
    rows: Sequence[ImportRow], guests: Sequence[Guest], event_id: UUID, position: int
) -> list[tuple[Guest | NewGuest, GuestEntry]]:
    """Return each row that counts with its guest, stored or new; the new ones come from `position` on."""
    present = {guest.id: guest for guest in guests}
    new = [row for row in rows if row.choice == "add" and row.entry]
    refuse_too_many(len(present) + len(new), "")
    newcomers = [Newcomer(row.entry.name, row.row.party, row.row.groups or ()) for row in new if row.entry]
    names = tell_apart(newcomers, {guest.name_key for guest in guests})
    called = {row.place: name for row, name in zip(new, names, strict=True)}
    guest_at: dict[int, tuple[Guest | NewGuest, str]] = {}
    pairs: list[tuple[Guest | NewGuest, GuestEntry]] = []
    for row in rows:
        if row.entry is None or row.choice == "skip":
            continue
        if row.choice == "add":
            target: tuple[Guest | NewGuest, str] = (NewGuest(event_id, position), called[row.place])
            position += 1
        elif row.match.stored:
            stored = present[row.match.stored.id]
            target = (stored, stored.name)
        elif row.match.earlier in guest_at:
            target = guest_at[row.match.earlier]
        else:  # the row above that it would complete is left out itself
            continue
        guest_at[row.place] = target
        guest, name = target
        entry = row.entry if row.entry.name == name else _renamed(row, row.entry, name)
        pairs.append((guest, _with_note(guest, entry, row.left)))
    return pairs


def _with_note(guest: Guest | NewGuest, entry: GuestEntry, left: Sequence[LeftOver]) -> GuestEntry:
    """Return the entry with what no field takes below its note, or below the one that the guest has."""
    if not left:
        return entry
    return replace(entry, note=with_left_over(guest.note if isinstance(entry.note, Unset) else entry.note, left))


def _renamed(row: ImportRow, entry: GuestEntry, name: str) -> GuestEntry:
    """Return the entry under the name that only this guest has; guests read the plain one."""
    is_marked = row.choice == "add" and not row.row.public_name
    return replace(entry, name=name, public_name=entry.name if is_marked else entry.public_name)


def _kept_file(
    ctx: EventContext, sheets: Sequence[ListSheet], file_name: str = "", where: Where = ANYWHERE
) -> GuestImport:
    place = find_sheet(sheets, where.sheet) if where.sheet else likely_sheet(sheets)
    return GuestImport(
        id=new_id(),
        event_id=ctx.event_id,
        user_id=ctx.actor.user_id,
        file_name=without_controls(file_name)[-NAME_LENGTH:],
        status="open",
        content=pack_sheets(sheets),
        columns=pack_columns(place, guess_columns(sheets[place].rows, where.heading)),
        choices={},
    )


def _open_import(ctx: EventContext, import_id: UUID) -> GuestImport:
    found = import_of(ctx.session, ctx.event_id, import_id)
    if found is None or found.status != "open":
        raise NotFound("This file has already been imported or discarded.")
    return found

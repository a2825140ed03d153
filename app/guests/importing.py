"""Guests from a file: kept until it is confirmed, then taken over as a whole, and undone as a whole."""

from __future__ import annotations

import json
import zlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from typing import Any
from uuid import UUID

from sqlalchemy import delete
from sqlalchemy.orm import Session

from app.audit.actions import Action, Details
from app.clock import now
from app.db.models import NAME_LENGTH, Guest, GuestImport
from app.db.types import new_id
from app.errors import FieldError, Invalid, NotFound
from app.events.context import EventContext
from app.events.queries import revision_of
from app.files.guest_lists.columns import FIELDS, Columns, guess_columns
from app.files.guest_lists.rows import read_guests
from app.files.sheet_limits import SheetRow
from app.guests.edit import refuse_too_many
from app.guests.entries import GuestEntry, NewGuest, Written, first_in_group, write_entries
from app.guests.import_rows import Choices, ImportRow, weigh_rows, without_namesakes
from app.guests.import_undo import remember, touched_before
from app.guests.party_and_group_names import TooManyGroups
from app.guests.queries.guests import guests_of, import_of, last_position
from app.web.names import without_controls

MOST_ERRORS_SHOWN = 50


@dataclass(frozen=True)
class Taken:
    """What an import did, or would do."""

    added: int
    updated: int
    left_out: int


@dataclass(frozen=True)
class Preview:
    """What an import would do to an event of that revision; as long as that is the same it needs no second look."""

    id: UUID
    file_name: str
    status: str
    columns: Columns
    sheet: Sequence[SheetRow]
    rows: Sequence[ImportRow]
    revision: int | None

    @cached_property
    def faulty(self) -> list[ImportRow]:
        """The rows that cannot be taken."""
        return [row for row in self.rows if row.errors]

    @cached_property
    def noted(self) -> list[ImportRow]:
        """The rows that are taken although something in them is odd."""
        return [row for row in self.rows if row.notes and not row.errors]

    @cached_property
    def alike(self) -> list[ImportRow]:
        """The rows like a stored guest or an earlier row."""
        return [row for row in self.rows if row.is_like_another and not row.errors]

    @cached_property
    def unused(self) -> list[int]:
        """The columns with something in them that are left out, counted from 0."""
        left_out = [place for place, field in enumerate(self.columns.fields) if not field]
        return [place for place in left_out if any("".join(row.cells[place : place + 1]) for row in self.sheet)]

    @cached_property
    def counts(self) -> Taken:
        """How many rows are added, update somebody, or are left out."""
        choices = Counter(row.choice for row in self.rows if not row.errors)
        return Taken(choices["add"], choices["update"], choices["skip"] + len(self.faulty))


def open_import(ctx: EventContext, rows: Sequence[SheetRow], file_name: str = "") -> GuestImport:
    """Keep the rows of a file until they are confirmed; an earlier one that was not confirmed goes."""
    ctx.hold()
    waiting = (
        GuestImport.event_id == ctx.event_id,
        GuestImport.user_id == ctx.actor.user_id,
        GuestImport.status == "open",
    )
    ctx.session.execute(delete(GuestImport).where(*waiting))
    made = _kept_file(ctx, rows, file_name)
    ctx.session.add(made)
    ctx.session.flush()
    return made


def preview_rows(ctx: EventContext, rows: Sequence[SheetRow], choices: Choices) -> Preview:
    """Return what an import of these rows would do; nothing is kept, and no file that waits is touched."""
    ctx.require("editor")
    return _preview(ctx, _kept_file(ctx, rows), choices)


def preview_import(ctx: EventContext, import_id: UUID, choices: Choices | None = None) -> Preview:
    """Return what a file that waits would do, as the guests are now."""
    ctx.require("editor")
    return _preview(ctx, _open_import(ctx, import_id), choices or Choices())


def take_rows(ctx: EventContext, rows: Sequence[SheetRow], choices: Choices, known: Preview | None = None) -> Preview:
    """Take the guests over at once, all of them or none, and return what was done; its id can be undone."""
    revision = ctx.edit().revision
    made = _kept_file(ctx, rows)
    preview = _take(ctx, made, choices, known if known and known.revision == revision else None)
    ctx.session.add(made)
    ctx.session.flush()
    return preview


def confirm_import(
    ctx: EventContext, import_id: UUID, choices: Choices | None = None, known: Preview | None = None
) -> Taken:
    """Take the guests of a file that waits over, all of them or none."""
    revision = ctx.edit().revision
    stored = _open_import(ctx, import_id)
    preview = _take(ctx, stored, choices or Choices(), known if known and known.revision == revision else None)
    ctx.session.flush()
    return preview.counts


def set_columns(ctx: EventContext, import_id: UUID, fields: Sequence[str], *, has_heading: bool) -> bool:
    """Say what the columns hold, and return whether that is another thing than before."""
    ctx.hold()
    stored = _open_import(ctx, import_id)
    before = _columns_read(stored.columns)
    known = tuple(name if name in FIELDS else "" for name in fields)[: len(before.fields)]
    given = known + before.fields[len(known) :]
    after = replace(before, fields=given, has_heading=has_heading)
    if after != before:
        stored.columns = asdict(replace(after, is_own=before.is_own and given == before.fields))
        ctx.session.flush()
    return after != before


def is_taken(ctx: EventContext, import_id: UUID) -> bool:
    """Say whether a file was confirmed already."""
    ctx.hold()
    found = import_of(ctx.session, ctx.event_id, import_id)
    return found is not None and found.status == "done"


def _take(ctx: EventContext, stored: GuestImport, choices: Choices, known: Preview | None) -> Preview:
    present = guests_of(ctx.session, ctx.event_id)
    preview = replace(known, id=stored.id) if known else _preview(ctx, stored, choices)
    _refuse_errors(preview, choices)
    rows = [row for row in preview.rows if not row.errors]
    pairs = _pair(rows, present, ctx.event_id, last_position(ctx.session, ctx.event_id) + 1)
    before = touched_before(ctx, pairs)
    _write(ctx.session, ctx.event_id, pairs, rows)
    stored.undo = remember(ctx.session, ctx.event_id, pairs, before)
    stored.status, stored.finished_at, stored.content = "done", now(), b""
    ctx.record(Action.GUESTS_IMPORTED, details=Details(count=len(rows)))
    return preview


def _write(session: Session, event_id: UUID, pairs: Written, rows: Sequence[ImportRow]) -> None:
    try:
        write_entries(session, event_id, pairs)
    except TooManyGroups as error:
        counted = [row for row in rows if row.entry and row.choice != "skip"]
        row = counted[first_in_group([row.entry for row in counted if row.entry], error.name)].row
        advice = "If a column doesn't contain groups, choose another field for it or skip it."
        raise Invalid(FieldError("columns", f"Row {row.number:,}: {error.message} {advice}")) from None


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
            FieldError("leave_out", f"Row {row.row.number:,}: {row.errors[0]}.") for row in faulty[:MOST_ERRORS_SHOWN]
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
    names = without_namesakes([row.entry.name for row in new if row.entry], {guest.name_key for guest in guests})
    called = {row.place: name for row, name in zip(new, names, strict=True)}
    guest_at: dict[int, tuple[Guest | NewGuest, str]] = {}
    pairs: list[tuple[Guest | NewGuest, GuestEntry]] = []
    for row in rows:
        if row.entry is None or row.choice == "skip":
            continue
        if row.choice == "add":
            target: tuple[Guest | NewGuest, str] = (NewGuest(event_id, position), called[row.place])
            position += 1
        elif row.stored:
            target = (present[row.stored], present[row.stored].name)
        elif row.earlier in guest_at:
            target = guest_at[row.earlier]
        else:  # the row above that it would complete is left out itself
            continue
        guest_at[row.place] = target
        guest, name = target
        pairs.append((guest, row.entry if row.entry.name == name else replace(row.entry, name=name)))
    return pairs


def _preview(ctx: EventContext, stored: GuestImport, choices: Choices) -> Preview:
    revision = revision_of(ctx.session, ctx.event_id)
    sheet = [SheetRow(number, tuple(cells)) for number, cells in json.loads(zlib.decompress(stored.content))]
    columns = _columns_read(stored.columns)
    found = read_guests(sheet, columns) if columns.has_name else []
    rows = weigh_rows(found, guests_of(ctx.session, ctx.event_id), choices, exactly=columns.is_own)
    return Preview(stored.id, stored.file_name, stored.status, columns, sheet, rows, revision)


def _kept_file(ctx: EventContext, rows: Sequence[SheetRow], file_name: str = "") -> GuestImport:
    content = json.dumps([(row.number, row.cells) for row in rows], ensure_ascii=False)
    return GuestImport(
        id=new_id(),
        event_id=ctx.event_id,
        user_id=ctx.actor.user_id,
        file_name=without_controls(file_name)[-NAME_LENGTH:],
        status="open",
        content=zlib.compress(content.encode(), 1),
        columns=asdict(guess_columns(rows)),
    )


def _open_import(ctx: EventContext, import_id: UUID) -> GuestImport:
    found = import_of(ctx.session, ctx.event_id, import_id)
    if found is None or found.status != "open":
        raise NotFound("This file has already been imported or discarded.")
    return found


def _columns_read(stored: dict[str, Any]) -> Columns:
    return Columns(tuple(stored["fields"]), stored["has_heading"], stored["is_own"])

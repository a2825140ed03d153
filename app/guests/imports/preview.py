"""What an import would do, as the guests are now."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from uuid import UUID

from app.db.models import GuestImport
from app.events.context import EventContext
from app.events.queries import revision_of
from app.files.guest_lists.columns import Columns
from app.files.guest_lists.guest_row import RowRead
from app.files.guest_lists.rows import find_codes, read_rows
from app.files.sheet_limits import ListSheet, SheetRow
from app.guests.imports.choices import Choices
from app.guests.imports.fields import plan_fields
from app.guests.imports.files import columns_of, filled_rows, unpack_sheets
from app.guests.imports.people import Known
from app.guests.imports.rows import ImportRow, weigh_rows
from app.guests.public_names import is_marked
from app.guests.queries.guests import group_names, guests_of, party_names
from app.web.names import name_key


@dataclass(frozen=True)
class Taken:
    """What an import did, or would do."""

    added: int
    updated: int
    left_out: int


@dataclass(frozen=True)
class Household:
    """Guests of the file who would always sit together; `is_made` says that no cell of the file names it."""

    name: str
    guests: tuple[str, ...]
    is_made: bool
    is_together: bool

    @property
    def key(self) -> str:
        return name_key(self.name)


@dataclass(frozen=True)
class Preview:
    """What an import would do to an event of that revision; as long as that is the same it needs no second look."""

    id: UUID
    file_name: str
    status: str
    sheets: Sequence[ListSheet]
    sheet_place: int
    columns: Columns
    read: Sequence[RowRead]
    rows: Sequence[ImportRow]
    choices: Choices
    revision: int | None

    @property
    def sheet(self) -> Sequence[SheetRow]:
        """The rows of the sheet that is read, as they are in the file."""
        return self.sheets[self.sheet_place].rows

    @cached_property
    def faulty(self) -> list[ImportRow]:
        """The rows that cannot be taken."""
        return [row for row in self.rows if row.errors and row.row.number not in self.choices.skipped]

    @cached_property
    def noted(self) -> list[ImportRow]:
        """The rows that are taken although something in them is odd."""
        return [row for row in self.rows if row.notes and not row.errors]

    @cached_property
    def alike(self) -> list[ImportRow]:
        """The rows like a stored guest or an earlier row."""
        skipped = self.choices.skipped
        return [row for row in self.rows if row.is_like_another and not row.errors and row.row.number not in skipped]

    @cached_property
    def unused(self) -> list[int]:
        """The columns with something in them that are left out, counted from 0."""
        left_out = [place for place, field in enumerate(self.columns.fields) if not field]
        return [place for place in left_out if any("".join(row.cells[place : place + 1]) for row in self.sheet)]

    @cached_property
    def counts(self) -> Taken:
        """How many guests are added or updated, and how many rows are left out, those that are no guests too."""
        choices = Counter(row.choice for row in self.rows if not row.errors)
        faulty = sum(bool(row.errors) for row in self.rows)
        return Taken(choices["add"], choices["update"], choices["skip"] + faulty)

    @cached_property
    def households(self) -> list[Household]:
        """The households of two or more, those with the most guests first."""
        members: dict[str, list[ImportRow]] = {}
        for row in self.rows:
            if row.row.party and row.choice != "skip" and not row.errors:
                members.setdefault(name_key(row.row.party), []).append(row)
        found = [_household(rows, self.choices) for rows in members.values() if len(rows) > 1]
        return sorted(found, key=lambda one: -len(one.guests))

    @cached_property
    def legend(self) -> dict[str, str]:
        """What abbreviations mean by a legend above the list."""
        return {} if self.columns.is_own else find_codes(self.sheet, self.columns)

    def label(self, number: int) -> str:
        """Return what a row is called: as the spreadsheet shows it, with the sheet where there are several."""
        sheet = self.sheets[self.sheet_place]
        if sheet.are_cards:
            return f"Contact {number:,}"
        return f"Row {number:,} of “{sheet.title}”" if len(self.sheets) > 1 else f"Row {number:,}"


def make_preview(ctx: EventContext, stored: GuestImport, choices: Choices) -> Preview:
    """Return what a file would do."""
    revision = revision_of(ctx.session, ctx.event_id)
    sheets = unpack_sheets(stored.content)
    place, columns = columns_of(stored)
    read = read_rows(filled_rows(sheets[place], columns), columns, choices.guidance) if columns.has_name else []
    guests = [guest for row in read for guest in row.guests]
    are_cards = sheets[place].are_cards
    weighed = weigh_rows(guests, known_guests(ctx), choices, exactly=columns.is_own, are_cards=are_cards)
    rows = _with_left_over(ctx, weighed)
    return Preview(stored.id, stored.file_name, stored.status, sheets, place, columns, read, rows, choices, revision)


def _with_left_over(ctx: EventContext, rows: Sequence[ImportRow]) -> list[ImportRow]:
    """Return the rows with what no side, meal or own field of the event takes."""
    plan = plan_fields(ctx, [row.row for row in rows if row.is_taken])
    left = [tuple(plan.left_over(row.row)) if row.is_taken else () for row in rows]
    return [replace(row, left=(*row.left, *more)) if more else row for row, more in zip(rows, left, strict=True)]


def known_guests(ctx: EventContext) -> list[Known]:
    """Return the guests of the event, as far as that tells them apart."""
    parties, groups = party_names(ctx.session, ctx.event_id), group_names(ctx.session, ctx.event_id)
    return [
        Known(
            id=guest.id,
            name=guest.name,
            called=guest.public_name if is_marked(guest.name, guest.public_name) else guest.name,
            party=parties.get(guest.party_id) if guest.party_id else None,
            groups=tuple(groups.get(guest.id, ())),
            reply=guest.reply,
        )
        for guest in guests_of(ctx.session, ctx.event_id)
    ]


def _household(rows: Sequence[ImportRow], choices: Choices) -> Household:
    name = rows[0].row.party or ""
    is_made = all(row.row.made_party for row in rows)
    return Household(name, tuple(row.row.name for row in rows), is_made, not choices.sits_apart(name))

"""Who sat together before several rounds: a table or a pair on each line that somebody typed or pasted."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping
from itertools import chain
from uuid import UUID

from app.errors import FieldError, Invalid
from app.events.context import EventContext
from app.files.sheet_limits import SheetError
from app.files.sheets import read_csv
from app.runs.rounds.typed_names import TypedNames

FIELD, SKIP_FIELD = "met_tables", "skip_unknown"
BLANK = " \t\r\n,;"
MetTables = tuple[tuple[UUID, ...], ...]


def find_met_tables(ctx: EventContext, typed: Mapping[str, str]) -> MetTables:
    """Return the guests of each line, or say which names are unknown or shared.

    Names that no guest has can be skipped: not everyone who was there last year comes again.
    """
    text = typed.get(FIELD, "")
    if not text.strip(BLANK):
        return ()
    lines = _read_lines(text)
    known = TypedNames(ctx, FIELD)
    if not typed.get(SKIP_FIELD):
        advice = "Check the spelling, or skip names that are not on the list."
        known.refuse_unknown(chain.from_iterable(lines), advice)
    tables = [known.find(name for name in names if name in known) for names in lines]
    if not any(len(table) > 1 for table in tables):
        raise Invalid(FieldError(FIELD, "No two guests to be seated are on one line."))
    return tuple(table for table in tables if len(table) > 1)


def write_met_tables(tables: MetTables, names: Mapping[UUID, str]) -> str:
    """Return the lines as somebody would type them; guests who are no longer to be seated are left out."""
    text = io.StringIO()
    here = ([names[guest] for guest in table if guest in names] for table in tables)
    csv.writer(text, lineterminator="\n").writerows(table for table in here if len(table) > 1)
    return text.getvalue()


def _read_lines(text: str) -> list[list[str]]:
    """Return the names on each line; a name in quotation marks may have a comma."""
    try:
        rows: Iterable[list[str]] = ([cell.strip() for cell in row.cells] for row in read_csv(text))
        lines = [[cell for cell in cells if cell] for cells in rows]
    except SheetError as error:
        raise Invalid(FieldError(FIELD, str(error))) from None
    alone = next((names[0] for names in lines if len(names) == 1), None)
    if alone is not None:
        text = f"“{alone[:80]}” is alone on a line. Write all names of a table on one line, with commas between them."
        raise Invalid(FieldError(FIELD, text))
    return [names for names in lines if names]

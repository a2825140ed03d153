"""Guests as CSV and XLSX, so that they can be read back without loss."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from app.formats.formulas import defuse
from app.formats.guest_columns import OWN_HEADINGS

WIDTHS = (28, 20, 28, 10, 8, 24, 40)
CSV_TYPE = "text/csv; charset=utf-8"
XLSX_TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"


@dataclass(frozen=True)
class GuestLine:
    """A guest as a row of the file."""

    name: str
    party: str
    groups: Sequence[str]
    reply: str
    child: bool
    diet: str
    note: str

    @property
    def cells(self) -> list[str]:
        """The cells below the headings; groups have commas between them, and no group has one in its name."""
        child = "yes" if self.child else ""
        return [self.name, self.party, ", ".join(self.groups), self.reply, child, self.diet, self.note]


def write_csv(guests: Iterable[GuestLine]) -> bytes:
    """Return the guests as CSV with a mark of UTF-8, which spreadsheets need, and with formulas made harmless."""
    text = io.StringIO(newline="")
    writer = csv.writer(text)
    writer.writerow(OWN_HEADINGS)
    writer.writerows([defuse(cell) for cell in guest.cells] for guest in guests)
    return text.getvalue().encode("utf-8-sig")


def write_xlsx(guests: Iterable[GuestLine]) -> bytes:
    """Return the guests as a spreadsheet in which every cell is plain text."""
    return write_book("Guests", OWN_HEADINGS, (guest.cells for guest in guests), WIDTHS)


def write_book(title: str, headings: Sequence[str], rows: Iterable[Sequence[str]], widths: Sequence[int]) -> bytes:
    """Return a spreadsheet of one sheet; nothing in it becomes a formula, a link or a number."""
    from xlsxwriter import Workbook  # noqa: PLC0415  only exports need it

    file = io.BytesIO()
    options = {
        "in_memory": True,
        "strings_to_formulas": False,
        "strings_to_urls": False,
        "strings_to_numbers": False,
    }
    book = Workbook(file, options)
    sheet = book.add_worksheet(title)
    bold = book.add_format({"bold": True})
    for column, width in enumerate(widths):
        sheet.set_column(column, column, width)
    for column, heading in enumerate(headings):
        sheet.write_string(0, column, heading, bold)
    for number, cells in enumerate(rows, start=1):
        for column, cell in enumerate(cells):
            if cell:
                sheet.write_string(number, column, cell)
    sheet.freeze_panes(1, 1)
    book.close()
    return file.getvalue()

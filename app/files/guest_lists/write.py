"""Guests as CSV and XLSX, so that they can be read back without loss."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from app.files import csv_out
from app.files.guest_lists.columns import OWN_HEADINGS
from app.files.workbook import Sheet, write_workbook

WIDTHS = (28, 20, 28, 10, 8, 24, 40, 10, 28)
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
    high_chair: bool = False
    public_name: str = ""

    @property
    def cells(self) -> list[str]:
        """The cells below the headings; groups have commas between them, and no group has one in its name."""
        groups = ", ".join(self.groups)
        child, high_chair = _yes_or_no(self.child), _yes_or_no(self.high_chair)
        return [self.name, self.party, groups, self.reply, child, self.diet, self.note, high_chair, self.public_name]


def _yes_or_no(value: bool) -> str:
    return "yes" if value else "no"  # an empty cell changes nothing when it comes back


def write_csv(guests: Iterable[GuestLine]) -> bytes:
    """Return the guests as CSV with a mark of UTF-8, which spreadsheets need, and with formulas made harmless."""
    return csv_out.write_csv([OWN_HEADINGS, *(guest.cells for guest in guests)])


def write_xlsx(guests: Iterable[GuestLine]) -> bytes:
    """Return the guests as a spreadsheet in which every cell is plain text."""
    return write_workbook([Sheet("Guests", OWN_HEADINGS, (guest.cells for guest in guests), WIDTHS)])

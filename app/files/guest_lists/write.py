"""Guests as CSV and XLSX, so that they can be read back without loss."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from app.files import csv_out
from app.files.guest_lists.own_format import COLUMNS, HEADINGS, yes_or_no
from app.files.workbook import Sheet, write_workbook

WIDE, USUAL, NARROW = 28, 16, 10
WIDTHS = {"name": WIDE, "groups": WIDE, "note": 40, "email": WIDE, "reply": NARROW, "age_group": NARROW}
XLSX_TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"


@dataclass(frozen=True)
class GuestLine:
    """A guest as a row of the file; `values` are headings of courses and own fields, each with what the guest has."""

    name: str
    party: str = ""
    groups: Sequence[str] = ()
    reply: str = "invited"
    age_group: str = "adult"
    diet: str = ""
    note: str = ""
    high_chair: bool = False
    public_name: str = ""
    title: str = ""
    first_name: str = ""
    last_name: str = ""
    email: str = ""
    phone: str = ""
    side: str = ""
    allergies: Sequence[str] = ()
    other_allergies: str = ""
    wheelchair: bool = False
    values: Sequence[tuple[str, str]] = ()

    @property
    def cells(self) -> list[str]:
        """The cells below the headings."""
        return [*(_cell(getattr(self, name)) for name in COLUMNS), *(text for _, text in self.values)]


def write_csv(guests: Sequence[GuestLine]) -> bytes:
    """Return the guests as CSV with a mark of UTF-8, which spreadsheets need, and with formulas made harmless."""
    return csv_out.write_csv([_headings(guests), *(guest.cells for guest in guests)])


def write_xlsx(guests: Sequence[GuestLine]) -> bytes:
    """Return the guests as a spreadsheet in which every cell is plain text."""
    headings = _headings(guests)
    widths = [*(WIDTHS.get(name, USUAL) for name in COLUMNS), *([USUAL] * (len(headings) - len(HEADINGS)))]
    return write_workbook([Sheet("Guests", headings, (guest.cells for guest in guests), widths)])


def _headings(guests: Sequence[GuestLine]) -> tuple[str, ...]:
    return (*HEADINGS, *(heading for heading, _ in (guests[0].values if guests else ())))


def _cell(value: object) -> str:
    if isinstance(value, bool):
        return yes_or_no(value)
    # Neither the name of a group nor an allergen has a comma.
    return value if isinstance(value, str) else ", ".join(value) if isinstance(value, (list, tuple)) else ""

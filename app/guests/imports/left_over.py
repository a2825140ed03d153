"""What cells of an import say that no field takes: it is named in the preview and kept in the guest's note."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from app.accounts.users import clean_email
from app.db.models.guests import EMAIL_LENGTH, PHONE_LENGTH
from app.errors import Invalid
from app.files.guest_lists.guest_row import GuestRow
from app.guests.entry_checks import LEAST_DIGITS
from app.web.names import NOTE_LENGTH, QUOTED_LENGTH, without_controls

EMAIL = re.compile(r"[^\s;,<>()\"]+@[^\s;,<>()\"]+")
BETWEEN_PHONES = re.compile(r"\s*(?:[/;,|\n]|\b(?:or|oder|ou|o)\b)\s*")
PLACEHOLDERS = "na, n/a, none, tbc, tbd, tba, x, k.a., keine, no, nein, aucun, ?, -, –, —, /, unknown, pending"
NOTHING = frozenset(["", *PLACEHOLDERS.split(", ")])


@dataclass(frozen=True)
class LeftOver:
    """A text that does not fit its column, and why."""

    column: str
    text: str
    why: str

    @property
    def message(self) -> str:
        """What the preview says about it."""
        return f"{self.column} “{self.text[:QUOTED_LENGTH]}” {self.why}: kept in the note"

    @property
    def line(self) -> str:
        """What is kept."""
        return f"{self.column}: {self.text}"


def read_contacts(row: GuestRow) -> tuple[dict[str, Any], list[LeftOver]]:
    """Return the e-mail address and the phone number of the cells, and what else they say."""
    found: dict[str, Any] = {}
    left: list[LeftOver] = []
    if row.email and not _is_nothing(row.email):
        address, more = _address(row.email)
        found |= {"email": address} if address else {}
        left += [LeftOver("E-mail", text, "is one address more" if address else "is not an address") for text in more]
    if row.phone and not _is_nothing(row.phone):
        number, more = _number(row.phone)
        if not number and "email" not in found and _is_address(row.phone.strip()):  # in the wrong column
            return found | {"email": row.phone.strip()}, left
        found |= {"phone": number} if number else {}
        left += [LeftOver("Phone", text, "is one number more" if number else "is not a number") for text in more]
    return found, left


def with_left_over(note: str, left: Sequence[LeftOver]) -> str:
    """Return the note with what was left over below it, once; what the note has no room for is left out."""
    for one in left:
        line = " ".join(without_controls(one.line).split())
        if line not in note and len(note) + len(line) < NOTE_LENGTH:
            note = f"{note}\n{line}".strip()
    return note


def _is_nothing(text: str) -> bool:
    return text.strip().casefold() in NOTHING


def _address(text: str) -> tuple[str, list[str]]:
    """Return the first address of a cell and the others; a cell without one is left over as a whole."""
    addresses = [one.strip(".:") for one in EMAIL.findall(text.replace("mailto:", ""))]
    good = [one for one in addresses if _is_address(one)]
    return (good[0], [one for one in addresses if one != good[0]]) if good else ("", [text])


def _is_address(text: str) -> bool:
    try:
        return bool(clean_email(text, "")) and len(text) < EMAIL_LENGTH
    except Invalid:
        return False


def _number(text: str) -> tuple[str, list[str]]:
    """Return the first phone number of a cell and the rest; a short cell is taken as it is written."""
    tidy = " ".join(without_controls(text).split())
    if _is_number(tidy):
        return tidy, []
    parts = BETWEEN_PHONES.split(tidy)
    number = next((part for part in parts if _is_number(part)), "")
    return number, [part for part in parts if part and part != number] if number else [text]


def _is_number(text: str) -> bool:
    return len(text) <= PHONE_LENGTH and sum(map(str.isdigit, text)) >= LEAST_DIGITS

"""Contacts from vCard files (.vcf) of versions 2.1, 3.0 and 4.0 as a sheet: one row a card, below headings."""

from __future__ import annotations

import codecs
import quopri
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from app.files.sheet_limits import MOST_CELL, SheetRow, within_limits

BEGIN = re.compile(rb"\s*BEGIN:VCARD", re.IGNORECASE)
HEADINGS = (
    *("Name", "Title", "First name", "Middle name", "Last name", "Suffix", "Groups"),
    *("E-mail", "Phone", "Note", "Address", "Birthday", "Organisation"),
)
PROPERTIES = {
    "FN": "Name",
    "CATEGORIES": "Groups",
    "EMAIL": "E-mail",
    "TEL": "Phone",
    "NOTE": "Note",
    "ADR": "Address",
    "BDAY": "Birthday",
    "ORG": "Organisation",
}
PARTS_OF_NAME = ("Last name", "First name", "Middle name", "Title", "Suffix")
KINDS = ("KIND", "X-ADDRESSBOOKSERVER-KIND")
SHOWN_AS = "X-ABSHOWAS"
ESCAPE = re.compile(r"\\(.)", re.DOTALL)
UNESCAPED_SEMICOLON, UNESCAPED_COMMA = re.compile(r"(?<!\\);"), re.compile(r"(?<!\\),")


@dataclass
class _Card:
    cells: dict[str, str] = field(default_factory=dict)
    is_group: bool = False
    is_company: bool = False

    def without_company(self) -> _Card:
        """Return the card of a company without a name: nobody is called like one."""
        is_person = any(self.cells.get(part) for part in PARTS_OF_NAME)
        name = self.cells.get("Name", "")
        is_called_so = self.cells.get("Organisation", "").rstrip("; ").casefold() == name.casefold()
        if not is_person and name and (is_called_so or self.is_company):
            return _Card({**self.cells, "Name": ""})
        return self


def is_vcard(data: bytes) -> bool:
    """Return whether a file has contacts."""
    return bool(BEGIN.match(_plain_bytes(data[:200])))


def read_vcards(data: bytes) -> list[SheetRow]:
    """Return the contacts, each with its number as the number of its row; the headings are above the first."""
    cards = [card.without_company() for card in _cards(_plain_bytes(data)) if not card.is_group and card.cells]
    used = [heading for heading in HEADINGS if any(card.cells.get(heading) for card in cards)]
    rows = ((number, [card.cells.get(heading, "") for heading in used]) for number, card in enumerate(cards, start=1))
    found = within_limits(rows)
    return [SheetRow(0, tuple(used)), *found]


def _plain_bytes(data: bytes) -> bytes:
    """Return the file as UTF-8 if it is in UTF-16; older cards say for each line which charset it has."""
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return data.decode("utf-16", errors="replace").encode()
    return data.removeprefix(codecs.BOM_UTF8)


def _cards(data: bytes) -> Iterator[_Card]:
    card: _Card | None = None
    for line in _unfolded(data):
        head, _, value = line.partition(b":")
        name, *parameters = head.decode("ascii", errors="replace").split(";")
        name = name.rpartition(".")[2].strip().upper()
        if name == "BEGIN":
            card = _Card()
        elif name == "END" and card:
            yield card
            card = None
        elif card and (name in PROPERTIES or name in ("N", SHOWN_AS, *KINDS)):
            _take(card, name, _decoded(value, [one.upper() for one in parameters]))


def _unfolded(data: bytes) -> Iterator[bytes]:
    """Yield the lines; one that begins with a space goes on the one above, and so does one below a “=” at the end."""
    kept: list[bytes] = []
    is_quoted = False
    for line in re.split(rb"\r\n?|\n", data):
        if kept and line[:1] in (b" ", b"\t"):
            kept.append(line[1:])
        elif is_quoted and kept[-1].endswith(b"="):
            kept[-1] = kept[-1][:-1]
            kept.append(line)
        else:
            if kept:
                yield b"".join(kept)
            kept = [line] if line else []
            is_quoted = b"QUOTED-PRINTABLE" in line.partition(b":")[0].upper()
    if kept:
        yield b"".join(kept)


def _decoded(value: bytes, parameters: list[str]) -> str:
    charset = next((one.partition("=")[2] for one in parameters if one.startswith("CHARSET=")), "utf-8")
    if any(one in ("QUOTED-PRINTABLE", "ENCODING=QUOTED-PRINTABLE") for one in parameters):
        value = quopri.decodestring(value)
    elif any(one in ("BASE64", "ENCODING=BASE64", "ENCODING=B") for one in parameters):
        return ""
    for encoding in (charset.strip('"'), "utf-8", "cp1252"):
        try:
            return value.decode(encoding)
        except (LookupError, UnicodeDecodeError):
            continue
    return value.decode("latin-1")


def _take(card: _Card, name: str, value: str) -> None:
    if name in KINDS:
        card.is_group = value.strip().casefold() == "group"
        card.is_company = card.is_company or value.strip().casefold() == "org"
    elif name == SHOWN_AS:
        card.is_company = value.strip().casefold() == "company"
    elif name == "N":
        parts = UNESCAPED_SEMICOLON.split(value)
        for heading, part in zip(PARTS_OF_NAME, parts, strict=False):
            card.cells.setdefault(heading, _text(part.replace(",", " ") if heading != "Title" else part))
    elif name == "CATEGORIES":
        groups = [_text(one) for one in UNESCAPED_COMMA.split(value)]
        card.cells["Groups"] = "; ".join(filter(None, [card.cells.get("Groups", ""), *groups]))[:MOST_CELL]
    else:
        text = ", ".join(filter(None, map(_text, UNESCAPED_SEMICOLON.split(value)))) if name == "ADR" else _text(value)
        card.cells.setdefault(PROPERTIES[name], text)


def _text(value: str) -> str:
    """Return a value without its escapes, on one line, and not longer than a cell."""
    plain = ESCAPE.sub(lambda found: "\n" if found[1] in "nN" else found[1], value)
    return " ".join(plain.replace("\x00", " ").removeprefix("tel:").removeprefix("mailto:").split())[:MOST_CELL]

"""The check of fields and options as they are entered."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import get_args
from uuid import UUID

from app.db.models.guest_fields import MARK_LENGTH, FieldKind
from app.errors import FieldError, Invalid
from app.files.guest_lists.columns import FIELDS
from app.files.guest_lists.own_format import HEADINGS, OLD_HEADINGS
from app.guests.party_and_group_names import clean_colour
from app.web.bulk import check_each
from app.web.names import clean_name, name_key

MOST_SIDES, MOST_COURSES, MOST_OWN, MOST_OPTIONS = 10, 8, 20, 50
NAME_MOST, OPTION_MOST = 60, 100
"""Characters: names of fields are headings of columns, those of options stand on the floor and on lists."""
RESERVED = frozenset(map(name_key, (*FIELDS.values(), *OLD_HEADINGS, *HEADINGS, "Side", "Household", "Table", "Seat")))


@dataclass(frozen=True)
class OptionEntry:
    """An option as entered; a colour or mark left out (None) stays, or is chosen."""

    name: str
    id: UUID | None = None
    colour: str | None = None
    mark: str | None = None


@dataclass(frozen=True)
class FieldEntry:
    """A field as entered; options left out (None) stay as they are stored."""

    kind: str
    name: str = ""
    options: Sequence[OptionEntry] | None = None


def check_field(entry: FieldEntry) -> FieldEntry:
    """Return the field with its names tidied, or raise what is wrong with it."""
    if entry.kind not in get_args(FieldKind):
        raise Invalid(FieldError("kind", "The kind must be side, course, choice or text."))
    name = entry.name if entry.kind == "side" else _clean_field_name(entry.name)
    if entry.options is None:
        return replace(entry, name=name)
    if entry.kind == "text" and entry.options:
        raise Invalid(FieldError("options", "A field of texts has no options."))
    most = MOST_SIDES if entry.kind == "side" else MOST_OPTIONS
    if len(entry.options) > most:
        raise Invalid(FieldError("options", f"That would be {len(entry.options):,} options; maximum {most}."))
    return replace(entry, name=name, options=check_each("options", entry.options, _check_option))


def refuse_too_many(kind: str, stored: Sequence[str]) -> None:
    """Refuse one more field of this kind, where an event has as many as it can take."""
    counts = Counter(stored)
    if kind == "side" and counts["side"]:
        raise Invalid(FieldError("kind", "This event has sides already. Change those."))
    if kind == "course" and counts["course"] >= MOST_COURSES:
        raise Invalid(FieldError("name", f"The menu already has {MOST_COURSES} courses, which is the maximum."))
    if kind in ("choice", "text") and counts["choice"] + counts["text"] >= MOST_OWN:
        raise Invalid(FieldError("name", f"The event already has {MOST_OWN} fields of its own, which is the maximum."))


def _clean_field_name(text: str) -> str:
    name = clean_name(text, "name", "The name of the field")
    _refuse_long(name, NAME_MOST, "name", "The name of the field")
    if name_key(name) in RESERVED:
        raise Invalid(FieldError("name", f"Every event has a field “{name}” already. Choose another name."))
    return name


def _check_option(entry: OptionEntry, where: str) -> OptionEntry:
    name = clean_name(entry.name, f"{where}name", "The name of the option")
    _refuse_long(name, OPTION_MOST, f"{where}name", "The name of the option")
    colour = None if entry.colour is None else clean_colour(entry.colour, f"{where}colour")
    mark = None if entry.mark is None else _clean_mark(entry.mark, f"{where}mark")
    return replace(entry, name=name, colour=colour, mark=mark)


def _clean_mark(text: str, where: str) -> str:
    mark = clean_name(text, where, "The mark") if text.strip() else ""
    _refuse_long(mark, MARK_LENGTH, where, "The mark")
    return mark


def _refuse_long(text: str, most: int, where: str, what: str) -> None:
    if len(text) > most:
        raise Invalid(FieldError(where, f"{what} has {len(text):,} characters; maximum {most}."))

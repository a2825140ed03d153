"""The columns of the guest table: what each shows, how it is typed, filtered and sorted. A new field is one entry."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from app.errors import FieldError, Invalid
from app.events.context import EventContext
from app.files.guest_lists.vocabulary import AGE_GROUP_OF, REPLY_OF, plain, read_age_group, read_child, read_reply
from app.guests.allergies import ALLERGENS
from app.guests.entries import AGE_WORDS, REPLY_WORDS
from app.guests.guest_view import GuestView
from app.guests.known_fields import KnownFields
from app.guests.party_and_group_names import Labels, in_use
from app.guests.queries.fields import FieldRow

Kind = Literal["text", "long", "choice", "multi", "boolean"]
Value = str | bool | tuple[str, ...]
YES, NO = "yes", "no"
OWN = "field-"
"""What keys of the event's own columns begin with: its sides, its courses and its fields."""


@dataclass(frozen=True)
class Option:
    """A value that a column offers, with its words and, for groups, its colour; `also` are words that mean it too."""

    value: str
    words: str
    colour: str = ""
    also: Sequence[str] = ()


@dataclass(frozen=True)
class Column:
    """One field of guests as the table has it.

    `is_open` columns take values that nobody has used before. `is_private` ones are for editors. `is_usual` ones are
    shown unless somebody chooses otherwise, and `is_noted` ones as soon as a guest has something in them. `without`
    are the words for guests who have nothing in the column.
    """

    key: str
    label: str
    kind: Kind = "text"
    options: Sequence[Option] = ()
    is_open: bool = False
    is_filter: bool = False
    is_searched: bool = False
    is_private: bool = False
    is_usual: bool = False
    is_noted: bool = False
    without: str = ""
    read: Callable[[GuestView], Value] | None = None
    write: Callable[[Value], Mapping[str, Any]] | None = None
    parse: Callable[[str], str | None] | None = None

    def value_of(self, guest: GuestView) -> Value:
        """Return what the guest has in this column; a text is empty where they have nothing."""
        value: Value | None = self.read(guest) if self.read else getattr(guest, self.key)
        return "" if value is None else value

    def values_of(self, guest: GuestView) -> tuple[str, ...]:
        """Return what filters compare: one value, several, or an empty one for a guest who has nothing here."""
        value = self.value_of(guest)
        if isinstance(value, tuple):
            return value or ("",)
        return (value if isinstance(value, str) else YES if value else NO,)

    def words_of(self, value: Value) -> str:
        """Return the words for a value, as a cell shows them."""
        if isinstance(value, bool):
            return "Yes" if value else ""
        return ", ".join(map(self._words, value)) if isinstance(value, tuple) else self._words(value)

    def _words(self, value: str) -> str:
        return next((option.words for option in self.options if option.value == value), value)

    def entry_of(self, value: Value) -> Mapping[str, Any]:
        """Return the fields of a guest's entry that set this column."""
        return self.write(value) if self.write else {self.key: value}

    def clean(self, typed: object, where: str) -> Value:
        """Return what was typed, pasted or chosen as a value of this column, or say why it is none."""
        if self.kind == "boolean":
            return self._clean_boolean(typed, where)
        if self.kind == "multi":
            parts = typed if isinstance(typed, list) else str(typed).split(",")
            return tuple(dict.fromkeys(self._clean_one(str(part), where) for part in parts if str(part).strip()))
        if not isinstance(typed, str):
            raise Invalid(FieldError(where, f"{self.label}: enter a text."))
        return self._clean_one(typed, where)

    def _clean_boolean(self, typed: object, where: str) -> bool:
        known = typed if isinstance(typed, bool) else False if not str(typed).strip() else read_child(str(typed))
        if known is None:
            raise Invalid(FieldError(where, f"{self.label}: “{str(typed)[:30]}” is not yes or no."))
        return known

    def _clean_one(self, typed: str, where: str) -> str:
        if self.kind not in ("choice", "multi") or self.is_open:
            return typed
        wanted = plain(typed)
        for option in self.options:
            if typed == option.value or wanted in (plain(option.value), plain(option.words)):
                return option.value
        read = self.parse(typed) if self.parse else None
        if read is None:
            offered = ", ".join(option.words for option in self.options[:12])
            more = " Add it under Fields and menu." if self.key.startswith(OWN) else ""
            raise Invalid(FieldError(where, f"{self.label}: “{typed[:30]}” is not one of {offered}.{more}"))
        return read


def _read_age(text: str) -> str | None:
    is_child = read_child(text)
    return read_age_group(text) or (None if is_child is None else "child" if is_child else "adult")


def _meaning(value: str, words: Mapping[str, str]) -> tuple[str, ...]:
    return tuple(word for word, meant in words.items() if meant == value)


REPLIES = tuple(Option(key, words.capitalize(), "", _meaning(key, REPLY_OF)) for key, words in REPLY_WORDS.items())
AGES = tuple(Option(key, words.capitalize(), "", _meaning(key, AGE_GROUP_OF)) for key, words in AGE_WORDS.items())
ALLERGIES = tuple(Option(code, words.partition(" (")[0].capitalize()) for code, words in ALLERGENS.items())
BUILT_IN = (
    Column("name", "Name", is_searched=True, is_usual=True),
    Column(
        "party",
        "Household",
        "choice",
        is_open=True,
        is_filter=True,
        is_searched=True,
        is_usual=True,
        without="No household",
        write=lambda value: {"party": value or None},
    ),
    Column(
        "groups", "Groups", "multi", is_open=True, is_filter=True, is_searched=True, is_usual=True, without="No group"
    ),
    Column("reply", "Reply", "choice", REPLIES, is_filter=True, is_usual=True, parse=read_reply),
    Column("age_group", "Age", "choice", AGES, is_filter=True, is_usual=True, parse=_read_age),
    Column("diet", "Diet", is_filter=True, is_searched=True, is_private=True, is_usual=True, without="No diet"),
    Column(
        "allergies", "Allergies", "multi", ALLERGIES, is_filter=True, is_private=True, is_noted=True, without="None"
    ),
    Column("other_allergies", "Other allergies", is_searched=True, is_private=True, is_noted=True),
    Column("high_chair", "High chair", "boolean", is_filter=True, is_noted=True),
    Column("wheelchair", "Wheelchair", "boolean", is_filter=True, is_noted=True),
    Column("title", "Title", is_searched=True, is_noted=True),
    Column("first_name", "First name", is_searched=True),
    Column("last_name", "Last name", is_searched=True),
    Column("email", "E-mail", is_searched=True, is_private=True, is_noted=True),
    Column("phone", "Phone", is_searched=True, is_private=True, is_noted=True),
    Column("note", "Note", "long", is_searched=True, is_private=True, is_noted=True),
    Column("public_name", "Shown to guests as", is_searched=True, is_noted=True),
)
BEFORE_OWN = next(place for place, column in enumerate(BUILT_IN) if column.key == "diet")
"""Sides, meals and own fields stand here, among the columns that most people look at."""


def columns_of(ctx: EventContext) -> tuple[Column, ...]:
    """Return the columns that somebody may see in the table of an event, with the values in use as options."""
    labels, is_editor = in_use(ctx), ctx.allows("editor")
    own = tuple(map(_own_column, KnownFields.of(ctx.session, ctx.event_id).fields))
    found = (*BUILT_IN[:BEFORE_OWN], *own, *BUILT_IN[BEFORE_OWN:])
    return tuple(_with_options(column, labels) for column in found if is_editor or not column.is_private)


def _own_column(field: FieldRow) -> Column:
    """Return the column of the event's sides, of a course of its menu, or of a field that the planner made."""
    attribute = {"side": "side", "course": "meals"}.get(field.kind, "fields")

    def write(value: Value) -> dict[str, Any]:
        return {"side": value or None} if attribute == "side" else {attribute: {field.name: value or None}}

    is_text = field.kind == "text"
    return Column(
        key=f"{OWN}{field.id}",
        label=field.name,
        kind="text" if is_text else "choice",
        options=tuple(Option(option.name, option.name, option.colour) for option in field.options),
        is_filter=not is_text,
        is_searched=is_text,
        is_private=is_text,  # as for everyone who reads guests
        is_usual=True,
        without=f"No {field.name[:1].lower()}{field.name[1:]}",
        read=lambda guest: _own_value(guest, field, attribute),
        write=lambda value: (
            {"side": value or None} if attribute == "side" else {attribute: {field.name: value or None}}
        ),
    )


def _own_value(guest: GuestView, field: FieldRow, attribute: str) -> str:
    value: str | Mapping[str, str] | None = getattr(guest, attribute)
    return (value.get(field.name) if isinstance(value, Mapping) else value) or ""


def _with_options(column: Column, labels: Labels) -> Column:
    if column.key == "party":
        return replace(column, options=tuple(Option(name, name) for name in labels.parties))
    if column.key == "groups":
        colours = labels.colours
        return replace(column, options=tuple(Option(name, name, colours[name] or "grey") for name in labels.groups))
    return column


def column_called(columns: Sequence[Column], key: str) -> Column:
    """Return the column with this key, or refuse one that is not there or not for this person."""
    found = next((column for column in columns if column.key == key), None)
    if found is None:
        raise Invalid(FieldError("column", f"There is no column “{key[:40]}”."))
    return found

"""What guests of two events have that differs, and the entries that take it over."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from app.guests.columns import BUILT_IN, Column, Value
from app.guests.entries import GuestEntry
from app.guests.guest_view import GuestView
from app.transfer.take_over.fields import FieldFit, values_of
from app.web.names import name_key

ALWAYS = ("title", "age_group", "high_chair", "wheelchair")
OF_DETAILS = ("email", "phone", "note", "diet", "allergies", "other_allergies")
OF_GROUPS = ("party", "groups")
EMPTY: dict[str, Value] = {"age_group": "adult", "reply": "invited"}
"""What stands for nothing where it is no empty text."""
COLUMNS: Mapping[str, Column] = {column.key: column for column in BUILT_IN}


@dataclass(frozen=True)
class Difference:
    """What a guest has there and not here: in words, whether there is nothing here, and the entry that sets it."""

    label: str
    here: str
    there: str
    is_empty: bool
    entry: Mapping[str, Any]


def differences(there: GuestView, here: GuestView, keys: Sequence[str], fit: FieldFit | None) -> tuple[Difference, ...]:
    """Return what the other event says about a guest and this one does not."""
    found = [*_of_columns(there, here, keys)]
    if fit is not None:
        found += _of_fields(there, here, fit)
    return tuple(found)


def new_entry(there: GuestView, keys: Sequence[str], fit: FieldFit | None) -> GuestEntry:
    """Return the entry of a guest who is new here."""
    given: dict[str, Any] = {name: getattr(there, name) for name in ("first_name", "last_name", "public_name")}
    for key in keys:
        given |= COLUMNS[key].entry_of(COLUMNS[key].value_of(there))
    if fit is not None:
        for kind, name, text in fit.values_of(there):
            _add_value(given, kind, name, text)
    return GuestEntry(there.name, **given)


def merged_entry(name: str, taken: Sequence[Difference]) -> GuestEntry:
    """Return the entry that takes these differences over."""
    given: dict[str, Any] = {}
    for one in taken:
        for key, value in one.entry.items():
            given[key] = {**given[key], **value} if isinstance(value, dict) and key in given else value
    return GuestEntry(name, **given)


def _of_columns(there: GuestView, here: GuestView, keys: Sequence[str]) -> Iterator[Difference]:
    for key in keys:
        column = COLUMNS[key]
        theirs, ours = column.value_of(there), column.value_of(here)
        if key == "groups" and isinstance(theirs, tuple) and isinstance(ours, tuple):
            yield from _of_groups(theirs, ours)
        elif theirs != EMPTY.get(key, "") and theirs and not _is_same(theirs, ours):
            is_empty = not ours or ours == EMPTY.get(key)
            words = (column.words_of(ours), column.words_of(theirs))
            yield Difference(column.label, *words, is_empty, column.entry_of(theirs))


def _of_groups(theirs: tuple[str, ...], ours: tuple[str, ...]) -> Iterator[Difference]:
    """Yield the groups to join; nobody leaves one, so there is nothing to overwrite."""
    known = set(map(name_key, ours))
    new = tuple(name for name in theirs if name_key(name) not in known)
    if new:
        yield Difference("Groups", ", ".join(ours), ", ".join(theirs), is_empty=True, entry={"groups": (*ours, *new)})


def _of_fields(there: GuestView, here: GuestView, fit: FieldFit) -> Iterator[Difference]:
    present = {(kind, name_key(name)): text for kind, name, text in values_of(here)}
    for kind, name, text in fit.values_of(there):
        ours = present.get((kind, name_key(name)), "")
        if not _is_same(text, ours):
            given: dict[str, Any] = {}
            _add_value(given, kind, name, text)
            yield Difference(name, ours, text, not ours, given)


def _add_value(given: dict[str, Any], kind: str, name: str, text: str) -> None:
    if kind == "side":
        given["side"] = text
    else:
        given.setdefault("meals" if kind == "course" else "fields", {})[name] = text


def _is_same(one: Value, other: Value) -> bool:
    if isinstance(one, str) and isinstance(other, str):
        return name_key(one) == name_key(other)
    return one == other

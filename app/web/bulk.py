"""A whole list in one: what every noun checks when all of its rows are sent together."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol, TypeVar
from uuid import UUID

from app.db.models import FieldOption, Group, Guest, Table
from app.errors import FieldError, Invalid
from app.web.names import name_key, tidy_name, twice

MAX_FAULTS = 100


class Entry(Protocol):
    """What is sent: a name, and the id of a stored row where the sender knows it."""

    @property
    def id(self) -> UUID | None: ...

    @property
    def name(self) -> str: ...


E = TypeVar("E", bound=Entry)
R = TypeVar("R", Guest, Group, Table, FieldOption)


def check_each(noun: str, entries: Sequence[E], check: Callable[[E, str], E]) -> list[E]:
    """Return all entries tidied by `check`, or raise all faults together; each name and id may occur once."""
    faults = _Faults(noun)
    checked = [faults.collect(number, entry, check) for number, entry in enumerate(entries)]
    faults.refuse()
    return checked


def check_list(
    noun: str,
    entries: Sequence[E],
    check: Callable[[E, str, R | None], E],
    stored: Sequence[R],
    present: Callable[[R], bool],
) -> list[tuple[E, R | None]]:
    """Return all entries tidied, each with the stored row that it means, or raise all faults together.

    It means the row with its id, or else its name among the `present` ones. `check` gets that row for the name as sent.
    """
    faults, find = _Faults(noun), _finder(entries, stored, present)
    checked = []
    for number, entry in enumerate(entries):
        if entry.id and find(entry) is None:
            faults.add_unknown(number)
        checked.append(faults.collect(number, entry, lambda one, where: check(one, where, find(one))))
    faults.refuse()
    return [(entry, find(entry)) for entry in checked]


def match_stored(
    noun: str, entries: Sequence[Entry], stored: Sequence[R], present: Callable[[R], bool]
) -> list[R | None]:
    """Return for each entry the stored row that it means, by id or else by name among the `present` ones, or None."""
    faults, find = _Faults(noun), _finder(entries, stored, present)
    matched = [find(entry) for entry in entries]
    for number, (entry, row) in enumerate(zip(entries, matched, strict=True)):
        if entry.id and row is None:
            faults.add_unknown(number)
    faults.refuse()
    return matched


def _finder(entries: Sequence[Entry], stored: Sequence[R], present: Callable[[R], bool]) -> Callable[[Entry], R | None]:
    """Return what finds the row that an entry means; None for a new one, or for an id that no row has."""
    claimed = {entry.id for entry in entries}
    by_id = {row.id: row for row in stored}
    by_name = {row.name_key: row for row in stored if present(row) and row.id not in claimed}

    def find(entry: Entry) -> R | None:
        return by_id.get(entry.id) if entry.id else by_name.get(name_key(tidy_name(entry.name)))

    return find


class _Faults:
    """What is wrong with the entries of a list, by their places."""

    def __init__(self, noun: str) -> None:
        self._noun = noun
        self._found: list[FieldError] = []
        self._names: dict[str, tuple[int, str]] = {}
        self._ids: dict[UUID, int] = {}

    def collect(self, number: int, entry: E, check: Callable[[E, str], E]) -> E:
        """Return the entry tidied, or as it is where something is wrong with it."""
        where, found = f"{self._noun}/{number}/", entry
        try:
            found = check(entry, where)
        except Invalid as error:
            self._found += error.faults
        self._note_twice(number, found, where)
        return found

    def add_unknown(self, number: int) -> None:
        """Note that there is no row with the id of an entry."""
        message = f"No {self._noun.removesuffix('s')} with this id in this event. Leave the id out to add a new one."
        self._found.append(FieldError(f"{self._noun}/{number}/id", message))

    def refuse(self) -> None:
        """Raise everything that was found."""
        if self._found:
            raise Invalid(self._found[:MAX_FAULTS])

    def _note_twice(self, number: int, entry: Entry, where: str) -> None:
        name = tidy_name(entry.name)
        earlier, written = self._names.setdefault(name_key(name), (number, name)) if name else (number, name)
        if earlier != number:
            self._found.append(FieldError(f"{where}name", twice(name, written, f"{self._noun}/{earlier}")))
        if entry.id and self._ids.setdefault(entry.id, number) != number:
            self._found.append(FieldError(f"{where}id", f"Duplicate id (also {self._noun}/{self._ids[entry.id]})."))

"""A whole list in one: what every noun checks when all of its rows are sent together."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol, TypeVar
from uuid import UUID

from app.db.models import FieldOption, Group, Guest, Table
from app.errors import FieldError, Invalid
from app.web.names import name_key, twice

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
    checked: list[E] = []
    faults: list[FieldError] = []
    names: dict[str, tuple[int, str]] = {}
    ids: dict[UUID, int] = {}
    for number, entry in enumerate(entries):
        where = f"{noun}/{number}/"
        try:
            taken = check(entry, where)
        except Invalid as error:
            faults += error.faults
            continue
        checked.append(taken)
        earlier, name = names.setdefault(name_key(taken.name), (number, taken.name))
        if earlier != number:
            faults.append(FieldError(f"{where}name", twice(taken.name, name, f"{noun}/{earlier}")))
        if taken.id and ids.setdefault(taken.id, number) != number:
            faults.append(FieldError(f"{where}id", f"Duplicate id (also {noun}/{ids[taken.id]})."))
    if faults:
        raise Invalid(faults[:MAX_FAULTS])
    return checked


def match_stored(
    noun: str, entries: Sequence[Entry], stored: Sequence[R], present: Callable[[R], bool]
) -> list[R | None]:
    """Return for each entry the stored row that it means, by id or else by name among the `present` ones, or None."""
    by_id = {row.id: row for row in stored}
    unknown = [number for number, entry in enumerate(entries) if entry.id and entry.id not in by_id]
    if unknown:
        message = f"No {noun.removesuffix('s')} with this id in this event. Leave the id out to add a new one."
        raise Invalid([FieldError(f"{noun}/{number}/id", message) for number in unknown[:MAX_FAULTS]])
    claimed = {entry.id for entry in entries}
    by_name = {row.name_key: row for row in stored if present(row) and row.id not in claimed}
    return [by_id[entry.id] if entry.id else by_name.get(name_key(entry.name)) for entry in entries]

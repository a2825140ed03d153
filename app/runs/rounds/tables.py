"""Which tables each round uses, from the rounds that somebody typed beside each table."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple
from uuid import UUID

from app.errors import FieldError, Invalid
from app.events.context import EventContext
from app.sentences import list_in_words
from app.tables.queries import tables_of

FIELD = "rounds_of_"
"""The names of the form's fields begin so; the id of the table follows."""
SPAN = re.compile(r"(\d{1,3})(?:\s*[-–]\s*(\d{1,3}))?")


class TableRounds(NamedTuple):
    """A table with its field in the form."""

    field: str
    name: str
    seats: int


def list_table_rounds(ctx: EventContext) -> list[TableRounds]:
    """Return the tables in their order, each with its field."""
    tables = tables_of(ctx.session, ctx.event_id)
    return [TableRounds(f"{FIELD}{table.id}", table.name, table.seats) for table in tables]


def find_round_tables(ctx: EventContext, typed: Mapping[str, str], rounds: int) -> tuple[tuple[UUID, ...], ...]:
    """Return the tables of each round, or nothing if every round uses all of them."""
    used: list[list[UUID]] = [[] for _ in range(rounds)]
    faults, is_asked = [], False
    for table in tables_of(ctx.session, ctx.event_id):
        field = f"{FIELD}{table.id}"
        text = typed.get(field, "").strip()
        try:
            numbers = read_numbers(text, rounds) if text else range(1, rounds + 1)
        except ValueError as error:
            faults.append(FieldError(field, f"{table.name}: {error}"))
            continue
        is_asked = is_asked or len(numbers) < rounds
        for number in numbers:
            used[number - 1].append(table.id)
    if faults:
        raise Invalid(faults)
    if not is_asked:
        return ()
    empty = [str(number) for number, tables in enumerate(used, 1) if not tables]
    if empty:
        text = f"Round {empty[0]} has" if len(empty) == 1 else f"Rounds {list_in_words(empty)} have"
        raise Invalid(FieldError("rounds", f"{text} no table."))
    return tuple(map(tuple, used))


def read_numbers(text: str, rounds: int) -> Sequence[int]:
    """Return the rounds of a text such as “1, 3-4”."""
    found: set[int] = set()
    for part in filter(None, re.split(r"[,;]|\band\b", text)):
        span = SPAN.fullmatch(part.strip())
        if span is None:
            raise ValueError("write rounds as numbers, such as 1, 3-4.")
        first, last = int(span[1]), int(span[2] or span[1])
        if not (1 <= first <= rounds and 1 <= last <= rounds):
            raise ValueError(f"the rounds are 1 to {rounds}.")
        if last < first:
            raise ValueError(f"write the smaller round first, such as {last}-{first}.")
        found.update(range(first, last + 1))
    if not found:
        raise ValueError("write rounds as numbers, such as 1, 3-4.")
    return sorted(found)

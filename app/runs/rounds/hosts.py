"""Hosts of several rounds, by the names that somebody typed."""

from __future__ import annotations

from functools import partial
from uuid import UUID

from app.errors import FieldError, Invalid
from app.events.context import EventContext
from app.runs.rounds.names_on_a_line import split_names
from app.runs.rounds.typed_names import TypedNames, read_lines, refuse
from app.solver import MOST_IN_ROUNDS

FIELD = "hosts"


def find_hosts(ctx: EventContext, typed: str) -> tuple[UUID, ...]:
    """Return the guests named in the lines, one or several on each, or say which names are unknown or shared."""
    lines = read_lines(FIELD, typed, MOST_IN_ROUNDS)
    if not lines:
        return ()
    known = TypedNames(ctx)
    names = [(number, name) for number, line in lines for name in _names(line, known)]
    if len(names) > MOST_IN_ROUNDS:
        raise Invalid(FieldError(FIELD, f"The lines have {len(names):,} hosts; maximum {MOST_IN_ROUNDS:,}."))
    refuse(
        FIELD, (partial(known.fault, f"Hosts, line {number}", name) for number, name in names if not known.is_one(name))
    )
    return known.find(name for _, name in names)


def _names(line: str, known: TypedNames) -> list[str]:
    return [line] if line in known else split_names(line, known)

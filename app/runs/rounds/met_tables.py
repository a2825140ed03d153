"""Who sat together before several rounds: a table or a pair on each line that somebody typed or pasted."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from app.errors import FieldError, Invalid
from app.events.context import EventContext
from app.runs.options import MOST_AT_TABLE, MOST_MET
from app.runs.rounds.names_on_a_line import quote_name, split_names
from app.runs.rounds.typed_names import TypedNames, read_lines, refuse, shorten
from app.sentences import list_in_words
from app.web.names import tidy_name

FIELD, SKIP_FIELD = "met_tables", "skip_names"
MOST_LISTED = 40
MetTables = tuple[tuple[UUID, ...], ...]
Lines = Sequence[tuple[int, list[str]]]
"""The names on each line, with its number."""


@dataclass(frozen=True)
class UnknownNames:
    """Names on the lines that no guest has, and whether somebody chose to skip all of them."""

    names: Sequence[str]
    is_skipped: bool

    @property
    def label(self) -> str:
        return "Skip this name" if len(self.names) == 1 else f"Skip these {len(self.names):,} names"

    @property
    def hint(self) -> str:
        """Return the names in a sentence; nobody reads hundreds."""
        more = len(self.names) - MOST_LISTED
        shown = [shorten(name) for name in self.names[:MOST_LISTED]]
        return f"{list_in_words([*shown, *([f'{more:,} more'] if more > 0 else [])])}."


def find_met_tables(ctx: EventContext, typed: Mapping[str, str]) -> MetTables:
    """Return the guests of each line, or say which names are unknown or shared.

    Not everyone who was there last year comes again, so names that no guest has can be skipped: only those that were
    shown to whoever skips them.
    """
    known = TypedNames(ctx)
    lines = _read(typed, known)
    refuse(FIELD, _problems(lines, known, _skipped(typed)))
    tables = [table for table in (known.find(names) for _, names in lines) if len(table) > 1]
    if lines and not tables:
        raise Invalid(FieldError(FIELD, "No two guests to be seated are on one line."))
    return tuple(tables)


def find_unknown(ctx: EventContext, typed: Mapping[str, str]) -> UnknownNames:
    """Return the names that can be skipped."""
    known = TypedNames(ctx)
    try:
        lines = _read(typed, known)
    except Invalid:
        lines = []
    names = dict.fromkeys(name for _, names in lines if len(names) > 1 for name in names if name not in known)
    return UnknownNames(tuple(names), set(names) <= _skipped(typed))


def write_met_tables(tables: MetTables, names: Mapping[UUID, str]) -> str:
    """Return the lines as somebody would type them; guests who are no longer to be seated are left out."""
    here = ([quote_name(names[guest]) for guest in table if guest in names] for table in tables)
    return "".join(f"{', '.join(table)}\n" for table in here if len(table) > 1)


def _read(typed: Mapping[str, str], known: TypedNames) -> Lines:
    lines = read_lines(FIELD, typed.get(FIELD, ""))
    found = [(number, list(dict.fromkeys(map(tidy_name, split_names(line, known))))) for number, line in lines]
    count = sum(len(names) for _, names in found)
    if count > MOST_MET:
        raise Invalid(FieldError(FIELD, f"The lines have {count:,} names; maximum {MOST_MET:,}."))
    return found


def _skipped(typed: Mapping[str, str]) -> set[str]:
    return set(typed.get(SKIP_FIELD, "").splitlines())


def _problems(lines: Lines, known: TypedNames, skipped: Collection[str]) -> Iterator[str]:
    """Yield what is wrong on each line; an unknown name is mentioned once."""
    mentioned = set(skipped)
    for number, names in lines:
        guests, unknown = known.find(names), [name for name in names if name not in known]
        if len(guests) + len(unknown) == 1:
            advice = "Write all names of a table on one line, with commas between them."
            yield f"Line {number}: “{shorten(names[0])}” is alone. {advice}"
            continue
        if len(guests) > MOST_AT_TABLE:
            yield f"Line {number} has {len(guests)} guests; maximum {MOST_AT_TABLE}."
        faults = (known.fault(name) for name in names if name in known or name not in mentioned)
        yield from (f"Line {number}: {fault}" for fault in faults if fault)
        mentioned.update(unknown)

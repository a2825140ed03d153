"""Who sat together before several rounds: a table or a pair on each line that somebody typed or pasted."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from uuid import UUID

from app.errors import FieldError, Invalid
from app.events.context import EventContext
from app.runs.options import MOST_AT_TABLE, MOST_MET
from app.runs.rounds.names_on_a_line import quote_name, split_names
from app.runs.rounds.typed_names import Problem, TypedNames, read_lines, refuse, shorten
from app.sentences import list_in_words
from app.web.names import tidy_name

FIELD, SKIP_FIELD = "met_tables", "skip_names"
LINE = "Sat together before, line"
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


@dataclass(frozen=True)
class MetNames:
    """The names on the lines, and who of the guests they are: read once, for the run or for the form again."""

    lines: Lines
    known: TypedNames
    skipped: Collection[str]
    """The names that somebody chose to skip."""

    def find_tables(self) -> MetTables:
        """Return the guests of each line, or say which names are unknown or shared.

        Not everyone who was there last year comes again, so names that no guest has can be skipped: only those that
        were shown to whoever skips them.
        """
        refuse(FIELD, _problems(self.lines, self.known, self.skipped))
        tables = [table for table in (self.known.find(names) for _, names in self.lines) if len(table) > 1]
        if self.lines and not tables:
            raise Invalid(FieldError(FIELD, "No two guests to be seated are on one line."))
        return tuple(tables)

    def find_unknown(self) -> UnknownNames:
        """Return the names that can be skipped."""
        lines = (names for _, names in self.lines if len(names) > 1)
        names = dict.fromkeys(name for names in lines for name in names if name not in self.known)
        return UnknownNames(tuple(names), set(names) <= set(self.skipped))


def read_met_names(ctx: EventContext, typed: Mapping[str, str]) -> MetNames:
    """Return the names on the lines, or refuse lines with too many."""
    lines = read_lines(FIELD, typed.get(FIELD, ""), MOST_MET)
    known = TypedNames(ctx)
    found = [(number, list(dict.fromkeys(map(tidy_name, split_names(line, known))))) for number, line in lines]
    count = sum(len(names) for _, names in found)
    if count > MOST_MET:
        raise Invalid(FieldError(FIELD, f"The lines have {count:,} names; maximum {MOST_MET:,}."))
    return MetNames(found, known, set(typed.get(SKIP_FIELD, "").splitlines()))


def find_unknown(ctx: EventContext, typed: Mapping[str, str]) -> UnknownNames:
    """Return the names that can be skipped; none of lines that cannot be read."""
    try:
        return read_met_names(ctx, typed).find_unknown()
    except Invalid:
        return UnknownNames((), is_skipped=False)


def write_met_tables(tables: MetTables, names: Mapping[UUID, str]) -> str:
    """Return the lines as somebody would type them; guests who are no longer to be seated are left out."""
    here = ([quote_name(names[guest]) for guest in table if guest in names] for table in tables)
    return "".join(f"{', '.join(table)}\n" for table in here if len(table) > 1)


def _problems(lines: Lines, known: TypedNames, skipped: Collection[str]) -> Iterator[Problem]:
    """Yield what is wrong on each line; an unknown name is mentioned once."""
    mentioned = set(skipped)
    for number, names in lines:
        guests, unknown = known.find(names), [name for name in names if name not in known]
        if len(guests) + len(unknown) == 1:
            yield partial(_is_alone, number, names[0])
            continue
        if len(guests) > MOST_AT_TABLE:
            yield partial("{} {} has {} guests; maximum {}.".format, LINE, number, len(guests), MOST_AT_TABLE)
        for name in names:
            if not known.is_one(name) and (name in known or name not in mentioned):
                yield partial(known.fault, f"{LINE} {number}", name)
        mentioned.update(unknown)


def _is_alone(number: int, name: str) -> str:
    advice = "Write all names of a table on one line, with commas between them."
    return f"{LINE} {number}: “{shorten(name)}” is alone. {advice}"

"""What the form says about rounds: read for several of them, and refused where there is only one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from app.errors import FieldError, Invalid, collected
from app.events.context import EventContext
from app.runs.options import RunOptions
from app.runs.rounds import met_tables
from app.runs.rounds.hosts import find_hosts
from app.runs.rounds.met_tables import UnknownNames, read_met_names
from app.runs.rounds.planned_before import rounds_at_first
from app.runs.rounds.tables import FIELD, find_round_tables
from app.sentences import list_in_words

FILLED_IN = {
    "goal": ("chose", "whom people should meet", "choose “As many new people as possible”"),
    "hosts": ("filled in", "hosts", "clear the hosts"),
    "met_at": ("chose", "who met before", "choose “Nobody”"),
    met_tables.FIELD: ("filled in", "who sat together before", "clear it"),
    FIELD: ("filled in", "rounds of tables", "clear them"),
    "split_households": ("chose", "separate households", "untick it"),
}
"""What somebody did with each field, what it is called in a message, and how to leave it out."""


class RoundsRefused(Invalid):
    """Some of what was typed for several rounds is invalid. Each error says where and why."""

    def __init__(self, faults: list[FieldError], unknown: UnknownNames | None) -> None:
        """`unknown` are the names that can be skipped, if the lines could be read."""
        self.unknown = unknown
        super().__init__(faults)


def add_rounds(ctx: EventContext, typed: Mapping[str, str], options: RunOptions) -> RunOptions:
    """Return the options with the guests and tables that were typed for several rounds."""
    if options.rounds == 1:
        refuse_ignored(typed, rounds_at_first(ctx))
    if options.rounds <= 1:
        return options
    options.check()
    faults: list[FieldError] = []
    hosts = collected(faults, lambda: find_hosts(ctx, typed["hosts"]), ())
    names = collected(faults, lambda: read_met_names(ctx, typed), None)
    met = collected(faults, names.find_tables, ()) if names else ()
    tables = collected(faults, lambda: find_round_tables(ctx, typed, options.rounds), ())
    if faults:
        raise RoundsRefused(faults, names.find_unknown() if names else None)
    return replace(options, hosts=hosts, met_tables=met, round_tables=tables)


def refuse_ignored(typed: Mapping[str, str], in_use: Mapping[str, str]) -> None:
    """Refuse what was filled in for several rounds where there is one; what the form began with is no entry."""
    filled = list(_filled_in(typed, in_use))
    if not filled:
        return
    entries = [FILLED_IN[name] for name in filled]
    nouns = {verb: list_in_words([noun for other, noun, _ in entries if other == verb]) for verb, _, _ in entries}
    words = ", and you ".join(f"{verb} {listed}" for verb, listed in nouns.items())
    undo = entries[0][2] if len(entries) == 1 else "clear them"
    text = f"You {words}, but there is only one round. Enter 2 or more rounds, or {undo}."
    raise Invalid(FieldError("rounds", text))


def _filled_in(typed: Mapping[str, str], in_use: Mapping[str, str]) -> Iterator[str]:
    """Yield the fields about rounds that say something else than the form did at first."""
    for field in FILLED_IN:
        names = [name for name in typed if name.startswith(FIELD)] if field == FIELD else [field]
        if any(_is_entry(name, typed.get(name, ""), in_use.get(name, "")) for name in names):
            yield field


def _is_entry(name: str, text: str, before: str) -> bool:
    """Say whether somebody entered this; a goal is always chosen, the first one by itself."""
    return bool(_lines(text)) and _lines(text) != _lines(before) and (name, text) != ("goal", RunOptions.goal)


def _lines(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines() if line.strip()]

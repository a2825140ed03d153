"""The form that starts a run: what it begins with, how it is read, and which parts of it are open."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from typing import Any

from fastapi import Request

from app.errors import FieldError, Invalid
from app.events.context import EventContext
from app.runs.options import CHANCES, RunOptions
from app.runs.queries import RunRow
from app.runs.rounds import hosts, met_tables
from app.runs.rounds.planned_before import rounds_in_use, rounds_of_run
from app.runs.rounds.tables import FIELD
from app.web.html.forms import read_id

NUMBERS: tuple[tuple[str, str, type[int] | type[float]], ...] = (
    ("restarts", "The number of attempts", int),
    ("time_limit", "The time limit", float),
    ("seed", "The seed", int),
    ("shards", "The number of shards", int),
    *((name, words, int) for name, words in CHANCES.items()),
    ("rounds", "The number of rounds", int),
)
WHOLE = re.compile(r"[+-]?([0-9]+|[0-9]{1,3}(,[0-9]{3})+)")
PLAIN = ("rounds", "goal")
AS_THEY_ARE = ("method", "objective", "restarts", "time_limit", "seed", "shards", "fairness", *CHANCES)
"""The options that are typed as they are, and do not concern rounds."""
NAMES = (hosts.FIELD, met_tables.FIELD, met_tables.SKIP_FIELD)
TypedOptions = dict[str, str]
"""The options of a run as entered in the form."""
DEFAULTS: TypedOptions = {
    name: str(default) if isinstance(default, str) else f"{default:g}"
    for name in (*AS_THEY_ARE, *PLAIN)
    for default in [getattr(RunOptions, name)]
} | {"met_at": "", "split_households": "", "stop_early": "yes", **dict.fromkeys(NAMES, "")}
PARTS = {
    "rounds": {*PLAIN, *NAMES, "met_at", "split_households", FIELD, "round_tables"},
    "options": {"objective", "fairness", "time_limit", "stop_early", *CHANCES},
    "found": {"method", "restarts", "seed", "shards"},
}
"""The fields in each part of the form that can be closed; “found” is within “options”."""


def options_at_first(ctx: EventContext, again: RunRow | None) -> TypedOptions:
    """Return the options that the form begins with: those of a run to start again, else of the rounds in use."""
    if again is None:
        return DEFAULTS | rounds_in_use(ctx)
    return DEFAULTS | _as_typed(again.options) | rounds_of_run(ctx, again.options)


def _as_typed(options: RunOptions) -> TypedOptions:
    """Write the options that do not concern rounds as somebody would type them."""
    values = {name: getattr(options, name) for name in AS_THEY_ARE}
    if options.from_plan:  # it went on from a plan without a limit of attempts
        del values["restarts"]
    typed = {name: f"{value:g}" if isinstance(value, float) else str(value) for name, value in values.items()}
    return typed | {"stop_early": "yes" if options.stop_early else "no"}


async def read_form(request: Request) -> TypedOptions:
    """Take the options as they were typed."""
    form = await request.form()
    sent = {name: form.get(name) for name in (*DEFAULTS, *(name for name in form if name.startswith(FIELD)))}
    return DEFAULTS | {name: value for name, value in sent.items() if isinstance(value, str) and value}


def read_options(typed: TypedOptions) -> RunOptions:
    """Return the options that were typed, or say which numbers are none."""
    faults: list[FieldError] = []
    options: dict[str, Any] = {**typed, "stop_early": typed["stop_early"] != "no"}
    for name, words, kind in NUMBERS:
        try:
            text = typed[name].strip().removesuffix("%" if name in CHANCES else "").rstrip()
            options[name] = _read_whole(text) if kind is int else float(text.replace(",", "."))
        except ValueError:
            faults.append(FieldError(name, f"{words} must be a {'whole number' if kind is int else 'number'}."))
    if faults:
        raise Invalid(faults)
    # Names of guests and rounds of tables, which only the event knows, are read apart.
    options = {name: value for name, value in options.items() if name not in NAMES and not name.startswith(FIELD)}
    options |= {"met_at": read_id(typed["met_at"]), "split_households": bool(typed["split_households"])}
    if options["rounds"] == 1:  # what the form began with does not matter then
        options |= {"goal": RunOptions.goal, "met_at": None, "split_households": False}
    return RunOptions(**options)


def _read_whole(text: str) -> int:
    """Return a whole number, with or without commas between its thousands; another comma makes it none."""
    if not WHOLE.fullmatch(text):
        raise ValueError
    return int(text.replace(",", ""))


def find_open_parts(typed: TypedOptions, faults: Sequence[FieldError]) -> Collection[str]:
    """Return the parts of the form with something wrong, or with something else than it has by itself."""
    names = {name for name, text in typed.items() if text != DEFAULTS.get(name, "")}
    names.update(fault.where.partition("/")[0] for fault in faults)
    fields = {FIELD if name.startswith(FIELD) else name for name in names}
    parts = {part for part, own in PARTS.items() if own & fields}
    return parts | {"options"} if "found" in parts else parts

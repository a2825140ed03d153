"""A whole event as a JSON file: writing it, reading it, and everything that can be wrong with it."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from pydantic import BaseModel, ValidationError

from app.files.event_guests import GuestPart
from app.files.event_parts import MOST_CHAIRS, MOST_SEATS, EventFile, PlanPart, TablePart

FORMAT, VERSION = "convive-event", 1
JSON_TYPE = "application/json"
MOST_FAULTS = 20
PLACE = re.compile(r"at line (\d+) column (\d+)")
NOT_JSON = "This file is not valid JSON"
TOO_DEEP = "This file is nested too deeply to be an exported event."
NO_EVENT = "This JSON file is not an exported event: “format” must be “convive-event”."


class EventFileError(ValueError):
    """A file that cannot be read; each of `errors` says what is wrong and where."""

    def __init__(self, *errors: str) -> None:
        self.errors = errors
        super().__init__(errors[0])


class _Head(BaseModel):
    """The fields that decide whether a file can be read at all."""

    format: Any = None
    version: Any = None


def write_event_file(content: Mapping[str, Any]) -> bytes:
    """Return the file: each entry of a list is on its own line, so that two files can be compared."""
    return "".join(_lines({"format": FORMAT, "version": VERSION, **content})).encode()


def _lines(content: Mapping[str, Any]) -> Iterator[str]:
    separator = "{\n"
    for name, part in content.items():
        yield f"{separator}{json.dumps(name)}: {_written(part)}"
        separator = ",\n"
    yield "\n}\n"


def _written(part: object) -> str:
    if isinstance(part, list) and part:
        return "[\n" + ",\n".join(map(_short, part)) + "\n]"
    return _short(part)


def _short(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def read_event_file(data: bytes) -> EventFile:
    """Return what a file holds, or raise an EventFileError with everything that is wrong with its form."""
    try:
        head = _Head.model_validate_json(data)
    except ValidationError as error:
        raise EventFileError(*_not_json(error)) from None
    if head.format != FORMAT:
        raise EventFileError(NO_EVENT)
    if head.version != VERSION or isinstance(head.version, bool):
        shown = head.version if isinstance(head.version, int) and abs(head.version) < 10**6 else "another version"
        raise EventFileError(
            f"This file is version {shown} of the format; this server reads version {VERSION}."
            if isinstance(shown, int)
            else f"“version” must be {VERSION}."
        )
    try:
        found = EventFile.model_validate_json(data)
    except ValidationError as error:
        raise EventFileError(*_sentences(error)) from None
    faults = list(_inner_faults(found))
    if faults:
        raise EventFileError(*faults[:MOST_FAULTS])
    return found


def _not_json(error: ValidationError) -> Iterator[str]:
    found = error.errors(include_input=False, include_url=False)[0]
    if found["type"] != "json_invalid":
        yield NO_EVENT
    elif "recursion" in found["msg"]:
        yield TOO_DEEP
    else:
        place = PLACE.search(found["msg"])
        yield f"{NOT_JSON}: see line {int(place[1]):,}, column {int(place[2]):,}." if place else f"{NOT_JSON}."


WORDS = {
    "missing": "is required",
    "extra_forbidden": "is not part of this format",
    "finite_number": "must be a finite number",
    "greater_than_equal": "must be at least {ge:,}",
    "less_than_equal": "must be at most {le:,}",
    "string_too_long": "must have at most {max_length:,} characters",
    "string_too_short": "must not be empty",
    "too_long": "must have at most {max_length:,} entries",
    "literal_error": "must be {expected}",
    "string": "must be text",
    "bool": "must be true or false",
    "int": "must be a whole number",
    "float": "must be a number",
    "tuple": "must be a list",
    "model": "must be an object",
    "date": "must be a date such as 2026-12-05",
    "datetime": "must be a date and time such as 2026-12-05T18:00:00Z",
}
"""What is wrong, by the whole kind of an error of pydantic or by its first word."""


def _sentences(error: ValidationError) -> list[str]:
    found = error.errors(include_input=False, include_url=False)[:MOST_FAULTS]
    more = error.error_count() - len(found)
    return [*map(_sentence, found), *([f"And {more:,} more."] if more else [])]


def _sentence(found: Any) -> str:
    kind, limits = found["type"], found.get("ctx", {})
    words = WORDS.get(kind) or WORDS.get(kind.partition("_")[0], "is not valid")
    if kind == "value_error":
        words = str(limits["error"])
    return f"{path_of(found['loc'])}: {words.format(**limits)}."


def path_of(parts: Sequence[str | int]) -> str:
    """Return where something is, such as guests[3].name; entries are counted from 0, as in the API."""
    text = "".join(f"[{part}]" if isinstance(part, int) else f".{part[:60]}" for part in parts)
    return text.removeprefix(".")


def _inner_faults(file: EventFile) -> Iterator[str]:
    """Yield what is wrong between the parts: duplicate or unknown ids."""
    guests, tables, plans = (_ids(part) for part in (file.guests, file.tables, file.plans))
    for name, part in (("guests", file.guests), ("tables", file.tables), ("plans", file.plans)):
        yield from _duplicates(name, [one.id for one in part])
    for name, rows in (("ratings", file.ratings), ("asked", file.asked), ("wishes", file.wishes)):
        yield from _pair_faults(name, rows, guests)
    if file.matrix is not None:
        yield from _unknown("matrix.guests", file.matrix.guests, guests, "guest")
        yield from _duplicates("matrix.guests", file.matrix.guests)
    for number, rule in enumerate(file.rules):
        yield from _unknown(f"rules[{number}].guests", rule.guests, guests, "guest")
        yield from _unknown(f"rules[{number}].tables", rule.tables, tables, "table")
    if sum(len(plan.seats) for plan in file.plans) > MOST_SEATS:
        yield f"plans: too many seats in all versions together; maximum {MOST_SEATS:,}."
        return
    for number, plan in enumerate(file.plans):
        yield from _plan_faults(f"plans[{number}]", plan, guests, tables)
        if plan.alternative_of is not None and (plan.alternative_of not in plans or plan.alternative_of == plan.id):
            yield f"plans[{number}].alternative_of: no other plan has this id."
    yield from _round_faults(file.plans)


def _round_faults(plans: Sequence[PlanPart]) -> Iterator[str]:
    """Say which later rounds do not belong to a first one."""
    first = {plan.id for plan in plans if plan.round == 1 and plan.alternative_of is None}
    seen: set[tuple[str | None, int]] = set()
    for number, plan in enumerate(plans):
        if not plan.round and plan.alternative_of in first:
            yield f"plans[{number}].alternative_of: a plan with rounds has no alternatives."
        elif plan.round == 1 and plan.alternative_of is not None:
            yield f"plans[{number}].round: the first round cannot be an alternative."
        elif plan.round > 1 and plan.alternative_of not in first:
            yield f"plans[{number}].round: alternative_of must be the plan of the first round."
        elif plan.round > 1 and (plan.alternative_of, plan.round) in seen:
            yield f"plans[{number}].round: duplicate."
        seen.add((plan.alternative_of, plan.round))


def _plan_faults(where: str, plan: PlanPart, guests: frozenset[str], tables: frozenset[str]) -> Iterator[str]:
    seated = {guest for guest, _, _ in plan.seats}
    taken = Counter((table, seat) for _, table, seat in plan.seats)
    yield from _unknown(f"{where}.seats", [guest for guest, _, _ in plan.seats], guests, "guest")
    yield from _unknown(f"{where}.seats", [table for _, table, _ in plan.seats], tables, "table")
    yield from _duplicates(f"{where}.seats", [guest for guest, _, _ in plan.seats])
    yield from (
        f"{where}.seats: seat {seat} of table “{table}” is taken twice." for (table, seat), n in taken.items() if n > 1
    )
    yield from _unknown(f"{where}.locked_guests", plan.locked_guests, seated, "seated guest")
    yield from _unknown(f"{where}.locked_tables", plan.locked_tables, tables, "table")
    yield from _unknown(f"{where}.empty_seats", [table for table, _ in plan.empty_seats], tables, "table")
    most = highest_seat(len(plan.seats))
    yield from _seat_faults(f"{where}.seats", [seat for _, _, seat in plan.seats], most)
    yield from _seat_faults(f"{where}.empty_seats", [seat for _, seat in plan.empty_seats], most)
    yield from _repeated_seats(f"{where}.empty_seats", plan.empty_seats)


def highest_seat(guests: int) -> int:
    """Return the highest seat number in a plan with this many guests.

    A table may have lost chairs since somebody was seated there, so its own number of seats is no limit.
    """
    return MOST_CHAIRS + guests


def _seat_faults(where: str, seats: Iterable[int], most: int) -> Iterator[str]:
    yield from (
        f"{where}[{number}]: seat {seat:,} is too high; maximum {most:,}."
        for number, seat in enumerate(seats)
        if seat > most
    )


def _repeated_seats(where: str, seats: Sequence[tuple[str, int]]) -> Iterator[str]:
    first: dict[tuple[str, int], int] = {}
    for number, seat in enumerate(seats):
        if first.setdefault(seat, number) != number:
            yield f"{where}[{number}]: duplicate of {where}[{first[seat]}]."


def _ids(part: Iterable[GuestPart | TablePart | PlanPart]) -> frozenset[str]:
    return frozenset(one.id for one in part)


def _duplicates(where: str, ids: Sequence[str]) -> Iterator[str]:
    first: dict[str, int] = {}
    for number, key in enumerate(ids):
        if first.setdefault(key, number) != number:
            yield f"{where}[{number}]: duplicate id “{key}” (also {where}[{first[key]}])."


def _unknown(where: str, ids: Sequence[str], known: Iterable[str], what: str) -> Iterator[str]:
    yield from (
        f"{where}[{number}]: no {what} has the id “{key}”." for number, key in enumerate(ids) if key not in known
    )


def _pair_faults(name: str, rows: Sequence[tuple[str, str, object]], guests: frozenset[str]) -> Iterator[str]:
    first: dict[tuple[str, str], int] = {}
    for number, (a, b, _) in enumerate(rows):
        for key in (a, b):
            if key not in guests:
                yield f"{name}[{number}]: no guest has the id “{key}”."
        if first.setdefault((a, b), number) != number:
            yield f"{name}[{number}]: duplicate of {name}[{first[a, b]}]."
        if a == b:
            yield f"{name}[{number}]: a pair needs two guests."

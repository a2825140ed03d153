"""A whole event as JSON: what the file holds, and how it is written and read.

Guests, tables and plans are named by ids that mean something in this file only; groups and households by their names.
Lists that can be long hold short rows. See docs/decisions/0066-event-files.md.
"""

from __future__ import annotations

import datetime as dt
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, Field, ValidationError

from app.files.event_guests import MOST_FIELDS, MOST_GROUPS, MOST_GUESTS, FieldPart, GuestPart, Key, Name, Part

FORMAT, VERSION = "convive-event", 1
JSON_TYPE = "application/json"
MOST_FAULTS = 20
MOST_RATINGS, MOST_MATRIX, MOST_PLANS, MOST_SEATS = 200_000, 1_000, 500, 400_000
"""Ratings, guests in the matrix, versions, and seats in all versions together."""
MOST_TABLES, MOST_RULES, MOST_ITEMS = 2_000, 10_000, 200
MOST_VALUES = 50
"""In one rule."""
MOST_CHAIRS = 500
"""At one table."""
MOST_DAYS = 3650
"""From the event until it is erased."""
MOST_ASKED, MOST_WISHES = MOST_RATINGS, 10 * MOST_GUESTS
"""Pairs that were asked about, and wishes: ten of each guest."""
PLACE = re.compile(r"at line (\d+) column (\d+)")
NOT_JSON = "This file is not valid JSON"
TOO_DEEP = "This file is nested too deeply to be an exported event."
NO_EVENT = "This JSON file is not an exported event: “format” must be “convive-event”."


class EventFileError(ValueError):
    """A file that cannot be read; each of `errors` says what is wrong and where."""

    def __init__(self, *errors: str) -> None:
        self.errors = errors
        super().__init__(errors[0])


def _only_texts(value: object) -> object:
    if not isinstance(value, str):
        raise ValueError("must be text")  # pydantic turns only these into faults
    return value


def _in_utc(moment: dt.datetime) -> dt.datetime:
    """Return a moment in UTC; one that has no zone is taken as UTC."""
    try:
        return moment.astimezone(dt.UTC) if moment.tzinfo else moment.replace(tzinfo=dt.UTC)
    except OverflowError:
        raise ValueError("must be in the years 1 to 9999 in UTC") from None


Day = Annotated[dt.date, Field(strict=False), BeforeValidator(_only_texts)]
Moment = Annotated[dt.datetime, Field(strict=False), BeforeValidator(_only_texts), AfterValidator(_in_utc)]
Seat = Annotated[int, Field(ge=1, le=100_000)]
Number = Annotated[float, Field(ge=-1e12, le=1e12)]
GuestKeys = Annotated[tuple[Key, ...], Field(max_length=MOST_GUESTS)]
TableKeys = Annotated[tuple[Key, ...], Field(max_length=MOST_TABLES)]
GroupScore = tuple[Name, Name, Number | None]
"""How two groups get along; without a number the question about them was skipped."""


class EventPart(Part):
    """The event itself."""

    name: Name
    date: Day | None = None
    kind: Literal["score", "distance"] = "score"
    seats_undecided: bool = True
    wishes_until: Day | None = None
    erase_after_days: Annotated[int, Field(ge=1, le=MOST_DAYS)] | None = None
    balanced: Annotated[tuple[Name, ...], Field(max_length=MOST_FIELDS)] = ()


class GroupPart(Part):
    """A group and its colour."""

    name: Name
    colour: Name = ""


class TablePart(Part):
    """A table; x, y and sizes are in floor units, 60 to the metre."""

    id: Key
    name: Name
    shape: Name = "round"
    seats: Seat
    min_seats: Annotated[int, Field(ge=0, le=100_000)] = 0
    x: Number | None = None
    y: Number | None = None
    rotation: Number = 0.0
    end_seats: bool = False
    reserved_for: Name = ""


class ItemPart(Part):
    """Something in the room that is not a table."""

    kind: Name
    x: Number
    y: Number
    width: Number
    height: Number
    rotation: Number = 0.0
    text: Name = ""


class RoomPart(Part):
    """The room without its picture."""

    width: Number | None = None
    height: Number | None = None
    items: Annotated[tuple[ItemPart, ...], Field(max_length=MOST_ITEMS)] = ()


class MatrixPart(Part):
    """An uploaded matrix: a row for each of its guests, null where nothing is known."""

    guests: Annotated[tuple[Key, ...], Field(max_length=MOST_MATRIX)]
    values: Annotated[tuple[tuple[Number | None, ...], ...], Field(max_length=MOST_MATRIX)]


class RulePart(Part):
    """A rule with the guests and tables that it names, or with the values or the field that it is about.

    A value is named by its field and itself, such as ["group", "Choir"] or ["age_group", "child"].
    """

    kind: Name
    guests: GuestKeys = ()
    tables: TableKeys = ()
    values: Annotated[tuple[tuple[Name, Name], ...], Field(max_length=MOST_VALUES)] = ()
    field: Name = ""
    limit: Annotated[int, Field(ge=0, le=100_000)] | None = None


class PlanPart(Part):
    """A version of the plan: who sits where, counted from 1, and what is locked."""

    id: Key
    number: Annotated[int, Field(ge=1, le=1_000_000)]
    name: Name = ""
    alternative_of: Key | None = None
    round: Annotated[int, Field(ge=0, le=60)] = 0
    split_households: bool = False
    objective: Literal["average", "total"] = "average"
    created_at: Moment
    used_at: Moment | None = None
    seats: Annotated[tuple[tuple[Key, Key, Seat], ...], Field(max_length=MOST_GUESTS)] = ()
    locked_guests: GuestKeys = ()
    locked_tables: TableKeys = ()
    empty_seats: Annotated[tuple[tuple[Key, Seat], ...], Field(max_length=MOST_SEATS)] = ()


Score = tuple[Key, Key, Number]
Asked = tuple[Key, Key, Literal["unknown", "skipped"]]
Wish = tuple[Key, Key, Literal["undecided", "accepted", "declined"]]


class EventFile(Part):
    """The whole file."""

    format: Literal["convive-event"] = "convive-event"
    version: Literal[1] = 1
    event: EventPart
    groups: Annotated[tuple[GroupPart, ...], Field(max_length=MOST_GROUPS)] = ()
    group_ratings: Annotated[tuple[GroupScore, ...], Field(max_length=MOST_RATINGS)] = ()
    fields: Annotated[tuple[FieldPart, ...], Field(max_length=MOST_FIELDS)] = ()
    guests: Annotated[tuple[GuestPart, ...], Field(max_length=MOST_GUESTS)] = ()
    ratings: Annotated[tuple[Score, ...], Field(max_length=MOST_RATINGS)] = ()
    matrix: MatrixPart | None = None
    asked: Annotated[tuple[Asked, ...], Field(max_length=MOST_ASKED)] = ()
    wishes: Annotated[tuple[Wish, ...], Field(max_length=MOST_WISHES)] = ()
    tables: Annotated[tuple[TablePart, ...], Field(max_length=MOST_TABLES)] = ()
    room: RoomPart = RoomPart()
    rules: Annotated[tuple[RulePart, ...], Field(max_length=MOST_RULES)] = ()
    plans: Annotated[tuple[PlanPart, ...], Field(max_length=MOST_PLANS)] = ()


class _Head(BaseModel):
    """What tells whether a file can be read at all."""

    format: Any = None
    version: Any = None


def write_event_file(content: Mapping[str, Any]) -> bytes:
    """Return the file: each entry of a list stands on a line of its own, so that two files can be compared."""
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
    """Return where something stands, such as guests[3].name; entries are counted from 0, as in the API."""
    text = "".join(f"[{part}]" if isinstance(part, int) else f".{part[:60]}" for part in parts)
    return text.removeprefix(".")


def _inner_faults(file: EventFile) -> Iterator[str]:
    """Say what is wrong between the parts: ids that stand twice or are not there."""
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

"""Groups and rules of convive solve: `apart: Anna, Béla` about guests, `at_most 2: Choir @ 1, 3` about groups."""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, cast

import typer

from app.cli.common import refuse

if TYPE_CHECKING:
    from app.solver import Problem, Rule, RuleKind

Read = Callable[[Path], bytes]
Groups = Annotated[
    Path | None,
    typer.Option(
        "--groups", metavar="GROUPS.csv", show_default=False, help="Rows “guest,group”, for rules that name groups."
    ),
]
Rules = Annotated[
    list[str] | None,
    typer.Option(
        "--rule",
        metavar="RULE",
        show_default=False,
        help="A rule that the plan keeps, as “kind: names @ tables”; use the option again for more. About guests: "
        "together, apart, side_by_side, pinned. About groups: group_at, groups_apart, at_most, at_least, spread, "
        "alternate. Such as “apart: Anna, Béla”, “at_most 2: Choir”, “at_least 1: Hosts @ 3”; tables count from 1.",
    ),
]
OF_GUESTS = {"together": 2, "apart": 2, "side_by_side": 2, "pinned": 1}
OF_GROUPS = {"group_at": 1, "groups_apart": 2, "at_most": 1, "at_least": 1, "spread": 1, "alternate": 2}
"""The kinds of rules as the API calls them, and how many guests or groups each needs at least."""
ONE_GROUP = ("group_at", "at_most", "at_least")
NEED_TABLES, TAKE_TABLES = ("pinned", "group_at"), ("pinned", "group_at", "at_most", "at_least")
USUAL_NUMBER = {"at_most": None, "at_least": 1, "spread": 1}
SOLVED_AS: dict[str, RuleKind] = {
    "group_at": "pinned",
    "at_most": "count",
    "at_least": "count",
    "spread": "balance",
    "groups_apart": "groups_apart",
    "alternate": "alternate",
}
LINE = re.compile(
    r"\s*(?P<kind>[a-z_]+)(?:\s+(?P<number>\d{1,4}))?\s*:(?P<names>.*?)(?:@(?P<tables>[\d\s,]*))?", re.ASCII
)


@dataclass(frozen=True)
class Line:
    """A rule as it was typed."""

    kind: str
    number: int | None
    names: tuple[str, ...]
    tables: tuple[int, ...]


def add_rules(problem: Problem, groups: Path | None, rules: Sequence[str], read: Read) -> Problem:
    """Return the problem with these rules; what is wrong with one is said in a line."""
    if groups and not rules:
        refuse("--groups: add a --rule that names a group, such as “at_most 2: Choir”.")
    if not rules:
        return problem
    members = _read_groups(groups, problem.names, read) if groups else {}
    guests = {name: (place,) for place, name in enumerate(problem.names)}
    found = []
    for text in rules:
        line = _parse(text, len(problem.tables))
        known: Mapping[str, tuple[int, ...]] = guests if line.kind in OF_GUESTS else members
        if unknown := [name for name in line.names if name not in known]:
            what = "among the guests" if line.kind in OF_GUESTS else "a group in --groups"
            refuse(f"--rule “{text}”: {unknown[0]} isn't {what}.")
        found.append(_rule(line, [known[name] for name in line.names]))
    return replace(problem, rules=tuple(found))


def _read_groups(path: Path, names: Sequence[str], read: Read) -> dict[str, tuple[int, ...]]:
    """Return the guests of each group; a first row that names no guest, and no group of another row, is a heading."""
    from app.files.sheet_limits import SheetError
    from app.files.sheets import read_csv

    place, found = {name: position for position, name in enumerate(names)}, dict[str, set[int]]()
    try:
        rows = read_csv(read(path))
    except SheetError as error:
        refuse(f"{path}: {error}")
    cells = [tuple(cell.strip() for cell in (*row.cells, "", "")[:2]) for row in rows]
    others = {group for _, group in cells[1:]}
    for place_of_row, (guest, group) in enumerate(cells):
        number = rows[place_of_row].number
        if guest not in place:
            if not place_of_row and group not in others:
                continue
            refuse(f"{path}: row {number:,}: {guest} isn't among the guests.")
        if not group:
            refuse(f"{path}: row {number:,}: the group is missing.")
        found.setdefault(group, set()).add(place[guest])
    return {group: tuple(sorted(members)) for group, members in found.items()}


def _parse(text: str, tables: int) -> Line:
    """Read a rule, or say what is wrong with it."""
    matched = LINE.fullmatch(text)
    kinds = OF_GUESTS | OF_GROUPS
    if matched is None or matched["kind"] not in kinds:
        refuse(f"--rule “{text}”: use “kind: names @ tables”, with a kind out of {', '.join(kinds)}.")
    kind = matched["kind"]
    cells = next(csv.reader([matched["names"].strip()], skipinitialspace=True), [])
    names = tuple(dict.fromkeys(name.strip() for name in cells if name.strip()))
    at = tuple(dict.fromkeys(int(number) - 1 for number in re.findall(r"\d{1,9}", matched["tables"] or "")))
    number = int(matched["number"]) if matched["number"] else USUAL_NUMBER.get(kind)
    line = Line(kind, number, names, at)
    for fault in _faults(line, tables, has_number=matched["number"] is not None):
        refuse(f"--rule “{text}”: {fault}")
    return line


def _faults(line: Line, tables: int, *, has_number: bool) -> Iterator[str]:
    """Yield what is wrong with a rule."""
    what, least = ("guest", OF_GUESTS[line.kind]) if line.kind in OF_GUESTS else ("group", OF_GROUPS[line.kind])
    if len(line.names) < least:
        yield f"name at least {'one' if least == 1 else 'two'} {what}{'s'[: least - 1]}."
    if (line.kind in ONE_GROUP and len(line.names) > 1) or (line.kind == "side_by_side" and len(line.names) > 2):
        yield f"this kind is about {'one group' if what == 'group' else 'two guests'}; add one rule for each."
    if has_number and line.kind not in USUAL_NUMBER:
        yield "only at_most, at_least and spread take a number."
    if line.kind == "at_most" and line.number is None:
        yield "say how many, such as “at_most 2: Choir”."
    if line.number == 0 and (line.kind == "at_least" or (line.kind == "at_most" and not line.tables)):
        yield "the number must be 1 or more."
    if line.kind in NEED_TABLES and not line.tables:
        yield "name a table, such as “@ 1”."
    if line.tables and line.kind not in TAKE_TABLES:
        yield "this kind takes no tables."
    if not all(0 <= table < tables for table in line.tables):
        yield f"tables are numbers from 1 to {tables:,}."


def _rule(line: Line, groups: Sequence[tuple[int, ...]]) -> Rule:
    """Return a rule as the solver takes it; one about groups says so in the words of the pages."""
    from app.solver import Rule

    if line.kind in OF_GUESTS:
        kind = cast("Literal['together', 'apart', 'side_by_side', 'pinned']", line.kind)
        return Rule(kind, tuple(group[0] for group in groups), line.tables)
    rule = Rule(SOLVED_AS[line.kind], tuple(sorted(set[int]().union(*groups))), line.tables, _words(line))
    if line.kind == "at_most":
        return replace(rule, most=line.number)
    if line.kind == "at_least":
        return replace(rule, least=line.number or 0)
    if line.kind == "group_at":
        return rule
    return replace(rule, groups=tuple(groups), slack=line.number or 0)


def _words(line: Line) -> str:
    """Return the words of a rule about groups; pages name the field where a line names its groups."""
    from app.problem.value_rules import value_rule_words
    from app.sentences import count, list_in_words

    if line.kind == "spread":
        slack = f", give or take {count(line.number, 'guest')}" if line.number else ""
        return f"guests of {list_in_words(line.names)} are spread evenly over the tables{slack}"
    if line.kind == "alternate":
        return f"guests of {list_in_words(line.names)} alternate around each table"
    called = [f"table {table + 1}" for table in line.tables]
    return "".join(words.text for words in value_rule_words(line.kind, line.names, line.number, called))

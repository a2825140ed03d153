"""Rules of convive solve, as a person types them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from app.cli import app

NAMES = ["Anna", "Béla", "Chen", "Dev", "Eve", "Finn", "Doe, Jane", "Hal"]
CHOIR, WORK = NAMES[:4], NAMES[4:]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with ratings by which the choir wants to sit together, and a list of groups."""
    rows = [f'"{a}","{b}",2' for a in CHOIR for b in CHOIR if a < b] + [f'"{WORK[0]}","{name}",1' for name in WORK[1:]]
    (tmp_path / "ratings.csv").write_text("\n".join(rows))
    groups = [f'"{name}",{"Choir" if name in CHOIR else "Work"}' for name in NAMES]
    (tmp_path / "groups.csv").write_text("\n".join(["guest,group", *groups]))
    return tmp_path


def solve(folder: Path, *rules: str, tables: str = "4,4,0-4") -> Result:
    words = [word for rule in rules for word in ("--rule", rule)]
    files = [str(folder / "ratings.csv"), "--tables", tables, "--groups", str(folder / "groups.csv")]
    return CliRunner().invoke(app, ["solve", *files, "--restarts", "5", "--json", *words])


def tables_of(result: Result) -> list[set[str]]:
    assert result.exit_code == 0, result.stderr
    return [set(table) for table in json.loads(result.stdout)["tables"]]


def test_rules_about_guests_are_kept(folder: Path) -> None:
    rules = ["apart: Anna, Béla", 'together: Chen, "Doe, Jane"', "pinned: Hal, Eve @ 2"]
    tables = tables_of(solve(folder, *rules))
    assert not any({"Anna", "Béla"} <= table for table in tables)
    assert any({"Chen", "Doe, Jane"} <= table for table in tables)
    assert {"Hal", "Eve"} <= tables[1]


def test_rules_about_groups_are_kept(folder: Path) -> None:
    tables = tables_of(solve(folder, "at_most 2: Choir", "at_least: Work @ 3", "alternate: Choir, Work"))
    assert max(len(table.intersection(CHOIR)) for table in tables) == 2
    assert tables[2].intersection(WORK)
    apart = tables_of(solve(folder, "groups_apart: Choir, Work", "group_at: Work @ 2"))
    assert apart[1] == set(WORK)
    spread = tables_of(solve(folder, "spread 0: Choir, Work", tables="4,4"))
    assert [len(table.intersection(CHOIR)) for table in spread] == [2, 2]


@pytest.mark.parametrize(
    ("rule", "said"),
    [
        ("Anna and Béla", "use “kind: names @ tables”, with a kind out of together, apart,"),
        ("apart: Anna", "name at least two guests."),
        ("apart: Anna, Zoe", "Zoe isn't among the guests."),
        ("at_most: Choir", "say how many, such as “at_most 2: Choir”."),
        ("at_most 0: Choir", "the number must be 1 or more."),
        ("at_most 2: Soloists", "Soloists isn't a group in --groups."),
        ("at_least 1: Choir @ 4", "tables are numbers from 1 to 3."),
        ("group_at: Choir", "name a table, such as “@ 1”."),
        ("groups_apart: Choir, Work @ 1", "this kind takes no tables."),
        ("apart 2: Anna, Béla", "only at_most, at_least and spread take a number."),
        ("at_most 1: Choir, Work", "this kind is about one group; add one rule for each."),
    ],
)
def test_rule_that_makes_no_sense_is_refused_in_one_line(folder: Path, rule: str, said: str) -> None:
    result = solve(folder, rule)
    assert result.exit_code == 2
    assert result.stderr.startswith(f"convive: --rule “{rule}”: {said}")
    assert result.stderr.count("\n") == 1


def test_contradiction_is_said_in_one_line_with_the_rule(folder: Path) -> None:
    result = solve(folder, "at_least 2: Choir @ 1, 2, 3")
    assert result.exit_code == 2
    assert (
        "at least 2 of Choir sit at each of table 1, table 2 and table 3. 3 tables × 2 = 6, but only 4" in result.stderr
    )
    assert result.stderr.count("\n") == 1


def test_group_file_with_an_unknown_guest_is_refused_with_its_row(folder: Path) -> None:
    (folder / "groups.csv").write_text("Anna,Choir\nZoe,Choir\n")
    result = solve(folder, "at_most 1: Choir")
    assert (result.exit_code, "groups.csv: row 2: Zoe isn't among the guests." in result.stderr) == (2, True)


def test_wrong_name_in_the_first_row_of_groups_is_not_a_heading(folder: Path) -> None:
    (folder / "groups.csv").write_text("Ana,Choir\nBéla,Choir\n")
    result = solve(folder, "at_most 1: Choir")
    assert (result.exit_code, result.stderr.split(": ", 2)[2]) == (2, "row 1: Ana isn't among the guests.\n")


def test_groups_without_a_rule_are_refused(folder: Path) -> None:
    result = solve(folder)
    assert (result.exit_code, "--groups: add a --rule that names a group" in result.stderr) == (2, True)

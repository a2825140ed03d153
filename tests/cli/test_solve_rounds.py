"""convive solve --rounds, as a person types it."""

from __future__ import annotations

import json
from collections import Counter
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

from tests.cli.test_solve import convive

PEOPLE = [f"Person {number}" for number in range(1, 13)]


@pytest.fixture
def people(tmp_path: Path) -> Path:
    path = tmp_path / "people.txt"
    path.write_text("\n".join(PEOPLE))
    return path


def solve_json(*words: str | Path) -> dict[str, Any]:
    result = convive(*words, "--restarts", "8", "--json")
    assert result.exit_code == 0, result.stderr
    read: dict[str, Any] = json.loads(result.stdout)
    return read


def pairs_of(plan: dict[str, Any]) -> list[tuple[str, str]]:
    tables = [table for one in plan["rounds"] for table in one["tables"]]
    return [pair for table in tables for pair in combinations(sorted(table), 2)]


def test_list_of_names_is_enough_to_meet_everybody_once(people: Path) -> None:
    plan = solve_json(people, "--tables", "4x3", "--rounds", "3")
    assert [sorted(name for table in one["tables"] for name in table) for one in plan["rounds"]] == [sorted(PEOPLE)] * 3
    assert len(set(pairs_of(plan))) == len(pairs_of(plan)) == plan["new_meetings"] == plan["pairs_met"] == 36
    assert (plan["repeats"], plan["pairs"], plan["people_met"]) == (0, 66, {"fewest": 6, "most": 6})
    assert plan["share_of_pairs_met"] == pytest.approx(36 / 66, abs=1e-6)


def test_text_says_who_sits_where_in_each_round_and_how_many_meet(people: Path) -> None:
    result = convive(people, "--tables", "4x3", "--rounds", "3", "--restarts", "8")
    assert [line for line in result.stdout.splitlines() if line.startswith("Round")] == [
        "Round 1",
        "Round 2",
        "Round 3",
    ]
    assert "Everyone meets 6 different people in 3 rounds; no pair meets twice." in result.stdout
    assert "36 of 66 pairs meet (55 %), proven to be the best with tables filled this evenly\n" in result.stdout


def test_rounds_have_tables_of_their_own(people: Path) -> None:
    plan = solve_json(people, "--tables", "4x3/2x6", "--rounds", "2")
    assert [[len(table) for table in one["tables"]] for one in plan["rounds"]] == [[3] * 4, [6] * 2]
    text = convive(people, "--tables", "4x3/2x6", "--rounds", "2", "--restarts", "8").stdout
    assert text.count("(3 of 3)") == 4
    assert text.count("(6 of 6)") == 2
    refused = convive(people, "--tables", "4x3/2x6", "--rounds", "3")
    assert "--tables: tables for 2 rounds are given, and --rounds says 3." in refused.stderr


def test_hosts_stay_and_people_of_an_earlier_plan_meet_others(people: Path, tmp_path: Path) -> None:
    hosts, earlier = tmp_path / "hosts.txt", tmp_path / "earlier.json"
    hosts.write_text("Name\nPerson 1\nPerson 5\n")
    first = solve_json(people, "--tables", "4x3", "--rounds", "2", "--hosts", hosts)
    for host in ("Person 1", "Person 5"):
        places = {number for one in first["rounds"] for number, table in enumerate(one["tables"]) if host in table}
        assert len(places) == 1
    earlier.write_text(json.dumps(first))
    second = solve_json(people, "--tables", "4x3", "--rounds", "1", "--met", earlier)
    assert (second["met_before"], second["earlier"]) == (0, 24)
    assert not set(pairs_of(first)) & set(pairs_of(second))


def test_wanted_meetings_are_those_with_high_scores(tmp_path: Path) -> None:
    scores = tmp_path / "scores.csv"
    scores.write_text("\n".join(f"A{n},B{n},2" for n in range(4)))
    plan = solve_json(scores, "--tables", "4x2", "--rounds", "1", "--goal", "wanted")
    assert sorted(pairs_of(plan)) == [(f"A{n}", f"B{n}") for n in range(4)]


def test_repeats_are_spread_if_asked(tmp_path: Path) -> None:
    many = tmp_path / "many.txt"
    many.write_text("\n".join(["Name", *(f"Person {n}" for n in range(24))]))
    times = [
        max(Counter(pairs_of(solve_json(many, "--tables", "4x6", "--rounds", "3", "--goal", goal))).values())
        for goal in ("new", "spread")
    ]
    assert times == [3, 2]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--rounds", "0"], "convive: --rounds: must be a whole number from 1 to 60."),
        (["--rounds", "x"], "convive: --rounds: must be a whole number from 1 to 60."),
        (["--rounds", "61"], "convive: --rounds: must be a whole number from 1 to 60."),
        (["--rounds", "-1"], "convive: --rounds: must be a whole number from 1 to 60."),
        (["--rounds", "2.5"], "convive: --rounds: must be a whole number from 1 to 60."),
        (["--rounds", "2", "--tables", "4x3/2x4"], "Round 2: There are 12 guests but only 8 seats."),
        (["--rounds", "2", "--tables", "5x2"], "convive: There are 12 guests but only 10 seats."),
        (["--rounds", "2", "--fairness", "strong"], "--fairness can't be used with --rounds."),
        (["--rounds", "2", "--goal", "best"], "--goal: “best” must be “new”, “spread” or “wanted”."),
        (["--rounds", "2", "--goal", "wanted"], "--goal wanted needs scores."),
        (["--hosts", "hosts.txt"], "--hosts: use --rounds to say how many rounds to plan."),
        (["--rounds", "2", "--hosts", "missing.txt"], "missing.txt: No such file or directory."),
    ],
)
def test_options_that_make_no_sense_are_refused_in_one_line(people: Path, words: list[str], message: str) -> None:
    result = convive(people, "--tables", "4x3", *words)
    assert (result.exit_code, len(result.stderr.splitlines())) == (2, 1)
    assert message in result.stderr


@pytest.mark.parametrize(
    ("option", "text", "message"),
    [
        ("--hosts", "Nobody\n", "“Nobody” is not among the guests."),
        ("--hosts", "Person 1, Person 2\nPerson 3, 4\n", "“4” is not among the guests."),
        ("--hosts", '{"tables": []}', "This must be a list of names."),
        ("--hosts", "Name\n", "The file has no names."),
        (
            "--met",
            "Person 2,Person 3\nPerson 1\n",
            "Row 2: “Person 1” is alone. Write all names of a table on one line, with commas between them.",
        ),
        ("--met", "Person 1,Person 2,5000\n", "Row 1: how often they met must be a number to 1,000."),
        ("--met", '{"rounds": [1]}', "“tables” is required in each round: a list of tables, each a list of names."),
        ("--met", "Ann,Ben\n", "No pair in this file matches two guests."),
    ],
)
def test_files_that_cannot_be_read_are_refused_with_the_place(
    people: Path, tmp_path: Path, option: str, text: str, message: str
) -> None:
    path = tmp_path / "file.txt"
    path.write_text(text)
    result = convive(people, "--tables", "4x3", "--rounds", "2", option, path)
    assert (result.exit_code, result.stderr) == (2, f"convive: {path}: {message}\n")


def test_too_many_people_for_rounds_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "many.txt"
    path.write_text("\n".join(f"P{number}" for number in range(2001)))
    result = convive(path, "--tables", "201x10", "--rounds", "2")
    assert (result.exit_code, result.stderr) == (
        2,
        "convive: Several rounds work for up to 2,000 guests; there are 2,001.\n",
    )


COMMA = "has a comma. Write each guest on a line of their own, and put a name with a comma in quotation marks"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("Ann\nSmith, John\nBo\n", f'Row 2: “Smith, John” {COMMA}: "Smith, John".'),
        (
            "Ann\nBo\nO;Neil\n",
            "Row 3: “O;Neil” has a semicolon. Write each guest on a line of their own, and put a name with a semicolon "
            'in quotation marks: "O;Neil".',
        ),
        ("Ann,Bride\nBo,Groom\n", f'Row 1: “Ann,Bride” {COMMA}: "Ann,Bride".'),
        ("Ann\nBo\nAnn\n", "Row 3: duplicate of row 1, “Ann”."),
    ],
)
def test_lists_of_names_that_cannot_be_read_say_where_and_what_helps(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "people.csv"
    path.write_text(text)
    result = convive(path, "--tables", "2x3", "--rounds", "2")
    assert (result.exit_code, result.stderr) == (2, f"convive: {path}: {message}\n")


@pytest.mark.parametrize("text", ["Ann\nBo\nCy\n", "Jensen,Xu\nAnn,Bo\n", "Smith, John\nO;Neil\n"])
def test_names_alone_are_for_rounds(tmp_path: Path, text: str) -> None:
    path = tmp_path / "people.csv"
    path.write_text(text)
    result = convive(path, "--tables", "2x2")
    assert (result.exit_code, len(result.stderr.splitlines())) == (2, 1)
    assert "This is a list without scores." in result.stderr
    assert result.stderr.endswith("Names alone are enough with --rounds.\n")


def test_matrices_of_many_guests_are_taken_for_rounds(tmp_path: Path) -> None:
    names = [f"P{number}" for number in range(210)]
    path = tmp_path / "scores.csv"
    path.write_text("\n".join([",".join(["", *names]), *(",".join([name, *["1"] * 210]) for name in names)]))
    result = convive(path, "--tables", "21x10", "--rounds", "1", "--restarts", "1", "--time-limit", "1", "--json")
    assert (result.exit_code, result.stderr) == (0, "")


NAMED = ["Smith, John", "O;Neil", "Ann", "Bo", "Cy", "Dee", "7", "8", "9"]


@pytest.fixture
def named(tmp_path: Path) -> Path:
    path = tmp_path / "named.txt"
    path.write_text("\n".join(f'"{name}"' for name in NAMED))
    return path


@pytest.mark.parametrize(
    ("text", "pairs", "warning"),
    [
        ("Ann, Bo, Cy\nSmith, John; O;Neil\n", 4, ""),
        ('"Smith, John",Ann\n\nBo\tCy\n', 2, ""),
        ("guest,guest,times\nAnn,Bo,3\nAnn,Cy,0\n", 1, ""),
        ("7,8,9\n", 3, ""),
        ("7,8,7\n", 1, ""),
        ("Ann, Bo, Cy, Zoë\n", 3, "“Zoë” is not among the guests and was left out."),
    ],
)
def test_whole_tables_that_met_before_are_taken(
    named: Path, tmp_path: Path, text: str, pairs: int, warning: str
) -> None:
    met = tmp_path / "met.csv"
    met.write_text(text)
    result = convive(named, "--tables", "3x3", "--rounds", "1", "--met", met, "--restarts", "4", "--json")
    assert (result.exit_code, result.stderr) == (0, f"convive: {met}: {warning}\n" if warning else "")
    assert json.loads(result.stdout)["earlier"] == pairs


def test_several_hosts_on_a_line_are_taken(named: Path, tmp_path: Path) -> None:
    hosts = tmp_path / "hosts.txt"
    hosts.write_text("Smith, John, Ann\nO;Neil\nAnn\n")
    plan = solve_json(named, "--tables", "3x3", "--rounds", "3", "--hosts", hosts)
    for host in ("Smith, John", "Ann", "O;Neil"):
        assert len({at for one in plan["rounds"] for at, table in enumerate(one["tables"]) if host in table}) == 1

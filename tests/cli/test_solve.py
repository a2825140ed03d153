"""convive solve, as a person types it."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner, Result

from app.cli import app
from app.files.seatings import parse_seating

NAMES = [f"Guest {number}" for number in range(1, 23)]


def convive(*words: str | Path, stdin: str | None = None) -> Result:
    return CliRunner().invoke(app, ["solve", *map(str, words)], input=stdin)


def write_party(path: Path, seed: int = 1) -> Path:
    """Write the scores of 22 guests, with their names."""
    scores = np.random.default_rng(seed).integers(-2, 3, (22, 22))
    scores += scores.T
    lines = [",".join(["", *NAMES])]
    lines += [",".join([name, *map(str, row)]) for name, row in zip(NAMES, scores.tolist(), strict=True)]
    path.write_text("\n".join(lines))
    return path


@pytest.fixture
def party(tmp_path: Path) -> Path:
    return write_party(tmp_path / "party.csv")


def solve_json(*words: str | Path) -> dict[str, object]:
    result = convive(*words, "--json")
    assert result.exit_code == 0, result.stderr
    read: dict[str, object] = json.loads(result.stdout)
    return read


def test_many_more_tables_than_guests_are_refused_at_once(party: Path) -> None:
    result = convive(party, "--tables", "100000x0-1")
    assert result.exit_code == 2
    assert "--tables: 100,000 tables for 22 guests; maximum 100." in result.stderr


def test_json_has_everyone_at_tables_of_the_sizes_given(party: Path) -> None:
    plan = solve_json(party, "--tables", "4,4,5,6,3", "--method", "paper")
    tables = plan["tables"]
    assert isinstance(tables, list)
    assert [len(table) for table in tables] == [4, 4, 5, 6, 3]
    assert sorted(name for table in tables for name in table) == sorted(NAMES)
    assert {key: plan[key] for key in ("objective", "method", "restarts", "seed")} == {
        "objective": "average",
        "method": "paper",
        "restarts": 1000,
        "seed": 1,
    }
    assert plan.keys() >= {"mse", "total", "seconds", "bound", "proven_optimal"}


def test_text_has_a_line_for_each_table_and_the_figures(party: Path) -> None:
    result = convive(party, "--tables", "22,2", "--method", "paper", "--restarts", "7", "--seed", "3")
    lines = result.stdout.splitlines()
    assert lines[0].startswith("Table 1 (21 of 22): Guest ")
    assert lines[1].startswith("Table 2 (1 of 2): Guest ")
    assert lines[2] == ""
    assert lines[3].startswith("MSE ")
    assert lines[4].startswith("7 restarts in ")
    assert lines[4].endswith("seed 3")
    assert result.stderr == ""


def test_text_says_how_much_better_a_plan_could_be_unless_it_is_the_best(tmp_path: Path, party: Path) -> None:
    scores = np.random.default_rng(1).integers(-2, 3, (40, 40))
    (tmp_path / "large.csv").write_text("\n".join(",".join(map(str, row)) for row in scores.tolist()))
    large = convive(tmp_path / "large.csv", "--tables", "4x10", "--restarts", "1").stdout.splitlines()
    assert re.fullmatch(r"No plan can be more than \d+(\.\d)?% better\.", large[-2])
    small = convive(party, "--tables", "4,4,5,6,3").stdout
    assert "proven to be the best" in small
    assert "No plan can be" not in small


def test_the_same_seed_prints_the_same_plan(party: Path) -> None:
    words = (party, "--tables", "4,4,5,6,3", "--method", "paper", "--restarts", "50")
    assert solve_json(*words)["tables"] == solve_json(*words)["tables"]
    assert solve_json(*words)["tables"] != solve_json(*words, "--seed", "2")["tables"]


def test_the_total_can_be_the_objective(party: Path) -> None:
    words = (party, "--tables", "4,4,5,6,3", "--method", "paper")
    by_total, by_average = solve_json(*words, "--objective", "total"), solve_json(*words)
    assert by_total["objective"] == "total"
    assert float(str(by_total["total"])) >= float(str(by_average["total"]))


@pytest.mark.parametrize(
    ("sizes", "expected"),
    [
        ("4 4 5 6 3", [4, 4, 5, 6, 3]),
        ("2x11", [11, 11]),
        ("3x8", [8, 7, 7]),
        ("2x4-6,10-12", [6, 5, 11]),
        ("4-6x2,10-12", [6, 5, 11]),
        ("22,0-4", [20, 2]),
    ],
)
def test_sizes_counts_and_ranges_are_understood(party: Path, sizes: str, expected: list[int]) -> None:
    tables = solve_json(party, "--tables", sizes, "--method", "paper", "--restarts", "2")["tables"]
    assert isinstance(tables, list)
    assert [len(table) for table in tables] == expected


def test_distances_and_points_give_the_same_plan(tmp_path: Path) -> None:
    points = np.random.default_rng(2).normal(size=(12, 3))
    (tmp_path / "points.csv").write_text("\n".join(",".join(map(repr, row)) for row in points.tolist()))
    distances = np.sqrt(((points[:, None] - points[None]) ** 2).sum(axis=2))
    (tmp_path / "distances.csv").write_text("\n".join(",".join(map(repr, row)) for row in distances.tolist()))
    words = ("--tables", "3x4", "--method", "paper", "--restarts", "300")
    by_points = solve_json(tmp_path / "points.csv", "--kind", "points", *words)
    by_distance = solve_json(tmp_path / "distances.csv", "--kind", "distance", *words)
    assert by_points["mse"] == pytest.approx(by_distance["mse"])
    tables = by_points["tables"]
    assert isinstance(tables, list)
    assert sorted(int(name) for table in tables for name in table) == list(range(1, 13))


def test_pairs_are_read_from_stdin() -> None:
    result = convive("-", "--tables", "2,2", "--method", "paper", stdin="Ann,Bob,2\nCid,Dan,2\nAnn,Cid,-2\n")
    assert result.exit_code == 0
    lines = {line.split(": ")[1] for line in result.stdout.splitlines()[:2]}
    assert lines == {"Ann, Bob", "Cid, Dan"}
    assert "pairs have no score and count as 0" in result.stderr


def test_directions_that_differ_are_averaged_and_said_so(tmp_path: Path) -> None:
    path = tmp_path / "m.csv"
    path.write_text(",A,B\nA,0,1\nB,2,0\n")
    result = convive(path, "--tables", "2", "--method", "paper")
    assert result.exit_code == 0
    assert "the average is used" in result.stderr


@pytest.mark.parametrize(
    ("text", "words", "message"),
    [
        ("", ("--tables", "2"), "m.csv: The file is empty"),
        (",A,B\nA,0,x\nB,1,0", ("--tables", "2"), "m.csv: Row 2 (A), column 3 (B): “x” is not a number."),
        (",A,B\nA,0,nan\nB,1,0", ("--tables", "2"), "“nan” is not a number"),
        (",A,A\nA,0,1\nA,1,0", ("--tables", "2"), "“A” appears twice"),
        ("0,1,2,3\n1,0,2,3", ("--tables", "2"), "not square: it has 2 rows of 4 numbers"),
        (
            ",A,B\nA,0,-1\nB,1,0",
            ("--tables", "2", "--kind", "distance"),
            "“-1” is negative; a distance must be 0 or more.",
        ),
        (",A,B\nA,0,1\nB,1,0", ("--tables", "1"), "There are 2 guests but only 1 seat."),
        (",A,B\nA,0,1\nB,1,0", ("--tables", "0"), "--tables: Table 1, “0”: a table needs at least 1 seat."),
        (",A,B\nA,0,1\nB,1,0", ("--tables", "two"), "--tables: “two” is not a table size."),
        (",A,B\nA,0,1\nB,1,0", ("--tables", "6-4"), "--tables: Table 1, “6-4”: put the smaller number first"),
        ("A\nB\nC", ("--tables", "6-4"), "--tables: Table 1, “6-4”: put the smaller number first, as in “4-6”."),
        (",A,B\nA,0,1\nB,1,0", ("--tables", "3-4"), "The tables need at least 3 guests in total, but there are 2."),
        (",A,B\nA,0,1e200\nB,1e200,0", ("--tables", "2", "--kind", "distance"), "too large"),
        (",A,B\nA,0,1\nB,1,0", (), "Missing option '--tables'"),
        (",A,B\nA,0,1\nB,1,0", ("--tables", "2", "--kind", "love"), "'--kind'"),
        (",A,B\nA,0,1\nB,1,0", ("--tables", "2", "--restarts", "0"), "'--restarts'"),
    ],
)
def test_bad_input_is_one_line_that_says_what_and_where(
    tmp_path: Path, text: str, words: tuple[str, ...], message: str
) -> None:
    path = tmp_path / "m.csv"
    path.write_text(text)
    result = convive(path, *words, "--method", "paper")
    assert result.exit_code == 2
    assert result.stdout == ""
    assert message in result.stderr
    assert len(result.stderr.splitlines()) == 1


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    result = convive(tmp_path / "nowhere.csv", "--tables", "2")
    assert result.exit_code == 2
    assert "nowhere.csv: No such file or directory." in result.stderr


def test_the_installed_command_prints_json_and_nothing_else(party: Path) -> None:
    command = [sys.executable, "-m", "app.cli", "solve", str(party), "--tables", "4,4,5,6,3", "--method", "paper"]
    done = subprocess.run([*command, "--json"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    printed = json.loads(done.stdout)
    assert printed["restarts"] == 1000
    assert 0 < printed["seconds_by_stage"]["start"] < printed["seconds"]


def test_command_loads_neither_server_nor_database(party: Path) -> None:
    words = ["solve", str(party), "--tables", "4,4,5,6,3", "--restarts", "1", "--time-limit", "0"]
    command = [sys.executable, "-X", "importtime", "-m", "app.cli", *words]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    loaded = {line.rpartition("|")[2].strip() for line in done.stderr.splitlines()}
    assert "numba" in loaded
    assert not loaded & {"fastapi", "sqlalchemy", "pydantic_settings", "structlog", "sklearn", "app.config"}


def test_a_plan_is_changed_as_little_as_possible(party: Path, tmp_path: Path) -> None:
    quick = ("--tables", "4-6,4-6,4-6,4-6", "--restarts", "2", "--time-limit", "1")
    before = solve_json(party, *quick, "--seed", "3")
    tables = before["tables"]
    assert isinstance(tables, list)
    tables[0][0], tables[1][0] = tables[1][0], tables[0][0]
    (tmp_path / "plan.json").write_text(json.dumps({"tables": tables}))
    curve = solve_json(party, *quick, "--previous", tmp_path / "plan.json", "--curve")["curve"]
    assert isinstance(curve, list)
    assert [curve[0]["moved"], curve[0]["mse"] > curve[-1]["mse"]] == [0, True]
    kept = solve_json(party, *quick, "--previous", tmp_path / "plan.json", "--move-cost", "1000")
    assert kept["moved"] == 0
    notice = convive(party, *quick, "--previous", tmp_path / "plan.json", "--curve")
    assert notice.stdout.startswith("0 guests moved: MSE")
    assert "→ table" in notice.stdout


def test_rows_of_guest_and_table_are_a_plan_too_and_newcomers_have_no_seat() -> None:
    data = b"guest;table\nAino;1\nBo;2\nGone;1\n"
    assert parse_seating(data, ("Aino", "Bo", "Cleo"), 2).unknown == ("Gone",)
    assert parse_seating(data, ("Aino", "Bo", "Cleo"), 2).tables == (0, 1, -1)
    assert parse_seating(b'[["Aino"], ["Bo"], ["Cleo"]]', ("Aino", "Bo", "Cleo"), 2).tables == (0, 1, -1)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--curve"], "--curve: use --previous to say which plan to change."),
        (["--move-cost", "1"], "--move-cost: use --previous to say which plan to change."),
        (["--fairness", "some", "--kind", "distance"], "Fairness needs scores"),
        (["--fairness", "some", "--method", "paper"], "doesn't support fairness or a move cost"),
        (["--previous", "PLAN", "--curve", "--method", "paper"], "--curve can't be used with --method paper."),
        (["--time-limit", "nan"], "'--time-limit': Input should be less than or equal to 3600"),
        (["--time-limit", "inf"], "'--time-limit': Input should be less than or equal to 3600"),
        (["--restarts", "1000000000"], "'--restarts': Input should be less than or equal to 1000000"),
        (["--previous", "PLAN", "--move-cost", "inf"], "'--move-cost': Input should be less than or equal to 1000000"),
        (["--previous", "PLAN"], "PLAN: Row 2: the table must be a number from 1, not “x”."),
    ],
)
def test_what_cannot_be_asked_is_told_in_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: list[str], message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("PLAN").write_text("guest,table\nGuest 1,x\n")
    Path("four.csv").write_text("0,1,1,1\n1,0,1,1\n1,1,0,1\n1,1,1,0\n")
    result = convive("four.csv", "--tables", "2,2", *words)
    assert result.exit_code == 2
    assert message in result.stderr
    assert result.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("text", "kind", "message"),
    [
        ("A,B,1e308\nC,D,-1e308\n", "score", "Row 1 (A, B): “1e+308” is too large."),
        ("A,B,NaN\nA,C,inf\n", "score", "Row 1 (A, B): “NaN” is not a number."),
        ("A,1e300\nB,2\nC,1\n", "points", "“1e+300” is too large; maximum 1,000,000,000,000."),
    ],
)
def test_numbers_that_cannot_be_reckoned_with_are_refused_by_row(
    tmp_path: Path, text: str, kind: str, message: str
) -> None:
    (tmp_path / "huge.csv").write_text(text)
    result = convive(tmp_path / "huge.csv", "--tables", "2,2", "--kind", kind)
    assert result.exit_code == 2
    assert message in result.stderr
    assert result.exception is None or isinstance(result.exception, SystemExit)

"""convive solve."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from app.cli.common import refuse, seconds_since_start
from app.cli.prepare import prepare_solver
from app.cli.progress import show_progress
from app.cli.solve_rounds import (
    GoalOption,
    Hosts,
    Met,
    Rounds,
    RoundsAsked,
    ask_for_rounds,
    name_rounds,
    people_as_matrix,
    print_rounds,
    refuse_options,
    split_tables,
)
from app.cli.solve_rules import Groups, Rules, add_rules

if TYPE_CHECKING:
    from app.files.matrices.read import ParsedMatrix
    from app.solver import Need, Problem, Result

Kind = Literal["score", "distance", "points"]
Objective = Literal["average", "total"]
Method = Literal["full", "paper"]
Fairness = Literal["none", "some", "strong"]

LONGEST_MATRIX = 3000
"""More guests in a list or as points are solved without a matrix, which would fill the memory."""

MatrixFile = Annotated[
    Path,
    typer.Argument(
        metavar="MATRIX.csv",
        show_default=False,
        help="A square matrix with names in the first row and column, or rows “guest,guest,score”; - for stdin.",
    ),
]
Sizes = Annotated[
    str,
    typer.Option(
        "--tables",
        show_default=False,
        help="Sizes 4,4,5, counts 8x8 (eight tables of eight), ranges 4-6, or both: 8x0-10; 0 means a table may stay "
        "empty. "
        "With --rounds, other tables in each round: 4x6/3x8.",
    ),
]
KindOption = Annotated[Kind, typer.Option(help="Whether the numbers are scores, distances or points.")]
ObjectiveOption = Annotated[Objective, typer.Option(help="The paper's mean squared error, or the total of all scores.")]
MethodOption = Annotated[Method, typer.Option(help="The paper's algorithm alone, or the full search.")]
Restarts = Annotated[int, typer.Option(min=1, max=1_000_000, help="Number of restarts.")]
TimeLimit = Annotated[
    float,
    typer.Option(
        min=0.0, max=3600.0, help="Time limit in seconds, counted from the start; the best plan so far is used."
    ),
]
Seed = Annotated[int, typer.Option(min=0, max=2**63 - 1, help="Random seed.")]
FairnessOption = Annotated[
    Fairness, typer.Option(help="How strongly to make sure that everyone knows someone at their table; scores only.")
]
Previous = Annotated[
    Path | None,
    typer.Option(
        metavar="PLAN",
        show_default=False,
        help="The current plan: what --json printed, or rows “guest,table” with tables counted from 1.",
    ),
]
MoveCost = Annotated[
    float, typer.Option(min=0.0, max=1e6, help="Cost of each guest who changes table, in units of the objective.")
]
Curve = Annotated[bool, typer.Option("--curve", help="Find the best plan for 0, 1, 2, 3, 5, 8, … guests moved.")]
StopEarly = Annotated[bool, typer.Option("--stop-early", help="Stop when no better plan is likely.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]


def solve(
    matrix: MatrixFile,
    sizes: Sizes,
    kind: KindOption = "score",
    objective: ObjectiveOption = "average",
    method: MethodOption = "full",
    restarts: Restarts = 1000,
    time_limit: TimeLimit = 5.0,
    seed: Seed = 1,
    fairness: FairnessOption = "none",
    previous: Previous = None,
    move_cost: MoveCost = 0.0,
    curve: Curve = False,
    stop_early: StopEarly = False,
    rounds: Rounds = None,
    goal: GoalOption = "new",
    hosts: Hosts = None,
    met: Met = None,
    groups: Groups = None,
    rules: Rules = None,
    as_json: AsJson = False,
) -> None:
    """Find the best plan for a matrix of scores, distances or points. Needs no server or database."""
    from app.errors import ConviveError
    from app.files.matrices.read import MatrixError, parse_matrix

    _refuse_mixtures(method, previous, move_cost, curve)
    asked = {"--method paper": method == "paper", "--fairness": fairness != "none", "--previous": previous is not None}
    refuse_options(
        rounds, goal, asked, {"--goal": goal != "new", "--hosts": hosts is not None, "--met": met is not None}
    )
    table_lists = split_tables(sizes, rounds) if rounds else [sizes]
    for one in table_lists:
        _tables(one)  # what is wrong here is said before the file is read
    try:
        data = _read(matrix)
        names = people_as_matrix(data) if rounds else None
        parsed = names or parse_matrix(data, kind=kind, most_in_matrix=LONGEST_MATRIX)

        def read_problem(sizes: str) -> Problem:
            return add_rules(_problem(parsed, sizes, kind, objective), groups, rules or (), _read)

        if rounds:
            wanted = RoundsAsked(rounds, goal, hosts, met)
            several = ask_for_rounds(list(map(read_problem, table_lists)), wanted, _read)
            limits: dict[str, Any] = {"restarts": restarts, "time_limit": time_limit, "seed": seed}
            print_rounds(several, as_json=as_json, stop_early=stop_early, spent=seconds_since_start(), **limits)
            return
        problem = _asked(read_problem(sizes), fairness, previous, move_cost)
        compiling = _prepare(problem, method, curve)
        with show_progress(objective) as on_progress:
            limits = {"restarts": restarts, "time_limit": time_limit, "seed": seed, "on_progress": on_progress}
            limits["spent"] = max(seconds_since_start() - compiling, 0.0)
            result = _find(problem, method, curve, stop_early, **limits)
    except MatrixError as error:
        refuse(f"{matrix}: {error if rounds else name_rounds(data, str(error))}")
    except ConviveError as error:
        refuse(error.message)
    except MemoryError:
        refuse(f"{matrix}: not enough memory for this many guests.")
    for warning in parsed.warnings:
        typer.echo(f"convive: {warning}", err=True)
    _print(problem, result, curve=curve, as_json=as_json)


def _refuse_mixtures(method: Method, previous: Path | None, move_cost: float, curve: bool) -> None:
    """Refuse options that make no sense together."""
    if previous is None and (curve or move_cost):
        refuse(f"{'--curve' if curve else '--move-cost'}: use --previous to say which plan to change.")
    if curve and (method == "paper" or move_cost):
        refuse(f"--curve can't be used with {'--move-cost' if move_cost else '--method paper'}.")


def _print(problem: Problem, result: Result, *, curve: bool, as_json: bool) -> None:
    from app.cli import solve_text as words

    if as_json:
        typer.echo(words.as_json(problem, result, curve=curve))
    else:
        typer.echo(words.curve_as_text(problem, result) if curve else words.as_text(problem, result))


def _prepare(problem: Problem, method: Method, curve: bool) -> float:
    """Load the kernels; if they are not compiled yet, return how long that took: the time limit is not for it."""
    from app.solver import MATRIX_GUESTS

    if problem.guest_count > MATRIX_GUESTS:  # larger events have kernels of their own, which the solve compiles
        return 0.0
    need: Need = "fairness" if problem.fairness else method
    return prepare_solver(("repair",) if curve else (need,))


def _find(problem: Problem, method: Method, curve: bool, stop_early: bool, **limits: Any) -> Result:
    if curve:
        from app.solver import find_repairs

        return find_repairs(problem, **limits)
    from app import solver

    return solver.solve(problem, method=method, stop_early=stop_early, **limits)


def _asked(problem: Problem, fairness: Fairness, previous: Path | None, move_cost: float) -> Problem:
    """Put into the problem what is asked for besides a good plan."""
    from app.files.matrices.cells import MatrixError, listed
    from app.files.seatings import parse_seating
    from app.solver import fairness_weight

    if fairness != "none":
        problem = replace(problem, fairness=fairness_weight(problem, fairness))
    if previous is None:
        return problem
    try:
        seating = parse_seating(_read(previous), problem.names, len(problem.tables))
    except MatrixError as error:
        refuse(f"{previous}: {error}")
    if seating.unknown:
        who = listed(seating.unknown)
        words = "isn't among the guests and was" if len(seating.unknown) == 1 else "aren't among the guests and were"
        typer.echo(f"convive: {previous}: {who} {words} left out.", err=True)
    return replace(problem, previous=seating.tables, move_cost=move_cost)


def _read(path: Path) -> bytes:
    try:
        return sys.stdin.buffer.read() if str(path) == "-" else path.read_bytes()
    except OSError as error:
        refuse(f"{path}: {error.strerror or error}.")


LEAST_TABLES, TABLES_PER_GUEST = 100, 2
"""How many tables may stand there at least, and for each guest: more would stay empty, and take time to look at."""


def _tables(sizes: str) -> list[tuple[int, int]]:
    """Return the least and the most seats of each table, or refuse the line."""
    from app.errors import Invalid
    from app.files.table_sizes import parse_sizes

    try:
        return parse_sizes(sizes)
    except Invalid as error:
        refuse(f"--tables: {error.message}")


def _problem(parsed: ParsedMatrix, sizes: str, kind: Kind, objective: Objective) -> Problem:
    import numpy as np

    from app.solver import Problem, Table, collect_ratings, distances_between

    tables = tuple(Table(most, least) for least, most in _tables(sizes))
    names = parsed.names or tuple(str(number) for number in range(1, len(parsed.matrix) + 1))
    most = max(LEAST_TABLES, TABLES_PER_GUEST * len(names))
    if len(tables) > most:
        refuse(f"--tables: {len(tables):,} tables for {len(names):,} guests; maximum {most:,}.")
    if parsed.pairs is not None:
        pairs = parsed.pairs
        ratings = collect_ratings(len(names), pairs.first, pairs.second, pairs.value)
        return Problem(parsed.matrix, tables, names=names, objective=objective, ratings=ratings)
    if kind != "points":
        return Problem(parsed.matrix, tables, kind=kind, names=names, objective=objective)
    many = len(parsed.matrix) > LONGEST_MATRIX
    distances = np.zeros((0, 0)) if many else distances_between(parsed.matrix)
    return Problem(distances, tables, kind="distance", names=names, objective=objective, points=parsed.matrix)

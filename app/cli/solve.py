"""convive solve."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from app.cli.common import refuse
from app.cli.progress import show_progress
from app.solver.room import room_in_words

if TYPE_CHECKING:
    from app.formats.matrix import ParsedMatrix
    from app.solver.problem import Problem
    from app.solver.result import Result

Kind = Literal["score", "distance", "points"]
Objective = Literal["average", "total"]
Method = Literal["full", "paper"]

LONGEST_MATRIX = 3000
"""More guests in a list or as points are solved without a matrix, which would fill the memory."""

MatrixFile = Annotated[
    Path,
    typer.Argument(
        metavar="MATRIX.csv",
        show_default=False,
        help="A square matrix with names in the first row and column, or rows “guest,guest,score”; - reads stdin.",
    ),
]
Sizes = Annotated[
    str,
    typer.Option(
        "--tables",
        show_default=False,
        help="Sizes 4,4,5, counts 8x8 (eight tables of eight) and ranges 4-6; from 0 a table may stay empty.",
    ),
]
KindOption = Annotated[Kind, typer.Option(help="What the numbers are.")]
ObjectiveOption = Annotated[Objective, typer.Option(help="The paper's mean squared error, or the total of all scores.")]
MethodOption = Annotated[Method, typer.Option(help="The paper's algorithm alone, or the full search.")]
Restarts = Annotated[int, typer.Option(min=1, help="How often to start anew.")]
TimeLimit = Annotated[float, typer.Option(min=0.0, help="Seconds after which the best plan so far is taken.")]
Seed = Annotated[int, typer.Option(min=0, max=2**63 - 1, help="Where the random numbers start.")]
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
    as_json: AsJson = False,
) -> None:
    """Find the best plan for a matrix of scores, distances or points, without server or database."""
    from app.errors import ConviveError
    from app.formats.matrix import MatrixError

    try:
        parsed = _read_matrix(matrix, kind)
        problem = _problem(parsed, sizes, kind, objective)
        from app.solver.solve import solve as find_plan

        with show_progress(objective) as on_progress:
            result = find_plan(
                problem, method=method, restarts=restarts, time_limit=time_limit, seed=seed, on_progress=on_progress
            )
    except MatrixError as error:
        refuse(f"{matrix}: {error}")
    except ConviveError as error:
        refuse(error.message)
    except MemoryError:
        refuse(f"{matrix}: the computer has not enough memory for so many guests.")
    for warning in parsed.warnings:
        typer.echo(f"convive: {warning}", err=True)
    typer.echo(_as_json(problem, result) if as_json else _as_text(problem, result))


def _read_matrix(path: Path, kind: Kind) -> ParsedMatrix:
    from app.formats.matrix import parse_matrix

    try:
        data = sys.stdin.buffer.read() if str(path) == "-" else path.read_bytes()
    except OSError as error:
        refuse(f"{path}: {error.strerror or error}.")
    return parse_matrix(data, kind=kind, most_in_matrix=LONGEST_MATRIX)


def _problem(parsed: ParsedMatrix, sizes: str, kind: Kind, objective: Objective) -> Problem:
    import numpy as np

    from app.errors import Invalid
    from app.formats.tables import parse_sizes
    from app.solver.embed import distances_between
    from app.solver.problem import Problem, Table
    from app.solver.ratings import collect_ratings

    try:
        tables = tuple(Table(most, least) for least, most in parse_sizes(sizes))
    except Invalid as error:
        refuse(f"--tables: {error.message}")
    names = parsed.names or tuple(str(number) for number in range(1, len(parsed.matrix) + 1))
    if parsed.pairs is not None:
        pairs = parsed.pairs
        ratings = collect_ratings(len(names), pairs.first, pairs.second, pairs.value)
        return Problem(parsed.matrix, tables, names=names, objective=objective, ratings=ratings)
    if kind != "points":
        return Problem(parsed.matrix, tables, kind=kind, names=names, objective=objective)
    many = len(parsed.matrix) > LONGEST_MATRIX
    distances = np.zeros((0, 0)) if many else distances_between(parsed.matrix)
    return Problem(distances, tables, kind="distance", names=names, objective=objective, points=parsed.matrix)


def _seated(problem: Problem, result: Result) -> list[list[str]]:
    """Return the names at each table, in the order of the seats."""
    tables: list[list[tuple[int, str]]] = [[] for _ in problem.tables]
    for name, table, seat in zip(problem.names, result.assignment.tolist(), result.seats.tolist(), strict=True):
        tables[table].append((seat, name))
    return [[name for _, name in sorted(table)] for table in tables]


def _as_json(problem: Problem, result: Result) -> str:
    figures = {
        "tables": _seated(problem, result),
        "mse": result.mse,
        "total": result.total,
        "objective": result.objective,
        "method": result.method,
        "restarts": result.restarts,
        "seed": result.seed,
        "seconds": round(result.seconds, 4),
        "bound": result.bound,
        "proven_optimal": result.proven_optimal,
        "iterations": result.iterations,
        "stopped_early": result.stopped_early,
        "seconds_by_stage": {stage: round(seconds, 4) for stage, seconds in result.seconds_by_stage.items()},
    }
    return json.dumps(figures, ensure_ascii=False)


def _as_text(problem: Problem, result: Result) -> str:
    lines = []
    for number, (table, names) in enumerate(zip(problem.tables, _seated(problem, result), strict=True), start=1):
        lines.append(f"Table {number} ({len(names)} of {table.most}): {', '.join(names) or 'empty'}")
    figures = f"MSE {result.mse:.6g}, total {result.total:.6g}"
    proof = ", proven to be the best" if result.proven_optimal else ""
    room = room_in_words(result.objective, result.mse, result.total, result.bound, proven=result.proven_optimal)
    lines += [
        "",
        figures + proof,
        *filter(None, [room]),
        f"{result.restarts:,} restarts in {result.seconds:.2f} s, seed {result.seed}",
    ]
    return "\n".join(lines)

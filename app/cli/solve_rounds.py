"""convive solve --rounds: who meets whom in several rounds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from app.cli.common import refuse
from app.solver import MOST_ROUNDS

if TYPE_CHECKING:
    from app.files.matrices.read import ParsedMatrix
    from app.solver import Goal, IntArray, Problem, RoundsProblem

Read = Callable[[Path], bytes]


def read_rounds(text: str) -> int:
    """Return the number of rounds, or refuse what is none in one line."""
    number = int(text) if text.isascii() and text.isdigit() and len(text) < 5 else 0
    if not 1 <= number <= MOST_ROUNDS:
        refuse(f"--rounds: must be a whole number from 1 to {MOST_ROUNDS}.")
    return number


Rounds = Annotated[
    int | None,
    typer.Option(
        parser=read_rounds,
        metavar=f"1-{MOST_ROUNDS}",
        show_default=False,
        help="Plan several rounds, in which people meet as many others as possible. A plain list of names is enough.",
    ),
]
GoalOption = Annotated[
    str,
    typer.Option(
        metavar="new|spread|wanted",
        help="With --rounds: meet as many new people as possible; or new people, and nobody again and again; or those "
        "with high scores.",
    ),
]
Hosts = Annotated[
    Path | None,
    typer.Option(
        metavar="NAMES",
        show_default=False,
        help="With --rounds: guests who keep their table in all rounds, one or several on each line.",
    ),
]
Met = Annotated[
    Path | None,
    typer.Option(
        metavar="TABLES",
        show_default=False,
        help="With --rounds: who met before: a table or a pair on each line, rows “guest,guest,times”, or what --json "
        "printed for an earlier plan.",
    ),
]


@dataclass(frozen=True)
class RoundsAsked:
    """What is asked besides the tables."""

    rounds: int
    goal: str = "new"
    hosts: Path | None = None
    met: Path | None = None


def refuse_options(rounds: int | None, goal: str, given: dict[str, bool], for_rounds: dict[str, bool]) -> None:
    """Refuse options that rounds do not support, and options of rounds without rounds."""
    if rounds is None:
        for name, is_given in for_rounds.items():
            if is_given:
                refuse(f"{name}: use --rounds to say how many rounds to plan.")
        return
    for name, is_given in given.items():
        if is_given:
            refuse(f"{name} can't be used with --rounds.")
    if goal not in ("new", "spread", "wanted"):
        refuse(f"--goal: “{goal}” must be “new”, “spread” or “wanted”.")


def people_as_matrix(data: bytes) -> ParsedMatrix | None:
    """Return guests without ratings if the file is a plain list of names, one on each line."""
    import numpy as np

    from app.cli.rounds_files import parse_people
    from app.files.matrices.cells import MatrixError
    from app.files.matrices.square import ParsedMatrix
    from app.solver import MOST_IN_ROUNDS, refuse_rounds

    names = parse_people(data)
    if names is None:
        return None
    if not names:
        raise MatrixError("The file has no names.")
    if len(names) > MOST_IN_ROUNDS:
        refuse_rounds(1, len(names))
    return ParsedMatrix(names, np.zeros((len(names), len(names))))


def name_rounds(data: bytes, problem: str) -> str:
    """Return what is wrong with a file that is to have numbers; one of names alone is for rounds."""
    from app.cli.rounds_files import is_list_of_names
    from app.files.matrices.square import NO_SCORES

    return f"{NO_SCORES} Names alone are enough with --rounds." if is_list_of_names(data) else problem


def split_tables(sizes: str, rounds: int) -> list[str]:
    """Return the tables of each round, or those that all rounds have."""
    parts = sizes.split("/")
    if len(parts) not in (1, rounds):
        refuse(f"--tables: tables for {len(parts)} rounds are given, and --rounds says {rounds}.")
    return parts


def ask_for_rounds(problems: Sequence[Problem], asked: RoundsAsked, read: Read) -> RoundsProblem:
    """Put rounds, hosts and earlier meetings together; `problems` has one problem for all rounds, or one for each."""
    from app.solver import RoundsProblem, refuse_rounds, worth_of_meeting

    problem = problems[0]
    refuse_rounds(asked.rounds, problem.guest_count)
    wishes = None
    goal = cast("Goal", asked.goal)
    has_scores = problem.kind == "score" and problem.ratings is None
    if goal == "wanted" and not (has_scores and problem.symmetric.any()):
        refuse("--goal wanted needs scores.")
    if has_scores:
        wishes = worth_of_meeting(problem.symmetric, goal)
    hosts = _hosts(asked.hosts, problem.names, read) if asked.hosts else ()
    met = _met(asked.met, problem.names, read) if asked.met else None
    rounds = (problem,) * asked.rounds if len(problems) == 1 else tuple(problems)
    return RoundsProblem(rounds, wishes=wishes, met=met, hosts=hosts, spread=goal == "spread")


def _hosts(path: Path, names: Sequence[str], read: Read) -> tuple[int, ...]:
    from app.cli.rounds_files import parse_hosts
    from app.files.matrices.cells import MatrixError, listed

    try:
        hosts, unknown = parse_hosts(read(path), names)
    except MatrixError as error:
        refuse(f"{path}: {error}")
    if unknown:
        refuse(f"{path}: {listed(unknown)} {'is' if len(unknown) == 1 else 'are'} not among the guests.")
    if not hosts:
        refuse(f"{path}: The file has no names.")
    return hosts


def _met(path: Path, names: Sequence[str], read: Read) -> IntArray:
    import numpy as np

    from app.cli.rounds_files import parse_meetings
    from app.files.matrices.cells import MatrixError, listed

    try:
        found = parse_meetings(read(path), names)
    except MatrixError as error:
        refuse(f"{path}: {error}")
    if found.unknown:
        were = "is not among the guests and was" if len(found.unknown) == 1 else "are not among the guests and were"
        typer.echo(f"convive: {path}: {listed(found.unknown)} {were} left out.", err=True)
    met = np.zeros((len(names), len(names)), np.int64)
    for (first, second), times in found.pairs.items():
        met[first, second] = met[second, first] = times
    return met


def print_rounds(problem: RoundsProblem, *, as_json: bool, **limits: Any) -> None:
    """Solve and print the rounds."""
    from app.cli import rounds_text
    from app.cli.progress import show_progress
    from app.solver import solve_rounds

    with show_progress(None) as on_progress:
        result = solve_rounds(problem, on_progress=on_progress, **limits)
    typer.echo(rounds_text.as_json(problem, result) if as_json else rounds_text.as_text(problem, result))

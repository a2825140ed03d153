"""convive prepare, and what other commands do until the solver is compiled."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from collections.abc import Callable

    from app.solver import Need

PREPARING = "Preparing the solver (only at the first start, a minute or two)"


def prepare() -> None:
    """Compile the solver now. Otherwise the first start does it, while the pages are there already."""
    from app.solver import NEEDS

    prepare_solver(NEEDS)
    typer.echo("The solver is ready.")


def prepare_solver(needs: tuple[Need, ...]) -> float:
    """Load what a solve needs, and return the seconds spent compiling, in processes beside this one."""
    from app.solver import parts_for

    if all(part.is_ready() for part in parts_for(needs)):
        return 0.0
    began = time.monotonic()
    from app.worker.compilers import Preparation

    preparation = Preparation(needs)
    with _bar() as show:
        for _ in preparation.compile():
            show(*preparation.count())
    return time.monotonic() - began


@contextmanager
def _bar() -> Iterator[Callable[[int, int], None]]:
    """Show on stderr how many parts are ready: a bar on a terminal, one line elsewhere."""
    if not sys.stderr.isatty():
        typer.echo(f"{PREPARING} …", err=True)
        yield lambda ready, parts: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

    columns = (TextColumn(PREPARING), BarColumn(), MofNCompleteColumn(), TextColumn("parts"))
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=None)
        yield lambda ready, parts: bar.update(task, completed=ready, total=parts)

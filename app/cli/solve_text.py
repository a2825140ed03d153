"""What convive solve prints."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from app.sentences import count
from app.solver import count_moved, gap_text

if TYPE_CHECKING:
    from app.solver import Alternative, Problem, Result

    Plan = Result | Alternative


def _seated(problem: Problem, plan: Plan) -> list[list[str]]:
    """Return the names at each table, in the order of the seats."""
    tables: list[list[tuple[int, str]]] = [[] for _ in problem.tables]
    for name, table, seat in zip(problem.names, plan.assignment.tolist(), plan.seats.tolist(), strict=True):
        tables[table].append((seat, name))
    return [[name for _, name in sorted(table)] for table in tables]


def as_json(problem: Problem, result: Result, *, curve: bool = False) -> str:
    """Return the plan as JSON; with the curve, every plan of it."""
    figures: dict[str, Any] = {
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
        "settled_early": result.settled_early,
        "seconds_by_stage": {stage: round(seconds, 4) for stage, seconds in result.seconds_by_stage.items()},
    }
    if problem.previous is not None:
        figures["moved"] = count_moved(problem, result.assignment)
    if curve:
        figures["curve"] = [
            {
                "moved": count_moved(problem, plan.assignment),
                "mse": plan.mse,
                "total": plan.total,
                "tables": _seated(problem, plan),
            }
            for plan in _points(result)
        ]
    return json.dumps(figures, ensure_ascii=False)


def curve_as_text(problem: Problem, result: Result) -> str:
    """Return the curve in lines to read: how many guests are moved, what that gives, and who goes where."""
    lines = []
    for one in _points(result):
        figures = f"MSE {one.mse:.6g}, total {one.total:.6g}"
        lines.append(f"{count(count_moved(problem, one.assignment), 'guest')} moved: {figures}")
        lines += [f"  {line}" for line in _changes(problem, one)]
    return "\n".join(lines)


def _points(result: Result) -> list[Plan]:
    return [result, *result.alternatives]


def _changes(problem: Problem, plan: Plan) -> Iterator[str]:
    before = problem.previous or (-1,) * problem.guest_count
    for name, old, new in zip(problem.names, before, plan.assignment.tolist(), strict=True):
        if old != new:
            yield f"{name}: {f'table {old + 1}' if old >= 0 else 'no seat'} → table {new + 1}"


def as_text(problem: Problem, result: Result) -> str:
    lines = []
    for number, (table, names) in enumerate(zip(problem.tables, _seated(problem, result), strict=True), start=1):
        lines.append(f"Table {number} ({len(names)} of {table.most}): {', '.join(names) or 'empty'}")
    figures = f"MSE {result.mse:.6g}, total {result.total:.6g}"
    proof = ", proven to be the best" if result.proven_optimal else ""
    room = gap_text(result.objective, result.mse, result.total, result.bound, proven=result.proven_optimal)
    lines += [
        "",
        figures + proof,
        *filter(None, [room]),
        f"{result.restarts:,} restarts in {result.seconds:.2f} s, seed {result.seed}",
    ]
    return "\n".join(lines)

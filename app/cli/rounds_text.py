"""What convive solve --rounds prints."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import numpy as np

from app.solver import meetings_sentence, report_meetings

if TYPE_CHECKING:
    from app.solver import IntArray, MeetingReport, Problem, RoundsProblem, RoundsResult


def as_json(problem: RoundsProblem, result: RoundsResult) -> str:
    """Return the rounds as JSON: who sits where in each, and who meets whom."""
    report = _report(problem, result)
    figures = {
        "rounds": [{"tables": _seated(one, at)} for one, at in zip(problem.rounds, result.assignments, strict=True)],
        "new_meetings": report.new,
        "most_new_meetings": result.most_new_meetings,
        "repeats": result.repeats,
        "pairs_meeting_again": report.pairs_again,
        "pairs_met": report.met,
        "pairs": report.pairs,
        "share_of_pairs_met": round(report.share, 6),
        "people_met": {"fewest": report.fewest, "most": report.most},
        "met_before": report.met_before,
        "earlier": report.earlier,
        "proven_optimal": result.proven_optimal,
        "restarts": result.restarts,
        "seed": result.seed,
        "seconds": round(result.seconds, 4),
        "iterations": result.iterations,
        "stopped_early": result.stopped_early,
    }
    return json.dumps(figures, ensure_ascii=False)


def as_text(problem: RoundsProblem, result: RoundsResult) -> str:
    """Return each round's tables in lines to read, and the figures below them."""
    lines: list[str] = []
    for number, (one, at) in enumerate(zip(problem.rounds, result.assignments, strict=True), start=1):
        lines.append(f"Round {number}")
        for place, (table, names) in enumerate(zip(one.tables, _seated(one, at), strict=True), start=1):
            lines.append(f"  Table {place} ({len(names)} of {table.most}): {', '.join(names) or 'empty'}")
        lines.append("")
    report = _report(problem, result)
    met = f"{report.met:,} of {report.pairs:,} pairs meet ({100 * report.share:.0f} %)"
    return "\n".join(
        [
            *lines,
            meetings_sentence(report),
            met + (", proven to be the best with tables filled this evenly" if result.proven_optimal else ""),
            f"{result.restarts:,} restarts in {result.seconds:.2f} s, seed {result.seed}",
        ]
    )


def _report(problem: RoundsProblem, result: RoundsResult) -> MeetingReport:
    before = () if problem.met is None else zip(*np.nonzero(np.triu(problem.met, 1)), strict=True)
    return report_meetings(result.assignments, problem.rounds[0].parties, ((int(a), int(b)) for a, b in before))


def _seated(problem: Problem, at: IntArray) -> list[list[str]]:
    tables: list[list[str]] = [[] for _ in problem.tables]
    for name, table in zip(problem.names, at.tolist(), strict=True):
        tables[table].append(name)
    return tables

"""Compare two plans: match their tables, so that they differ only where guests sit with other people; count moves."""

from __future__ import annotations

import numpy as np
import scipy

from app.solver.problem import IntArray, Problem


def match_tables(problem: Problem, assignment: IntArray, model: IntArray) -> IntArray:
    """Return the plan with interchangeable tables renamed to those of `model` that share the most guests.

    In `model` −1 is for a guest without a seat.
    """
    count = len(problem.tables)
    overlap = np.zeros((count, count), dtype=np.int64)
    known = model >= 0
    np.add.at(overlap, (assignment[known], model[known]), 1)
    moved = np.arange(count)
    for group in _alike(problem):
        own, theirs = scipy.optimize.linear_sum_assignment(-overlap[np.ix_(group, group)])
        moved[np.array(group)[own]] = np.array(group)[theirs]
    return np.asarray(moved[assignment], dtype=np.int64)


def count_moved(problem: Problem, assignment: IntArray) -> int:
    """Return how many of the guests who have a seat in the current plan sit at another table."""
    before = np.array(problem.previous if problem.previous is not None else [-1] * problem.guest_count)
    return int(((before >= 0) & (before != assignment)).sum())


def _alike(problem: Problem) -> list[list[int]]:
    """Group the tables with the same seats and shape; a table named by a rule or lock is a group of its own."""
    named = {table for rule in problem.rules for table in rule.tables} | {table for _, table in problem.locked}
    groups: dict[object, list[int]] = {}
    for number, table in enumerate(problem.tables):
        key = number if number in named else (table.most, table.least, table.shape)
        groups.setdefault(key, []).append(number)
    return list(groups.values())

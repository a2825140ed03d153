"""Let people change tables between rounds: tables that are alike swap their companies, and who meets whom stays."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import scipy

from app.solver.problem import FloatArray, IntArray, Table
from app.solver.rounds.rounds_problem import RoundsProblem
from app.solver.search.blocks import Blocks

NEVER = 1e9
"""What it costs to put a company at a table where it may not sit: more than all guests in all rounds."""


def load_assignment() -> None:
    """Load what the end of a search needs, so that it takes no time after the limit."""
    scipy.optimize.linear_sum_assignment(np.zeros((1, 1)))


def change_tables(problem: RoundsProblem, blocks: Sequence[Blocks], plan: IntArray) -> IntArray:
    """Give each company the table where its guests sat least often before, round by round; rules stay kept.

    `plan` has the tables of blocks, a row for each round; it stays as it is if it is unknown which tables are the same.
    """
    venue = problem.venue
    if venue is None:
        return plan
    changed, everyone = plan.copy(), np.arange(plan.shape[1])
    before: IntArray = np.zeros((plan.shape[1], 1 + max(map(max, venue))), np.int64)
    stays = [one.structure.allowed.sum(axis=1) == 1 for one in blocks]
    for at, own, fixed in zip(plan, venue, stays, strict=True):  # known from the start, for the rounds before
        before[fixed, np.array(own)[at[fixed]]] += 1
    for number, (one, at) in enumerate(zip(blocks, plan, strict=True)):
        places = np.array(venue[number])
        costs = _costs(problem.rounds[number].tables, one, at, before[:, places])
        _, new = scipy.optimize.linear_sum_assignment(costs)
        if one.keeps_rules(new[at]):
            changed[number] = new[at]
        free = everyone[~stays[number]]
        before[free, places[changed[number, free]]] += 1
    return changed


def _costs(tables: Sequence[Table], blocks: Blocks, at: IntArray, before: IntArray) -> FloatArray:
    """Price each table for each company by how often its guests sat there; a little less for the one they have."""
    sat, refused = np.zeros((len(tables), len(tables))), np.zeros((len(tables), len(tables)), bool)
    # cubed, so that nobody stays in all rounds
    np.add.at(sat, at, before.astype(np.float64) ** 3 * blocks.structure.sizes[:, None])
    np.logical_or.at(refused, at, ~blocks.structure.allowed)
    kinds = [(table.most, table.least, table.shape) for table in tables]
    alike = np.array([[one == other for other in kinds] for one in kinds])
    costs: FloatArray = np.where(alike & ~refused, sat, NEVER) - np.eye(len(tables)) / (2 * len(tables))
    return costs

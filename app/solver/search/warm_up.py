"""Compile the search kernels, or load them from the cache."""

from __future__ import annotations

import numpy as np

from app.solver.feasibility.structure import build_structure
from app.solver.numba_support.random_numbers import random_state
from app.solver.problem import Problem, Table
from app.solver.search.anneal import Schedule, anneal
from app.solver.search.blocks import build_blocks
from app.solver.search.descend import CHAINS, descend
from app.solver.search.search_state import build_search_state
from app.solver.search.temper import make_ladder, temper


def compile_kernels() -> None:
    """Run the kernels once on a plan of two guests, so that they are compiled or loaded."""
    problem = Problem(np.zeros((2, 2)), (Table(1), Table(1)))
    blocks = build_blocks(problem, build_structure(problem, ()))
    search_state = build_search_state(blocks, np.array([0, 1]))
    anneal(search_state, Schedule(1.0, 0.5, 1), random_state(0, 0), np.zeros(2))
    temper([search_state], make_ladder(1.0, 0.5, 2, 1, 4), random_state(0, 0), np.zeros(2))
    descend(search_state, CHAINS, 1.0, np.zeros(2))

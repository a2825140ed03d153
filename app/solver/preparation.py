"""Getting the kernels ready: what is compiled once on each machine, in parts, and which parts a solve needs.

A part is a tiny call of one kernel. Loading it from disk takes a tenth of a second, compiling it some seconds.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import get_args

import numpy as np
from filelock import Timeout

from app.solver.clustering.kmeans import compile_kernels as compile_clustering
from app.solver.inference.gibbs import infer_deeply
from app.solver.inference.known import as_known
from app.solver.numba_support.compilation import NotCompiled, only_compiled
from app.solver.options import Need
from app.solver.proof.exact import compile_kernels as compile_proof
from app.solver.repair.exhaustive import compile_kernels as compile_trials
from app.solver.search.extended_search import compile_extended_anneal, compile_extended_descent
from app.solver.search.search import compile_anneal, compile_descent, compile_temper

NEEDS: tuple[Need, ...] = get_args(Need)


@dataclass(frozen=True)
class Part:
    """One step of getting ready, and what cannot begin without it."""

    name: str
    call: Callable[[], None]
    needs: tuple[Need, ...]

    def is_ready(self) -> bool:
        """Load the kernel, if it is on disk."""
        return self._missing() is None

    def compile(self) -> bool:
        """Compile or load the kernel; false if another process is compiling it now."""
        missing = self._missing()
        if missing is None:
            return True
        try:
            with missing.lock.acquire(timeout=0):
                self.call()
        except Timeout:
            return False
        except OSError:  # no lock can be had in this folder
            self.call()
        return True

    def _missing(self) -> NotCompiled | None:
        try:
            with only_compiled():
                self.call()
        except NotCompiled as missing:
            return missing
        return None


def _compile_inference() -> None:
    known = as_known(8, [(0, 1), (2, 3)], [1.0, -1.0], np.ones((8, 1)), [[1.0]], [(4, 5)])
    infer_deeply(known, burn=1, keep=2)


PARTS = (
    # In the order in which they are compiled: what most runs need, and within that what takes longest.
    Part("anneal", compile_anneal, ("full", "questions", "fairness", "repair")),
    Part("k-means", compile_clustering, ("full", "paper", "fairness")),
    Part("descent", compile_descent, ("full", "questions", "fairness", "repair")),
    Part("temper", compile_temper, ("full", "questions", "fairness", "repair")),
    Part("proof", compile_proof, ("full", "fairness")),
    Part("inference", _compile_inference, ("questions",)),
    Part("extended descent", compile_extended_descent, ("fairness", "repair")),
    Part("extended anneal", compile_extended_anneal, ("fairness", "repair")),
    Part("trials", compile_trials, ("repair",)),
)
"""Large events have kernels of their own, which are compiled when the first of them is solved: few ever are."""


def parts_for(needs: Collection[str]) -> list[Part]:
    """Return the parts without which one of these cannot begin, in the order in which they are compiled."""
    return [part for part in PARTS if not set(needs).isdisjoint(part.needs)]

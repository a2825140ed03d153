"""Getting the kernels ready: what is compiled once on each machine, in parts, and which parts a solve needs.

A part is a tiny call of one kernel. Loading it from disk takes a tenth of a second, compiling it some seconds. Its
module is loaded when it is called: a solve does not wait for modules that it does not need.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from importlib import import_module
from typing import get_args

from filelock import Timeout

from app.solver.numba_support.compilation import NotCompiled, only_compiled
from app.solver.options import Need

NEEDS: tuple[Need, ...] = get_args(Need)


@dataclass(frozen=True)
class Part:
    """One step of getting ready, and what cannot begin without it."""

    name: str
    module: str
    function: str
    needs: tuple[Need, ...]

    def call(self) -> None:
        """Run the kernel once."""
        getattr(import_module(self.module, __package__), self.function)()

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


PARTS = (
    # In the order in which they are compiled: what most runs need, and within that what takes longest.
    Part("anneal", ".search.search", "compile_anneal", ("full", "questions", "fairness", "repair")),
    Part("k-means", ".clustering.kmeans", "compile_kernels", ("full", "paper", "fairness")),
    Part("descent", ".search.search", "compile_descent", ("full", "questions", "fairness", "repair")),
    Part("temper", ".search.search", "compile_temper", ("full", "questions", "fairness", "repair")),
    Part("proof", ".proof.exact", "compile_kernels", ("full", "fairness")),
    Part("inference", ".inference.gibbs", "compile_kernels", ("questions",)),
    Part("extended descent", ".search.extended_search", "compile_extended_descent", ("fairness", "repair")),
    Part("extended anneal", ".search.extended_search", "compile_extended_anneal", ("fairness", "repair")),
    Part("trials", ".repair.exhaustive", "compile_kernels", ("repair",)),
)
"""Large events have kernels of their own, which are compiled when the first of them is solved: few ever are."""


def parts_for(needs: Collection[str]) -> list[Part]:
    """Return the parts without which one of these cannot begin, in the order in which they are compiled."""
    return [part for part in PARTS if not set(needs).isdisjoint(part.needs)]

"""How the solver's kernels are compiled: an entry called from Python, and the parts that it is made of.

A part has no door to Python and no cache of its own, and a part with a single caller is inlined: that halves
the seconds which the very first solve takes to compile.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from numba import njit

Function = TypeVar("Function", bound=Callable[..., object])

# Overflow and division by zero follow IEEE as in numpy: no hidden branch raises.
OPTIONS: dict[str, Any] = {"nogil": True, "error_model": "numpy"}
PART: dict[str, Any] = OPTIONS | {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}


def _fingerprint() -> str:
    """Return a short name for the sources of all kernels as they are now."""
    digest = hashlib.sha256()
    for path in sorted(Path(__file__).parent.glob("*.py")):
        source = path.read_bytes()
        if b"numba" in source or b"solver.kernel" in source:
            digest.update(source)
    return digest.hexdigest()[:8]


FINGERPRINT = _fingerprint()


def kernel(function: Function) -> Function:
    """Compile an entry and keep the machine code on disk."""
    # Numba looks only at the file of the entry to see whether its cache is stale, not at those of its parts.
    function.__qualname__ = f"{function.__qualname__}_{FINGERPRINT}"
    compiled: Function = njit(cache=True, **OPTIONS)(function)
    return compiled


def part(function: Function) -> Function:
    """Compile a part of kernels."""
    compiled: Function = njit(**PART)(function)
    return compiled


def inlined(function: Function) -> Function:
    """Compile a part together with its only caller."""
    compiled: Function = njit(inline="always", **PART)(function)
    return compiled

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


def kernel(function: Function) -> Function:
    """Compile an entry and keep the machine code on disk."""
    # Numba looks only at the file of the entry to see whether its cache is stale, not at those of its parts.
    function.__qualname__ = f"{function.__qualname__}_{_fingerprint(function)}"
    compiled: Function = njit(cache=True, **OPTIONS)(function)
    return compiled


def part(function: Function) -> Function:
    """Compile a part of kernels; the machine code is inlined."""
    # A call would copy every array of a tuple of arrays, which costs more than most parts do.
    compiled: Function = njit(forceinline=True, **PART)(function)
    return compiled


def shared(function: Function) -> Function:
    """Compile a part that many places call: linked, not inlined."""
    compiled: Function = njit(**PART)(function)
    return compiled


def inlined(function: Function) -> Function:
    """Compile a part together with its only caller: twice as quick to compile."""
    compiled: Function = njit(inline="always", **PART)(function)
    return compiled


def _fingerprint(function: Callable[..., object]) -> str:
    """Return a short name for the sources of a kernel as they are now."""
    digest = hashlib.sha256()
    for path in sorted(_sources(function)):
        digest.update(Path(path).read_bytes())
    return digest.hexdigest()[:8]


def _sources(function: Callable[..., object]) -> set[str]:
    """Return the file of a kernel and those that the parts in its reach come from."""
    found: set[str] = set()
    reach = [function]
    while reach:
        reached = reach.pop()
        path = reached.__code__.co_filename
        if path not in found:
            found.add(path)
            reach += [value.py_func for value in reached.__globals__.values() if hasattr(value, "py_func")]
    return found

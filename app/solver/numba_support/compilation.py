"""How the solver's kernels are compiled: entries that Python calls, and the parts that they are made of.

A part cannot be called from Python and has no cache of its own, and a part with a single caller is inlined: that halves
the seconds which the very first solve takes to compile.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from numba import njit

from app.solver.numba_support.cache_keys import cache_key

Function = TypeVar("Function", bound=Callable[..., object])

# Overflow and division by zero follow IEEE as in numpy: no hidden branch raises.
OPTIONS: dict[str, Any] = {"nogil": True, "error_model": "numpy"}
PART: dict[str, Any] = OPTIONS | {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}


def kernel(function: Function) -> Function:
    """Compile an entry and keep the machine code on disk, under a key that covers all that it calls."""
    function.__qualname__ = f"{function.__qualname__}_{cache_key(function, OPTIONS)}"
    compiled: Function = njit(cache=True, **OPTIONS)(function)
    return compiled


def inlined_kernel(function: Function) -> Function:
    """Compile an entry that other kernels call too: inlined there, as calls would copy every array of a struct."""
    function.__qualname__ = f"{function.__qualname__}_{cache_key(function, OPTIONS)}"
    compiled: Function = njit(cache=True, forceinline=True, **OPTIONS)(function)
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

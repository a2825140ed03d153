"""How the solver's kernels are compiled: entries that Python calls, and the parts that they are made of.

A part cannot be called from Python and has no cache of its own, and a part with a single caller is inlined: that halves
the seconds which the very first solve takes to compile.

All processes that share a folder of compiled kernels share locks beside them, so that none compiles what another one
compiles at that moment. The system drops a lock with its process, however that ends, and numba replaces files at once:
what a killed process left is compiled again.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

from filelock import FileLock
from numba import njit
from numba.core.compiler_lock import global_compiler_lock
from numba.core.types import unliteral

from app.solver.numba_support.cache_keys import cache_key
from app.solver.numba_support.part_compiler import PartCompiler

Function = TypeVar("Function", bound=Callable[..., object])

# Overflow and division by zero follow IEEE as in numpy: no hidden branch raises.
OPTIONS: dict[str, Any] = {"nogil": True, "error_model": "numpy"}
PART: dict[str, Any] = OPTIONS | {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}
POLL_SECONDS = 0.1
_thread = threading.local()


class NotCompiled(Exception):
    """A kernel is not on disk, where only compiled ones may be used; has the lock of whoever compiles it."""

    def __init__(self, lock: FileLock) -> None:
        super().__init__("a kernel is not compiled yet")
        self.lock = lock


@contextmanager
def only_compiled() -> Iterator[None]:
    """Load kernels from disk in this thread, and raise `NotCompiled` instead of compiling one."""
    _thread.only_compiled = True
    try:
        yield
    finally:
        _thread.only_compiled = False


def kernel(function: Function) -> Function:
    """Compile an entry and keep the machine code on disk, under a key that covers all that it calls."""
    function.__qualname__ = f"{function.__qualname__}_{cache_key(function, OPTIONS)}"
    compiled: Function = _compiled_once(njit(cache=True, **OPTIONS)(function))
    return compiled


def inlined_kernel(function: Function) -> Function:
    """Compile an entry that other kernels call too: inlined there, as calls would copy every array of a struct."""
    function.__qualname__ = f"{function.__qualname__}_{cache_key(function, OPTIONS)}"
    compiled: Function = _compiled_once(njit(cache=True, forceinline=True, **OPTIONS)(function))
    return compiled


def part(function: Function) -> Function:
    """Compile a part of kernels; the machine code is inlined."""
    # A call would copy every array of a tuple of arrays, which costs more than most parts do.
    compiled: Function = _for_all_numbers(njit(forceinline=True, pipeline_class=PartCompiler, **PART)(function))
    return compiled


def shared(function: Function) -> Function:
    """Compile a part that many places call: linked, not inlined."""
    compiled: Function = _for_all_numbers(njit(pipeline_class=PartCompiler, **PART)(function))
    return compiled


def inlined(function: Function) -> Function:
    """Compile a part together with its only caller: twice as quick to compile."""
    compiled: Function = njit(inline="always", **PART)(function)
    return compiled


def _for_all_numbers(dispatcher: Any) -> Any:
    """Compile one version for all numbers: numba would compile another one wherever a caller passes a constant."""
    compile_now = dispatcher.compile
    dispatcher.compile = lambda signature: compile_now(_without_constants(signature))
    return dispatcher


def _compiled_once(dispatcher: Any) -> Any:
    """Let one process at a time compile an entry, and the others load what it has compiled."""
    compile_now, kernel_cache = dispatcher.compile, dispatcher._cache
    path = Path(kernel_cache.cache_path) / f"{kernel_cache._impl.filename_base}.lock"

    def compile_once(signature: Any) -> Any:
        signature = _without_constants(signature)
        if signature in dispatcher.overloads or _is_on_disk(dispatcher, signature):
            return compile_now(signature)
        lock = _lock_of(path, os.getpid())
        if getattr(_thread, "only_compiled", False):
            raise NotCompiled(lock)
        # Numba's own lock comes first: a thread that holds it may wait for the file, but never the other way round.
        with global_compiler_lock, _held(lock):
            return compile_now(signature)

    dispatcher.compile = compile_once
    return dispatcher


@cache
def _lock_of(path: Path, process: int) -> FileLock:
    """Return the lock of a kernel in this process: a copy of the process must not use that of the original."""
    return FileLock(path, thread_local=False)


def _without_constants(signature: Any) -> Any:
    return tuple(map(unliteral, signature)) if isinstance(signature, tuple) else signature


def _is_on_disk(dispatcher: Any, signature: Any) -> bool:
    """Return whether the machine code for these types is there, for this processor and from the source as it is."""
    cache, codegen = dispatcher._cache, dispatcher.targetctx.codegen()
    with suppress(OSError, EOFError):
        stored = cache._cache_file._load_index().get(cache._index_key(signature, codegen))
        return stored is not None and Path(cache._cache_file._data_path(stored)).is_file()
    return False


@contextmanager
def _held(lock: FileLock) -> Iterator[None]:
    """Hold a lock; do without where the folder cannot have one: compiling twice is slow, but right."""
    with suppress(OSError, NotImplementedError):
        Path(lock.lock_file).parent.mkdir(parents=True, exist_ok=True)
        lock.acquire(poll_interval=POLL_SECONDS)
    try:
        yield
    finally:
        lock.release()

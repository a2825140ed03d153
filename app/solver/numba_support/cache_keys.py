"""A key for the compiled code of a kernel that changes whenever anything that it is made of does.

Numba looks only at the file of a cached function to see whether its machine code is stale, but that code holds all
functions that it calls and the values of all global constants. The key covers these: the bytecode of every function in
reach, the constants that they use, and the fields of the structs that they take.
"""

from __future__ import annotations

import builtins
import dis
import hashlib
import re
import sys
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

import numpy as np

Function = Callable[..., object]
CONSTANT = (bool, int, float, complex, str, bytes, tuple, frozenset, np.generic, np.ndarray)


def cache_key(function: Function, options: object = None) -> str:
    """Return eight hexadecimal digits for a function, all that it calls and all constants, as they are now."""
    parts = {repr(options)}
    seen: set[Function] = set()
    todo = [function]
    while todo:
        reached = todo.pop()
        if reached in seen:
            continue
        seen.add(reached)
        parts.add(_spell_code(reached.__code__, reached.__doc__))
        parts.update(_structs_of(reached))
        used = _globals_of(reached)
        if used is None:  # it calls something that is defined further down
            parts.add(_read(reached.__code__.co_filename))
            used = {name: value for name, value in reached.__globals__.items() if _is_spelt(value)}
        todo += [value.py_func for value in used.values() if hasattr(value, "py_func")]
        parts.update(f"{name}={_spell(value)}" for name, value in used.items() if not hasattr(value, "py_func"))
    return hashlib.sha256("\n".join(sorted(parts)).encode()).hexdigest()[:8]


def _globals_of(function: Function) -> dict[str, Any] | None:
    """Return the global names that a function uses, with their values but without modules; None if one is missing."""
    names = {name for name in _global_names(function.__code__) if not hasattr(builtins, name)} - {function.__name__}
    if not names <= function.__globals__.keys():
        return None
    values = {name: function.__globals__[name] for name in names}
    return {name: value for name, value in values.items() if not isinstance(value, ModuleType)}


@cache
def _read(path: str) -> str:
    return Path(path).read_text(encoding="utf-8")


@cache
def _global_names(code: CodeType) -> frozenset[str]:
    """Return the global names in a function's code, which never changes; most are reached by many kernels."""
    names = {str(step.argval) for step in dis.get_instructions(code) if step.opname == "LOAD_GLOBAL"}
    return frozenset(names).union(*(_global_names(inner) for inner in code.co_consts if isinstance(inner, CodeType)))


@cache
def _spell_code(code: CodeType, doc: str | None = None) -> str:
    """Write a function's bytecode out, without its documentation, file and line numbers."""
    constants = [
        _spell_code(value) if isinstance(value, CodeType) else _spell(value) for value in code.co_consts if value != doc
    ]
    return f"{code.co_code.hex()} {code.co_names} {code.co_varnames} {constants}"


def _is_spelt(value: object) -> bool:
    return hasattr(value, "py_func") or isinstance(value, CONSTANT)


def _spell(value: object) -> str:
    """Write a constant out, the same in every process."""
    if isinstance(value, np.ndarray):
        return f"{value.dtype} {value.shape} {hashlib.sha256(value.tobytes()).hexdigest()}"
    if isinstance(value, type) and hasattr(value, "_fields"):
        return f"{value.__qualname__} {value._fields}"
    if isinstance(value, frozenset):
        return f"frozenset{sorted(map(_spell, value))}"
    if isinstance(value, CONSTANT) or value is None:
        return repr(value)
    raise TypeError(f"A kernel cannot use the global {value!r}: its key would not notice a change")


def _structs_of(function: Function) -> Iterator[str]:
    """Yield the fields of the named tuples among a function's parameters, in their order."""
    todo = [(function.__annotations__, function.__globals__)]
    seen = set()
    while todo:
        annotations, scope = todo.pop()
        for name in re.findall(r"\w+", " ".join(map(str, annotations.values()))):
            struct = scope.get(name)
            if isinstance(struct, type) and hasattr(struct, "_fields") and struct not in seen:
                seen.add(struct)
                yield f"{struct.__qualname__} {struct.__annotations__}"
                todo.append((struct.__annotations__, vars(sys.modules[struct.__module__])))

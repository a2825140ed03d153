"""Seating as a library: a `Problem` in, a `Result` out.

    from app.solver import Problem, Table, solve

    result = solve(Problem(scores, (Table(8), Table(8))), time_limit=5)

Nothing outside imports a sub-module. `__init__.pyi` lists the public names, for type checkers as well as for
`__getattr__`: a name is loaded when it is first used, so that a web process that needs `Problem` and `Rule` never loads
numba, scikit-learn or scipy.
"""

from __future__ import annotations

import ast
from importlib import import_module
from pathlib import Path
from typing import Any

_STUB = ast.parse(Path(__file__).with_suffix(".pyi").read_text(encoding="utf-8"))
_MODULES = {line.names[0].name: str(line.module) for line in _STUB.body if isinstance(line, ast.ImportFrom)}


def __getattr__(name: str) -> Any:
    """Load a public name from its module, once."""
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(_MODULES[name]), name)
    return value


def __dir__() -> list[str]:
    return sorted(_MODULES)

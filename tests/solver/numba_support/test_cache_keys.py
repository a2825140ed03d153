"""Compiled code on disk is used again only while everything that it was made from is the same."""

from __future__ import annotations

import importlib
import os
import pkgutil
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

import app.solver
from app.solver.numba_support.cache_keys import cache_key
from app.solver.numba_support.compilation import OPTIONS

ROOT = Path(app.solver.__file__).parents[2]
CALL = """
import numpy as np
from app.solver.numba_support.random_numbers import random_state
from app.solver.large.points_anneal import anneal_cloud, make_cloud
cloud = make_cloud(np.arange(12.0).reshape(6, 2) % 5, np.arange(6) % 2, 2, "average")
anneal_cloud(cloud, 1.0, 0.5, 50, random_state(1, 0), np.zeros(2))
print(anneal_cloud.py_func.__code__.co_filename)
print(sum(anneal_cloud.stats.cache_hits.values()))
print(*cloud.at)
"""


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """Copy what the solver is made of, without compiled code."""
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(ROOT / "app/solver", tmp_path / "app/solver", ignore=ignored)
    for name in ("__init__.py", "errors.py", "sentences.py"):
        shutil.copy(ROOT / "app" / name, tmp_path / "app" / name)
    return tmp_path


def call_kernel(folder: Path) -> tuple[bool, str]:
    """Call a kernel in a process of its own; say whether its code came from disk, and what it computed."""
    surroundings = os.environ | {"NUMBA_CACHE_DIR": str(folder / "cache"), "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, "-c", CALL]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=folder, env=surroundings)
    path, hits, plan = done.stdout.splitlines()
    assert Path(path).is_relative_to(folder)
    return hits == "1", plan


def test_change_of_a_callee_recompiles_its_caller(copy: Path) -> None:
    first = call_kernel(copy)
    again = call_kernel(copy)
    callee = copy / "app/solver/numba_support/random_numbers.py"
    text = callee.read_text()
    changed = text.replace("return np.int64((high * np.uint64(limit)) >> np.uint64(32))", "return np.int64(0)")
    assert changed != text
    callee.write_text(changed)
    after = call_kernel(copy)
    assert first == (False, first[1])
    assert again == (True, first[1])
    assert first[1] != "0 1 0 1 0 1"
    assert after == (False, "0 1 0 1 0 1")  # only guest 0 is ever drawn, so nothing is swapped


def test_every_cached_function_has_a_key() -> None:
    cached = {}
    for module in pkgutil.walk_packages(app.solver.__path__, "app.solver."):
        for value in vars(importlib.import_module(module.name)).values():
            if hasattr(value, "py_func") and type(value._cache).__name__ != "NullCache":
                cached[value.py_func.__qualname__] = value
    assert len(cached) > 30
    without = [name for name in cached if not re.search(r"_[0-9a-f]{8}$", name)]
    assert without == []


def test_only_one_module_compiles() -> None:
    users = [path.name for path in sorted((ROOT / "app/solver").rglob("*.py")) if "njit" in path.read_text()]
    assert users == ["compilation.py"]


LIMIT = 3
TABLE = np.arange(4.0)


class Pair(NamedTuple):
    """A struct that a kernel may take."""

    one: int
    other: int


class Compiled:
    """What a jitted function looks like to the key."""

    def __init__(self, function: Callable[..., object]) -> None:
        self.py_func = function


def callee(x: int) -> int:
    return x + LIMIT


def other_callee(x: int) -> int:
    return x - LIMIT


called: Any = Compiled(callee)


def caller(pair: Pair, x: int) -> float:
    """Compute something."""
    value: float = TABLE[called(x)] + pair.one
    return value


def later(x: int) -> int:
    return not_there_yet(x)  # type: ignore[name-defined, no-any-return]  # noqa: F821


def key_after(monkeypatch: pytest.MonkeyPatch, name: str, value: object) -> bool:
    """Say whether the key of `caller` changes with one global."""
    before = cache_key(caller)
    monkeypatch.setitem(globals(), name, value)
    return cache_key(caller) != before


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("LIMIT", 4),
        ("TABLE", np.arange(4.0) + 1),
        ("called", Compiled(other_callee)),
        ("Pair", NamedTuple("Pair", [("other", int), ("one", int)])),
    ],
)
def test_key_changes_with_all_that_a_function_uses(monkeypatch: pytest.MonkeyPatch, name: str, value: object) -> None:
    assert key_after(monkeypatch, name, value)


def test_key_does_not_change_with_documentation(monkeypatch: pytest.MonkeyPatch) -> None:
    before = cache_key(caller)
    monkeypatch.setattr(caller, "__code__", caller.__code__.replace(co_firstlineno=1))
    assert cache_key(caller) == before


def test_key_covers_the_file_of_a_function_whose_callee_stands_below(monkeypatch: pytest.MonkeyPatch) -> None:
    before = cache_key(later)
    monkeypatch.setitem(globals(), "LIMIT", 5)
    assert cache_key(later) != before


def test_key_changes_with_the_options_of_the_compiler() -> None:
    assert cache_key(caller, OPTIONS) != cache_key(caller, OPTIONS | {"fastmath": True})


def test_global_that_no_key_can_follow_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(globals(), "TABLE", [1, 2])
    with pytest.raises(TypeError, match="cannot use the global"):
        cache_key(caller)

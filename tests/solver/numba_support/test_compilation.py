"""How kernels are compiled: once for all constants, and by one process at a time."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from app.solver.numba_support.compilation import NotCompiled, kernel, only_compiled, shared

BELOW = """
import numpy as np
from app.solver.numba_support.random_numbers import below, random_state
print("loaded", flush=True)
input()
below(random_state(1, 0), 5)
print(sum(below.stats.cache_misses.values()), flush=True)
"""


@shared
def _add(first: int, second: int) -> Any:
    return first + second


@kernel
def _add_constants(number: int) -> Any:
    return _add(number, 1) + _add(2, number) + _add(3, 4)


@kernel
def _never_called(number: float) -> Any:
    return number * 2.5


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep compiled code of this test to itself."""
    kernels: tuple[Any, ...] = (_add_constants, _never_called)
    for compiled in kernels:
        file = compiled._cache._cache_file
        monkeypatch.setattr(file, "_cache_path", str(tmp_path))
        monkeypatch.setattr(file, "_index_path", str(tmp_path / file._index_name))


def test_constants_share_one_version_of_a_part() -> None:
    assert _add_constants(10) == 30
    assert len(_add.overloads) == 1  # type: ignore[attr-defined]


def test_part_is_linked_into_its_kernel_and_never_loaded() -> None:
    assert _add_constants(10) == 30

    def is_loaded(function: Any) -> bool:
        [compiled] = function.overloads.values()
        engine = compiled.library.codegen._engine
        return bool(engine.is_symbol_defined(compiled.fndesc.llvm_func_name))

    assert is_loaded(_add_constants)
    assert not is_loaded(_add)


def test_kernel_that_is_not_on_disk_is_not_compiled_where_only_compiled_ones_may_be_used() -> None:
    with only_compiled(), pytest.raises(NotCompiled):
        _never_called(2.0)
    assert _never_called(2.0) == 5.0
    with only_compiled():
        assert _never_called(4.0) == 10.0
        with pytest.raises(NotCompiled):
            _never_called(4)  # other types are other machine code


def test_of_two_processes_one_compiles_and_the_other_waits(tmp_path: Path) -> None:
    surroundings = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path)}
    both = [
        subprocess.Popen(
            [sys.executable, "-c", BELOW],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=surroundings,
        )
        for _ in range(2)
    ]
    for process in both:
        assert process.stdout is not None
        assert process.stdout.readline() == "loaded\n"
    for process in both:
        assert process.stdin is not None
        process.stdin.write("\n")
        process.stdin.flush()
    said = sorted(process.communicate()[0].strip() for process in both)
    assert said == ["0", "1"]

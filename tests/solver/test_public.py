"""The public surface of the solver: cheap to import, complete, and all that other code uses."""

from __future__ import annotations

import ast
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import app.solver

ROOT = Path(__file__).parents[2]


def names_in(source: str) -> dict[str, str]:
    """Return the module of each name that a source imports."""
    lines = [line for line in ast.parse(source).body if isinstance(line, ast.ImportFrom)]
    return {line.names[0].name: str(line.module) for line in lines}


FOR_EVERYONE, FOR_WORKERS = map(names_in, (ROOT / "app/solver/__init__.pyi").read_text().split("# isort: split"))
OFFERED = FOR_EVERYONE.keys() | FOR_WORKERS.keys()
WEB = next(
    contract
    for contract in tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    if "numba" in contract.get("forbidden_modules", ())
)


def modules_loaded_by(code: str) -> set[str]:
    """Return the top-level packages that a fresh process has loaded after some code."""
    code += "\nimport sys; print(*{name.partition('.')[0] for name in sys.modules})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    return set(done.stdout.split())


def imports_of(path: Path) -> list[ast.ImportFrom]:
    """Return the `from … import …` of a file, those inside functions too."""
    return [node for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.ImportFrom)]


def files_of(module: str) -> list[Path]:
    """Return the files of a module or of a package with all that is in it."""
    path = ROOT / module.replace(".", "/")
    return sorted(path.rglob("*.py")) if path.is_dir() else [path.with_suffix(".py")]


def test_every_public_name_can_be_loaded() -> None:
    for name in OFFERED:
        assert getattr(app.solver, name) is not None
    assert set(dir(app.solver)) == OFFERED


def test_unknown_name_is_an_attribute_error() -> None:
    unknown = "seat"
    with pytest.raises(AttributeError, match="no attribute 'seat'"):
        getattr(app.solver, unknown)


def test_no_name_is_offered_twice() -> None:
    assert "Problem" in FOR_EVERYONE
    assert "solve" in FOR_WORKERS
    assert not FOR_EVERYONE.keys() & FOR_WORKERS.keys()


def test_problem_and_errors_load_no_heavy_library() -> None:
    loaded = modules_loaded_by("from app.solver import Problem, Table, Rule, Result, Unsolvable, Known, Source, Reason")
    assert not loaded & {"numba", "sklearn", "scipy"}


def test_names_for_everyone_load_neither_numba_nor_sklearn() -> None:
    names = ", ".join(FOR_EVERYONE)
    assert not modules_loaded_by(f"from app.solver import {names}") & {"numba", "sklearn"}


def test_solve_does_not_load_sklearn() -> None:
    assert "sklearn" not in modules_loaded_by(
        "from app.solver import solve, find_repairs, find_good_plans, search_shard"
    )


def test_linter_knows_every_module_that_is_for_everyone() -> None:
    listed = {module for module in WEB["source_modules"] if module.startswith("app.solver.")}
    assert listed == set(FOR_EVERYONE.values())


def test_web_process_uses_no_name_that_needs_numba_or_sklearn() -> None:
    web = [module for module in WEB["source_modules"] if not module.startswith("app.solver")]
    used = {
        alias.name
        for module in web
        for path in files_of(module)
        for node in imports_of(path)
        if node.module == "app.solver"
        for alias in node.names
    }
    assert "Problem" in used
    assert used <= OFFERED
    assert not used & FOR_WORKERS.keys()


def test_nothing_outside_imports_a_module_of_the_solver() -> None:
    outside = [
        path
        for folder in ("app", "bench", "docs", "fault", "load", "tests")
        for path in sorted((ROOT / folder).rglob("*.py"))
        if not path.is_relative_to(ROOT / "app/solver") and not path.is_relative_to(ROOT / "tests/solver")
    ]
    assert len(outside) > 100
    deep = {
        f"{path.relative_to(ROOT)}: {node.module}"
        for path in outside
        for node in imports_of(path)
        if (node.module or "").startswith("app.solver.")
    }
    assert deep == set()

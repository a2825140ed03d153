"""Checks of the installation: Python, packages, compiled kernels."""

from __future__ import annotations

import os
import platform
import re
import sys
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from app import __version__
from app.cli.checks import Finding, ok, problem, warning
from app.config import ROOT
from app.sentences import count

OLDEST, NEWEST = (3, 11), (3, 14)
ENTRY = re.compile(r"^@(?:njit|kernel)\b", re.MULTILINE)
PINNED = re.compile(r"^([A-Za-z0-9._-]+)==([^\s;]+)\s*(;?)", re.MULTILINE)


def check_system() -> Iterator[Finding]:
    yield _check_python()
    yield _check_packages()
    yield _check_kernels()


def _check_python() -> Finding:
    text = f"Convive {__version__} on Python {platform.python_version()}, {platform.system()} {platform.machine()}"
    if OLDEST <= sys.version_info[:2] <= NEWEST:
        return ok("version", f"{text}.")
    return problem("version", f"{text}. Convive needs Python 3.11 to 3.14.")


def _check_packages() -> Finding:
    """Compare what is installed with the lock file, where there is one."""
    lock = ROOT / "requirements.lock"
    if not lock.is_file():
        return ok("packages", "No requirements.lock to compare with.")
    pinned: dict[str, list[tuple[str, str]]] = {}
    for name, wanted, marker in PINNED.findall(lock.read_text()):
        pinned.setdefault(name, []).append((wanted, marker))
    others = [line for name, choices in pinned.items() if (line := _difference(name, choices))]
    if not others:
        return ok("packages", f"{len(pinned)} packages as in requirements.lock.")
    shown = ", ".join(others[:5]) + (" …" if len(others) > 5 else "")
    return warning(
        "packages", f"Different from requirements.lock: {shown}. Run “make setup” to install the tested versions."
    )


def _difference(name: str, choices: list[tuple[str, str]]) -> str:
    """Say how a package differs; one with a marker has several versions, or belongs to other machines only."""
    versions = [wanted for wanted, _ in choices]
    try:
        found = version(name)
    except PackageNotFoundError:
        return "" if choices[0][1] else f"{name} is missing"
    return "" if found in versions else f"{name} {found} instead of {' or '.join(versions)}"


def _check_kernels() -> Finding:
    """See whether the solver's kernels were compiled for this Python, from the sources as they are now."""
    sources = [path for path in (ROOT / "app" / "solver").rglob("*.py") if ENTRY.search(path.read_text())]
    compiled = sum(map(_is_compiled, sources))
    text = f"{compiled} of {count(len(sources), 'module')} with kernels compiled"
    if compiled >= len(sources) / 2:  # what few runs need is left out
        return ok("kernels", f"{text}; the others are compiled when a run needs them.")
    folder = os.environ.get("NUMBA_CACHE_DIR")
    if folder and not _can_write(Path(folder)):
        return problem("kernels", f"{text}, and NUMBA_CACHE_DIR={folder} is not writable.")
    return warning(
        "kernels",
        f"{text}. The first start of “convive serve” or “convive worker” compiles the others in a minute or two; "
        "runs wait for it. “convive prepare” does it now.",
    )


def _is_compiled(source: Path) -> bool:
    pattern = f"{source.stem}.*.py{sys.version_info[0]}{sys.version_info[1]}*.nbi"
    made = [index.stat().st_mtime for folder in _cache_folders(source) for index in folder.rglob(pattern)]
    return bool(made) and max(made) >= source.stat().st_mtime


def _cache_folders(source: Path) -> list[Path]:
    chosen = os.environ.get("NUMBA_CACHE_DIR")
    folders = [Path(chosen)] if chosen else [source.parent / "__pycache__", Path.home() / ".cache" / "numba"]
    return [folder for folder in folders if folder.is_dir()]


def _can_write(folder: Path) -> bool:
    while not folder.exists() and folder != folder.parent:
        folder = folder.parent
    return os.access(folder, os.W_OK | os.X_OK)

"""Compiling beside a worker."""

from __future__ import annotations

from pathlib import Path

import pytest
from filelock import FileLock

from app.solver import Part
from app.solver.numba_support.compilation import NotCompiled
from app.worker import compilers


def test_runs_do_not_wait_for_ever_where_no_process_can_be_started(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def load() -> None:
        raise NotCompiled(FileLock(tmp_path / "lock"))

    monkeypatch.setattr(compilers, "parts_for", lambda needs: [Part("part", load, ("full",))])
    monkeypatch.setattr(compilers, "OWN_COMMAND", [str(tmp_path / "no such program")])
    preparation = compilers.Preparation(("full",))
    assert (list(preparation.compile()), preparation.is_over, preparation.ready) == ([], True, ["full"])

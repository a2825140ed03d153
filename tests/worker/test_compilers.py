"""Compiling beside a worker."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.solver import Part
from app.worker import compilers


class MissingPart(Part):
    """A part that nobody has compiled."""

    def is_ready(self) -> bool:
        return False


def test_runs_do_not_wait_for_ever_where_no_process_can_be_started(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    missing = MissingPart("part", ".search.search", "compile_anneal", ("full",))
    monkeypatch.setattr(compilers, "parts_for", lambda needs: [missing])
    monkeypatch.setattr(compilers, "OWN_COMMAND", [str(tmp_path / "no such program")])
    preparation = compilers.Preparation(("full",))
    assert (list(preparation.compile()), preparation.is_over, preparation.ready) == ([], True, ["full"])

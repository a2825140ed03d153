"""What a terminal shows while convive solves."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from app.cli.progress import best_so_far, share_done, time_left
from app.runs.progress import STAGES
from app.solver import Progress


def progress(seconds: float, left: float | None) -> Progress:
    return Progress("search", 3, 1000, 0.25, seconds, left)


@pytest.mark.parametrize(
    ("seconds", "left", "share", "words"),
    [
        (1.0, 3.2, 1.0 / 4.2, "at most 4 s left"),
        (0.0, 5.0, 0.0, "at most 5 s left"),
        (6.0, 0.0, 1.0, "nearly done"),
        (2.0, None, None, ""),
    ],
)
def test_bar_is_the_share_of_time_and_not_of_restarts(
    seconds: float, left: float | None, share: float | None, words: str
) -> None:
    assert share_done(progress(seconds, left)) == (None if share is None else pytest.approx(share))
    assert time_left(progress(seconds, left)) == words


def test_best_value_is_named_as_what_it_is() -> None:
    assert best_so_far(0.25, "average") == "best MSE so far 0.25"
    assert best_so_far(312.0, "total") == "best total so far 312"
    assert best_so_far(None, "total") == ""
    assert best_so_far(1120.0, None) == "pairs that meet so far: 1,120"


@pytest.mark.skipif(not hasattr(os, "openpty"), reason="needs a terminal of its own")
def test_terminal_shows_the_best_value_and_how_long_it_may_take(tmp_path: Path) -> None:
    path = tmp_path / "m.csv"
    path.write_text("\n".join(",".join(str((i * j) % 5) for j in range(120)) for i in range(120)))
    words = ["solve", str(path), "--tables", "12x10", "--time-limit", "30"]  # starting counts; it ends early
    ours, theirs = os.openpty()
    child = subprocess.Popen(
        [sys.executable, "-m", "app.cli", *words],
        stdout=subprocess.DEVNULL,
        stderr=theirs,
        env=os.environ | {"TERM": "xterm", "COLUMNS": "120"},
    )
    os.close(theirs)
    shown = b""
    while True:
        try:
            shown += os.read(ours, 65536)
        except OSError:  # the terminal is closed
            break
    assert child.wait() == 0
    os.close(ours)
    text = shown.decode()
    assert "best MSE so far" in text
    assert "left" in text
    assert STAGES["search"] in text

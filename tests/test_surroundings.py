"""The tests are the same in every shell, folder and locale."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.surroundings import forget_surroundings

HOSTILE = {
    "CONVIVE_DATABASE_URL": "postgresql://nowhere/x",
    "CONVIVE_PORT": "abc",
    "HOST": "nowhere",
    "PORT": "1",
    "http_proxy": "http://127.0.0.1:9",
    "HTTPS_PROXY": "http://127.0.0.1:9",
    "PGHOST": "nowhere",
    "COLUMNS": "20",
    "FORCE_COLOR": "1",
    "OMP_NUM_THREADS": "1",
    "LANGUAGE": "tr",
    "LC_TIME": "xx_YY.UTF-8",
    "MAKEFLAGS": "n",
    "PYTHONDONTWRITEBYTECODE": "1",
}


def test_variables_of_the_shell_reach_no_test(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in HOSTILE.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("LC_ALL", "tr_TR.ISO-8859-9")
    monkeypatch.setenv("CONVIVE_REQUIRE_ALL", "1")
    forget_surroundings()
    assert HOSTILE.keys() & os.environ.keys() == set()
    assert (os.environ["CONVIVE_REQUIRE_ALL"], os.environ["LC_ALL"].partition(".")[0]) == ("1", "C")


def test_settings_of_the_checkout_reach_no_test() -> None:
    assert list(Path.cwd().iterdir()) == []
    assert Path.cwd() != Path(__file__).parent.parent


def test_children_speak_utf8() -> None:
    printed = subprocess.run([sys.executable, "-c", "print('→ Zoë')"], capture_output=True, text=True, check=True)
    assert printed.stdout == "→ Zoë\n"

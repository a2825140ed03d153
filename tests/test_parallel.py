"""Tests in several processes are all run once, and reported as if there were one process."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from app.config import ROOT
from tests.parallel.work import BROWSER, SERVERS, Work, units_of

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="elsewhere all tests run in one process")

NUMBERS = """
import os, time
import pytest

@pytest.mark.parametrize("number", range(40))
def test_number(number, tmp_path):
    print(f"number {number} in {os.getpid()} {tmp_path}")
    time.sleep(0.01)
    assert number != 13
"""
SHARED = """
import os
import pytest

@pytest.fixture(scope="session", autouse=True)
def ending():
    yield
    with open(os.environ["ENDINGS"], "a") as file:
        file.write("ended\\n")
"""
EARLY = """
import os, warnings
import pytest

def test_warns():
    warnings.warn("careful")

def test_kills_its_process():
    os._exit(3)

def test_after_it():
    pass

@pytest.mark.skip(reason="not today")
def test_skipped():
    pass
"""


def run(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    (folder / "test_numbers.py").write_text(NUMBERS)
    (folder / "test_early.py").write_text(EARLY)
    (folder / "conftest.py").write_text(SHARED)
    command = [sys.executable, "-m", "pytest", "-c", "/dev/null", "--rootdir", str(folder), str(folder), "-rA"]
    plugins = ["--disable-plugin-autoload", "-p", "tests.parallel.plugin", "-p", "no:cacheprovider"]
    environment = {"PYTHONPATH": str(ROOT), "ENDINGS": str(folder / "endings"), "PATH": "/usr/bin:/bin"}
    return subprocess.run(
        [*command, *plugins, *words], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )


def test_every_test_is_run_once_and_reported(tmp_path: Path) -> None:
    done = run(tmp_path, "-n", "2")
    assert done.returncode == 1, done.stdout + done.stderr
    assert "2 failed, 41 passed, 1 skipped, 1 warning in" in done.stdout
    outcomes = re.findall(r"^(PASSED|FAILED) \S+?::(\S+)", done.stdout, re.MULTILINE)
    assert sorted(name for outcome, name in outcomes if outcome == "FAILED") == [
        "test_kills_its_process",
        "test_number[13]",
    ]
    assert len(set(outcomes)) == len(outcomes) == 43
    assert "The process of this test ended with 3." in done.stdout
    assert "UserWarning: careful" in done.stdout
    places = re.findall(r"number \d+ in (\d+) (\S+)", done.stdout)
    assert len({place for _, place in places}) == 40  # no two tests have the same folder
    assert len({process for process, _ in places}) > 1
    assert len((tmp_path / "endings").read_text().split()) == 2  # what lasts as long as its process ends with it


def test_run_ends_after_as_many_failures_as_are_allowed(tmp_path: Path) -> None:
    done = run(tmp_path, "-n", "2", "-x", "--deselect", "test_early.py::test_kills_its_process")
    assert done.returncode == 1, done.stdout + done.stderr
    assert "stopping after 1 failures" in done.stdout
    assert "1 failed" in done.stdout
    assert "number 39" not in done.stdout
    assert len((tmp_path / "endings").read_text().split()) == 2  # also in the process that was interrupted


def given(addresses: list[str], processes: int) -> dict[int, list[str]]:
    """Return what each process gets if all of them take the same time for each unit."""
    work = Work(units_of(addresses, processes), processes)
    got: dict[int, list[str]] = {process: [] for process in range(processes)}
    while work.units:
        for process, tests in got.items():
            tests += [addresses[test] for test in work.next_unit(process)]
    return got


def test_few_processes_start_browsers_and_files_with_servers_stay_together() -> None:
    browser = [f"{BROWSER}test_{name}.py::test_{number}" for name in "abcd" for number in range(60)]
    servers = [f"{SERVERS}test_{name}.py::test_{number}" for name in "abcd" for number in range(10)]
    others = [f"tests/test_{name}.py::test_{number}" for name in "abcdefgh" for number in range(200)]
    got = given(browser + servers + others, 5)
    assert sorted(test for tests in got.values() for test in tests) == sorted(browser + servers + others)
    assert sum(any(test in browser for test in tests) for tests in got.values()) == 2
    for file in "abcd":
        of_file = [test for test in servers if test.startswith(f"{SERVERS}test_{file}")]
        assert any(set(of_file) <= set(tests) for tests in got.values())


def test_tests_of_one_file_are_shared_by_all_processes() -> None:
    addresses = [f"tests/test_a.py::test_{number}" for number in range(10)]
    assert sorted(map(len, given(addresses, 3).values())) == [3, 3, 4]

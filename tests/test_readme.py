"""What README.md and the guide tell people to type works, and what they point to exists."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from app.config import Settings
from tests.server import ServerProcess

ROOT = Path(__file__).parent.parent
MAKE = re.compile(r"(?:^|`|_ALL=1 )make ([a-z]+)", re.MULTILINE)
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "SECURITY.md", *sorted((ROOT / "docs").rglob("*.md"))]


def block_with(words: str) -> str:
    """Return the block of commands in the README that holds these words."""
    blocks: list[str] = re.findall(r"```sh\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)
    return next(block for block in blocks if words in block)


def convive_here(commands: str, folder: Path) -> str:
    """Let `.venv/bin/convive` be the one that is being tested, wherever it is installed."""
    command = folder / "convive"
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m app.cli "$@"\n')
    command.chmod(0o755)
    return commands.replace(".venv/bin/convive", shlex.quote(str(command)))


def test_example_for_programs_ends_with_a_plan(tmp_path: Path) -> None:
    server = ServerProcess(tmp_path / "server").start()
    commands = convive_here(block_with("key create"), tmp_path).replace("http://127.0.0.1:8000", server.address)
    environment = os.environ | {"CONVIVE_DATA_DIR": str(server.data_dir)}
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", commands], env=environment, capture_output=True, text=True, check=False
    )
    assert (done.returncode, "event: end" in done.stdout) == (0, True), done.stderr
    end = json.loads(done.stdout.rpartition("data: ")[2].strip())
    assert end["status"] == "done"
    event = server.api().get("events").json()["events"][0]["id"]
    plan = server.api().get(f"events/{event}/plans/{end['plan_id']}").json()
    server.stop()
    seated = {frozenset(guest["name"] for guest in table["guests"]) for table in plan["tables"]}
    assert seated == {frozenset({"Aino", "Dan"}), frozenset({"Bo", "Cleo"})}


def test_command_without_a_server_prints_the_tables(tmp_path: Path) -> None:
    names = [f"Guest {number}" for number in range(1, 23)]
    pairs = [f"{a},{b},2" for a, b in zip(names[::2], names[1::2], strict=True)]
    (tmp_path / "ratings.csv").write_text("\n".join(pairs))
    command = convive_here(block_with("convive solve"), tmp_path)
    done = subprocess.run(["bash", "-c", command], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert [name for name in names if name not in done.stdout] == []


@pytest.mark.parametrize("text", PAGES, ids=lambda text: str(text.relative_to(ROOT)))
def test_links_and_pictures_lead_somewhere(text: Path) -> None:
    targets = re.findall(r"\]\(([^)#]+)", text.read_text())
    local = [target for target in targets if not target.startswith("http")]
    assert [target for target in local if not (text.parent / target).exists()] == []


def test_settings_in_the_readme_are_the_settings() -> None:
    message = set(re.findall(r"CONVIVE_([A-Z_]+)", (ROOT / "README.md").read_text()))
    assert {name.lower() for name in message} == set(Settings.model_fields)


def test_make_targets_in_the_docs_exist() -> None:
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    message = {name for text in PAGES for name in MAKE.findall(text.read_text())}
    assert {"run", "test", "lint"} <= message
    assert message <= targets

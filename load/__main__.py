"""Put load on real servers and write what came of it into bench/results.md; sections that are not run stay."""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
import traceback
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path

from bench.report import write_section
from load.place import DATABASES

SECTIONS = ("burst", "writes", "mixed", "share", "streams", "waiting", "big", "memory")
"""A module each, with a TITLE and measure(databases), which returns the text of the section."""


def main() -> None:
    """Run all sections on both databases, or those named."""
    parser = argparse.ArgumentParser(prog="python -m load", description=__doc__)
    parser.add_argument("--only", nargs="+", choices=SECTIONS, default=SECTIONS, help="run these sections alone")
    parser.add_argument(
        "--database", nargs="+", choices=DATABASES, default=DATABASES, help="on these alone; nothing is written then"
    )
    chosen = parser.parse_args()
    broken = [name for name in chosen.only if not _measure(name, chosen.database)]
    if broken:
        sys.exit(f"Not measured, because an error came in between: {', '.join(broken)}")


def _measure(name: str, databases: Sequence[str]) -> bool:
    """Measure one section; an error, such as that of a server that hangs, does not keep the others from being run."""
    section = import_module(f"load.{name}")
    print(f"== {section.TITLE}", flush=True)
    began = time.monotonic()
    try:
        text = f"Commit {_commit()}. {section.measure(databases)}"
    except Exception:
        traceback.print_exc()
        return False
    print(f"{text}\n({time.monotonic() - began:.0f} s)\n", flush=True)
    if set(databases) == set(DATABASES):
        write_section(f"load_{name}", section.TITLE, text, ())
    return True


def _commit() -> str:
    """Return which state of the code was measured."""
    command = ["git", "describe", "--always", "--dirty", "--abbrev=9"]
    found = subprocess.run(
        command, cwd=Path(__file__).parent, capture_output=True, text=True, check=False, timeout=30
    ).stdout.strip()
    return f"`{found}`" if found else "unknown"


if __name__ == "__main__":
    main()

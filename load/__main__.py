"""Put load on real servers and write the results into bench/results.md; sections that are not run are kept."""

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

SECTIONS = (
    *("burst", "writes", "editors", "moves", "mixed", "share", "phones", "streams", "waiting", "big", "memory"),
    "passwords",
)
"""Each is a module with a TITLE and measure(databases), which returns the text of the section."""


def main() -> None:
    """Run all sections on both databases, or those named."""
    parser = argparse.ArgumentParser(prog="python -m load", description=__doc__)
    parser.add_argument("--only", nargs="+", choices=SECTIONS, default=SECTIONS, help="run only these sections")
    parser.add_argument(
        "--database", nargs="+", choices=DATABASES, default=DATABASES, help="use only these; nothing is written then"
    )
    chosen = parser.parse_args()
    broken = [name for name in chosen.only if not _measure(name, chosen.database)]
    if broken:
        sys.exit(f"Not measured because of an error: {', '.join(broken)}")


def _measure(name: str, databases: Sequence[str]) -> bool:
    """Measure one section; after an error, such as a server that hangs, the others still run."""
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
    """Return the commit that was measured."""
    command = ["git", "describe", "--always", "--dirty", "--abbrev=9"]
    found = subprocess.run(
        command, cwd=Path(__file__).parent, capture_output=True, text=True, check=False, timeout=30
    ).stdout.strip()
    return f"`{found}`" if found else "unknown"


if __name__ == "__main__":
    main()

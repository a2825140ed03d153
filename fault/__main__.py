"""Run the faults and write the results into bench/results.md; sections that are not run are kept."""

from __future__ import annotations

import argparse
from importlib import import_module

from bench.report import write_section
from fault.postgres import Postgres, installed_version
from fault.stalls import CLOCK

SECTIONS = ("kills", "pauses", "embedded", "speed", "shards", "repeats")
"""Each is a module with a TITLE and measure(), which returns the text of the section."""


TWICE = ("kills", "pauses")
"""Sections that also run on the PostgreSQL that is installed on this machine, if there is one."""


def main() -> None:
    """Run all sections, or those named."""
    parser = argparse.ArgumentParser(prog="python -m fault", description=__doc__)
    parser.add_argument("--only", nargs="+", choices=SECTIONS, default=SECTIONS, help="run only these sections")
    parser.add_argument(
        "--postgres",
        choices=("bundled", "installed"),
        help="run only on PostgreSQL 18, or only on the installed one (Debian 12 has 15)",
    )
    asked = parser.parse_args()
    for name in asked.only:
        if asked.postgres != "installed":
            run_section(name, installed=False)
        if asked.postgres == "installed" or (not asked.postgres and name in TWICE and installed_version()):
            run_section(name, installed=True)


def run_section(name: str, *, installed: bool) -> None:
    """Run one section and write its results."""
    section = import_module(f"fault.{name}")
    Postgres.uses_installed = installed
    title = f"{section.TITLE}, version {installed_version()}" if installed else section.TITLE
    print(f"== {title}", flush=True)
    CLOCK.stalled_seconds = 0.0
    text = section.measure() + CLOCK.words()
    write_section(f"fault_{name}_installed" if installed else f"fault_{name}", title, text, ())
    print(text, flush=True)


main()

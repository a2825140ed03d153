"""Run the measurements and write bench/results.md; sections that are not run are kept."""

from __future__ import annotations

import argparse
from importlib import import_module

from bench.report import write_section

SECTIONS = (
    "first_second",
    "first_seen",
    "party",
    "large",
    "assignment",
    "exact22",
    "bellows17",
    "wedding64",
    "free_tables",
    "mdgp120",
    "mdgp240",
    "mdgp480",
    "gaps",
    "balanced",
    "thousand",
    "five_thousand",
    "huge",
    "growth",
    "rounds",
    "cancel",
    "attendance",
    "asking",
    "cards",
    "importing",
    "frames",
    "printing",
)
"""Each is a module with a TITLE and measure(), which returns the text of the section."""


def main() -> None:
    """Measure all sections, or those named."""
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("--only", nargs="+", choices=SECTIONS, default=SECTIONS, help="run these sections alone")
    for name in parser.parse_args().only:
        section = import_module(f"bench.{name}")
        print(f"== {section.TITLE}", flush=True)
        text = section.measure()
        write_section(name, section.TITLE, text, SECTIONS)
        print(text, flush=True)


main()

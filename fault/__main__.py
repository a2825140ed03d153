"""Run the faults and write what came of them into bench/results.md; sections that are not run stay as they were."""

from __future__ import annotations

import argparse
from importlib import import_module

from bench.report import write_section
from fault.stalls import CLOCK

SECTIONS = ("kills", "pauses", "embedded", "speed", "shards", "repeats")
"""A module each, with a TITLE and measure(), which returns the text of the section."""


def main() -> None:
    """Run all sections, or those named."""
    parser = argparse.ArgumentParser(prog="python -m fault", description=__doc__)
    parser.add_argument("--only", nargs="+", choices=SECTIONS, default=SECTIONS, help="run these sections alone")
    for name in parser.parse_args().only:
        section = import_module(f"fault.{name}")
        print(f"== {section.TITLE}", flush=True)
        CLOCK.stalled_seconds = 0.0
        text = section.measure() + CLOCK.words()
        write_section(f"fault_{name}", section.TITLE, text, ())
        print(text, flush=True)


main()

"""The results page: one section per measurement, each replaced separately."""

from __future__ import annotations

import os
import platform
import re
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

RESULTS = Path(__file__).with_name("results.md")
HEAD = """# Results

Written by `make bench`, `make fault` and `make load`. Ratios compare measurements of one run on one machine.
"""
SECTION = re.compile(r"<!-- (\w+) -->\n(.*?)(?=\n<!-- \w+ -->\n|\Z)", re.DOTALL)


def write_section(name: str, title: str, text: str, order: Sequence[str]) -> None:
    """Write a section into the page, in the order of `order`, and keep the others."""
    stored = dict(SECTION.findall(RESULTS.read_text())) if RESULTS.exists() else {}
    stored[name] = f"\n## {title}\n\n{_machine()}\n\n{text.strip()}\n"
    known = [key for key in order if key in stored] + [key for key in stored if key not in order]
    RESULTS.write_text(HEAD + "".join(f"\n<!-- {key} -->\n{stored[key].rstrip()}\n" for key in known))


def markdown_table(titles: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """Return a table with right-aligned numbers."""
    lines = [titles, ["---", *["---:"] * (len(titles) - 1)], *rows]
    return "\n".join("| " + " | ".join(str(cell) for cell in line) + " |" for line in lines)


def _machine() -> str:
    cores = os.cpu_count()
    return f"*{datetime.now(UTC):%Y-%m-%d}, {cores} cores ({platform.machine()}), Python {platform.python_version()}*"

"""Cells that a spreadsheet would run as a formula, made harmless and back without loss."""

from __future__ import annotations

import re

RISKY = re.compile(r"'*[=+\-@\t\r]")


def defuse(text: str) -> str:
    """Put an apostrophe before a text that a spreadsheet would run, or that looks like one made harmless before."""
    return f"'{text}" if RISKY.match(text) else text


def undefuse(text: str) -> str:
    """Take the apostrophe of `defuse` off again."""
    return text[1:] if text.startswith("'") and RISKY.match(text) else text

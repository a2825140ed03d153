"""The maximally diverse grouping problem with 480 guests."""

from __future__ import annotations

from bench.mdgp import compare

TITLE = "Grouping instances of MDGPLIB, 480 guests, 60 s each"


def measure() -> str:
    """Compare totals with the published ones."""
    return compare(480) + " Required of the published instance: every run above its published best."

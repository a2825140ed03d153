"""The maximally diverse grouping problem with 120 guests."""

from __future__ import annotations

from bench.mdgp import compare

TITLE = "Grouping instances of MDGPLIB, 120 guests, 3 s each"


def measure() -> str:
    """Compare totals with the published ones."""
    return compare(120) + " Required of the published instances: a mean above +0.05 %, no run below −0.03 %."

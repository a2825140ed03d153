"""The maximally diverse grouping problem with 240 guests."""

from __future__ import annotations

from bench.mdgp import compare

TITLE = "Grouping instances of MDGPLIB, 240 guests, 20 s each"


def measure() -> str:
    """Compare totals with the published ones."""
    return compare(240) + " Required of the published instances: a mean above +0.02 %, no run below −0.05 %."

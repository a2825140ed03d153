"""Lengths as people type them: in metres, with a point or a comma."""

from __future__ import annotations

import math

from app.errors import FieldError, Invalid
from app.tables.shapes import METRE


def read_metres(text: str, where: str, what: str) -> float | None:
    """Read a number that somebody typed; None where nothing was."""
    typed = text.strip().replace("−", "-").replace(",", ".")
    if not typed:
        return None
    try:
        value = float(typed)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise Invalid(FieldError(where, f"{what} must be a number, not “{text.strip()[:20]}”."))
    return value


def write_metres(units: float | None) -> str:
    """Return a length in floor units as it is typed."""
    return "" if units is None else f"{round(units / METRE, 2):g}"

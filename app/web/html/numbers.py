"""Numbers as people type them, and as a narrow cell shows them."""

from __future__ import annotations

import re

NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?", re.IGNORECASE)


def read_decimal(text: str) -> float | None:
    """Read a number with a point or a comma and any minus sign; None where nothing was typed."""
    plain = text.strip().replace("−", "-").replace(",", ".")
    if not plain:
        return None
    if len(plain) > 40 or not NUMBER.fullmatch(plain):
        raise ValueError("not a number")
    return float(plain)


def plain_number(number: float | None) -> str:
    """Write a number as it can be typed again, or nothing for none."""
    return "" if number is None else repr(number).removesuffix(".0").replace("-", "−")


def short_number(number: float, *, signed: bool) -> str:
    """Write a number in a narrow cell: two decimals at most, and its sign where that matters."""
    rounded = f"{number:.0f}" if abs(number) >= 100 else f"{number:.2f}".rstrip("0").rstrip(".")
    if rounded in ("0", "-0"):
        return "0"
    return f"{'+' if signed and number > 0 else ''}{rounded}".replace("-", "−")

"""How values are written in pages."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, datetime
from typing import Any

from app.sentences import count
from app.web.html.text_metrics import emoji_runs


def day(value: date | None) -> str:
    """Write a day: Saturday 5 December 2026."""
    return f"{value:%A} {value.day} {value:%B %Y}" if value else ""


def moment(value: datetime | None) -> str:
    """Write a moment in UTC, to the minute."""
    return f"{value.day} {value:%B %Y, %H:%M} UTC" if value else ""


def figure(number: float | None, digits: int = 2) -> str:
    """Write a figure with a true minus sign, or a dash where there is none."""
    return "–" if number is None else f"{number:,.{digits}f}".replace("-", "−")


def signed(number: float) -> str:
    """Write a score with its sign: +2, −1, 0."""
    text = f"{number:+g}" if number else "0"
    return text.replace("-", "−")


ALL: dict[str, Callable[..., Any]] = {one.__name__: one for one in (day, moment, count, figure, signed, emoji_runs)}

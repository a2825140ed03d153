"""The checks of `convive doctor`: each looks at one thing, changes nothing, and says what it found in one line."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Status = Literal["ok", "warning", "problem"]


@dataclass(frozen=True)
class Finding:
    """What a check found: fine, worth a look, or wrong."""

    check: str
    status: Status
    message: str


def ok(check: str, message: str) -> Finding:
    """Say that something is fine."""
    return Finding(check, "ok", message)


def warning(check: str, message: str) -> Finding:
    """Say that something is worth a look, though Convive works."""
    return Finding(check, "warning", message)


def problem(check: str, message: str) -> Finding:
    """Say that something is wrong."""
    return Finding(check, "problem", message)

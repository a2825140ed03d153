"""The checks of `convive doctor`: each looks at one thing, changes nothing, and says what it found in one line."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Literal


@dataclass(frozen=True)
class Finding:
    """What a check found: fine, worth a look though Convive works, or wrong."""

    status: Literal["ok", "warning", "problem"]
    check: str
    message: str


ok = partial(Finding, "ok")
warning = partial(Finding, "warning")
problem = partial(Finding, "problem")

"""The parts of an event whose changes are counted separately: columns `…_revision` of `events`."""

from __future__ import annotations

from typing import Literal

Part = Literal["ratings", "plans", "tables", "rules"]
"""Parts of an event that change on their own, and that many of its pages and lists do not show."""

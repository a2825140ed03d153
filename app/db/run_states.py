"""The states of a run: under way, or over."""

from __future__ import annotations

LIVE = ("queued", "running")
OVER = ("done", "failed", "cancelled")

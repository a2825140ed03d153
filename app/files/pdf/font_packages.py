"""Fonts that are installed as Python packages, such as font-manrope."""

from __future__ import annotations

from functools import cache
from importlib.metadata import entry_points
from importlib.util import find_spec
from pathlib import Path

GROUP = "fonts_ttf"
"""Font packages list their files as entry points of this group, for the package `fonts` on PyPI."""


@cache
def list_font_folders() -> tuple[str, ...]:
    """Return the folders of the font packages that are installed beside this program."""
    modules = {entry.module.partition(".")[0] for entry in entry_points(group=GROUP)}
    found = [find_spec(module) for module in sorted(modules)]
    return tuple(str(Path(spec.origin).parent) for spec in found if spec is not None and spec.origin)

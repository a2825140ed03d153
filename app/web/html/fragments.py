"""Fragments of pages that are kept: what a macro of a template makes of plain values.

After a change most of a page is as it was: a move touches two of sixteen tables. A macro without context depends on
its arguments alone, so the arguments are the whole key, and whoever is sent a kept fragment has its values already.
"""

from __future__ import annotations

import sys
from collections.abc import Hashable

from jinja2 import Environment
from markupsafe import Markup

from app.bounded_cache import BoundedCache
from app.config import MEBIBYTE

MOST_BYTES = 32 * MEBIBYTE
SIZE_WITH_KEY = 3  # times the size of the text: its values are kept too


class Fragments:
    """The fragments that were used last."""

    def __init__(self, environment: Environment, most_bytes: int = MOST_BYTES) -> None:
        self._environment = environment
        self._kept: BoundedCache[Hashable, Markup] = BoundedCache(most_bytes, _size_of)

    def render(self, template: str, macro: str, *values: Hashable) -> Markup:
        """Return what the macro makes of the values, which must be of the same types at each call (1 equals True)."""

        def make() -> Markup:
            return getattr(self._environment.get_template(template).module, macro)(*values)  # type: ignore[no-any-return]  # macros are untyped

        return self._kept.get_or_make((template, macro, values), make)


def _size_of(text: Markup) -> int:
    return SIZE_WITH_KEY * sys.getsizeof(text)

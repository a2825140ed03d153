"""Settings whose names Convive does not know: misspelt, or of another version."""

from __future__ import annotations

import os
from collections.abc import Iterator
from difflib import get_close_matches

from dotenv import dotenv_values

from app.config import Settings

PREFIX = "CONVIVE_"
FOR_TESTS = ("CONVIVE_REQUIRE_ALL",)


def misspelt_settings() -> Iterator[str]:
    """For each variable of the environment or `.env` that is not a setting, say which one was probably meant."""
    known = [name.upper() for name in Settings.model_fields]
    given = dict.fromkeys(name.upper() for name in (*os.environ, *dotenv_values(".env", interpolate=False)))
    for name in given:
        own = name.removeprefix(PREFIX)
        if name.startswith(PREFIX) and own not in known and name not in FOR_TESTS:
            nearest = get_close_matches(own, known, n=1)
            yield f"{name} is not a setting.{f' Did you mean {PREFIX}{nearest[0]}?' if nearest else ''}"

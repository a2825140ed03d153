"""For tests of what does not depend on the database: import `database` from here and they run once, on SQLite."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conftest import sqlite_copy


@pytest.fixture
def database(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The address of a fresh SQLite database with the schema."""
    return sqlite_copy(request, tmp_path)

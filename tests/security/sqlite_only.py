"""For tests of what does not depend on the database: import `database` from here and they run once, on SQLite."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest


@pytest.fixture
def database(sqlite_template: Path, tmp_path: Path) -> str:
    """The address of a fresh SQLite database with the schema."""
    shutil.copy(sqlite_template, tmp_path / "convive.db")
    return f"sqlite:///{tmp_path / 'convive.db'}"

"""What SECURITY.md and docs/asvs.md name as proof is there."""

from __future__ import annotations

import re
from functools import cache

import pytest

from app.config import ROOT

DOCUMENTS = ("SECURITY.md", "docs/asvs.md")
PATH = re.compile(r"`((?:app|tests|templates|deploy)/[\w/.-]+)`")
TEST = re.compile(r"`(test_\w+)`")


@cache
def _tests() -> frozenset[str]:
    files = (ROOT / "tests").rglob("test_*.py")
    return frozenset(name for file in files for name in re.findall(r"def (test_\w+)", file.read_text()))


@pytest.mark.parametrize("document", DOCUMENTS)
def test_every_promise_names_a_test_that_exists(document: str) -> None:
    text = (ROOT / document).read_text()
    named = set(TEST.findall(text))
    assert len(named) > 10
    assert named - _tests() == set()
    assert [path for path in PATH.findall(text) if not (ROOT / path).exists()] == []


def test_every_chapter_of_the_standard_is_there() -> None:
    headings = re.findall(r"^## V(\d+) ", (ROOT / "docs/asvs.md").read_text(), re.MULTILINE)
    assert headings == [str(number) for number in range(1, 18)]

"""The examples in the solver's documentation run."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

TEXT = (Path(__file__).parents[2] / "docs/solver.md").read_text()
EXAMPLES = re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL)


def test_there_are_examples() -> None:
    assert len(EXAMPLES) == 4


@pytest.mark.parametrize("example", EXAMPLES)
def test_example_runs(example: str) -> None:
    exec(compile(example, "docs/solver.md", "exec"), {})  # noqa: S102  our own text

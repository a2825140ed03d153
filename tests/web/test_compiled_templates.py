"""Compiled templates are used again until something that they depend on changes."""

from __future__ import annotations

from pathlib import Path
from types import CodeType

import pytest
from jinja2 import DictLoader, Environment

from app.web.html import compiled_templates
from app.web.html.compiled_templates import CompiledTemplates


class Counting(Environment):
    """Counts how many templates it compiles."""

    compiled = 0

    def _compile(self, source: str, filename: str) -> CodeType:
        self.compiled += 1
        return super()._compile(source, filename)


def compile_count(made_by: Path, source: str = "Hello {{ name }}") -> int:
    cache = CompiledTemplates(made_by=made_by)
    environment = Counting(loader=DictLoader({"page": source}), bytecode_cache=cache)
    assert environment.get_template("page").render(name="Aino") == source.replace("{{ name }}", "Aino")
    return environment.compiled


@pytest.fixture
def options(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file with options; compiled templates go to a folder of this test."""
    monkeypatch.setattr(compiled_templates, "FOLDER", tmp_path / "compiled")
    (tmp_path / "options.py").write_text("trim_blocks=True")
    return tmp_path / "options.py"


def test_template_is_compiled_once_until_it_or_the_options_change(options: Path) -> None:
    assert [compile_count(options) for _ in range(2)] == [1, 0]
    assert compile_count(options, "Good evening {{ name }}") == 1
    options.write_text("trim_blocks=False")
    assert [compile_count(options, "Good evening {{ name }}") for _ in range(2)] == [1, 0]


def test_folder_that_cannot_be_made_or_holds_rubbish_is_no_obstacle(
    options: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    compile_count(options)
    [kept] = compiled_templates.FOLDER.iterdir()
    kept.write_bytes(b"rubbish")
    assert compile_count(options) == 1
    monkeypatch.setattr(compiled_templates, "FOLDER", options.parent / "missing" / "compiled")
    assert [compile_count(options) for _ in range(2)] == [1, 1]

"""The picture and the list of packages in docs/architecture.md match the code."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import grimp
import pytest

import app
from docs import architecture
from docs.architecture import Step

REDRAW = "docs/architecture.md is out of date: run `make architecture`"


def test_picture_matches_the_imports() -> None:
    assert architecture.PICTURE.read_text() == architecture.draw(), REDRAW


def test_list_of_packages_matches_the_code() -> None:
    page = architecture.PAGE.read_text()
    assert all(f"\n{name}" in page for layer in architecture.layers() for name in layer), REDRAW
    assert page == architecture.fill_in(page), REDRAW


def test_every_import_in_the_picture_points_down() -> None:
    packages = architecture.read_packages(grimp.build_graph("app", cache_dir=None))
    rank = {name: number for number, name in enumerate(packages.names)}
    drawn = [(one, other) for one, others in packages.imports.items() for other in others]
    assert ("plans", "runs") in drawn
    assert [(one, other) for one, other in drawn if rank[one] >= rank[other]] == []


def test_flow_that_the_code_does_not_take_is_refused() -> None:
    graph = grimp.build_graph("app", cache_dir=None)
    with pytest.raises(SystemExit, match=r"app\.solver does not import app\.plans"):
        architecture.check_flow(graph, (Step("solver", ""), Step("plans", "", "solver")))


def test_no_folder_of_the_program_has_more_than_25_modules() -> None:
    folders = Counter(path.parent for path in Path(app.__path__[0]).rglob("*.py") if path.name != "__init__.py")
    assert [(str(folder), count) for folder, count in folders.items() if count > 25] == []

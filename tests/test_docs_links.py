"""Links, anchors and paths in the docs lead to something that exists."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
DOCUMENTS = sorted([*ROOT.glob("*.md"), *ROOT.glob("bench/*.md"), *ROOT.glob("docs/**/*.md")])
FOLDERS = "app|templates|static|tests|bench|load|fault|deploy|docs|alembic"
PATH = re.compile(rf"`((?:{FOLDERS})/[\w./-]+)`")


def anchors(page: Path) -> set[str]:
    """Return the anchors that GitHub gives to the headings of a page."""
    headings = re.findall(r"^#+ (.+)$", page.read_text(), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_relative_links_lead_to_files_and_headings(document: Path) -> None:
    broken = []
    for target in re.findall(r"\]\(([^)\s]+)\)", document.read_text()):
        name, _, anchor = target.partition("#")
        file = (document.parent / name).resolve() if name else document
        if "://" in target:
            continue
        if not file.exists() or (anchor and anchor not in anchors(file)):
            broken.append(target)
    assert broken == []


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_paths_in_the_text_exist(document: Path) -> None:
    assert [path for path in PATH.findall(document.read_text()) if not (ROOT / path).exists()] == []


def test_decisions_have_their_number_in_name_and_title() -> None:
    decisions = [path for path in DOCUMENTS if re.match(r"\d{4}-", path.name)]
    assert decisions != []
    titles = {path.name: path.read_text().partition("\n")[0] for path in decisions}
    assert [name for name, title in titles.items() if not title.startswith(f"# {int(name[:4])}. ")] == []
    assert len({name[:4] for name in titles}) == len(titles)

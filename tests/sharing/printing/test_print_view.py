"""The page that the browser prints has the sizes of the PDF."""

from __future__ import annotations

import re

import pytest

from app.config import ROOT
from app.files.pdf.card_stock import GUEST_CARDS, PAPERS, TABLE_CARDS, CardStock

STYLES = (ROOT / "static/css/sharing/print-sizes.css").read_text()
RULE = re.compile(r"^  \.stock-([\w-]+) \{(.*?)\}", re.MULTILINE)


def sizes_of(stock: CardStock) -> dict[str, float]:
    full = stock.height * (2 if stock.folded else 1)
    return {
        "columns": stock.columns,
        "width": stock.width,
        "height": stock.height,
        "full": full,
        "left": stock.left,
        "top": stock.top,
        "gap-x": stock.pitch_x - stock.width,
        "gap-y": stock.pitch_y - full,
    }


def test_cards_have_the_sizes_of_the_pdf() -> None:
    found = {
        key: {"gap-x": 0.0, "gap-y": 0.0}
        | {name: float(value) for name, value in re.findall(r"--([\w-]+): ([-\d.]+)", body)}
        for key, body in RULE.findall(STYLES)
    }
    expected = {stock.key: pytest.approx(sizes_of(stock), abs=0.001) for stock in GUEST_CARDS + TABLE_CARDS}
    assert found == expected


def test_papers_have_the_sizes_of_the_pdf() -> None:
    pages = re.findall(r"@page ([\w-]+) \{ size: ([\d.]+)mm ([\d.]+)mm", STYLES)
    boxes = re.findall(r"\.on-([\w-]+) \{ page: \1; --page-width: ([\d.]+)mm; --page-height: ([\d.]+)mm", STYLES)
    sizes = {paper.key: (round(paper.width, 3), round(paper.height, 3)) for paper in PAPERS.values()}
    lying = {f"{key}-lying": (height, width) for key, (width, height) in sizes.items()}
    for found in (pages, boxes):
        assert {key: (float(width), float(height)) for key, width, height in found} == sizes | lying

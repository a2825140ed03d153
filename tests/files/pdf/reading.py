"""Reading PDFs back: sizes in millimetres, text, lines, and where there is ink."""

from __future__ import annotations

import io
from dataclasses import dataclass
from typing import Any

import numpy as np
import pdfplumber
from numpy.typing import NDArray

POINT = 25.4 / 72
DPI = 100
WHITE = 250


@dataclass(frozen=True)
class ReadPage:
    """A page: its size, its text without spaces, straight lines, and its pixels at 100 dpi."""

    width: float
    height: float
    text: str
    lines: list[tuple[float, float, float, float]]
    ink: NDArray[np.bool_]

    def has_ink_outside(self, boxes: list[tuple[float, float, float, float]], margin: float = 0) -> bool:
        """Say whether something is printed outside of all boxes of (left, top, width, height), less a margin."""
        left = self.ink.copy()
        scale = DPI / 25.4
        for x, y, width, height in boxes:
            x0, y0, x1, y1 = x + margin, y + margin, x + width - margin, y + height - margin
            left[round(y0 * scale) : round(y1 * scale), round(x0 * scale) : round(x1 * scale)] = False
        return bool(left.any())


def read_pages(content: bytes) -> list[ReadPage]:
    """Read all pages."""
    with pdfplumber.open(io.BytesIO(content)) as pdf:
        return [_read_page(page) for page in pdf.pages]


def read_text(content: bytes) -> str:
    """Return the text of all pages and of the document's own fields."""
    with pdfplumber.open(io.BytesIO(content)) as pdf:
        return " ".join([str(pdf.metadata), *(page.extract_text() for page in pdf.pages)])


def _read_page(page: Any) -> ReadPage:
    picture = np.asarray(page.to_image(resolution=DPI).original.convert("L"))
    lines = [tuple(round(line[side] * POINT, 2) for side in ("x0", "top", "x1", "bottom")) for line in page.lines]
    text = "".join(char["text"] for char in page.chars if not char["text"].isspace())
    return ReadPage(
        round(float(page.width) * POINT, 2),
        round(float(page.height) * POINT, 2),
        text,
        lines,
        picture < WHITE,
    )

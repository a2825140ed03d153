"""Reading PDFs back: sizes in millimetres, text, lines, and where there is ink."""

from __future__ import annotations

import io
import re
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
import pdfplumber
from numpy.typing import NDArray
from PIL import Image

POINT = 25.4 / 72
DPI = 100
WHITE = 250


@dataclass(frozen=True)
class ReadPage:
    """A page: its size, its text without spaces, straight lines, and its pixels at 100 dpi.

    Most tests look at the text alone, so a page becomes pixels only when they are asked for.
    """

    width: float
    height: float
    text: str
    lines: list[tuple[float, float, float, float]]
    content: bytes
    number: int

    @property
    def pixels(self) -> Image.Image:
        """The page as pdftoppm draws it, or pdfium where that is not installed."""
        return _draw_pages(self.content)[self.number - 1]

    @cached_property
    def ink(self) -> NDArray[np.bool_]:
        """Where something is printed."""
        return np.asarray(self.pixels.convert("L")) < WHITE

    def has_colour(self, colour: tuple[int, int, int], near: int = 12) -> bool:
        """Say whether some of the page has this colour."""
        apart = np.abs(np.asarray(self.pixels.convert("RGB")).astype(int) - colour).max(axis=2)
        return int((apart <= near).sum()) > 20

    def has_ink_outside(self, boxes: list[tuple[float, float, float, float]], margin: float = 0) -> bool:
        """Say whether something is printed outside of all boxes of (left, top, width, height), less a margin."""
        left = self.ink.copy()
        scale = DPI / 25.4
        for x, y, width, height in boxes:
            x0, y0, x1, y1 = x + margin, y + margin, x + width - margin, y + height - margin
            left[round(y0 * scale) : round(y1 * scale), round(x0 * scale) : round(x1 * scale)] = False
        return bool(left.any())


@lru_cache(maxsize=2)
def _draw_pages(content: bytes) -> list[Image.Image]:
    if shutil.which("pdftoppm"):
        command = ["pdftoppm", "-r", str(DPI), "-"]
        return list(_pictures(subprocess.run(command, input=content, capture_output=True, check=True).stdout))
    with pdfplumber.open(io.BytesIO(content)) as pdf:
        return [page.to_image(resolution=DPI).original for page in pdf.pages]


def _pictures(drawn: bytes) -> Iterator[Image.Image]:
    """Split what pdftoppm writes: plain pictures, one behind the other."""
    while head := re.match(rb"P6\s(\d+) (\d+)\s255\s", drawn):
        width, height = int(head[1]), int(head[2])
        end = head.end() + 3 * width * height
        yield Image.frombytes("RGB", (width, height), drawn[head.end() : end])
        drawn = drawn[end:]


def read_pages(content: bytes) -> list[ReadPage]:
    """Read all pages."""
    with pdfplumber.open(io.BytesIO(content)) as pdf:
        return [_read_page(page, content, number) for number, page in enumerate(pdf.pages, start=1)]


def read_first_page(content: bytes) -> ReadPage:
    """Read the first page alone."""
    with pdfplumber.open(io.BytesIO(content), pages=[1]) as pdf:
        return _read_page(pdf.pages[0], content, 1)


def read_text(content: bytes) -> str:
    """Return the text of all pages and of the document's own fields."""
    with pdfplumber.open(io.BytesIO(content)) as pdf:
        return " ".join([str(pdf.metadata), *(page.extract_text() for page in pdf.pages)])


def _read_page(page: Any, content: bytes, number: int) -> ReadPage:
    lines = [tuple(round(line[side] * POINT, 2) for side in ("x0", "top", "x1", "bottom")) for line in page.lines]
    text = "".join(char["text"] for char in page.chars if not char["text"].isspace())
    return ReadPage(
        round(float(page.width) * POINT, 2),
        round(float(page.height) * POINT, 2),
        text,
        lines,
        content,
        number,
    )

"""Sheets of cards in millimetres: plain paper to cut, and perforated sheets by the maker's number.

Sources: the positions of Avery 5371, L7414, C32011 and 32015 are those of the label database of gLabels
(github.com/jimevins/glabels-qt, templates/avery-us-templates.xml and avery-iso-templates.xml). Zweckform 32010 has the
cards of C32011. Avery 5302 has four cards of 3½ by 4 inches to a sheet, folded to 2 inches, and is centred.
"""

from __future__ import annotations

from dataclasses import dataclass

INCH = 25.4


@dataclass(frozen=True)
class Paper:
    """A sheet of paper in millimetres."""

    key: str
    name: str
    width: float
    height: float


@dataclass(frozen=True)
class CardStock:
    """Cards on a sheet in millimetres: the size of one face, how many, and where the first one begins.

    A folded card takes two faces, one above the other.
    """

    key: str
    name: str
    paper: str
    width: float
    height: float
    columns: int
    rows: int
    left: float
    top: float
    pitch_x: float
    pitch_y: float
    folded: bool = False
    perforated: bool = False

    @property
    def per_sheet(self) -> int:
        """How many cards a sheet has."""
        return self.columns * self.rows


PAPERS = {
    paper.key: paper
    for paper in (
        Paper("a4", "A4", 210, 297),
        Paper("letter", "Letter", 8.5 * INCH, 11 * INCH),
        Paper("a3", "A3", 297, 420),
        Paper("a2", "A2", 420, 594),
        Paper("a1", "A1", 594, 841),
        Paper("tabloid", "Tabloid (11 × 17 in)", 11 * INCH, 17 * INCH),
    )
}
SHEETS = ("a4", "letter")
"""What home and office printers take."""


def _centred(
    key: str,
    name: str,
    paper: str,
    size: tuple[float, float],
    grid: tuple[int, int],
    *,
    folded: bool = False,
    gap: tuple[float, float] = (0, 0),
    perforated: bool = False,
) -> CardStock:
    """Place a block of cards in the middle of a sheet."""
    (width, height), (columns, rows), sheet = size, grid, PAPERS[paper]
    full = height * 2 if folded else height
    pitch_x, pitch_y = width + gap[0], full + gap[1]
    left = (sheet.width - pitch_x * (columns - 1) - width) / 2
    top = (sheet.height - pitch_y * (rows - 1) - full) / 2
    return CardStock(
        key,
        name,
        paper,
        width,
        height,
        columns,
        rows,
        left,
        top,
        pitch_x,
        pitch_y,
        folded=folded,
        perforated=perforated,
    )


GUEST_CARDS = (
    _centred("a4-flat-10", "10 flat, 85 × 54 mm", "a4", (85, 54), (2, 5)),
    _centred("a4-flat-8", "8 flat, 90 × 60 mm", "a4", (90, 60), (2, 4)),
    _centred("a4-flat-6", "6 flat, 90 × 80 mm", "a4", (90, 80), (2, 3)),
    _centred("a4-flat-4", "4 flat, 95 × 120 mm", "a4", (95, 120), (2, 2)),
    _centred("a4-tent-8", "8 folded, 85 × 34 mm", "a4", (85, 34), (2, 4), folded=True),
    _centred("a4-tent-6", "6 folded, 85 × 45 mm", "a4", (85, 45), (2, 3), folded=True),
    _centred("a4-tent-4", "4 folded, 90 × 60 mm", "a4", (90, 60), (2, 2), folded=True),
    _centred(
        "zweckform-c32011",
        "Zweckform C32011/32010, 10 flat",
        "a4",
        (85, 54),
        (2, 5),
        gap=(10, 0),
        perforated=True,
    ),
    _centred(
        "zweckform-c32015",
        "Zweckform C32015, 8 flat",
        "a4",
        (85, 54),
        (2, 4),
        gap=(6, 6),
        perforated=True,
    ),
    _centred("avery-l7414", "Avery L7414, 10 flat", "a4", (90, 52), (2, 5), perforated=True),
    _centred("letter-flat-10", "10 flat, 3½ × 2 in", "letter", (3.5 * INCH, 2 * INCH), (2, 5)),
    _centred("letter-flat-8", "8 flat, 3½ × 2½ in", "letter", (3.5 * INCH, 2.5 * INCH), (2, 4)),
    _centred("letter-flat-6", "6 flat, 3½ × 3¼ in", "letter", (3.5 * INCH, 3.25 * INCH), (2, 3)),
    _centred("letter-flat-4", "4 flat, 3¾ × 4¾ in", "letter", (3.75 * INCH, 4.75 * INCH), (2, 2)),
    _centred("letter-tent-8", "8 folded, 3½ × 1¼ in", "letter", (3.5 * INCH, 1.25 * INCH), (2, 4), folded=True),
    _centred("letter-tent-6", "6 folded, 3½ × 1⅝ in", "letter", (3.5 * INCH, 1.625 * INCH), (2, 3), folded=True),
    _centred("letter-tent-4", "4 folded, 3½ × 2¼ in", "letter", (3.5 * INCH, 2.25 * INCH), (2, 2), folded=True),
    _centred(
        "avery-5371",
        "Avery 5371/8371, 10 flat",
        "letter",
        (3.5 * INCH, 2 * INCH),
        (2, 5),
        perforated=True,
    ),
    _centred(
        "avery-5302",
        "Avery 5302, 4 folded",
        "letter",
        (3.5 * INCH, 2 * INCH),
        (2, 2),
        folded=True,
        perforated=True,
    ),
)
TABLE_CARDS = (
    _centred("a4-table-2", "2 flat, 180 × 130 mm", "a4", (180, 130), (1, 2)),
    _centred("a4-table-4", "4 flat, 95 × 130 mm", "a4", (95, 130), (2, 2)),
    _centred("a4-table-tent", "1 folded, 190 × 130 mm", "a4", (190, 130), (1, 1), folded=True),
    _centred("letter-table-2", "2 flat, 7 × 4¾ in", "letter", (7 * INCH, 4.75 * INCH), (1, 2)),
    _centred("letter-table-4", "4 flat, 3¾ × 4¾ in", "letter", (3.75 * INCH, 4.75 * INCH), (2, 2)),
    _centred(
        "letter-table-tent",
        "1 folded, 7½ × 4¾ in",
        "letter",
        (7.5 * INCH, 4.75 * INCH),
        (1, 1),
        folded=True,
    ),
)

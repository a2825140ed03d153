"""Seating charts: everybody on one page, in columns from A to Z or by table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from app.files.pdf.card_stock import PAPERS
from app.files.pdf.poster_layout import EM_PER_ROW, lay_out
from app.guests.name_order import last_name_first, sort_key
from app.sharing.printing.options import PrintOptions
from app.sharing.printing.seating import PrintedGuest, PrintedPlan

HEAD_ROWS, GAP_ROWS = 1.6, 0.4
MARGIN, TITLE, GUTTER = 0.062, 0.13, 0.035
"""Shares of the page: its margin and gutter of the width, the title of the height."""
WIDEST_EMS = 24


def chart_values(
    plan: PrintedPlan, guests: Sequence[PrintedGuest], options: PrintOptions, language: str
) -> dict[str, Any]:
    """Return what the template of charts shows, with all sizes in millimetres."""
    paper = PAPERS[options.paper]
    by_table = options.what == "chart-tables"
    blocks = _by_table(plan) if by_table else _by_letter(guests, options, language)
    margin, title = paper.width * MARGIN, paper.height * TITLE
    wide, high = paper.width - 2 * margin, paper.height - 2 * margin - title
    heads = [0.0 if block["heading"] else HEAD_ROWS for block in blocks]
    layout = lay_out([_height(block) for block in blocks], wide, high, heads)
    gutter = paper.width * GUTTER
    number = max(1, len(layout.columns))
    column = min((wide - gutter * (number - 1)) / number, layout.row / EM_PER_ROW * WIDEST_EMS)
    return {
        "by": "table" if by_table else "name",
        "subtitle": plan.when or "Find your seat",
        "row": layout.row,
        "head_rows": HEAD_ROWS,
        "gap_rows": GAP_ROWS,
        "margin": margin,
        "title_height": title,
        "gutter": gutter,
        "column": column,
        "tables": [] if by_table else sorted({guest.table for guest in guests}),
        "columns": [_joined([blocks[number] for number in numbers]) for numbers in layout.columns],
    }


def _by_table(plan: PrintedPlan) -> list[dict[str, Any]]:
    return [{"heading": guests[0].table, "rows": [guest.name for guest in guests]} for guests in plan.tables]


def _by_letter(guests: Sequence[PrintedGuest], options: PrintOptions, language: str) -> list[dict[str, Any]]:
    """Return a block for each guest; the first one with a letter brings its heading."""
    blocks: list[dict[str, Any]] = []
    before = None
    for guest in guests:
        name = last_name_first(guest.name, guest.last_name) if options.order == "last" else guest.name
        letter = letter_of(name, language)
        heading = letter if letter != before else ""
        blocks.append({"heading": heading, "letter": letter, "rows": [{"name": name, "table": guest.table}]})
        before = letter
    return blocks


def letter_of(name: str, language: str = "") -> str:
    """Return the letter under which a name is listed."""
    letters = sort_key(name, language)[0]
    if not letters or letters[0][0].isdigit():
        return "#"
    base, place = letters[0]
    return name.lstrip()[:1].upper() if place else base.upper()


def _height(block: dict[str, Any]) -> float:
    return len(block["rows"]) + (HEAD_ROWS + GAP_ROWS if block["heading"] else 0)


def _joined(blocks: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Put the guests of a letter together; a column that begins in the middle of one repeats its heading."""
    joined: list[dict[str, Any]] = []
    for block in blocks:
        if block["heading"] or not joined:
            joined.append({"heading": block["heading"] or block["letter"], "rows": []})
        joined[-1]["rows"] = [*joined[-1]["rows"], *block["rows"]]
    return joined

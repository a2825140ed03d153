"""The page that the browser prints: the same cards, charts and lists as in the PDF, with the fonts of the reader."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from app.db.models import Event
from app.sharing.floor.read import FloorPlan
from app.sharing.printing.jobs import PrintJob
from app.web.html.rendering import event_address

LONG, VERY_LONG = 22, 40


@dataclass(frozen=True)
class Card:
    """A card of a guest or of a table; `length` chooses the size of the name."""

    name: str
    length: str
    tables: Sequence[str] = ()
    """The table, or the one of each round."""
    marks: Sequence[dict[str, Any]] = ()
    guests: Sequence[str] = ()


@dataclass(frozen=True)
class PrintView:
    """All sheets of cards, or the values of a list or a chart."""

    event: Event
    heading: str
    date: str
    kind: str
    paper: str
    theme: str
    stock: str
    folded: bool
    sheets: Sequence[Sequence[Card]]
    values: dict[str, Any]
    logo: str = ""
    floor: FloorPlan | None = None
    lies: bool = False
    is_only_here: bool = False
    """Whether phones cannot open the address of a QR code."""


def build_view(job: PrintJob) -> PrintView:
    """Return what the page shows."""
    document, stock = job.document(), job.options.stock
    values = dict(document.values)
    found = values.get("cards", values.get("tables", ())) if stock else ()
    cards = [
        Card(one["name"], _length(one["name"]), _tables(one), one.get("marks", ()), one.get("guests", ()))
        for one in found
    ]
    per_sheet = stock.per_sheet if stock else 1
    return PrintView(
        event=job.event,
        heading=values["heading"],
        date=values["date"],
        kind=job.options.what,
        paper=job.options.paper,
        theme=job.options.theme,
        stock=stock.key if stock else "",
        folded=bool(stock and stock.folded),
        sheets=[cards[start : start + per_sheet] for start in range(0, len(cards), per_sheet)],
        values=values,
        logo=event_address(job.event.id, "logo/image") if job.plan.logo else "",
        floor=job.plan.floor,
        lies=values["paper"]["width"] > values["paper"]["height"],
    )


def _tables(card: dict[str, Any]) -> Sequence[str]:
    return (card.get("rounds") or [card["table"]]) if card.get("table") else ()


def _length(name: str) -> str:
    return "very-long" if len(name) > VERY_LONG else "long" if len(name) > LONG else "short"

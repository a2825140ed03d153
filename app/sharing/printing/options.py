"""What can be printed, and how: read from the address of a page or of the API."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from app.audit.actions import PrintedDocument
from app.errors import FieldError, Invalid
from app.files.pdf.card_stock import GUEST_CARDS, PAPERS, SHEETS, TABLE_CARDS, CardStock

What = PrintedDocument
PaperKey = Literal["a4", "letter", "a3", "a2", "a1", "tabloid"]
ThemeKey = Literal["classic", "modern", "garden"]
Order = Literal["first", "last"]
NAMES: dict[What, str] = {
    "place-cards": "Place cards",
    "escort-cards": "Escort cards",
    "table-cards": "Table cards",
    "table-numbers": "Table numbers",
    "chart-names": "Seating chart A–Z",
    "chart-tables": "Seating chart by table",
    "floor-plan": "Floor plan",
    "check-in": "Check-in list",
    "caterer": "Caterer’s sheet",
    "door-poster": "Poster at the door",
}
THEMES: dict[ThemeKey, str] = {"classic": "Classic", "modern": "Modern", "garden": "Garden"}
ORDERS: dict[Order, str] = {"first": "First name", "last": "Last name"}
OF_GUESTS: tuple[What, ...] = ("place-cards", "escort-cards")
OF_TABLES: tuple[What, ...] = ("table-cards", "table-numbers")
CHARTS: tuple[What, ...] = ("chart-names", "chart-tables")
LARGE: tuple[What, ...] = (*CHARTS, "floor-plan")
"""What can be printed on paper up to A1."""
SORTED: tuple[What, ...] = ("escort-cards", "chart-names", "check-in")
EDITORS_ONLY: tuple[What, ...] = ("caterer", "door-poster")
"""What shows diets, or the address of a secret link."""
DOOR_POSTER: What = "door-poster"
"""It has no names: only the QR code of the guests' link."""
DOOR_PAPERS = ("a4", "letter", "a3")


@dataclass(frozen=True)
class PrintOptions:
    """What to print and how. `layout` is a card stock; `marks` shows meals and allergies on place cards."""

    what: What = "place-cards"
    paper: PaperKey = "a4"
    layout: str = ""
    theme: ThemeKey = "classic"
    order: Order = "first"
    crop: bool = True
    with_table: bool = True
    marks: bool = False

    @property
    def is_for_editors(self) -> bool:
        """Whether it is for editors only."""
        return self.what in EDITORS_ONLY or (self.what == "place-cards" and self.marks)

    @property
    def stock(self) -> CardStock | None:
        """The sheets of cards: the chosen ones, else the first ones of the paper."""
        offered = list_stock(self.what, self.paper)
        return next((one for one in offered if one.key == self.layout), offered[0] if offered else None)


def shows_one_round(what: What, number: int) -> bool:
    """Return whether something shows this round alone; 0 is a plan without rounds. Guests have one card for all."""
    return bool(number) and what not in (*OF_GUESTS, DOOR_POSTER)


def document_name(what: What, number: int) -> str:
    """Return what a document is called, with the round that it shows if there are several."""
    if shows_one_round(what, number):
        return f"{NAMES[what]}, round {number}"
    return f"{NAMES[what]}, all rounds" if number and what in OF_GUESTS else NAMES[what]


def list_papers(what: What) -> list[PaperKey]:
    """Return the papers on which something can be printed."""
    papers = DOOR_PAPERS if what == DOOR_POSTER else PAPERS if what in LARGE else SHEETS
    return [key for key in get_args(PaperKey) if key in papers]


def list_stock(what: What, paper: str) -> list[CardStock]:
    """Return the sheets of cards of a paper; none for lists and charts."""
    kinds = GUEST_CARDS if what in OF_GUESTS else TABLE_CARDS if what in OF_TABLES else ()
    return [stock for stock in kinds if stock.paper == paper]


def check_options(options: PrintOptions) -> None:
    """Refuse a paper or a layout that does not go with what is to be printed."""
    papers = list_papers(options.what)
    if options.paper not in papers:
        raise Invalid(FieldError("paper", f"Choose one of {', '.join(papers)}."))
    layouts = [stock.key for stock in list_stock(options.what, options.paper)]
    if options.layout and options.layout not in layouts:
        message = f"Choose one of {', '.join(layouts)}." if layouts else "Only cards have a layout."
        raise Invalid(FieldError("layout", message))

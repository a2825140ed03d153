"""Documents of a plan: the values that the templates of typst show."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import asdict
from datetime import date
from typing import Any
from uuid import UUID

from app.errors import Forbidden
from app.files.pdf.card_stock import PAPERS, CardStock
from app.files.pdf.typesetting import Document
from app.guests.name_order import last_name_first, sort_key
from app.plans.rounds import route_lines
from app.sentences import count as count_of
from app.sharing.floor.page import page_values
from app.sharing.printing.charts import chart_values
from app.sharing.printing.diet_marks import count_meals, find_marks
from app.sharing.printing.door_poster import poster_values
from app.sharing.printing.options import (
    DOOR_POSTER,
    OF_GUESTS,
    OF_TABLES,
    PrintOptions,
    What,
    document_name,
    shows_one_round,
)
from app.sharing.printing.seating import PrintedGuest, PrintedPlan

Values = dict[str, Any]
DishMarks = Mapping[tuple[str, str], str]
TEMPLATES: dict[What, str] = {
    "place-cards": "cards",
    "escort-cards": "cards",
    "table-cards": "table_cards",
    "table-numbers": "table_cards",
    "chart-names": "chart",
    "chart-tables": "chart",
    "floor-plan": "floor",
    "check-in": "check_in",
    "caterer": "caterer",
    "door-poster": "door_poster",
}


def build_document(
    plan: PrintedPlan,
    options: PrintOptions,
    *,
    language: str = "",
    only: Collection[UUID] | None = None,
    seat_address: str = "",
) -> Document:
    """Return what is to be typeset; with `only`, just the cards of these guests or tables.

    `seat_address` is where the QR code of the poster at the door leads.
    """
    if options.is_for_editors and not plan.shows_diets:
        raise Forbidden("Only editors can print diets and allergies.")
    values: Values = {
        "title": plan.event_name,
        "date": _day(plan.event_date),
        "heading": document_name(options.what, plan.round),
        "round": f"Round {plan.round}" if shows_one_round(options.what, plan.round) else "",
        "theme": options.theme,
        "logo": asdict(plan.logo) if plan.logo else None,
        "paper": {"width": PAPERS[options.paper].width, "height": PAPERS[options.paper].height},
    }
    if options.stock is not None:
        cards = [card for key, card in build_cards(plan, options, language).items() if only is None or key in only]
        values |= _on_sheets(options, options.stock, cards)
    elif options.what == DOOR_POSTER:
        values |= poster_values(seat_address)
    else:
        values |= _LISTS[options.what](plan, options, language)
    return Document(TEMPLATES[options.what], values)


def build_cards(plan: PrintedPlan, options: PrintOptions, language: str = "") -> dict[UUID, Values]:
    """Return the text of each card, by guest or by table, in the order of printing; nothing for lists and charts."""
    if options.what in OF_TABLES:
        with_names = options.what == "table-cards"
        of_round = f", round {plan.round}" if plan.round and with_names else ""
        return {
            guests[0].table_id: {
                "name": f"{guests[0].table}{of_round}",
                "guests": [one.name for one in guests] if with_names else [],
            }
            for guests in plan.tables
        }
    if options.what not in OF_GUESTS:
        return {}
    is_escort = options.what == "escort-cards"
    guests = sort_guests(plan.guests, options, language) if is_escort else plan.guests
    return {guest.id: _guest_card(guest, options, plan.dish_marks) for guest in guests}


def sort_guests(guests: Sequence[PrintedGuest], options: PrintOptions, language: str) -> list[PrintedGuest]:
    """Return the guests from A to Z, as the reader's language has it."""
    return sorted(guests, key=lambda guest: sort_key(_written(guest, options), language))


def _written(guest: PrintedGuest, options: PrintOptions) -> str:
    return last_name_first(guest.name, guest.last_name) if options.order == "last" else guest.name


def first_page(document: Document) -> Document:
    """Return a document that is as short as its first page, for a preview."""
    values = dict(document.values)
    stock = values.get("stock")
    most = int(stock["columns"] * stock["rows"]) if stock else 60
    for part in ("cards", "guests", "tables"):
        if part in values:
            values[part] = values[part][:most]
    return Document(document.template, values)


def _guest_card(guest: PrintedGuest, options: PrintOptions, dish_marks: DishMarks) -> Values:
    has_marks = options.what == "place-cards" and options.marks
    dishes = [dish_marks[dish] for dish in guest.meals.items() if dish in dish_marks]
    return {
        "name": guest.name,
        "table": guest.table if options.what == "escort-cards" or options.with_table else "",
        "rounds": list(route_lines(guest.route)),
        "marks": [*map(_of_dish, dishes), *_of_diet(guest.diet)] if has_marks else [],
    }


def _of_dish(code: str) -> Values:
    return {"code": code, "allergy": False}


def _of_diet(diet: str) -> list[Values]:
    return [{"code": mark.code, "allergy": mark.is_allergy} for mark in find_marks(diet)]


def _on_sheets(options: PrintOptions, stock: CardStock, cards: list[Values]) -> Values:
    keys = ("width", "height", "columns", "rows", "left", "top", "pitch_x", "pitch_y", "folded")
    shared: Values = {
        "stock": {key: asdict(stock)[key] for key in keys},
        "crop": options.crop and not stock.perforated,
    }
    if options.what in OF_TABLES:
        return shared | {"tables": cards, "with_names": options.what == "table-cards"}
    kind = "escort" if options.what == "escort-cards" else "place"
    return shared | {"cards": cards, "kind": kind, "with_table": options.with_table}


def _check_in(plan: PrintedPlan, options: PrintOptions, language: str) -> Values:
    guests = sort_guests(plan.guests, options, language)
    return {
        "guests": [{"name": _written(g, options), "table": g.table, "seat": g.seat, "child": g.child} for g in guests]
    }


def _caterer(plan: PrintedPlan, options: PrintOptions, language: str) -> Values:
    written = {guest.diet.strip().casefold(): guest.diet.strip() for guest in reversed(plan.guests)}
    counts = Counter(guest.diet.strip().casefold() for guest in plan.guests)
    meals = sorted((key for key in counts if key), key=lambda key: (-counts[key], key))
    totals = [_total("All guests", len(plan.guests)), _total("Children", sum(guest.child for guest in plan.guests))]
    high_chairs = sum(guest.high_chair for guest in plan.guests)
    wheelchairs = sum(guest.wheelchair for guest in plan.guests)
    totals += [_total("High chairs", high_chairs)] if high_chairs else []
    totals += [_total("Wheelchairs", wheelchairs)] if wheelchairs else []
    codes = {f"{course}: {dish}": code for (course, dish), code in plan.dish_marks.items()}
    for words, number in count_meals([guest.meals for guest in plan.guests]):
        totals.append(_total(words, number) | ({"marks": [_of_dish(codes[words])]} if words in codes else {}))
    totals.append(_total("No diet given", counts[""]))
    totals += [_total(written[key], counts[key], key) for key in meals]
    return {
        "totals": totals,
        "tables": [
            {
                "name": guests[0].table,
                "count": "  ·  ".join([count_of(len(guests), "guest"), *_dishes(guests)]),
                "guests": [{"seat": g.seat, "name": g.name, "diet": _eats(g), "who": _who(g)} for g in guests],
            }
            for guests in plan.tables
        ],
    }


def _dishes(guests: Sequence[PrintedGuest]) -> list[str]:
    """Say how many of each dish a table gets."""
    return [f"{number} {words}" for words, number in count_meals([guest.meals for guest in guests])]


def _eats(guest: PrintedGuest) -> str:
    return "; ".join(filter(None, [", ".join(guest.meals.values()), guest.diet]))


def _who(guest: PrintedGuest) -> str:
    age = "high chair" if guest.high_chair else "child" if guest.child else ""
    return ", ".join(filter(None, [age, "wheelchair" if guest.wheelchair else ""]))


def _total(words: str, count: int, diet: str = "") -> Values:
    return {"words": words, "count": count, "marks": _of_diet(diet)}


def _chart(plan: PrintedPlan, options: PrintOptions, language: str) -> Values:
    guests = sort_guests(plan.guests, options, language)
    return chart_values(plan, guests, options, language)


def _floor(plan: PrintedPlan, options: PrintOptions, language: str) -> Values:
    if plan.floor is None:
        raise ValueError("The floor was not read.")
    return page_values(plan.floor, PAPERS[options.paper]) | {"date": plan.when}


def page_size(document: Document) -> tuple[float, float]:
    """Return the width and height of its pages in millimetres; a floor may lie on its paper."""
    paper = document.values["paper"]
    return paper["width"], paper["height"]


def _day(day: date | None) -> str:
    return f"{day.day} {day:%B %Y}" if day else ""


_LISTS: Mapping[What, Callable[[PrintedPlan, PrintOptions, str], Values]] = {
    "chart-names": _chart,
    "chart-tables": _chart,
    "floor-plan": _floor,
    "check-in": _check_in,
    "caterer": _caterer,
}

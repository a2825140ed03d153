"""What the documents of a plan say, and that everything is on paper."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from math import hypot
from typing import get_args

import pytest

from app.errors import Forbidden
from app.files.pdf.card_stock import PAPERS
from app.files.pdf.typesetting import typeset
from app.sharing.floor.enlarged import enlarge
from app.sharing.printing.charts import letter_of
from app.sharing.printing.diet_marks import find_marks
from app.sharing.printing.documents import build_cards, build_document, first_page
from app.sharing.printing.jobs import MOST_GUESTS
from app.sharing.printing.options import PaperKey, PrintOptions, What
from app.tables.rooms import RoomView
from tests.files.pdf.reading import ReadPage, read_first_page, read_pages
from tests.loops import in_a_loop
from tests.sharing.printing.plans import OF_PLANS, floor_plan, printed_plan

LONG = "Maria-Magdalena Hohenstein-Ziegenhagen von und zu Löwenmaul-Feldmann"
NAMES = [
    LONG,
    "Åsa Öhman",
    "Γιώργος Παπαδόπουλος",
    "Дмитрий Ёжиков",
    *(f"Guest{number:03} Virtanen" for number in range(296)),
]


def pages_of(options: PrintOptions, names: list[str]) -> list[ReadPage]:
    made = in_a_loop(lambda: typeset(build_document(printed_plan(names, diets=["", "vegan", "no nuts"]), options)))
    assert made.missing == ()
    return read_pages(made.content)


@pytest.mark.parametrize("what", OF_PLANS)
def test_names_of_hyphens_alone_are_printed(what: What) -> None:
    hyphens = "-" * 60
    plan = printed_plan([hyphens, "Bo"], diets=["vegan"], has_floor=True, title=hyphens)
    assert plan.floor is not None
    plan = replace(
        plan,
        guests=tuple(replace(guest, table=hyphens) for guest in plan.guests),
        floor=replace(plan.floor, tables=tuple((hyphens, guests) for _, guests in plan.floor.tables)),
    )
    made = in_a_loop(lambda: typeset(build_document(plan, PrintOptions(what))))
    assert made.content.startswith(b"%PDF")


@pytest.mark.parametrize("what", ["chart-names", "chart-tables"])
@pytest.mark.parametrize("paper", get_args(PaperKey))
def test_chart_has_everybody_on_one_page(what: What, paper: PaperKey) -> None:
    pages = pages_of(PrintOptions(what, paper, theme="garden"), NAMES)
    sheet = PAPERS[paper]
    assert [(page.width, page.height) for page in pages] == [(round(sheet.width, 2), round(sheet.height, 2))]
    assert [name for name in NAMES if name.replace(" ", "") not in pages[0].text] == []
    edge = sheet.width * 0.02
    assert not pages[0].has_ink_outside([(0, 0, sheet.width, sheet.height)], margin=edge)


@pytest.mark.parametrize("what", ["chart-names", "chart-tables"])
def test_chart_of_one_guest_is_not_larger_than_its_page(what: What) -> None:
    page = pages_of(PrintOptions(what), ["Bo"])[0]
    assert not page.has_ink_outside([(0, 0, 210, 297)], margin=4)
    assert "Bo" in page.text


@pytest.mark.parametrize(
    ("count", "paper", "pages"), [(40, "a4", 1), (40, "letter", 1), (300, "a1", 1), (300, "a4", 4)]
)
def test_floor_has_everybody_on_its_page_or_in_its_legend(count: int, paper: PaperKey, pages: int) -> None:
    names = ["Anna-Charlotte Gräfin von Bernstorff-Wintersheim-Löwenfels", *NAMES[1:count]]
    plan = printed_plan(names, has_floor=True)
    made = in_a_loop(lambda: typeset(build_document(plan, PrintOptions("floor-plan", paper, theme="garden"))))
    found = read_pages(made.content)
    sheet = PAPERS[paper]
    assert (len(found), made.missing) == (pages, ())
    assert {(page.width, page.height) for page in found} == {(round(sheet.height, 2), round(sheet.width, 2))}
    text = "".join(page.text for page in found)
    assert [name for name in names if any(word not in text for word in name.split())] == []
    assert not found[0].has_ink_outside([(0, 0, sheet.height, sheet.width)], margin=8)


def test_floor_stands_upright_in_a_narrow_room() -> None:
    room = RoomView(1, 600.0, 1800.0)
    plan = replace(printed_plan(["Bo"]), floor=floor_plan(["Bo"], room=room))
    paper = build_document(plan, PrintOptions("floor-plan", "a3")).values["paper"]
    assert (paper["width"], paper["height"]) == (297, 420)


@pytest.mark.parametrize("what", ["check-in", "caterer", "table-cards", "table-numbers"])
@pytest.mark.parametrize("paper", ["a4", "letter"])
def test_list_has_everybody_within_its_margins(what: What, paper: PaperKey) -> None:
    pages = pages_of(PrintOptions(what, paper, theme="modern", crop=False), NAMES[:64])
    sheet = PAPERS[paper]
    assert [page.has_ink_outside([(0, 0, sheet.width, sheet.height)], margin=9) for page in pages] == [False] * len(
        pages
    )
    text = "".join(page.text for page in pages)
    if what == "table-numbers":
        assert "Guest" not in text
    else:
        assert [name for name in NAMES[:64] if name.replace(" ", "") not in text] == []


def test_place_cards_come_by_table_and_escort_cards_from_a_to_z() -> None:
    plan = printed_plan(["Zaid Ahola", "Aino Virtanen", "Mei Baker"])
    first = [card["name"] for card in build_cards(plan, PrintOptions("place-cards")).values()]
    sorted_first = [card["name"] for card in build_cards(plan, PrintOptions("escort-cards")).values()]
    sorted_last = [card["name"] for card in build_cards(plan, PrintOptions("escort-cards", order="last")).values()]
    assert first == ["Zaid Ahola", "Aino Virtanen", "Mei Baker"]
    assert sorted_first == ["Aino Virtanen", "Mei Baker", "Zaid Ahola"]
    assert sorted_last == ["Zaid Ahola", "Mei Baker", "Aino Virtanen"]


def test_caterers_sheet_counts_meals_however_they_are_written() -> None:
    plan = printed_plan([f"Guest {n}" for n in range(8)], diets=["Vegan", "vegan ", "", "no nuts"])
    totals = build_document(plan, PrintOptions("caterer")).values["totals"]
    assert [(one["words"], one["count"]) for one in totals] == [
        ("All guests", 8),
        ("Children", 1),
        ("No diet given", 2),
        ("Vegan", 4),
        ("no nuts", 2),
    ]


@pytest.mark.parametrize("options", [PrintOptions("caterer"), PrintOptions("place-cards", marks=True)])
def test_diets_are_not_printed_for_whoever_may_not_see_them(options: PrintOptions) -> None:
    with pytest.raises(Forbidden):
        build_document(printed_plan(["Bo"], shows_diets=False), options)


@pytest.mark.parametrize(
    ("diet", "codes"),
    [
        ("", []),
        ("Vegetarian, no nuts", ["V", "N"]),
        ("vegan", ["VG"]),
        ("laktosefrei, keine Nüsse", ["N", "D"]),
        ("Coeliac", ["GF"]),
        ("peanuts, shellfish", ["N", "S"]),
        ("low salt", ["+"]),
    ],
)
def test_diets_become_short_marks(diet: str, codes: list[str]) -> None:
    assert [mark.code for mark in find_marks(diet)] == codes


def test_letters_of_a_language_have_headings_of_their_own() -> None:
    assert [letter_of(name, "sv") for name in ("Åsa", "Anna", "Éva", "7 up", "Ёжиков")] == ["Å", "A", "E", "#", "Е"]


@pytest.mark.parametrize("what", OF_PLANS)
def test_preview_is_the_first_page_of_the_document(what: What) -> None:
    document = build_document(printed_plan(NAMES[:130], has_floor=what == "floor-plan"), PrintOptions(what))
    whole = read_first_page(in_a_loop(lambda: typeset(document)).content)
    short = read_first_page(in_a_loop(lambda: typeset(first_page(document))).content)
    assert short.text.removesuffix("1/1")[:400] == whole.text[: len(short.text.removesuffix("1/1"))][:400]


def test_most_guests_that_are_printed_can_be_typeset() -> None:
    plan = printed_plan([f"Guest {n} Virtanen" for n in range(MOST_GUESTS)])
    made = in_a_loop(lambda: typeset(build_document(plan, PrintOptions("place-cards"))))
    assert made.content.startswith(b"%PDF-")


def test_dishes_have_their_letters_on_cards_and_on_the_caterers_sheet() -> None:
    plan = printed_plan(["Aino", "Bo"], diets=["no nuts", ""])
    chosen = ({"Main": "Beef", "Dessert": "Tart"}, {"Main": "Risotto"})
    guests = tuple(replace(guest, meals=meals) for guest, meals in zip(plan.guests, chosen, strict=True))
    plan = replace(plan, guests=guests, dish_marks={("Main", "Beef"): "B", ("Main", "Risotto"): "R"})
    cards = build_cards(plan, PrintOptions("place-cards", marks=True)).values()
    assert [[mark["code"] for mark in card["marks"]] for card in cards] == [["B", "N"], ["R"]]
    assert all(not card["marks"] for card in build_cards(plan, PrintOptions("place-cards")).values())
    totals = build_document(plan, PrintOptions("caterer")).values["totals"]
    assert {one["words"]: one["marks"] for one in totals}["Main: Beef"] == [{"code": "B", "allergy": False}]


@pytest.mark.parametrize("count", [40, 290])
def test_tables_without_names_grow_and_never_touch(count: int) -> None:
    growth, box = enlarge(floor_plan(NAMES[:count]).floor)
    floor = floor_plan(NAMES[:count]).floor
    assert growth > 1
    assert box
    radius = [growth * (max(abs(seat.x) for seat in table.seats) + 13) for table in floor.tables]
    for one, other in combinations(range(len(floor.tables)), 2):
        apart = hypot(floor.tables[one].x - floor.tables[other].x, floor.tables[one].y - floor.tables[other].y)
        assert apart >= radius[one] + radius[other] - 1e-6
    walled = floor_plan(NAMES[:count], room=RoomView(width=4000, height=3000)).floor
    assert enlarge(walled) == (1.0, None), "a room with a size stays true to scale"

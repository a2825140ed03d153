"""Cards in PDFs, measured in millimetres: their sizes, their crop marks, and names that never leave their card."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import pytest

from app.files.pdf.card_stock import GUEST_CARDS, PAPERS, TABLE_CARDS, CardStock
from app.files.pdf.typesetting import Document, Typeset, typeset
from tests.files.pdf.reading import read_pages
from tests.loops import in_a_loop

READABLE = (
    "Åsa Öhman-Järvinen",
    "Väinö Äyräväinen",
    "Yrjö-Östen Hyyryläinen",
    "Ἀλέξανδρος Παπαδιαμάντης",
    "Αικατερίνη Παπαχριστοδούλου",
    "Наталия Ивановна Преображенская-Воскресенская",
    "Anna-Charlotte Gräfin von Bernstorff-Wintersheim-Löwenfels",
    "Γιώργος Παπαδόπουλος",
    "Дмитрий Ёжиков",
    "Łukasz Żółć",
    "Maria-Magdalena Hohenstein-Ziegenhagen von und zu Löwenmaul-Feldmann",
    "Donaudampfschifffahrtsgesellschaftskapitänsanwärterinnenfrau",
    "Bo",
)
OTHER_SCRIPTS = (
    *("محمد علي الحسن", "عبد الرحمن بن عبد العزيز آل سعود", "דוד לוי", "מרים בן־אברהם"),
    *("अनिता शर्मा", "王伟", "欧阳娜娜", "🎉 Party", "Zoë 王 محمد"),
)
HOSTILE = (
    '#import "@preview/x:1.0.0": *',
    "$x^2$",
    "*bold* _it_",
    "a\\b\\",
    "`raw`",
    "<label> @ref",
    "#{panic(1)}",
    "// no",
    "[x]",
    "#read('/etc/passwd')",
)
THEMES = ("classic", "modern", "garden")


def cards_of(stock: CardStock, names: tuple[str, ...], **changes: Any) -> Document:
    marks = [{"code": "GF", "allergy": True}, {"code": "V", "allergy": False}]
    keys = ("width", "height", "columns", "rows", "left", "top", "pitch_x", "pitch_y", "folded")
    values = {
        "title": "Midsummer dinner",
        "date": "",
        "heading": "Place cards",
        "theme": "classic",
        "paper": {"width": PAPERS[stock.paper].width, "height": PAPERS[stock.paper].height},
        "stock": {key: asdict(stock)[key] for key in keys},
        "crop": False,
        "kind": "place",
        "with_table": True,
        "cards": [{"name": name, "table": "Table 12", "marks": marks if len(name) % 2 else []} for name in names],
    }
    return Document("cards", {**values, **changes})


def made(document: Document) -> Typeset:
    return in_a_loop(lambda: typeset(document))


def boxes(stock: CardStock) -> list[tuple[float, float, float, float]]:
    full = stock.height * 2 if stock.folded else stock.height
    places = [(column, row) for row in range(stock.rows) for column in range(stock.columns)]
    return [(stock.left + x * stock.pitch_x, stock.top + y * stock.pitch_y, stock.width, full) for x, y in places]


@pytest.mark.parametrize("stock", GUEST_CARDS, ids=lambda stock: stock.key)
def test_no_name_is_cut_or_leaves_its_card(stock: CardStock) -> None:
    theme = THEMES[GUEST_CARDS.index(stock) % 3]
    kind = "escort" if stock.folded else "place"
    pages = read_pages(made(cards_of(stock, READABLE + OTHER_SCRIPTS, theme=theme, kind=kind)).content)
    sheet = PAPERS[stock.paper]
    assert {(page.width, page.height) for page in pages} == {(round(sheet.width, 2), round(sheet.height, 2))}
    assert len(pages) == -(-len(READABLE + OTHER_SCRIPTS) // stock.per_sheet)
    assert [page.has_ink_outside(boxes(stock), margin=1) for page in pages] == [False] * len(pages)
    text = "".join(page.text for page in pages)
    copies = 2 if stock.folded else 1
    assert {name: text.count(name.replace(" ", "")) for name in READABLE[:-1]} == dict.fromkeys(READABLE[:-1], copies)


@pytest.mark.parametrize("stock", [one for one in GUEST_CARDS + TABLE_CARDS if not one.perforated], ids=lambda s: s.key)
def test_crop_marks_point_at_the_edges_of_the_cards(stock: CardStock) -> None:
    page = read_pages(made(cards_of(stock, ("Bo",), crop=True, theme="modern")).content)[0]
    across = {x0 for x0, _, x1, _ in page.lines if x0 == x1}
    down = {top for _, top, _, bottom in page.lines if top == bottom}
    lefts, tops = {box[0] for box in boxes(stock)}, {box[1] for box in boxes(stock)}
    full = stock.height * 2 if stock.folded else stock.height
    folds = {top + stock.height for top in tops} if stock.folded else set()
    assert sorted(across) == pytest.approx(sorted({round(x + w, 2) for x in lefts for w in (0, stock.width)}), abs=0.05)
    edges = {round(y + h, 2) for y in tops for h in (0, full)} | {round(y, 2) for y in folds}
    assert sorted(down) == pytest.approx(sorted(edges), abs=0.05)
    inside = [(x - 1.4, y - 1.4, w + 2.8, h + 2.8) for x, y, w, h in boxes(stock)]
    for x0, top, x1, bottom in page.lines:
        assert not any(x < (x0 + x1) / 2 < x + w and y < (top + bottom) / 2 < y + h for x, y, w, h in inside)


@pytest.mark.parametrize("stock", GUEST_CARDS + TABLE_CARDS, ids=lambda stock: stock.key)
def test_cards_are_on_the_sheet_and_do_not_overlap(stock: CardStock) -> None:
    sheet, found = PAPERS[stock.paper], boxes(stock)
    assert all(x >= 4 and y >= 4 and x + w <= sheet.width - 4 and y + h <= sheet.height - 4 for x, y, w, h in found)
    pairs = [(a, b) for number, a in enumerate(found) for b in found[:number]]
    apart = [abs(a[0] - b[0]) > a[2] - 1e-6 or abs(a[1] - b[1]) > a[3] - 1e-6 for a, b in pairs]
    assert apart == [True] * len(pairs)


@pytest.mark.parametrize(
    ("key", "left", "top", "pitch_x", "pitch_y"),
    [
        ("zweckform-c32011", 15, 13.5, 95, 54),
        ("zweckform-c32015", 17, 31.5, 91, 60),
        ("avery-l7414", 15, 18.5, 90, 52),
        ("avery-5371", 19.05, 12.7, 88.9, 50.8),
        ("avery-5302", 19.05, 38.1, 88.9, 101.6),
    ],
)
def test_perforated_sheets_are_where_the_maker_has_them(
    key: str, left: float, top: float, pitch_x: float, pitch_y: float
) -> None:
    stock = next(one for one in GUEST_CARDS if one.key == key)
    assert (stock.left, stock.top, stock.pitch_x, stock.pitch_y) == pytest.approx((left, top, pitch_x, pitch_y))


def test_markup_in_names_is_shown_as_it_is_written() -> None:
    stock = GUEST_CARDS[0]
    text = "".join(page.text for page in read_pages(made(cards_of(stock, HOSTILE)).content))
    assert [name for name in HOSTILE if name.replace(" ", "") not in text] == []


@pytest.mark.parametrize("name", ["word " * 2_000, "x" * 10_000], ids=["words", "one word"])
def test_name_of_ten_thousand_characters_stays_on_its_card(name: str) -> None:
    stock = GUEST_CARDS[0]
    pages = read_pages(made(cards_of(stock, (name.strip(), "Bo"))).content)
    assert [page.has_ink_outside(boxes(stock), margin=1) for page in pages] == [False]


def test_characters_that_no_font_has_are_listed_and_the_pdf_is_made_with_boxes() -> None:
    found = made(cards_of(GUEST_CARDS[0], ("Nefer 𓀀𓁐", "Bo")))
    assert found.missing == ("𓀀", "𓁐")
    assert "Bo" in read_pages(found.content)[0].text


def test_pdf_with_all_glyphs_is_tagged_as_pdf_ua() -> None:
    found = made(cards_of(GUEST_CARDS[0], READABLE))
    assert found.missing == ()
    assert b"<pdfuaid:part>1</pdfuaid:part>" in found.content

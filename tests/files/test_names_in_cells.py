"""Whom a cell with a name means, and why."""

from __future__ import annotations

import pytest

from app.files.guest_lists.columns import guess_columns
from app.files.guest_lists.people import is_seat_name, read_name
from app.files.guest_lists.rows import read_rows
from app.files.sheet_limits import SheetRow


def read(text: str, refused: str = "") -> tuple[list[str], int, list[str]]:
    """Return the names, the seats for unnamed guests, and the kinds of what was understood."""
    kinds: list[str] = []

    def ask(kind: str, _: str) -> bool:
        kinds.append(kind)
        return kind != refused

    cell = read_name(text, ask)
    return [person.name for person in cell.people], cell.seats + cell.kids, kinds


@pytest.mark.parametrize(
    ("text", "names", "seats"),
    [
        ("Anna Lee", ["Anna Lee"], 0),
        ("Grace Chen +1", ["Grace Chen"], 1),
        ("Grace Chen (+1)", ["Grace Chen"], 1),
        ("Grace Chen plus one", ["Grace Chen"], 1),
        ("Bo & guest", ["Bo"], 1),
        ("Rev. Paul O'Neil and guest TBC", ["Paul O'Neil"], 1),
        ("Anna Lee + 2 kids", ["Anna Lee"], 2),
        ("Mr & Mrs Novak", ["Mr Novak", "Mrs Novak"], 0),
        ("Mr. and Mrs. John Smith", ["John Smith", "Mrs. Smith"], 0),
        ("Anna and Ben Lee", ["Anna Lee", "Ben Lee"], 0),
        ("Anna & Ben van Dijk", ["Anna van Dijk", "Ben van Dijk"], 0),
        ("Anna, Ben and Mia Lee", ["Anna Lee", "Ben Lee", "Mia Lee"], 0),
        ("Anna & Ben Lee (4)", ["Anna Lee", "Ben Lee"], 2),
        ("Lee, Anna", ["Anna Lee"], 0),
        ("Lee, Anna & Ben", ["Anna Lee", "Ben Lee"], 0),
        ("John Smith, Jr.", ["John Smith, Jr."], 0),
        ("Ortega y Gasset", ["Ortega y Gasset"], 0),
        ("Max von und zu Lohe", ["Max von und zu Lohe"], 0),
        ("The Lee family (4)", [], 4),
        ("Familie Müller (3)", [], 3),
        ("Dr. Ada King", ["Ada King"], 0),
        ("Mrs Novak", ["Mrs Novak"], 0),
        ("Mia Lee (child)", ["Mia Lee"], 0),
        ("Tom Lee 12 yrs", ["Tom Lee"], 0),
        ("Mia (3)", ["Mia (3)"], 0),
        ("Anna Lee (GF, V)", ["Anna Lee"], 0),
        ("Bob Ray (declined)", ["Bob Ray"], 0),
        ("The Pereira family (2 adults, 3 kids)", [], 5),
        ("Lily Brandt (child, 7)", ["Lily Brandt"], 0),
        ("Rob Sims - coeliac", ["Rob Sims"], 0),
        ("Ann Sims (nut allergy)", ["Ann Sims"], 0),
        ("Blooms & Co Florist", ["Blooms & Co Florist"], 0),
        ("Bloom & Son", ["Bloom & Son"], 0),
        ("Minh & Son Tran", ["Minh Tran", "Son Tran"], 0),
        ("+1 Minh Anh", ["+1 Minh Anh"], 0),
        ("Bex + partner (Dan?)", ["Bex", "Dan?"], 0),
        ("Anna + guest (Tom)", ["Anna", "Tom"], 0),
        ("Anna + guest (TBC)", ["Anna"], 1),
        ("John Lee & wife Sarah", ["John Lee", "Sarah"], 0),
        ("Anna and her husband", ["Anna"], 1),
        ("Anna & fiancé", ["Anna"], 1),
        ("Mr. and Mrs. O'Brien and family (5)", ["Mr. O'Brien", "Mrs. O'Brien"], 3),
        ("Ann Poe party of 3", ["Ann Poe"], 2),
        ("Poe x 2", ["Poe"], 1),
        ("2 x Poe", ["Poe"], 1),
        ("Tom (4) & Lily (6) Novak", ["Tom Novak", "Lily Novak"], 0),
        ("Rob & Liz + baby Max", ["Rob", "Liz", "Max"], 0),
        ("Rob & Liz Poe + baby Max", ["Rob Poe", "Liz Poe", "Max Poe"], 0),
        ("Baby Smith", ["Baby Smith"], 0),
        ("Bob Ray - declined", ["Bob Ray"], 0),
        ("12. Peter Pan", ["Peter Pan"], 0),
        ("50 Cent", ["50 Cent"], 0),
        ("Party Marty", ["Party Marty"], 0),
    ],
)
def test_cell_is_understood(text: str, names: list[str], seats: int) -> None:
    found, kept, _ = read(text)
    assert (found, kept) == (names, seats)


@pytest.mark.parametrize(
    ("text", "names", "seats", "children"),
    [
        ("Vera Sand & kids", ["Vera Sand"], 0, 2),
        ("Vera Sand and child", ["Vera Sand"], 0, 1),
        ("Vera Sand & family", ["Vera Sand"], 1, 0),
        ("Mr and Mrs Novak + kids", ["Mr Novak", "Mrs Novak"], 0, 2),
        ("The Lee family", [], 2, 0),
    ],
)
def test_words_without_a_number_keep_the_fewest_seats(text: str, names: list[str], seats: int, children: int) -> None:
    cell = read_name(text, lambda *_: True)
    assert [person.name for person in cell.people] == names
    assert (cell.open_seats, cell.open_kids, cell.seats, cell.kids) == (seats, children, 0, 0)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Grace Chen +1", "plus_one"),
        ("Ernst & Young", "couple"),
        ("The Lee family (4)", "family"),
        ("Dr. Ada King", "title"),
        ("Mia Lee (age 4)", "age"),
        ("Lee, Anna", "name_order"),
        ("Anna Lee (V)", "diet"),
        ("Bob Ray (declined)", "reply"),
        ("Grace's +1", "plus_one"),
        ("Vera Sand & kids", "seats"),
        ("The Lee family", "seats"),
        ("Ann Sims (nut allergy)", "allergy"),
        ("Ann Sims - wheelchair", "wheelchair"),
        ("Anna + guest (Tom)", "couple"),
        ("Poe x 2", "family"),
        ("Tom (4) & Lily (6) Novak", "age"),
        ("Baby Smith", "age"),
    ],
)
def test_what_is_refused_stays_as_it_is_written(text: str, kind: str) -> None:
    names, seats, kinds = read(text, refused=kind)
    assert (names, seats) == ([text], 0)
    assert kind in kinds


def test_ages_are_those_of_each_child_and_of_the_baby() -> None:
    def ages(text: str) -> list[str | None]:
        return [person.age_group for person in read_name(text, lambda *_: True).people]

    assert ages("Tom (4) & Lily (14) Novak") == ["child", "teenager"]
    assert ages("Rob & Liz Poe + baby Max") == [None, None, "baby"]
    assert ages("Baby Smith") == ["baby"]


def test_long_or_hostile_cells_are_read_at_once() -> None:
    for text in (
        "(" * 200,
        "a & " * 50,
        "+1 " * 66,
        "x" * 5000,
        "Mr " * 60,
        "'s " * 60,
        "a (4) & " * 25,
        "a + guest " * 20,
    ):
        assert read(text)[0] != []


def test_seats_are_known_by_their_names() -> None:
    assert [is_seat_name(name) for name in ("Guest of Ada", "2nd guest of the Lees", "Child of Bo", "Guest Lee")] == [
        True,
        True,
        True,
        False,
    ]


def test_row_whose_number_is_in_another_column_says_so() -> None:
    rows = [SheetRow(1, ("Name", "Party size")), SheetRow(2, ("The Lee family", "3")), SheetRow(3, ("The Poe family",))]
    counted, open_row = read_rows(rows, guess_columns(rows))
    assert (len(counted.guests), counted.open_seats, open_row.open_seats) == (3, None, 2)
    reasons = [reading.reason for row in (counted, open_row) for reading in row.readings if reading.kind == "seats"]
    assert reasons == [
        "“The Lee family” doesn't say how many people, but another column does",
        "“The Poe family” doesn't say how many people",
    ]

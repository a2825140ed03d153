"""Rows of a guest list that name nobody, and headings above many columns of the planner's own."""

from __future__ import annotations

import pytest

from app.files.guest_lists.columns import guess_columns
from app.files.guest_lists.guest_row import RowRead
from app.files.guest_lists.rows import read_rows
from app.files.sheets import read_csv

LIST = "Guest,Group,Meal\nAnna Lee,Family,B\nBo Ray,Friends,F\nCleo Fox,Friends,C\n"


def read(text: str) -> list[RowRead]:
    rows = read_csv(text)
    return read_rows(rows, guess_columns(rows))


def names(text: str) -> list[str]:
    return [guest.name for row in read(text) for guest in row.guests]


@pytest.mark.parametrize(
    "legend", ['"B = beef, C = coq au vin, F = fish"\n', "B = beef\nC = coq au vin\nF = fish\n"], ids=["line", "lines"]
)
def test_legend_below_the_list_explains_meals_and_is_not_a_guest(legend: str) -> None:
    rows = read(LIST + legend)
    assert [guest.name for row in rows for guest in row.guests] == ["Anna Lee", "Bo Ray", "Cleo Fox"]
    assert rows[2].guests[0].meal == "coq au vin"
    assert {reading.kind for row in rows[3:] for reading in row.readings} == {"not_a_guest"}


def test_words_for_nobody_are_not_guests() -> None:
    assert names(LIST + "N/A,Family,\n-,Friends,\n") == ["Anna Lee", "Bo Ray", "Cleo Fox"]


def test_names_with_signs_stay_guests() -> None:
    named = ["Jean-Luc Roy - Marie Roy", "Ann: Lee"]
    assert names(LIST + "\n".join(f"{name},Family,B" for name in named))[3:] == named
    assert names("Name\nAl-Amin\nBo-Li Ray\n") == ["Al-Amin", "Bo-Li Ray"]


@pytest.mark.parametrize(("heading", "promised"), [("Group", "whose row has no group join"), ("Hat", "below it join")])
def test_heading_inside_the_list_promises_what_it_does(heading: str, promised: str) -> None:
    rows = read(f"Guest,{heading},Meal\nFRIENDS,,\nAnna Lee,Choir,B\nBo Ray,,F\nCleo Fox,Red,F\nDan Poe,Red,F\n")
    assert promised in rows[0].readings[0].reason
    joined = [guest.name for row in rows for guest in row.guests if "Friends" in (guest.groups or ())]
    assert joined == (["Bo Ray"] if heading == "Group" else ["Anna Lee", "Bo Ray", "Cleo Fox", "Dan Poe"])


def test_headings_are_found_above_two_hundred_columns() -> None:
    own = ",".join(f"Question {number}" for number in range(198))
    cells = ",".join(["x"] * 198)
    rows = read(f"Name,Group,{own}\nAnna Lee,Family,{cells}\nBo Ray,Friends,{cells}\n")
    assert [(guest.name, guest.groups) for row in rows for guest in row.guests] == [
        ("Anna Lee", ("Family",)),
        ("Bo Ray", ("Friends",)),
    ]

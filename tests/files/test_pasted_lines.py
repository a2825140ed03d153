"""Pasted lines."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.files.guest_lists.pasted_lines import read_lines
from app.files.text_rows import TextRow


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("Aino", "Aino"),
        ("  Aino  ", "Aino"),
        ("- Aino", "Aino"),
        ("* Aino", "Aino"),
        ("• Aino", "Aino"),
        ("•Aino", "Aino"),
        ("1. Aino", "Aino"),
        ("22) Aino", "Aino"),
        ("(3) Aino", "Aino"),
        ("50 Cent", "50 Cent"),
        ("2.Live Crew", "2.Live Crew"),
        ("-Aino", "-Aino"),
        ("A. Mäkelä", "A. Mäkelä"),
        ("مريم", "مريم"),
    ],
)
def test_bullets_and_numbers_are_left_out_and_names_are_not(line: str, name: str) -> None:
    assert read_lines(line) == [TextRow(1, name)]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_lines_are_counted_as_an_editor_counts_them(end: str) -> None:
    text = end.join(["Aino", "", "   ", "- ", "Eero\u2028Olli"])
    assert read_lines(text) == [TextRow(1, "Aino"), TextRow(5, "Eero\u2028Olli")]


@given(st.lists(st.text(st.characters(categories=["L", "N", "Zs"]), min_size=1)))
def test_every_line_with_a_letter_comes_back_with_its_number(names: list[str]) -> None:
    found = read_lines("\n".join(names))
    assert [line.number for line in found] == [n for n, name in enumerate(names, start=1) if name.strip()]
    assert [line.text for line in found] == [name.strip() for name in names if name.strip()]

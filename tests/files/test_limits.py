"""Texts of megabytes that are not lists of guests: each reader stops at a limit instead of working through them."""

from __future__ import annotations

import pytest

from app.files import name_lines, text_rows
from app.files.guest_lists import pasted_lines as lines
from app.files.matrices import rows
from app.files.matrices.read import MatrixError, parse_matrix
from app.files.sheet_limits import SheetError
from app.files.sheets import read_csv, read_list


def test_empty_lines_of_a_list_are_read_as_far_as_a_spreadsheet_goes() -> None:
    below = "\n" * (text_rows.MOST_EMPTY - 1) + "Aino"
    assert [row.cells for row in read_csv(below)] == [("Aino",)]
    with pytest.raises(SheetError, match="Too many empty lines; maximum 1,048,576"):
        read_csv("\n" * text_rows.MOST_EMPTY + "Aino")


def test_empty_lines_of_a_matrix_are_read_as_far_as_a_spreadsheet_goes() -> None:
    with pytest.raises(MatrixError, match="Too many empty lines; maximum 1,048,576"):
        parse_matrix(b"\n" * text_rows.MOST_EMPTY + b"0,1\n1,0\n")


def test_pasted_lines_are_read_as_far_as_there_can_be_guests() -> None:
    assert len(lines.read_lines("a\n" * lines.MOST_LINES + "\n" * 100)) == lines.MOST_LINES
    with pytest.raises(SheetError, match="Line 20,001 "):
        lines.read_lines("a\n" * (lines.MOST_LINES + 1) + "b")


def test_names_of_one_endless_line_are_not_looked_at_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    looked_at: list[str] = []
    is_name = name_lines._is_name

    def look_at(text: str) -> bool:
        looked_at.append(text)
        return is_name(text)

    monkeypatch.setattr(name_lines, "_is_name", look_at)
    with pytest.raises(SheetError, match="columns"):
        read_list("Aino," * 100_000)
    assert not looked_at
    assert len(read_list("Aino, Bo, Cleo")) == 3
    assert looked_at


@pytest.mark.parametrize("cell", ["a,", "1 ", '"a";', "ä\t"])
def test_a_matrix_of_one_endless_line_is_refused_before_it_is_split(cell: str, monkeypatch: pytest.MonkeyPatch) -> None:
    split: list[int] = []
    monkeypatch.setattr(rows.Rows, "cells", lambda _, row: split.append(row.number))
    with pytest.raises(MatrixError, match="guests; maximum 20,000"):
        parse_matrix(cell * 300_000)
    assert not split


def test_rows_of_a_matrix_are_read_as_far_as_there_can_be_guests() -> None:
    with pytest.raises(MatrixError, match="more than 20,000 guests"):
        parse_matrix("a\n" * 1_000_000)

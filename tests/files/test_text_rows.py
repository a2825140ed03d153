"""The one reader of CSV, for guest lists and matrices alike."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.files.matrices.read import parse_matrix
from app.files.sheet_limits import SheetError
from app.files.sheets import read_csv
from app.files.text_rows import TextRow, TextRows


def read(data: bytes | str) -> list[tuple[int, list[str]]]:
    rows = TextRows(data)
    return [(row.number, rows.cells(row)) for row in rows]


@given(st.text(alphabet='ab ",;\n', max_size=40))
def test_rows_are_those_of_the_standard_library_with_their_lines(text: str) -> None:
    reader = csv.reader(
        io.StringIO(text, newline=""), delimiter=TextRows(text).separator, skipinitialspace=True, strict=True
    )
    expected, line = [], 1
    try:
        for cells in reader:
            expected.append((line, [cell.strip() for cell in cells]))
            line = reader.line_num + 1
    except csv.Error:
        with pytest.raises(SheetError, match=r"^Line \d+: "):
            read(text)
        return
    assert [row for row in read(text) if holds_something(row)] == [row for row in expected if holds_something(row)]


def holds_something(row: tuple[int, list[str]]) -> bool:
    return any(cell.strip(",; \n") for cell in row[1])


def test_quoted_cell_goes_on_over_lines_in_a_matrix_too() -> None:
    parsed = parse_matrix('"Aino\nVirtanen",Bo\n0,1\n1,0\n')
    assert parsed.names == ("Aino\nVirtanen", "Bo")


@pytest.mark.parametrize("read_text", [read_csv, parse_matrix])
def test_lists_and_matrices_are_refused_in_the_same_words(read_text: Callable[[bytes | str], object]) -> None:
    with pytest.raises(SheetError, match=r"^Line 2: a quotation mark is never closed\.$"):
        read_text(',A,B\n"A,0,1\nB,1,0\n')
    with pytest.raises(SheetError, match=r"^Line 3: unexpected text after a closing quotation mark\.$"):
        read_text(',A,B\nA,0,1\n"B"x,1,0\n')
    with pytest.raises(SheetError, match=r"^Line 3 is not text"):
        read_text(",A,B\nA,0,1\nB\x00,1,0\n")
    with pytest.raises(SheetError, match=r"^This is not a text file: byte 7 cannot be read as UTF-16\.$"):
        read_text(b"\xff\xfea\x00,\x00\xd8")


def test_bytes_that_windows_does_not_use_are_read_as_latin_1() -> None:
    assert read(b"\x81\xe9,b") == [(1, ["\x81é", "b"])]


def test_byte_that_cannot_be_read_is_counted_over_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.files.encodings.CHUNK", 3)
    with pytest.raises(SheetError, match="byte 8 cannot be read as UTF-8-SIG"):
        read(b"\xef\xbb\xbf\xc3\xa9\xc3\xa9\xff")


def test_separator_counts_where_most_lines_have_it() -> None:
    assert read("\n\nname;weight, kg\nA;1,5\nB;2\n") == [
        (3, ["name", "weight, kg"]),
        (4, ["A", "1,5"]),
        (5, ["B", "2"]),
    ]
    rows = TextRows("A B 1\nC D 2", otherwise=" ")
    assert [rows.cells(row) for row in rows] == [["A", "B", "1"], ["C", "D", "2"]]
    assert list(TextRows("a\n")) == [TextRow(1, "a")]

"""Table sizes in one line."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.errors import Invalid
from app.files.table_sizes import parse_sizes, write_sizes

SIZES = st.tuples(st.integers(0, 500), st.integers(1, 500)).map(lambda pair: (min(pair), max(pair)))


@pytest.mark.parametrize(
    ("text", "sizes"),
    [
        ("4 4 5 6 3", [(1, 4), (1, 4), (1, 5), (1, 6), (1, 3)]),
        ("4,4;5\n6\t3", [(1, 4), (1, 4), (1, 5), (1, 6), (1, 3)]),
        ("2x8", [(1, 8), (1, 8)]),
        ("2 X 8", [(1, 8), (1, 8)]),
        ("2×8, 3", [(1, 8), (1, 8), (1, 3)]),
        ("4-6,8 – 10", [(4, 6), (8, 10)]),
        ("2x0-4", [(0, 4), (0, 4)]),
        ("4-4", [(4, 4)]),
        ("0-10x2", [(0, 10), (0, 10)]),
        ("4 – 6 × 2, 3", [(4, 6), (4, 6), (1, 3)]),
    ],
)
def test_sizes_counts_and_ranges_are_read(text: str, sizes: list[tuple[int, int]]) -> None:
    assert parse_sizes(text) == sizes


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "Enter at least one table size."),
        (" , ", "Enter at least one table size."),
        ("0", "Table 1, “0”: a table needs at least 1 seat."),
        ("2x4 0-0", "Table 3, “0-0”: a table needs at least 1 seat."),
        ("0x4", "Table 1, “0x4”: a table needs at least 1 seat."),
        ("4 four", "“four” is not a table size."),
        ("-4", "“-4” is not a table size."),
        (
            "4.5",
            "“4.5” is not a table size. Use sizes such as 4 4 5, counts such as 8x8 (eight tables of eight), ranges "
            "such as 4-6, or both, such as 8x0-10 (eight tables for up to ten; 0 means a table may stay empty).",
        ),
        ("2x4-6x2", "“2x4-6x2” is not a table size."),
        ("0-0x2", "Table 1, “0-0x2”: a table needs at least 1 seat."),
        ("0-4x0", "Table 1, “0-4x0”: a table needs at least 1 seat."),
        ("9-4x2", "Table 1, “9-4x2”: put the smaller number first, as in “4-9”."),
        ("4-5-6", "“4-5-6” is not a table size."),
        ("9-4", "Table 1, “9-4”: put the smaller number first, as in “4-9”."),
        ("9" * 50, f"“{'9' * 20}” is too large; maximum 100,000."),
        ("60000x2 60000x2", "“60000x2”: too many tables; maximum 100,000."),
    ],
)
def test_what_cannot_be_read_is_named(text: str, message: str) -> None:
    with pytest.raises(Invalid) as raised:
        parse_sizes(text)
    assert raised.value.faults[0].where == "sizes"
    assert raised.value.message.startswith(message)


@given(st.lists(SIZES, min_size=1, max_size=40))
def test_written_sizes_are_read_back(sizes: list[tuple[int, int]]) -> None:
    assert parse_sizes(write_sizes(sizes)) == sizes


@given(st.text(max_size=30))
def test_any_text_gives_sizes_that_make_sense_or_a_message(text: str) -> None:
    try:
        sizes = parse_sizes(text)
    except Invalid:
        return
    assert sizes
    assert all(0 <= least <= most for least, most in sizes)
    assert all(most >= 1 for _, most in sizes)


def test_long_rows_of_equal_tables_are_counted() -> None:
    assert write_sizes([(1, 8)] * 30 + [(1, 4)] * 2) == "30x8 4 4"

"""A matrix from JSON that arrives piece by piece."""

from __future__ import annotations

import json
import math
import tracemalloc
from collections.abc import Iterable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.files.matrices.read_json import JsonMatrix, JsonMatrixError, MatrixReader

NUMBERS = st.none() | st.integers(-3, 3) | st.floats(-1e6, 1e6)
TEXTS = st.text(max_size=5)


def read(pieces: Iterable[bytes], most_guests: int = 100) -> JsonMatrix:
    reader = MatrixReader(most_guests)
    for piece in pieces:
        reader.feed(piece)
    return reader.finish()


@given(
    st.integers(0, 5).flatmap(lambda size: st.lists(st.lists(NUMBERS, min_size=size, max_size=size), max_size=6)),
    st.lists(TEXTS, max_size=3),
    st.permutations(["kind", "guests", "matrix"]),
    st.integers(1, 9),
    st.sampled_from([None, 2]),
)
def test_pieces_of_any_size_give_what_the_whole_text_says(
    rows: list[list[float | None]], guests: list[str], order: list[str], size: int, indent: int | None
) -> None:
    fields = {"kind": "score", "guests": guests, "matrix": rows}
    text = json.dumps({name: fields[name] for name in order}, indent=indent).encode()
    found = read(text[start : start + size] for start in range(0, len(text), size))
    assert found.fields == {"kind": "score", "guests": guests}
    assert found.rows is not None
    assert list(found.rows.lengths) == [len(row) for row in rows]
    expected = [math.nan if cell is None else float(cell) for row in rows for cell in row]
    np.testing.assert_array_equal(found.rows.values.ravel(), expected)


@pytest.mark.parametrize(
    ("text", "where", "message"),
    [
        ("{", "", "The body is not valid JSON: line 1, column 2."),
        ('{"guests": [],\n "matrix": [[1] [2]]}', "", "The body is not valid JSON: line 2, column 17."),
        ('{"guests": []} 7', "", "The body is not valid JSON: line 1, column 16."),
        ("[[1, 2]]", "", "Send an object with “guests” and “matrix”."),
        ('{"scale": 7, "matrix": []}', "scale", "Unknown field “scale”."),
        ('{"matrix": [], "matrix": []}', "matrix", "Duplicate field."),
        ('{"matrix": 7}', "matrix", "Send one row of numbers per guest."),
        ('{"matrix": [[1], 7]}', "matrix/1", "Send one list of numbers per guest."),
        ('{"matrix": [[1, [2]]]}', "matrix/0", "This row is not a list of numbers."),
        ('{"matrix": [[1, 2, 3, 4]]}', "matrix", "Maximum 3 guests in a matrix."),
        ('{"matrix": [[1], [1], [1], [1]]}', "matrix", "Maximum 3 guests in a matrix."),
    ],
)
def test_what_is_wrong_is_said_with_its_place(text: str, where: str, message: str) -> None:
    with pytest.raises(JsonMatrixError) as raised:
        read([text.encode()], most_guests=3)
    assert (raised.value.where, str(raised.value)) == (where, message)


@pytest.mark.parametrize("start", ['{"guests": ["', '{"matrix": [[', '{"', '{"matrix": [[0, '])
def test_field_without_an_end_is_refused_before_it_fills_the_memory(start: str) -> None:
    pieces = (b"1" * 65_536 for _ in range(10_000))
    with pytest.raises(JsonMatrixError, match="too long"):
        read([start.encode(), *[next(pieces) for _ in range(17)]])


def test_cells_that_are_not_numbers_are_pointed_to() -> None:
    found = read([b'{"matrix": [[0, "x"], [true, NaN], [null, 1e999]]}'])
    assert found.rows is not None
    assert list(found.rows.bad) == [(0, 1), (1, 0)]
    assert found.rows.values[2, 1] == math.inf


def test_numbers_take_their_own_memory_and_little_more() -> None:
    size = 700
    row = ("[" + ",".join(["0.25"] * size) + "]").encode()
    tracemalloc.start()
    reader = MatrixReader(size)
    reader.feed(b'{"matrix": [' + row)
    for _ in range(size - 1):
        reader.feed(b"," + row)
    reader.feed(b"]}")
    found = reader.finish()
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert found.rows is not None
    assert found.rows.values.shape == (size, size)
    assert peak < 1.5 * found.rows.values.nbytes


def test_long_field_in_small_pieces_is_not_parsed_at_each_of_them(monkeypatch: pytest.MonkeyPatch) -> None:
    parsed = 0
    decode = json.JSONDecoder.raw_decode

    def counted(self: json.JSONDecoder, text: str, idx: int = 0) -> tuple[object, int]:
        nonlocal parsed
        parsed += len(text)
        return decode(self, text, idx)

    monkeypatch.setattr(json.JSONDecoder, "raw_decode", counted)
    text = json.dumps({"guests": ["x" * 36] * 5000, "matrix": []}).encode()
    assert len(read(text[start : start + 100] for start in range(0, len(text), 100)).fields["guests"]) == 5000
    assert parsed < 4 * len(text)

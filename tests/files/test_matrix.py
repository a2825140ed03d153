"""Matrices from text, whatever program wrote it, and messages that say where the trouble is."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.files.matrices.cells import each_pair_once
from app.files.matrices.read import Kind, MatrixError, ParsedMatrix, parse_matrix, read_matrix

VALUES = [[0.0, 1.5, -2.0], [1.5, 0.0, 0.25], [-2.0, 0.25, 0.0]]
NAMES = ("Aino", "Béla", "Çelik")
COMMA = ",Aino,Béla,Çelik\nAino,0,1.5,-2\nBéla,1.5,0,0.25\nÇelik,-2,0.25,0\n"


def assert_party(parsed: ParsedMatrix, names: tuple[str, ...] | None = NAMES) -> None:
    assert parsed.names == names
    assert parsed.matrix.tolist() == VALUES
    assert not parsed.asymmetric
    assert parsed.layout == "square"
    assert parsed.warnings == ()


@pytest.mark.parametrize(
    "text",
    [
        COMMA,
        COMMA.replace("\n", "\r\n"),
        COMMA.replace("\n", "\r"),
        COMMA.replace(",", ";"),
        COMMA.replace(",", "\t"),
        COMMA.replace(",", ";").replace(".", ","),
        COMMA.replace(",", "\t").replace(".", ","),
        COMMA.replace(",", " , "),
        COMMA.replace("\n", ",\n"),
        COMMA.replace("\n", "\n\n"),
        COMMA.replace("-2", "−2"),
        "name" + COMMA,
        COMMA[1:],
        '"",' + COMMA[1:].replace("Aino", '"Aino"'),
        "\n \n" + COMMA + "\n,,,\n",
        " Aino Béla Çelik\nAino 0 1.5 -2\nBéla   1.5 0 0.25\nÇelik -2 .25 0",
    ],
)
def test_names_in_rows_and_columns_are_read_from_any_usual_text(text: str) -> None:
    assert_party(parse_matrix(text))


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "cp1252"])
def test_names_are_read_in_any_usual_encoding(encoding: str) -> None:
    assert_party(parse_matrix(COMMA.encode(encoding)))


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("0,1.5,-2\n1.5,0,0.25\n-2,0.25,0", None),
        ("0 1.5 -2\n1.5 0 0.25\n-2 0.25 0", None),
        (",1.5,-2\n1.5,,0.25\n-2,0.25,", None),
        ("Aino,Béla,Çelik\n0,1.5,-2\n1.5,0,0.25\n-2,0.25,0", NAMES),
        ("Aino,0,1.5,-2\nBéla,1.5,0,0.25\nÇelik,-2,0.25,0", NAMES),
        (",1,2,3\n1,0,1.5,-2\n2,1.5,0,0.25\n3,-2,0.25,0", ("1", "2", "3")),
        ("id,1,2,3\n1,0,1.5,-2\n2,1.5,0,0.25\n3,-2,0.25,0", ("1", "2", "3")),
    ],
)
def test_names_may_stand_in_one_place_or_nowhere_or_be_numbers(text: str, names: tuple[str, ...] | None) -> None:
    assert_party(parse_matrix(text, kind="score"), names)


@pytest.mark.parametrize(
    ("text", "names", "matrix"),
    [
        (",A,B\nA,0,1\nB,1,0", ("A", "B"), [[0, 1], [1, 0]]),
        ("x,A,B\nA,0,1\nB,1,0", ("A", "B"), [[0, 1], [1, 0]]),
        ("A,0,1\nB,1,0", ("A", "B"), [[0, 1], [1, 0]]),
        ("A,B\n0,1\n1,0", ("A", "B"), [[0, 1], [1, 0]]),
        ("0,1\n1,0", None, [[0, 1], [1, 0]]),
        (",A\nA,0", ("A",), [[0]]),
        ("A\n0", ("A",), [[0]]),
        ("0", None, [[0]]),
    ],
)
def test_the_smallest_matrices_are_read(text: str, names: tuple[str, ...] | None, matrix: list[list[float]]) -> None:
    parsed = parse_matrix(text)
    assert (parsed.names, parsed.matrix.tolist(), parsed.layout) == (names, matrix, "square")


@pytest.mark.parametrize(
    "text",
    [
        "Aino,Béla,1.5\nAino,Çelik,-2\nBéla,Çelik,0.25",
        "guest,guest,score\nAino,Béla,1.5\nAino,Çelik,-2\nBéla,Çelik,0.25\n",
        "Aino;Béla;1,5\nAino;Çelik;-2\nBéla;Çelik;0,25",
        "Aino Béla 1.5\nAino Çelik -2\nBéla Çelik 0.25\nBéla Aino 1.5",
        '"Aino","Béla",1.5\n"Çelik","Aino",-2\nAino,Çelik,-2\n"Béla","Çelik",0.25\nAino,Aino,7',
    ],
)
def test_rows_of_pairs_become_a_matrix(text: str) -> None:
    parsed = parse_matrix(text)
    assert parsed.layout == "pairs"
    assert parsed.names == NAMES
    assert parsed.matrix.tolist() == VALUES
    assert not parsed.asymmetric


def test_pairs_may_name_guests_by_numbers() -> None:
    parsed = parse_matrix("1 2 5\n1 3 6\n1 4 7\n2 3 8\n2 4 9\n3 4 1")
    assert parsed.names == ("1", "2", "3", "4")
    assert parsed.matrix.tolist() == [[0, 5, 6, 7], [5, 0, 8, 9], [6, 8, 0, 1], [7, 9, 1, 0]]


def test_pairs_that_differ_by_direction_are_kept_and_flagged() -> None:
    parsed = parse_matrix("A,B,1\nB,A,2\nA,C,0\nB,C,0\nC,B,0", kind="score")
    assert parsed.asymmetric
    assert parsed.matrix.tolist() == [[0, 1, 0], [2, 0, 0], [0, 0, 0]]
    assert parsed.warnings == ("The two directions of 1 pair differ; the average is used.",)


def test_a_matrix_that_is_not_symmetric_is_taken_and_flagged() -> None:
    parsed = parse_matrix(",A,B\nA,0,1\nB,3,0", kind="score")
    assert parsed.asymmetric
    assert parsed.matrix.tolist() == [[0, 1], [3, 0]]


def test_one_triangle_counts_for_both_directions() -> None:
    parsed = parse_matrix(",A,B,C\nA,0,1,2\nB,,0,3\nC,,,", kind="distance")
    assert parsed.matrix.tolist() == [[0, 1, 2], [1, 0, 3], [2, 3, 0]]
    assert (parsed.asymmetric, parsed.missing) == (False, 0)


def test_cells_stay_as_they_stand_unless_the_kind_is_known() -> None:
    text = ",A,B,C\nA,,1,\nB,-1,0,\nC,,3,0"
    parsed = parse_matrix(text)
    assert np.array_equal(parsed.matrix, [[np.nan, 1, np.nan], [-1, 0, np.nan], [np.nan, 3, 0]], equal_nan=True)
    scores = parse_matrix(text, kind="score")
    assert scores.matrix.tolist() == [[0, 1, 0], [-1, 0, 3], [0, 3, 0]]
    assert (scores.missing, scores.asymmetric) == (1, True)
    assert scores.warnings[0] == "1 pair has no score and counts as 0."


def test_negative_and_missing_distances_are_told_where_they_stand() -> None:
    negative = read_matrix(",A,B,C\nA,0,,\nB,-1,0,-3\nC,2,-3,0", kind="distance")
    assert negative.errors == (
        "Row 3 (B), column 2 (A): “-1” is negative; a distance must be 0 or more.",
        "Row 3 (B), column 4 (C), and the other way round: “-3” is negative; a distance must be 0 or more.",
    )
    missing = read_matrix("0,1,\n1,0,2\n,2,0", kind="distance")
    assert missing.errors == ("Row 1, column 3, and the other way round: the distance is missing.",)


def test_names_with_separators_emoji_and_right_to_left_letters_are_kept() -> None:
    names = ("Smith, John", "🦊 Fox", "שרה", "x" * 10_000)
    rows = "\n".join(f'"{name}",0,1,2,3' for name in names)
    parsed = parse_matrix((',"' + '","'.join(names) + '"\n' + rows).encode())
    assert parsed.names == names


@pytest.mark.parametrize(
    ("text", "kind", "message"),
    [
        ("", None, "The file is empty"),
        (" \n\n,,\n", None, "The file is empty"),
        (",A,B", None, "There are names, but no numbers"),
        ("A,B,C", None, "There are names, but no numbers"),
        (",A,B,C\nA,0,1,2\nB,1,0,2", None, "not square: it has 2 rows of 3 numbers. There is no row for “C”.$"),
        (
            ",A,B\nA,0,1\nB,1,0\nC,1,1\nD,1,1",
            None,
            "not square: it has 4 rows of 2 numbers. There is no column for “C” and “D”.$",
        ),
        (
            "x,A,B\nA,0,1\nB,1,0\nC,1,1\nD,1,1",
            None,
            "not square: it has 4 rows of 2 numbers. There is no column for “C” and “D”.$",
        ),
        (",A,B,C\nA,0,1,1\nD,1,0,1", None, "There is no row for “B” and “C”. There is no column for “D”.$"),
        ("A,B,C,D\n0,1,2,3\n1,0,2,3", None, "not square: it has 2 rows of 4 numbers. It needs one row and one column"),
        (
            ",A,B\nA,0,1,2\nB,1,0,3\nC,2,3,0",
            None,
            "^The first row names 2 guests, but the rows have 3 values. There is no column for “C”.$",
        ),
        (
            ",A,B,C\nA,0,1\nB,1,0\nC,2,3",
            None,
            "^The first row names 3 guests, but the rows have 2 values. It needs one",
        ),
        ("A,0,1", None, "not square: it has 1 row of 2 numbers"),
        ("0,1,2,3\n1,0,2,3\n1,2,0,3\n1,2,3,0\n1,2,3,4\n5,6,7,8", None, "not square: it has 6 rows of 4 numbers"),
        (",A,B,C\nA,0,1,2\nB,1,0\nC,1,1,0", None, r"Row 3 \(B\) has 2 values; it needs 3"),
        (",A,B,C\nA,0,1,2\nB,1,0,2,9\nC,1,1,0", None, r"Row 3 \(B\) has 4 values; it needs 3"),
        (",A,B,C\nA,0,1,2\nB,1,0,much\nC,1,1,0", None, r"Row 3 \(B\), column 4 \(C\): “much” is not a number"),
        (",A,B\nA,x,1\nB,y,0", None, r"Row 2 \(A\), column 2 \(A\): “x” is not a number"),
        ("0,1,2\n1,0,x\n2,1,0", None, "Row 2.*“x” is not a number"),
        (",A,B,C\nA,0,1,nan\nB,1,0,2\nC,1,1,0", None, r"Row 2 \(A\), column 4 \(C\): “nan” is not a number"),
        (",A,B,C\nA,0,inf,1\nB,1,0,2\nC,1,1,0", None, r"Row 2 \(A\), column 3 \(B\): “inf” is not a number"),
        (",A,B,C\nA,0,1e999,1\nB,1,0,2\nC,1,1,0", None, r"Row 2 \(A\), column 3 \(B\): “1e999” is not a number"),
        (",A,B,C\nA,0,true,1\nB,1,0,2\nC,1,1,0", None, r"Row 2 \(A\), column 3 \(B\): “true” is not a number"),
        (",A,B,C\nA,0,[2],1\nB,1,0,2\nC,1,1,0", None, r"Row 2 \(A\), column 3 \(B\): “\[2\]” is not a number"),
        (",A,B,C\nA,0,1_0,1\nB,1,0,2\nC,1,1,0", None, r"Row 2 \(A\), column 3 \(B\): “1_0” is not a number"),
        (",A,B,A\nA,0,1,1\nB,1,0,2\nA,1,1,0", None, "“A” appears twice, in rows 2 and 4"),
        (",A,,C\nA,0,1,1\n,1,0,2\nC,1,1,0", None, "^Row 3 has no name"),
        (",A,B,C\nA,0,1,1\nC,1,0,2\nB,1,1,0", None, "^Row 3 is “C”, but column 3 is “B”. Rows and columns"),
        (
            ",A,B,C\nA,0,1,1\nB,1,0,-2\nC,1,1,0",
            "distance",
            r"^Row 3 \(B\), column 4 \(C\): “-2” is negative",
        ),
        ("A,B,A\n0,1,1\n1,0,2\n1,1,0", None, "“A” appears twice, in columns 1 and 3"),
        (",A,B,C\nA,0,1,1\nD,1,0,2\nC,1,1,0", None, "is “B”. There is no row for “B”. There is no column for “D”"),
        ("A,B,-1\nA,C,2\nB,C,2\nC,D,3\nD,A,1\nB,D,1", "distance", r"^Row 1 \(A, B\): “-1” is negative"),
        ("A,B,1\nA,C,2\nB,C,2\nC,D,3\nD,A,1", "distance", r"^No row \(B, D\): the distance is missing"),
        ("A,B,1\nA,C,\nB,C,2\nC,D,3\nD,A,1", None, r"Row 2 \(A, C\): the number is missing"),
        ("A,B,1\nA,C,x\nB,C,2\nC,D,3\nD,A,1", None, r"Row 2 \(A, C\): “x” is not a number"),
        ("A,B,1\n,C,1\nB,C,2\nC,D,3\nD,A,1", None, "Row 2: a name is missing"),
        ("A,B,1\nA,C,1\nB,C,2\nC,D,3\nA,D,1\nA,B,3", None, "“A” and “B” appear twice .* in rows 1 and 6"),
        ("A,B,1\nA,C,1\nB,C,2\nC,D,3\nA,D,1\nA,B", None, "Row 6 has 2 cells"),
        ("from,to,score", None, "There are names, but no numbers"),
        ("x,y\n1,2\n3,4\n5", "points", "Row 4 has 1 value; it needs 2"),
        ("1,2\n3,\n", "points", "Row 2 is missing a coordinate"),
        ("A,1,2\nA,3,4", "points", "“A” appears twice"),
        ("A\nB", "points", "is missing a coordinate"),
    ],
)
def test_what_is_wrong_is_named(text: str, kind: Kind | None, message: str) -> None:
    with pytest.raises(MatrixError, match=message):
        parse_matrix(text, kind=kind)


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("1,2\n3,4.5\n-1,0", None),
        ("x;y\n1;2\n3;4,5\n-1;0", None),
        ("  1   2\n  3   4.5\n  -1  0", None),
        ("A,1,2\nB,3,4.5\nC,-1,0", ("A", "B", "C")),
        ("name,x,y\nA,1,2\nB,3,4.5\nC,-1,0", ("A", "B", "C")),
    ],
)
def test_points_are_read_with_and_without_names(text: str, names: tuple[str, ...] | None) -> None:
    parsed = parse_matrix(text, kind="points")
    assert (parsed.names, parsed.layout) == (names, "points")
    assert parsed.matrix.tolist() == [[1, 2], [3, 4.5], [-1, 0]]


def test_a_long_cell_is_shortened_in_the_message() -> None:
    with pytest.raises(MatrixError) as caught:
        parse_matrix(f",A,B,C\nA,0,1,{'x' * 5000}\nB,1,0,2\nC,1,1,0")
    assert len(str(caught.value)) < 200


def test_a_file_of_one_endless_line_is_refused_without_filling_the_memory() -> None:
    with pytest.raises(MatrixError, match="There are 200,001 guests; maximum 20,000"):
        parse_matrix("0" + ",1" * 200_000)


@pytest.mark.parametrize(
    ("text", "kind", "there"),
    [
        ("0 1 2 3\n1 0 x y", None, "4"),
        ("A,B,1\nC,D,1\nE,F,1\nrow without end", None, "more than 3"),
        ("1 2\n3 4\n5 6\n7 8\n9 x", "points", "more than 3"),
    ],
)
def test_too_many_guests_are_refused_before_the_rest_is_read(text: str, kind: Kind | None, there: str) -> None:
    parsed = read_matrix(text, kind=kind, most_guests=3)
    assert parsed.errors == (f"There are {there} guests; maximum 3.",)


def test_all_faults_are_told_at_once() -> None:
    text = ",A,B,C,C\nA,0,x,2,1\nB,1,0\nC,y,1,0,-1\nC,1,1,1,0"
    parsed = read_matrix(text)
    assert parsed.errors == (
        "Row 2 (A), column 3 (B): “x” is not a number.",
        "Row 3 (B) has 2 values; it needs 4, like the other rows.",
        "Row 4 (C), column 2 (A): “y” is not a number.",
        "“C” appears twice, in rows 4 and 5. Give each guest a unique name.",
    )
    assert parsed.names == ("A", "B", "C", "C")
    assert parsed.matrix[3].tolist() == [1, 1, 1, 0]
    with pytest.raises(MatrixError) as caught:
        parse_matrix(text)
    assert (str(caught.value), caught.value.errors) == (parsed.errors[0], parsed.errors)


def test_all_faults_of_a_list_are_told_at_once() -> None:
    parsed = read_matrix("A,B,1\nA,C,x\nB,C\n,D,3\nD,A,1\nA,D,\nB,A,2\nB,A,3")
    assert parsed.errors == (
        "Row 2 (A, C): “x” is not a number.",
        "Row 3 has 2 cells; it needs two guests and a number.",
        "Row 4: a name is missing.",
        "Row 6 (A, D): the number is missing.",
        "“B” and “A” appear twice with different numbers, in rows 7 and 8.",
    )


def test_faults_without_end_are_told_to_a_number() -> None:
    parsed = read_matrix("\n".join(["x " * 30] * 30))
    assert len(parsed.errors) == 21
    assert parsed.errors[-1] == "Showing the first 20 errors."


def test_the_same_fault_in_both_directions_is_told_once() -> None:
    bad = np.array([[0, -1, -2], [-1, 0, -3], [-2.5, 1, 0]])
    assert list(each_pair_once(bad < 0, bad)) == [(0, 1, True), (0, 2, False), (1, 2, False), (2, 0, False)]


@given(st.binary(max_size=200))
def test_no_bytes_break_the_reader(data: bytes) -> None:
    try:
        parsed = parse_matrix(data)
    except MatrixError:
        return
    assert parsed.matrix.shape[0] == parsed.matrix.shape[1]


@given(st.text(alphabet='AB01.-,;\t\n "', max_size=60), st.sampled_from(["score", "distance", "points", None]))
def test_no_text_breaks_the_reader(text: str, kind: Kind | None) -> None:
    try:
        parsed = parse_matrix(text, kind=kind)
    except MatrixError:
        return
    assert np.isfinite(parsed.matrix).all() or kind is None


@given(st.integers(1, 12), st.integers(0, 1000), st.sampled_from([",", ";", "\t"]))
def test_what_is_written_is_read_back(size: int, seed: int, separator: str) -> None:
    matrix = np.random.default_rng(seed).normal(size=(size, size))
    names = tuple(f"Guest {number}" for number in range(size))
    lines = [separator.join(["", *names])]
    lines += [separator.join([name, *map(repr, row)]) for name, row in zip(names, matrix.tolist(), strict=True)]
    parsed = parse_matrix("\n".join(lines).encode())
    assert parsed.names == names
    assert np.array_equal(parsed.matrix, matrix)


@pytest.mark.parametrize("text", ["0,1\n1,0,2\n2,2,0", "0,1,2\n1,0\n2,2,0", "A,0,1\nB,1,0,2\nC,2,2,0"])
def test_a_short_row_is_one_fault_wherever_it_stands(text: str) -> None:
    assert [fault.partition(" has 2 values; it needs 3")[1] != "" for fault in read_matrix(text).errors] == [True]

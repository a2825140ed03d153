"""Whole matrices of scores or distances: what is taken, what is refused and how it says so."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID, uuid4

import numpy as np
import pytest
from sqlalchemy.orm import Session

from app.accounts.actor import Actor
from app.db.session import Sessions, transaction
from app.errors import Forbidden, Invalid, NotFound
from app.events.context import open_event
from app.files.matrices.cells import SheetPlaces
from app.files.matrices.read import ParsedMatrix
from app.files.matrices.read import read_matrix as text_matrix
from app.guests.edit import remove_guest, restore_guest
from app.guests.queries.guests import guests_of
from app.ratings.known import count_by_guest, count_rated_pairs
from app.ratings.matrix import prepare_named_matrix, put_matrix, read_matrix, store_matrix
from app.ratings.values import pair_values
from app.solver import Kind
from tests.rating_helpers import give_role, make_event, set_pair, stored_event

SYMMETRIC = [[0.0, 1.0, 2.5], [1.0, 0.0, 4.0], [2.5, 4.0, 0.0]]


def put_named(
    session: Session, actor: Actor, event_id: UUID, kind: Kind, matrix: ParsedMatrix, *, may_replace: bool = True
) -> None:
    """Take a matrix as the routes do: prepare it, then store it."""
    prepared = prepare_named_matrix(open_event(session, actor, event_id), kind, matrix, may_replace=may_replace)
    store_matrix(open_event(session, actor, event_id), prepared)


def sheet(names: Sequence[str] | None, matrix: list[list[float]]) -> ParsedMatrix:
    """Return what is read from a text with these names in its first row and column, or with numbers alone."""
    places = SheetPlaces(range(2, len(matrix) + 2), 2) if names else SheetPlaces(range(1, len(matrix) + 1))
    return ParsedMatrix(tuple(names) if names else None, np.array(matrix, dtype=float), places=places)


def faults(raised: pytest.ExceptionInfo[Invalid]) -> list[tuple[str, str]]:
    return [(fault.where, fault.message) for fault in raised.value.faults]


def test_matrix_becomes_the_ratings_and_sets_the_kind(session: Session, owner: Actor) -> None:
    event, guests = make_event(session, owner, "Aino Olli Sari")
    set_pair(open_event(session, owner, event.id), guests[0].id, guests[1].id, -2)
    taken = put_matrix(open_event(session, owner, event.id), "distance", [guest.id for guest in guests], SYMMETRIC)
    assert (taken.kind, taken.asymmetric, taken.left_out) == ("distance", False, [])
    assert event.kind == "distance"
    assert pair_values(session, event, guests).values.tolist() == SYMMETRIC
    again = put_matrix(open_event(session, owner, event.id), None, [guests[1].id, guests[0].id], [[0, 9], [9, 0]])
    assert (again.kind, again.left_out) == ("distance", ["Sari"])
    assert count_rated_pairs(session, event, guests) == (1, 3)


def test_asymmetric_matrix_is_kept_averaged_in_use_and_told(session: Session, owner: Actor) -> None:
    event, guests = make_event(session, owner, "Aino Olli")
    taken = put_matrix(
        open_event(session, owner, event.id), "score", [guest.id for guest in guests], [[7, 50], [10, None]]
    )
    assert taken.asymmetric
    assert read_matrix(open_event(session, owner, event.id)).values.tolist() == [[0, 50], [10, 0]]
    assert pair_values(session, event, guests).values.tolist() == [[0, 30], [30, 0]]


def test_gaps_in_a_matrix_stay_unrated(session: Session, owner: Actor) -> None:
    event, guests = make_event(session, owner, "Aino Olli Sari Mei")
    ids = [guest.id for guest in guests]
    taken = put_matrix(
        open_event(session, owner, event.id),
        "distance",
        ids[:3],
        [[None, 3, None], [None, None, None], [None, None, 0]],
    )
    assert not taken.asymmetric
    found = read_matrix(open_event(session, owner, event.id)).values[:3, :3]
    assert np.array_equal(found, [[0, 3, np.nan], [3, 0, np.nan], [np.nan, np.nan, 0]], equal_nan=True)
    assert count_by_guest(session, event.id, ids) == dict(zip(ids, [1, 1, 0, 0], strict=True))
    set_pair(open_event(session, owner, event.id), ids[2], ids[3], 5)
    assert count_rated_pairs(session, event, guests) == (2, 6)
    assert pair_values(session, event, guests).values.tolist() == [
        [0, 3, 4, 4],
        [3, 0, 4, 4],
        [4, 4, 0, 5],
        [4, 4, 5, 0],
    ]


def test_read_matrix_has_single_and_uploaded_ratings_together(session: Session, owner: Actor) -> None:
    event, guests = make_event(session, owner, "Aino Olli Sari")
    put_matrix(open_event(session, owner, event.id), "score", [guests[0].id, guests[1].id], [[0, 1], [2, 0]])
    set_pair(open_event(session, owner, event.id), guests[0].id, guests[2].id, -1)
    found = read_matrix(open_event(session, owner, event.id))
    assert np.array_equal(found.values, np.array([[0, 1, -1], [2, 0, np.nan], [-1, np.nan, 0]]), equal_nan=True)


@pytest.mark.parametrize(
    ("kind", "matrix", "expected"),
    [
        ("score", [[0, 1, 2], [1, 0, 3]], [("matrix", "The matrix has 2 rows; with 3 guests 3 are needed.")]),
        (
            "score",
            [[0, 1, 2], [1, 0], [2, 3, 0]],
            [("matrix/1", "Row 2 (Olli) has 2 numbers; 3 are needed.")],
        ),
        (
            "score",
            [["-", "1", 2], [1, 0, True], [2, [], 0]],
            [
                ("matrix/0/1", "Row 1 (Aino), column 2 (Olli): not a number."),
                ("matrix/1/2", "Row 2 (Olli), column 3 (Sari): not a number."),
                ("matrix/2/1", "Row 3 (Sari), column 2 (Olli): not a number."),
            ],
        ),
        (
            "score",
            [[0.0, float("nan"), 2.0], [1.0, 0, 2], [2, float("nan"), 0]],
            [
                ("matrix/0/1", "Row 1 (Aino), column 2 (Olli): not a number."),
                ("matrix/2/1", "Row 3 (Sari), column 2 (Olli): not a number."),
            ],
        ),
        (
            "score",
            [[0, 1, 2.0], [1.0, 0, float("inf")], [2, 10**400, 0]],
            [
                ("matrix/1/2", "Row 2 (Olli), column 3 (Sari), and the other way round: this number is too large."),
            ],
        ),
        (
            "distance",
            [[-1, 1, 2], [1, 0, -0.5], [2, 3, 0]],
            [("matrix/1/2", "Row 2 (Olli), column 3 (Sari): a distance must be 0 or more.")],
        ),
        (
            "distance",
            [[0, -1, -2], [-1, 0, 0], [-3, 0, 0]],
            [
                ("matrix/0/1", "Row 1 (Aino), column 2 (Olli), and the other way round: a distance must be 0 or more."),
                ("matrix/0/2", "Row 1 (Aino), column 3 (Sari): a distance must be 0 or more."),
                ("matrix/2/0", "Row 3 (Sari), column 1 (Aino): a distance must be 0 or more."),
            ],
        ),
    ],
)
def test_bad_matrix_is_refused_by_row_column_and_name(
    session: Session, owner: Actor, kind: Kind, matrix: list[list[object]], expected: list[tuple[str, str]]
) -> None:
    event, guests = make_event(session, owner, "Aino Olli Sari")
    with pytest.raises(Invalid) as raised:
        put_matrix(open_event(session, owner, event.id), kind, [guest.id for guest in guests], matrix)
    assert faults(raised) == expected
    assert event.kind == "score"


def test_unknown_and_repeated_guests_are_refused(session: Session, owner: Actor) -> None:
    event, (aino, _) = make_event(session, owner, "Aino Olli")
    with pytest.raises(Invalid) as raised:
        put_matrix(open_event(session, owner, event.id), "score", [aino.id, uuid4(), aino.id], SYMMETRIC)
    assert faults(raised) == [
        ("guests/1", "This isn't a guest of this event."),
        ("guests/2", "Duplicate guest: “Aino”."),
    ]
    with pytest.raises(Invalid, match="The matrix has no guests"):
        put_matrix(open_event(session, owner, event.id), "score", [], [])


def test_names_are_matched_in_any_order_and_case(session: Session, owner: Actor) -> None:
    event, guests = make_event(session, owner, "Aino Olli Sari")
    named = sheet(["SARI", " olli ", "Aino"], [[0, 1, 2], [1, 0, 3], [2, 3, 0]])
    put_named(session, owner, event.id, "score", named)
    assert pair_values(session, event, guests).values.tolist() == [[0, 3, 2], [3, 0, 1], [2, 1, 0]]


def test_matrix_without_names_takes_the_order_of_the_guests(session: Session, owner: Actor) -> None:
    event, guests = make_event(session, owner, "Aino Olli Sari")
    put_named(session, owner, event.id, "distance", sheet(None, SYMMETRIC))
    assert pair_values(session, event, guests).values.tolist() == SYMMETRIC
    with pytest.raises(Invalid, match="The matrix has 2 rows without names, but the event has 3 guests"):
        put_named(session, owner, event.id, "distance", sheet(None, [[0, 1], [1, 0]]))


def test_event_without_guests_gets_those_of_the_matrix(session: Session, owner: Actor) -> None:
    event, _ = make_event(session, owner, "")
    names = ["Zoë", "ليلى", "👩‍👩‍👧 Ek"]
    put_named(session, owner, event.id, "distance", sheet(names, SYMMETRIC))
    guests = guests_of(session, event.id)
    assert [guest.name for guest in guests] == names
    assert pair_values(session, event, guests).values.tolist() == SYMMETRIC


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (["Aino", "aino", "Sari"], "“aino” is a duplicate"),
        (["Aino", "", "Sari"], "is empty"),
        (["Aino", "x" * 10_000, "Sari"], "has 10,000 characters"),
        (None, "The matrix has no names, and the event has no guests yet"),
    ],
)
def test_bad_names_make_no_guests(session: Session, owner: Actor, names: list[str] | None, message: str) -> None:
    event, _ = make_event(session, owner, "")
    with pytest.raises(Invalid, match=message) as raised:
        put_named(session, owner, event.id, "score", sheet(names, SYMMETRIC))
    assert {fault.where for fault in raised.value.faults} == {"names"}
    assert guests_of(session, event.id) == []


def test_wrong_names_are_told(session: Session, owner: Actor) -> None:
    event, _ = make_event(session, owner, "Aino Olli Sari")
    with pytest.raises(Invalid) as raised:
        put_named(session, owner, event.id, "score", sheet(["Aino", "Oli", "Zaid"], SYMMETRIC))
    notice = "“Oli” and “Zaid” aren't guests of this event. Check the spelling, or add them first."
    assert faults(raised) == [("names", notice)]
    with pytest.raises(Invalid, match="Duplicate guest: “Aino”, in rows 2 and 4"):
        put_named(session, owner, event.id, "score", sheet(["Aino", "Olli", "AINO"], SYMMETRIC))


def test_everything_wrong_with_a_text_is_told_at_once(session: Session, owner: Actor) -> None:
    event, guests = make_event(session, owner, "Aino Olli Sari")
    set_pair(open_event(session, owner, event.id), guests[0].id, guests[1].id, -2)
    text = ";Aino;OLLI;Zaid\nAino;0;-1,5;x\nOLLI;-1,5;0;2\nZaid;-4;2;0"
    with pytest.raises(Invalid) as raised:
        put_named(session, owner, event.id, "distance", text_matrix(text), may_replace=False)
    assert faults(raised) == [
        ("matrix", "Row 2 (Aino), column 4 (Zaid): “x” is not a number."),
        ("replace", "Saving the matrix deletes 1 rated pair. Tick the box to confirm."),
        ("names", "“Zaid” isn't a guest of this event. Check the spelling, or add them first."),
        (
            "matrix/0/1",
            "Row 2 (Aino), column 3 (OLLI), and the other way round: “-1.5” is negative; a distance must be 0 or more.",
        ),
        ("matrix/2/0", "Row 4 (Zaid), column 2 (Aino): “-4” is negative; a distance must be 0 or more."),
    ]


def test_shape_and_names_are_told_at_once(session: Session, owner: Actor) -> None:
    event, _ = make_event(session, owner, "Aino Olli Sari")
    with pytest.raises(Invalid) as raised:
        put_named(session, owner, event.id, "score", text_matrix(",Aino,Olli,Zaid\nAino,0,1,2\nOlli,1,0,2"))
    assert faults(raised) == [
        ("matrix", "The matrix is not square: it has 2 rows of 3 numbers. There is no row for “Zaid”."),
        ("names", "“Zaid” isn't a guest of this event. Check the spelling, or add them first."),
    ]
    text = ",Aino,Olli,Sari\nAino,0,-1,2\n\nSari,2,-3,0"
    with pytest.raises(Invalid) as raised:
        put_named(session, owner, event.id, "distance", text_matrix(text))
    assert faults(raised) == [
        ("matrix", "The matrix is not square: it has 2 rows of 3 numbers. There is no row for “Olli”."),
        ("matrix/0/1", "Row 2 (Aino), column 3 (Olli): “-1” is negative; a distance must be 0 or more."),
        ("matrix/2/1", "Row 4 (Sari), column 3 (Olli): “-3” is negative; a distance must be 0 or more."),
    ]


def test_more_faults_than_anybody_reads_are_cut_off(session: Session, owner: Actor) -> None:
    event, guests = make_event(session, owner, " ".join(f"Guest{number}" for number in range(8)))
    values = [[-1.0 - i] * 8 for i in range(8)]
    with pytest.raises(Invalid) as raised:
        put_matrix(open_event(session, owner, event.id), "distance", [guest.id for guest in guests], values)
    assert len(raised.value.faults) == 21
    assert raised.value.faults[-1].message == "Showing the first 20 errors."


def test_name_like_a_formula_comes_back_from_a_spreadsheet(session: Session, owner: Actor) -> None:
    event, guests = make_event(session, owner, "=Aino Olli")
    put_named(session, owner, event.id, "score", sheet(["'=Aino", "Olli"], [[0, 2], [2, 0]]))
    assert pair_values(session, event, guests).values.tolist() == [[0, 2], [2, 0]]


def test_rated_pairs_are_replaced_only_when_allowed(session: Session, owner: Actor) -> None:
    event, guests = make_event(session, owner, "Aino Olli Sari")
    set_pair(open_event(session, owner, event.id), guests[0].id, guests[1].id, -2)
    matrix = sheet(None, SYMMETRIC)
    with pytest.raises(Invalid) as raised:
        put_named(session, owner, event.id, "score", matrix, may_replace=False)
    notice = "Saving the matrix deletes 1 rated pair. Tick the box to confirm."
    assert faults(raised) == [("replace", notice)]
    put_named(session, owner, event.id, "score", matrix, may_replace=True)
    assert pair_values(session, event, guests).values.tolist() == SYMMETRIC


def test_removed_guest_takes_their_ratings_along_and_brings_them_back(session: Session, owner: Actor) -> None:
    event, guests = make_event(session, owner, "Aino Olli Sari")
    put_matrix(open_event(session, owner, event.id), "score", [guest.id for guest in guests], SYMMETRIC)
    remove_guest(open_event(session, owner, event.id), guests[1].id)
    present = guests_of(session, event.id)
    assert pair_values(session, event, present).values.tolist() == [[0, 2.5], [2.5, 0]]
    assert count_rated_pairs(session, event, present) == (1, 1)
    restore_guest(open_event(session, owner, event.id), guests[1].id)
    assert pair_values(session, event, guests_of(session, event.id)).values.tolist() == SYMMETRIC


def test_stranger_and_viewer_get_no_matrix(sessions: Sessions, owner: Actor, stranger: Actor) -> None:
    event_id, ids = stored_event(sessions, owner, "Aino Olli")
    key, guests = UUID(event_id), [UUID(text) for text in ids]
    for refusal in (NotFound, Forbidden):
        with transaction(sessions) as session:
            with pytest.raises(refusal):
                read_matrix(open_event(session, stranger, key))
            with pytest.raises(refusal):
                put_matrix(open_event(session, stranger, key), "score", guests, [[0, 1], [1, 0]])
            with pytest.raises(refusal):
                put_named(session, stranger, key, "score", sheet(None, [[0, 1], [1, 0]]))
        if refusal is NotFound:
            give_role(sessions, event_id, stranger, "viewer")

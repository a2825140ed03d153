"""What a move does to the company of guests, in words."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from sqlalchemy.orm import Session

from app.accounts.actor import Actor
from app.plans.moves.company import Company
from app.plans.seating import Place, Seating, read_seating
from tests.factories import Planned, make_plan

NAMES = ["Anna", "Ben", "Clara", "Dan", "Eve", "Finn"]
ANNA, BEN, CLARA, DAN, EVE, FINN = range(6)


@pytest.fixture
def made(session: Session, owner: Actor) -> Planned:
    """Anna, Ben and Clara at one table, Dan, Eve and Finn at the other, each with a free seat."""
    matrix = np.zeros((6, 6))
    for one, other, score in [(ANNA, BEN, 2), (ANNA, DAN, 1), (ANNA, EVE, 2), (CLARA, FINN, 1), (DAN, FINN, -2)]:
        matrix[one, other] = matrix[other, one] = score
    return make_plan(session, owner, sizes=(4, 4), names=NAMES, matrix=matrix, assignment=[0, 0, 0, 1, 1, 1])


@pytest.fixture
def seating(session: Session, made: Planned) -> Seating:
    return read_seating(session, made.plan)


def test_each_place_says_with_whom_a_guest_would_sit_and_who_else_gains_or_loses(
    made: Planned, seating: Seating
) -> None:
    found = Company(made.snapshot, seating).of_guest(made.guests[ANNA].id)
    there = made.tables[1].id
    # Ben has nobody but Anna; Dan likes her, but sits with Finn, whom he should avoid.
    assert found == {
        (there, None): "with Eve and 1 more they like; Ben sits worse; Eve sits better",
        (there, made.guests[DAN].id): "with Eve, whom they like; Ben sits worse; 3 guests sit better",
        (there, made.guests[EVE].id): "with Dan, whom they like; Ben sits worse",
        (there, made.guests[FINN].id): "with Eve and 1 more they like; Ben sits worse; 4 guests sit better",
    }


def test_guest_who_would_sit_with_somebody_to_avoid_or_with_nobody_they_like_hears_so(
    made: Planned, seating: Seating
) -> None:
    company = Company(made.snapshot, seating)
    away = replace(seating, places={key: one for key, one in seating.places.items() if key != made.guests[DAN].id})
    assert (
        Company(made.snapshot, away)
        .of_guest(made.guests[DAN].id)[made.tables[1].id, None]
        .startswith("with Finn, whom they should avoid")
    )
    assert company.of_guest(made.guests[BEN].id)[made.tables[1].id, None] == "with nobody they like; Anna sits worse"


def test_several_guests_at_once_are_counted_with_all_others(made: Planned, seating: Seating) -> None:
    company = Company(made.snapshot, seating)
    both = {made.guests[guest].id: Place(made.tables[1].id, 3 + guest) for guest in (ANNA, BEN)}
    assert company.of_change(both) == "Eve sits better"
    alone = {made.guests[ANNA].id: Place(made.tables[1].id, 3)}
    assert company.of_change(alone) == "Ben sits worse; Eve sits better"

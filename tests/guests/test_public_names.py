"""What guests are called in public: as their planner chose, or as people would tell them apart."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

import pytest

from app.guests.public_names import Namesake, SeatedPerson, find_namesakes, public_names

Person = tuple[str, str, int, int]


def names_of(*people: Person, unseated: Sequence[str] = ()) -> list[str]:
    """Return the public names of guests given by name, chosen name, household and table; 0 for none."""
    made = [
        SeatedPerson(UUID(int=number), name, chosen, UUID(int=party) if party else None, UUID(int=table))
        for number, (name, chosen, party, table) in enumerate(people)
    ]
    return list(public_names(made, [*(one.name for one in made), *unseated]).values())


@pytest.mark.parametrize(
    ("people", "expected"),
    [
        pytest.param([("Aino", "", 1, 1), ("Mia (3)", "", 1, 1)], ["Aino", "Mia (3)"], id="nobody shares a name"),
        pytest.param(
            [("James Smith", "", 0, 1), ("James Smith (2)", "", 0, 2)],
            ["James Smith", "James Smith"],
            id="only the table is left",
        ),
        pytest.param(
            [("James Smith", "", 1, 1), ("Clara Lopez", "", 1, 1), ("james smith (2)", "", 0, 2)],
            ["James Smith (with Clara Lopez)", "Clara Lopez", "james smith"],
            id="by who is with them",
        ),
        pytest.param(
            [("James Smith", "James S. (cousin)", 1, 1), ("Clara", "", 1, 1), ("James Smith (2)", "", 1, 1)],
            ["James S. (cousin)", "Clara", "James Smith"],
            id="as the planner chose",
        ),
        pytest.param(
            [("Aino", "", 1, 1), ("Guest of Aino", "", 1, 1), ("Guest of Aino (2)", "", 1, 1)],
            ["Aino", "Guest of Aino", "Guest of Aino"],
            id="the same company tells nobody apart",
        ),
        pytest.param(
            [("James", "", 1, 1), ("Clara", "", 1, 2), ("James (2)", "", 2, 3), ("Eve", "", 2, 3)],
            ["James", "Clara", "James (with Eve)", "Eve"],
            id="only who sits at the same table",
        ),
    ],
)
def test_public_names(people: list[Person], expected: list[str]) -> None:
    assert names_of(*people) == expected


def test_number_goes_where_the_namesake_has_no_seat() -> None:
    people = ("James Smith (2)", "", 0, 1), ("Mia (3)", "", 0, 1)
    assert names_of(*people, unseated=["JAMES SMITH", "mia (3)"]) == ["James Smith", "Mia (3)"]


def test_namesakes_are_found_whatever_the_case_and_told_apart() -> None:
    ids = [UUID(int=number) for number in range(4)]
    listed = {ids[0]: "James Smith (Lopez)", ids[1]: "Eve", ids[2]: "James Smith (Choir)", ids[3]: "Mia"}
    found = find_namesakes(zip(ids, ("James Smith", "Eve", "james smith", "Mia"), strict=True), listed)
    assert found == (Namesake(ids[0], "James Smith (Lopez)"), Namesake(ids[2], "James Smith (Choir)"))

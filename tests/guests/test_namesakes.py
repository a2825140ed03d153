"""What guests are called whose name somebody has already."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.guests.namesakes import Newcomer, tell_apart
from app.web.names import name_key


@pytest.mark.parametrize(
    ("people", "taken", "expected"),
    [
        pytest.param(
            [Newcomer("James Smith", "Chen"), Newcomer("Ada"), Newcomer("James Smith", "Lopez")],
            [],
            ["James Smith (Chen)", "Ada", "James Smith (Lopez)"],
            id="by household",
        ),
        pytest.param(
            [Newcomer("James Smith", "Chen", ["Work"]), Newcomer("James Smith", None, ["Work", "Choir"])],
            [],
            ["James Smith (Chen)", "James Smith (Choir)"],
            id="by a group that only one is in",
        ),
        pytest.param([Newcomer("James Smith", "Lopez")], ["james smith"], ["James Smith (Lopez)"], id="one is stored"),
        pytest.param(
            [Newcomer("Guest of Ada", "Ada"), Newcomer("Guest of Ada", "Ada")],
            [],
            ["Guest of Ada", "Guest of Ada (B)"],
            id="a household of the same name tells nobody apart",
        ),
        pytest.param(
            [Newcomer("James"), Newcomer("James"), Newcomer("James")],
            [],
            ["James", "James (B)", "James (C)"],
            id="by a letter where nothing differs",
        ),
        pytest.param(
            [Newcomer("James", "B"), Newcomer("James"), Newcomer("James (B)")],
            [],
            ["James", "James (C)", "James (B)"],
            id="a name of the file goes before one that is made",
        ),
    ],
)
def test_namesakes_are_told_apart(people: list[Newcomer], taken: list[str], expected: list[str]) -> None:
    assert tell_apart(people, taken) == expected


NAMES = st.sampled_from(["James", "james", "James (B)", "Ada", "James (Chen)"])
PARTIES = st.sampled_from([None, "Chen", "Lopez", "James"])


@given(st.lists(st.builds(Newcomer, NAMES, PARTIES)), st.sets(NAMES.map(name_key)))
def test_every_name_is_there_once_and_begins_with_what_the_file_says(people: list[Newcomer], taken: set[str]) -> None:
    names = tell_apart(people, taken)
    keys = [name_key(name) for name in names]
    assert len({*keys, *taken}) == len(keys) + len(taken)
    assert all(name.startswith(one.name) for one, name in zip(people, names, strict=True))

"""What guests are called whose name somebody has already."""

from __future__ import annotations

import pytest
from fastapi.testclient import TestClient
from hypothesis import given
from hypothesis import strategies as st

from app.guests.namesakes import Newcomer, tell_apart
from app.web.names import name_key
from tests.pages import words_of


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
        pytest.param(
            [Newcomer("James Smith", "Smith (York)"), Newcomer("James Smith", "Chen (York)")],
            [],
            ["James Smith (York)", "James Smith (Chen, York)"],
            id="without brackets in brackets",
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


def test_names_with_numbers_are_told_apart_by_household_and_the_mark_follows_it(
    web: TestClient, api: TestClient
) -> None:
    event = f"events/{api.post('events', json={'name': 'Party'}).json()['id']}"
    guests = [
        {"name": "James Smith", "party": "Novak"},
        {"name": "James Smith (2)", "party": "Lopez"},
        {"name": "James Smith (3)", "groups": ["Choir"]},
        {"name": "James Smith (4)"},
        {"name": "Mia (3)"},
    ]
    before = api.put(f"{event}/guests", json={"guests": guests}).json()["guests"]

    def names() -> list[tuple[str, str]]:
        return [(one["name"], one["public_name"]) for one in api.get(f"{event}/guests").json()["guests"]]

    was = names()
    page = web.get(f"/{event}/guests").text
    assert "Tell 3 namesakes apart by household or group" in words_of(page)
    done = web.post(f"/{event}/guests/numbered")
    assert names() == [
        ("James Smith", ""),
        ("James Smith (Lopez)", "James Smith"),
        ("James Smith (Choir)", "James Smith"),
        ("James Smith (B)", "James Smith"),
        ("Mia (3)", ""),
    ]
    assert "namesakes apart" not in words_of(web.get(done.headers["location"]).text)
    undo = done.headers["location"].partition("undo=")[2]
    assert web.post(f"/{event}/guests/undo/{undo}").status_code == 303
    assert names() == was
    web.post(f"/{event}/guests/numbered")
    moved = api.patch(f"{event}/guests/{before[1]['id']}", json={"party": "García"}, headers={"If-Match": "*"})
    assert (moved.json()["name"], moved.json()["public_name"]) == ("James Smith (García)", "James Smith")

"""Names in the order that readers of a language expect."""

from __future__ import annotations

import pytest
from fastapi.testclient import TestClient

from app.guests.name_order import language_of, last_name_first, sort_key
from tests.guests.on_sqlite.test_guests_pages import names_on


@pytest.mark.parametrize(
    ("language", "names"),
    [
        ("sv", ["Adam", "Zeb", "Åsa", "Ärla", "Örjan"]),
        ("fi", ["Adam", "Zeb", "Åsa", "Ärla", "Örjan"]),
        ("de", ["Adam", "Ärla", "Åsa", "Örjan", "Zeb"]),
        ("da", ["Adam", "Zeb", "Ærla", "Ørjan", "Åsa"]),
        ("es", ["Nu", "Nz", "Ñandú", "Oa"]),
        ("en", ["Noel", "Noël", "noels", "O'Brien", "Obrienz", "Øst", "Oz"]),
    ],
)
def test_names_go_by_the_alphabet_of_the_reader(language: str, names: list[str]) -> None:
    mixed = names[1::2] + names[::2]
    assert sorted(mixed, key=lambda name: sort_key(name, language)) == names


def test_language_is_the_first_that_the_browser_asks_for() -> None:
    assert [language_of(text) for text in ("sv-SE,en;q=0.5", "de;q=1", "", "*")] == ["sv", "de", "", "*"]


def test_last_name_leads_and_brackets_stay_behind() -> None:
    names = (
        "Aino Virtanen",
        "Aino Maria Virtanen (2)",
        "James Smith (with Clara Lopez)",
        "James Smith K.",
        "James K.",
        "Virtanen, Aino",
        "Aino",
        "(x)",
    )
    assert [" ".join(last_name_first(name).split()) for name in names] == [
        "Virtanen Aino",
        "Virtanen Aino Maria (2)",
        "Smith James (with Clara Lopez)",
        "Smith James K.",
        "James K.",
        "Virtanen Aino",
        "Aino",
        "(x)",
    ]


def test_guests_are_shown_in_the_order_that_is_asked_for(web: TestClient) -> None:
    guests = web.post("/events", data={"name": "Party"}).headers["location"]
    for name, party, group in (
        ("Zoe Ek", "", "b"),
        ("Åsa Dahl", "Two", ""),
        ("Bo Falk", "One", "a"),
        ("Ada", "Two", ""),
    ):
        web.post(guests, data={"name": name, "party": party, "groups": group})
    orders = {
        order: names_on(web, f"{guests}?sort={order}") for order in ("entered", "name", "last", "party", "groups")
    }
    assert orders == {
        "entered": ["Zoe Ek", "Åsa Dahl", "Bo Falk", "Ada"],
        "name": ["Ada", "Åsa Dahl", "Bo Falk", "Zoe Ek"],
        "last": ["Ada", "Åsa Dahl", "Zoe Ek", "Bo Falk"],
        "party": ["Bo Falk", "Ada", "Åsa Dahl", "Zoe Ek"],
        "groups": ["Bo Falk", "Zoe Ek", "Ada", "Åsa Dahl"],
    }
    web.headers["Accept-Language"] = "sv"
    assert names_on(web, f"{guests}?sort=name")[-1] == "Åsa Dahl"

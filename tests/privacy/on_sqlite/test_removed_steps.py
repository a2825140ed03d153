"""Guests who were removed together are found from the list, and come back together."""

from __future__ import annotations

import re

import pytest
from fastapi.testclient import TestClient

from tests.pages import actions_of, words_of

NAMES = ["Aino Mäkelä", "Bo Åberg", "Cleo Zorn"]


@pytest.fixture
def guests(web: TestClient) -> str:
    """The address of the guests of an event with three of them."""
    address = str(web.post("/events", data={"name": "Party"}).headers["location"])
    for name in NAMES:
        web.post(address, data={"name": name})
    return address


def names_on(web: TestClient, guests: str) -> list[str]:
    return re.findall(r'<bdi class="guest-name">(.*?)</bdi>', web.get(guests).text)


def remove(web: TestClient, guests: str, *names: str) -> None:
    ids = {row[1]: row[0] for row in web.get(f"{guests}/rows").json()["rows"]}
    web.post(f"{guests}/bulk", data={"guest": [ids[name] for name in names], "do": "remove"})


def restore_all(web: TestClient, guests: str) -> list[str]:
    """Return the addresses of the buttons that restore a whole step."""
    return [one for one in actions_of(web.get(f"{guests}/removed").text) if one.endswith("/restore-step")]


def test_everyone_who_was_removed_at_once_comes_back_at_once(web: TestClient, guests: str) -> None:
    remove(web, guests, NAMES[1])
    remove(web, guests, NAMES[0], NAMES[2])
    assert f'href="{guests}/removed"' in web.get(guests).text
    assert "2 guests" in words_of(web.get(f"{guests}/removed").text)
    [together] = restore_all(web, guests)
    assert web.post(together).headers["location"] == f"{guests}?restored=2"
    assert names_on(web, guests) == [NAMES[0], NAMES[2]]
    assert restore_all(web, guests) == []  # one alone has a button of their own
    web.post(together)  # pressed twice: the one who was removed before stays removed
    assert names_on(web, guests) == [NAMES[0], NAMES[2]]


def test_whose_name_is_taken_stays_removed_and_is_named(web: TestClient, guests: str) -> None:
    remove(web, guests, *NAMES)
    web.post(guests, data={"name": NAMES[1]})
    [together] = restore_all(web, guests)
    page = web.post(together).text
    assert f"{NAMES[1]} stays removed: another guest has that name by now." in words_of(page)
    assert "2 guests restored." in words_of(page)
    assert names_on(web, guests) == [NAMES[0], NAMES[2], NAMES[1]]

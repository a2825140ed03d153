"""Links for wishes as guests and planners use them in tests."""

from __future__ import annotations

import csv
import io
import re

from fastapi.testclient import TestClient

from tests.pages import words_of


def rows_of(file: bytes) -> list[list[str]]:
    """Return the rows of a CSV file."""
    return list(csv.reader(io.StringIO(file.decode("utf-8-sig"))))


def make_event(web: TestClient, lines: str) -> str:
    """Make an event with these guests and return its address."""
    address = str(web.post("/events", data={"name": "Midsummer dinner"}).headers["location"]).removesuffix("/guests")
    web.post(f"{address}/guests/paste", data={"lines": lines})
    return address


def links_for(web: TestClient, event: str, per: str = "guest") -> dict[str, str]:
    """Make the missing links and return their paths by name."""
    made = web.post(f"{event}/wishes/links", data={"per": per})
    assert made.status_code == 201, words_of(made.text)
    return {name: link.removeprefix("http://localhost") for name, _, link in rows_of(made.content)[1:]}


def references(html: str) -> dict[str, str]:
    """Return the references of the guests on a page behind a link, by name."""
    page = html.partition("<template")[0]
    found = re.findall(r'name="guest" value="([\w-]+)">\s*<button[^>]*>(?:<bdi>)?([^<]+)<', page)
    removes = re.findall(r'name="guest" value="([\w-]+)">\s*<button[^>]*aria-label="Remove ([^"]+)"', page)
    return {name: reference for reference, name in [*found, *removes] if name not in ("Remove", "Undo")}


def wish(guest: TestClient, link: str, *names: str) -> None:
    """Wish for these guests through a link."""
    for name in names:
        reference = references(guest.get(f"{link}/search", params={"q": name}).text)[name]
        assert guest.post(f"{link}/add", data={"guest": reference}).status_code == 303

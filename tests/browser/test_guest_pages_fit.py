"""Pages about guests with 3 and 300 of them and names of 60 characters: nothing scrolls sideways, axe finds nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import BrowserContext, Page

from tests.server import ServerProcess

WIDTHS = (360, 768, 1024, 1440)
LONG = "Wilhelmina-Alexandra Montgomery-Featherstonehaugh-Hohenzollern"[:56]
PAGES = (
    "guests",
    "guests/{guest}",
    "guests/removed",
    "guests/unnamed",
    "groups",
    "groups/{group}",
    "rules",
    "duplicate",
    "fields",
    "ratings",
    "ratings/groups",
    "ratings/questions",
    "ratings/all",
    "guests/import",
    "take-over",
    "take-over?from={other}",
    "take-over/preview?from={other}&part=guests&part=groups&part=details&part=fields&part=ratings",
)


def make_event(server: ServerProcess, number: int) -> str:
    api = server.api()
    event: str = api.post("events", json={"name": f"{LONG} {number}"}).json()["id"]
    for kind, name in (("side", ""), ("course", "Main course"), ("choice", LONG[:50])):
        options = [{"name": f"{LONG} {place}"} for place in range(2)]
        api.post(f"events/{event}/fields", json={"kind": kind, "name": name, "options": options})
    guests = [
        {
            "name": f"{LONG} {place:03}",
            "party": f"{LONG} {place // 2}" if number > place % 3 else None,
            "groups": [f"{LONG} {place % 7}"],
            "side": f"{LONG} {place % 2}",
            "diet": "vegan" if place % 2 else "",
        }
        for place in range(number)
    ]
    removed = [{"name": f"Guest of {LONG} {place}"} for place in range(2)]
    every = {"If-Match": "*"}
    assert api.put(f"events/{event}/guests", json={"guests": [*guests, *removed]}).is_success
    present = [*guests, {"name": f"Guest of {LONG}"}]
    assert api.put(f"events/{event}/guests", json={"guests": present}, headers=every).is_success
    return event


def addresses(server: ServerProcess, page: Page, number: int) -> Iterator[str]:
    """Yield the addresses of the pages, and that of a preview of an import."""
    event, other = make_event(server, number), make_event(server, number + 1)
    api = server.api()
    guest = api.get(f"events/{event}/guests").json()["guests"][0]["id"]
    group = api.get(f"events/{event}/groups").json()["groups"][0]["id"]
    yield from (f"/events/{event}/{path.format(other=other, guest=guest, group=group)}" for path in PAGES)
    page.goto(f"/events/{event}/guests/import")
    rows = "\n".join(f"{LONG} {place}\tHousehold {LONG}\tmaybe??\t{LONG}@" for place in range(number))
    page.get_by_label("Or paste cells").fill(f"Name\tHousehold\tReply\tE-mail\n{rows}")
    page.get_by_role("button", name="Preview import").click()
    page.wait_for_url("**/guests/import/*")
    yield page.url


@pytest.mark.parametrize("number", [3, 300])
def test_pages_about_guests_fit_every_width(
    context: BrowserContext, server: ServerProcess, check_axe: Callable[[Page], None], number: int
) -> None:
    page = context.new_page()
    wide: list[tuple[str, int, int]] = []
    for address in addresses(server, page, number):
        page.goto(address)
        for width in WIDTHS:
            page.set_viewport_size({"width": width, "height": 800})
            needed = page.evaluate("document.documentElement.scrollWidth")
            wide += [(address, width, needed)] if needed > width else []
        page.set_viewport_size({"width": 360, "height": 800})
        if number == 3 or "take-over" in address:
            check_axe(page)
    assert wide == []

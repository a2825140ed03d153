"""Import guests in the browser: sent, checked, confirmed and undone, by keyboard and on a phone."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tests.server import ServerProcess

SHEET = (
    "Name;Party;Groups;RSVP;Diet\nMakela, Aino;Mäkelä;Choir;ja;vegan\nLi, Wei;;Choir|Work;hm;\nBo, Ek;;;;\n;;Work;no;\n"
)

IS_WIDE_ENOUGH = """(select) => {
  const shown = select.offsetWidth;
  select.style.inlineSize = "max-content";
  const needed = select.offsetWidth;
  select.style.inlineSize = "";
  return shown >= needed;
}"""


@pytest.mark.parametrize(("width", "scheme"), [(390, "dark"), (1280, "light")])
def test_file_is_checked_confirmed_and_undone(
    new_context: Callable[..., BrowserContext],
    sign_in: Callable[[BrowserContext], BrowserContext],
    check_axe: Callable[[Page], None],
    server: ServerProcess,
    width: int,
    scheme: str,
) -> None:
    api = server.api()
    event = api.post("events", json={"name": "Party"}).json()["id"]
    api.post(f"events/{event}/guests", json={"name": "Aino Mäkelä"})
    page = sign_in(new_context(color_scheme=scheme, viewport={"width": width, "height": 800})).new_page()
    page.goto(f"/events/{event}/guests/import")
    check_axe(page)
    page.get_by_label("File").set_input_files({"name": "list.csv", "mimeType": "", "buffer": SHEET.encode()})
    page.get_by_role("button", name="Preview import").press("Enter")
    expect(page.get_by_role("heading", name="1 row cannot be imported")).to_be_visible()
    expect(page.get_by_role("heading", name="1 row needs checking (still imported)")).to_be_visible()
    expect(page.get_by_text("Same name: the same person, or another?")).to_be_visible()
    check_axe(page)
    assert page.locator(".import-choice select").first.evaluate(IS_WIDE_ENOUGH)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    expect(page.get_by_label("Skip these rows and import the rest")).to_be_checked()
    page.get_by_label("Import Row 4").press("Space")
    expect(page.get_by_role("button", name="Add 1 guest, update 1").first).to_be_visible()
    page.reload()
    page.get_by_label("Import Row 4").press("Space")
    page.get_by_role("button", name="Add 2 guests, update 1").first.press("Enter")
    expect(page.get_by_text("2 guests added, 1 updated and 1 row skipped.")).to_be_visible()
    check_axe(page)
    page.get_by_role("button", name="Undo").press("Enter")
    expect(page.locator(".guest-name")).to_have_text(["Aino Mäkelä"])

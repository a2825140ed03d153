"""Rating in the browser: by keyboard, by mouse, with the server away, and without JavaScript."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tests.server import ServerProcess, wait_for

NAMES = ("Aino", "Olli", "Sari", "Tapio", "Maija")


class Event:
    """An event made over the API, and its ratings as the API tells them."""

    def __init__(self, server: ServerProcess, names: tuple[str, ...] = NAMES, kind: str = "score") -> None:
        self.api = server.api()
        self.id = self.api.post("events", json={"name": "Party", "kind": kind}).json()["id"]
        guests = {"guests": [{"name": name} for name in names]}
        listed = self.api.put(f"events/{self.id}/guests", json=guests).json()["guests"]
        self.guests = {guest["name"]: guest["id"] for guest in listed}
        self.address = f"/events/{self.id}/ratings/all"

    def expect_ratings(self, rated: Mapping[tuple[str, str], float]) -> None:
        """Expect these ratings, as soon as what is on its way has been saved."""
        with contextlib.suppress(AssertionError):
            wait_for(lambda: self.ratings() == rated, "the ratings", 20.0)
        assert self.ratings() == rated

    def ratings(self) -> dict[tuple[str, str], float]:
        """Return the rated pairs by name, in alphabetical order."""
        names = {guest_id: name for name, guest_id in self.guests.items()}
        rows: list[dict[str, Any]] = self.api.get(f"events/{self.id}/ratings").json()["ratings"]
        pairs = [(*sorted((names[row["a"]], names[row["b"]])), row["score"]) for row in rows]
        return {(a, b): score for a, b, score in pairs}

    def form_of(self, name: str) -> str:
        """Return the address of a guest's rating form."""
        return f"/events/{self.id}/ratings/guests/{self.guests[name]}"


@pytest.fixture
def event(server: ServerProcess) -> Event:
    """An event with five guests and no ratings."""
    return Event(server)


def cell(page: Page, row: int, column: int) -> Any:
    """Return a cell of the grid by its place, from 0."""
    return page.locator("[data-grid] tbody tr").nth(row).locator("td").nth(column)


def open_grid(page: Page, address: str) -> None:
    """Open the page and wait until the grid can be worked with."""
    page.goto(address)
    expect(page.locator("[data-grid][data-ready]")).to_be_visible()


def press(page: Page, *keys: str) -> None:
    """Press keys one after the other."""
    for key in keys:
        page.keyboard.press(key)


def test_grid_is_rated_by_keyboard(page: Page, event: Event, check_axe: Callable[[Page], None]) -> None:
    open_grid(page, event.address)
    cell(page, 0, 1).focus()
    press(page, "5", "ArrowRight", "1", "ArrowDown", "-", "ArrowDown", "ArrowRight", "+", "+")
    expect(cell(page, 0, 1)).to_have_text("+2")
    expect(cell(page, 1, 0)).to_have_text("+2")
    expect(cell(page, 2, 0)).to_have_text("−2")
    expect(cell(page, 1, 2)).to_have_text("−1")
    expect(cell(page, 3, 2)).to_have_text("+2")
    expect(page.get_by_text("4 of 10 pairs rated")).to_be_visible()
    rated = {("Aino", "Olli"): 2, ("Aino", "Sari"): -2, ("Olli", "Sari"): -1, ("Sari", "Tapio"): 2}
    event.expect_ratings(rated)
    press(page, "Home", "Delete")
    expect(page.get_by_text("3 of 10 pairs rated")).to_be_visible()
    expect(cell(page, 2, 0)).to_have_text("")
    check_axe(page)
    page.reload()
    expect(cell(page, 1, 0)).to_have_text("+2")


def test_emoji_stand_upright_above_the_grid(page: Page, server: ServerProcess) -> None:
    open_grid(page, Event(server, ("Aino", "🦊 Zoé", "Olli")).address)
    head = page.locator("[data-grid] thead th").nth(1)
    expect(head).to_have_text("🦊 Zoé")
    turned = [
        place.evaluate("element => getComputedStyle(element).writingMode") for place in head.locator("bdi, span").all()
    ]
    assert turned == ["sideways-lr", "horizontal-tb"]


def test_only_one_cell_is_in_the_way_of_the_tab_key(page: Page, event: Event) -> None:
    open_grid(page, event.address)
    cell(page, 2, 3).click()
    expect(cell(page, 2, 3)).to_be_focused()
    assert page.locator("[data-grid] [tabindex='0']").count() == 1
    press(page, "Tab")
    expect(page.get_by_role("link", name="Aino", exact=True)).to_be_focused()
    press(page, "Shift+Tab", "Control+End")
    expect(cell(page, 4, 4)).to_be_focused()
    press(page, "5")
    expect(cell(page, 4, 4)).to_have_text("")


def test_pair_is_rated_with_the_bar(page: Page, event: Event) -> None:
    open_grid(page, event.address)
    cell(page, 0, 3).click()
    expect(page.locator("[data-pair-names]")).to_have_text("Aino & Tapio")
    page.get_by_role("button", name="get along").click()
    expect(page.get_by_role("button", name="get along")).to_have_attribute("aria-pressed", "true")
    expect(page.get_by_text("Aino and Tapio: get along. Saved.")).to_be_visible()
    page.get_by_label("Number").fill("−0,75")
    press(page, "Enter")
    expect(cell(page, 3, 0)).to_have_text("−0.75")
    expect(cell(page, 0, 3)).to_be_focused()
    expect(page.get_by_text("Saved.")).to_be_visible()
    event.expect_ratings({("Aino", "Tapio"): -0.75})
    page.get_by_role("button", name="Clear").click()
    expect(page.get_by_text("0 of 10 pairs rated")).to_be_visible()


def test_refused_number_is_taken_back_and_told(page: Page, event: Event) -> None:
    open_grid(page, event.address)
    cell(page, 0, 1).focus()
    press(page, "4", "Enter")
    page.get_by_label("Number").fill("7")
    press(page, "Enter")
    expect(page.get_by_text("Aino and Olli: not saved. A score must be from −2 to 2.")).to_be_visible()
    expect(cell(page, 0, 1)).to_have_text("+1")
    press(page, "Enter")
    page.get_by_label("Number").fill("much")
    press(page, "Enter")
    expect(page.get_by_text("Enter a number.")).to_be_visible()
    press(page, "Escape")
    expect(cell(page, 0, 1)).to_be_focused()
    event.expect_ratings({("Aino", "Olli"): 1})


def test_what_could_not_be_saved_is_kept_and_sent_again(page: Page, event: Event, complaints: list[str]) -> None:
    open_grid(page, event.address)
    page.route("**/ratings/cells", lambda route: route.abort())
    cell(page, 0, 1).focus()
    press(page, "5", "ArrowRight", "2")
    expect(page.get_by_role("alert")).to_contain_text("2 ratings are not saved yet. Cannot reach the server.")
    expect(cell(page, 0, 1)).to_have_text("+2")
    assert event.ratings() == {}
    page.unroute("**/ratings/cells")
    page.get_by_role("button", name="Try again").click()
    expect(page.get_by_text("2 of 10 pairs rated")).to_be_visible()
    expect(page.get_by_role("alert")).to_be_hidden()
    event.expect_ratings({("Aino", "Olli"): 2, ("Aino", "Sari"): -1})
    assert all("ERR_FAILED" in complaint for complaint in complaints)
    complaints.clear()


def test_form_is_rated_by_keyboard_and_leads_on(page: Page, event: Event, check_axe: Callable[[Page], None]) -> None:
    page.goto(event.form_of("Aino"))
    expect(page.get_by_role("button", name="Save")).to_be_hidden()
    page.get_by_role("radiogroup", name="Olli").get_by_role("radio", name="not rated").focus()
    press(page, "5", "Tab", "1", "Tab", "3", "ArrowRight")
    expect(page.get_by_role("radiogroup", name="Olli").get_by_role("radio", name="close")).to_be_checked()
    expect(page.get_by_text("3 of 4 rated.")).to_be_visible()
    expect(page.get_by_text("Tapio: saved.")).to_be_visible()
    event.expect_ratings({("Aino", "Olli"): 2, ("Aino", "Sari"): -2, ("Aino", "Tapio"): 1})
    press(page, "0")
    expect(page.get_by_text("2 of 4 rated.")).to_be_visible()
    check_axe(page)
    page.get_by_role("link", name="Olli →").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Olli")
    expect(page.get_by_role("radiogroup", name="Aino").get_by_role("radio", name="close")).to_be_checked()


def test_form_works_without_javascript(
    event: Event, new_context: Callable[..., BrowserContext], sign_in: Callable[[BrowserContext], BrowserContext]
) -> None:
    page = sign_in(new_context(java_script_enabled=False)).new_page()
    page.goto(event.form_of("Sari"))
    page.get_by_role("radiogroup", name="Maija").get_by_role("radio", name="keep away").check(force=True)
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_text("Saved.")).to_be_visible()
    expect(page.get_by_text("1 of 4 rated.")).to_be_visible()
    event.expect_ratings({("Maija", "Sari"): -2})


def test_distances_are_typed(page: Page, server: ServerProcess, check_axe: Callable[[Page], None]) -> None:
    event = Event(server, kind="distance")
    open_grid(page, event.address)
    cell(page, 0, 1).focus()
    press(page, "1", "2", ".", "5", "Enter", "ArrowDown", "ArrowRight", "Enter", "3", "Enter")
    expect(cell(page, 1, 0)).to_have_text("12.5")
    expect(page.get_by_text("2 of 10 pairs rated")).to_be_visible()
    event.expect_ratings({("Aino", "Olli"): 12.5, ("Olli", "Sari"): 3})
    check_axe(page)
    page.goto(event.form_of("Tapio"))
    page.get_by_label("Aino").fill("−1")
    press(page, "Tab")
    expect(page.locator(".field-error")).to_have_text("A distance must be 0 or more.")
    page.get_by_label("Aino").fill("8")
    press(page, "Enter")
    expect(page.get_by_text("Aino: saved.")).to_be_visible()
    expect(page.locator(".field-error")).to_have_count(0)
    check_axe(page)


def test_matrix_is_pasted_corrected_and_told(page: Page, event: Event, check_axe: Callable[[Page], None]) -> None:
    text = "\tAino\tOlli\tSari\nAino\t0\t2\tx\nOlli\t1\t0\t-1\nSari\t0.5\t-1\t0\n"
    page.goto(event.address)
    page.get_by_role("link", name="Upload or paste a matrix").click()
    expect(page.get_by_label("Or paste it here")).to_be_visible()
    check_axe(page)
    page.get_by_label("Or paste it here").fill(text)
    page.get_by_role("button", name="Save matrix").click()
    expect(page.get_by_role("alert")).to_contain_text("Row 2 (Aino), column 4 (Sari): “x” is not a number.")
    expect(page.get_by_label("Or paste it here")).to_have_value(text)
    check_axe(page)
    page.get_by_label("Or paste it here").fill(text.replace("x", "0.5"))
    page.get_by_role("button", name="Save matrix").click()
    expect(page.get_by_text("Matrix saved: 3 guests, scores. It is not symmetric")).to_be_visible()
    expect(page.locator("[data-grid][data-ready]")).to_be_visible()
    expect(cell(page, 1, 0)).to_have_text("+1.5")
    cell(page, 0, 1).click()
    press(page, "1")
    expect(page.get_by_text("Aino and Olli: keep away. Saved.")).to_be_visible()
    press(page, "Delete")
    expect(cell(page, 1, 0)).to_have_text("+1.5")


def test_large_grid_keeps_the_chosen_cell_in_view(page: Page, server: ServerProcess) -> None:
    event = Event(server, tuple(f"Guest {number}" for number in range(60)))
    open_grid(page, event.address)
    cell(page, 50, 51).click()
    press(page, *["PageUp"] * 3, *["ArrowLeft"] * 35)
    chosen = cell(page, 20, 16)
    expect(chosen).to_be_focused()
    hidden_by = chosen.evaluate(
        """cell => {
          const box = cell.getBoundingClientRect();
          return document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2) === cell ? "" : "something";
        }"""
    )
    assert hidden_by == ""
    press(page, "5")
    expect(page.get_by_text("1 of 1,770 pairs rated")).to_be_visible()


def paste(page: Page, text: str) -> None:
    """Paste a text into the grid as a spreadsheet would give it."""
    page.evaluate(
        """text => {
          const clipboard = new DataTransfer();
          clipboard.setData("text/plain", text);
          const event = new ClipboardEvent("paste", { clipboardData: clipboard, bubbles: true });
          document.activeElement.dispatchEvent(event);
        }""",
        text,
    )


def copied(page: Page) -> list[list[str]]:
    """Copy what is chosen in the grid, and return it as a spreadsheet would take it."""
    text: str = page.evaluate(
        """() => {
          const clipboard = new DataTransfer();
          const event = new ClipboardEvent("copy", { clipboardData: clipboard, bubbles: true });
          document.activeElement.dispatchEvent(event);
          return clipboard.getData("text/plain");
        }"""
    )
    return [line.split("\t") for line in text.split("\n")]


def paste_cells(page: Page, cells: list[list[str]]) -> None:
    """Paste cells into the grid."""
    paste(page, "\n".join("\t".join(line) for line in cells))


def expect_copied_cells_to_come_back(page: Page, event: Event) -> None:
    """Copy all, change one cell of a pair, paste it back; then change both cells of a pair in two ways."""
    rated = event.ratings()
    press(page, "Control+a")
    cells = copied(page)
    assert cells[3][4] == "", "a default is not a rating"
    cells[0][1] = "-1"
    paste_cells(page, cells)
    expect(cell(page, 1, 0)).to_have_text("−1")
    event.expect_ratings({**rated, ("Aino", "Olli"): -1})
    cells[0][1], cells[1][0], cells[1][2], cells[2][1] = "2", "-2", "0.5", "0.5"
    paste_cells(page, cells)
    message = page.get_by_text("Not changed, because the two cells of the pair differ: Aino & Olli.")
    expect(message).to_be_visible()
    event.expect_ratings({**rated, ("Aino", "Olli"): -1, ("Olli", "Sari"): 0.5})


def expect_taps_to_choose_many(page: Page) -> None:
    """Select several cells without a key."""
    cell(page, 0, 1).click()
    page.get_by_role("button", name="Select several").click()
    cell(page, 1, 3).dispatch_event("click", {"pointerType": "touch"})
    expect(page.locator("[data-pair-names]")).to_have_text("5 pairs")
    page.get_by_role("button", name="Select several").click()
    cell(page, 1, 2).click()
    expect(page.locator("[data-pair-names]")).to_have_text("Olli & Sari")


def test_range_is_filled_pasted_and_undone(page: Page, event: Event) -> None:
    for name in ("Tapio", "Maija"):
        event.api.patch(f"events/{event.id}/guests/{event.guests[name]}", json={"party": "Korhonen"})
    open_grid(page, event.address)
    cell(page, 0, 1).click()
    press(page, "Shift+ArrowRight", "Shift+ArrowDown")
    expect(page.locator("[data-pair-names]")).to_have_text("3 pairs")
    press(page, "4")
    expect(page.get_by_text("3 pairs saved.")).to_be_visible()
    event.expect_ratings({("Aino", "Olli"): 1, ("Aino", "Sari"): 1, ("Olli", "Sari"): 1})
    cell(page, 3, 0).click()
    paste(page, "-2\t\n2\t0,5\n")
    expect(cell(page, 0, 3)).to_have_text("−2")
    expect(page.get_by_text("6 of 10 pairs rated")).to_be_visible()
    paste(page, "1\tmuch")
    expect(page.get_by_text("Row 1, column 2: “much” is not a number. Nothing was pasted.")).to_be_visible()
    press(page, "Control+z", "Control+z")
    expect(page.get_by_text("0 of 10 pairs rated")).to_be_visible()
    press(page, "Control+Shift+z")
    expect(page.get_by_text("3 of 10 pairs rated")).to_be_visible()
    expect(page.get_by_role("button", name="Redo")).to_be_enabled()
    expect_copied_cells_to_come_back(page, event)
    expect_taps_to_choose_many(page)


def test_two_people_do_not_overwrite_each_other(page: Page, event: Event, complaints: list[str]) -> None:
    open_grid(page, event.address)
    pair = {"a": event.guests["Aino"], "b": event.guests["Olli"]}
    event.api.patch(f"events/{event.id}/ratings", json={"ratings": [{**pair, "score": 2.0}]})
    cell(page, 0, 1).click()
    press(page, "1")
    asked = page.get_by_role("dialog")
    expect(asked).to_contain_text("Someone else set Aino & Olli to “close”. You chose “keep away”.")
    asked.get_by_role("button", name="Keep “close”").click()
    expect(cell(page, 0, 1)).to_have_text("+2")
    event.expect_ratings({("Aino", "Olli"): 2})
    press(page, "2")
    expect(page.get_by_text("Aino and Olli: rather not. Saved.")).to_be_visible()
    event.api.patch(f"events/{event.id}/ratings", json={"ratings": [{**pair, "score": 1.0}]})
    press(page, "1")
    asked.get_by_role("button", name="Use “keep away”").click()
    expect(page.get_by_text("Aino and Olli: keep away. Saved.")).to_be_visible()
    assert set(event.ratings().values()) == {-2.0}
    assert all("409" in complaint for complaint in complaints)
    complaints.clear()


def test_three_hundred_guests_are_drawn_only_where_one_looks(
    page: Page, server: ServerProcess, check_axe: Callable[[Page], None]
) -> None:
    event = Event(server, tuple(f"Guest {number:03}" for number in range(300)))
    open_grid(page, event.address)
    cells = page.locator("[data-grid] tbody td")
    assert cells.count() < 4000
    cell(page, 0, 1).click()
    press(page, "Control+End", "ArrowLeft", "5")
    expect(page.get_by_text("Guest 299 and Guest 298: close. Saved.")).to_be_visible()
    assert cells.count() < 4000
    check_axe(page)
    press(page, "Control+Home")
    expect(page.locator("[data-grid] tbody th").first).to_have_text("Guest 000")
    page.get_by_label("Sort").select_option("similarity")
    expect(page.locator("[data-grid] tbody th").first).not_to_have_text("Guest 000")

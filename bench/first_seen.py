"""How long a planner waits in a real browser, from the press of the button until names at tables are on the screen."""

from __future__ import annotations

from uuid import UUID

import numpy as np
from playwright.sync_api import Browser, Page

from app.db import models
from app.db.session import transaction
from app.events.context import open_event
from app.ratings.change import Entry, put_ratings
from bench.browsing import server_and_browser
from bench.clock import spell
from bench.events import generate_event
from bench.first_second import GUESTS, SEEDS
from bench.report import markdown_table
from tests.factories import make_event, make_guests, make_tables
from tests.server import ServerProcess

TITLE = "From the button to the first plan on the screen"
LIMIT = "0.3 s"
# Notes when the button was pressed, on one page, and when the first plan was painted, on the next.
WATCH = """(() => {
  const now = () => performance.timeOrigin + performance.now();
  addEventListener("submit", () => sessionStorage.setItem("pressed", now()), true);
  const look = () => {
    if (!document.querySelector("section[data-live]:not([hidden]) [data-live-table] li")) return false;
    requestAnimationFrame(() => setTimeout(() => (window.waited = now() - Number(sessionStorage.getItem("pressed")))));
    return true;
  };
  addEventListener("DOMContentLoaded", () => {
    if (!look()) new MutationObserver((_, own) => look() && own.disconnect()).observe(document.body,
      { subtree: true, childList: true, attributes: true, attributeFilter: ["hidden"] });
  });
})()"""


def measure() -> str:
    """Press the button for events of three sizes, each new to the server."""
    with server_and_browser() as (server, browser):
        _waits(server, browser, GUESTS[0], SEEDS[:1])  # the worker has loaded everything by then
        rows = []
        for guests in GUESTS:
            waits = _waits(server, browser, guests, SEEDS)
            rows.append((guests, *map(spell, (waits[len(waits) // 2], waits[0], waits[-1])), LIMIT))
    note = (
        f"{len(SEEDS)} events with households for each size, SQLite, a worker that has nothing else to do. From the "
        "submit of the form until names at tables are painted on the page of the run, which is a new page."
    )
    return f"{markdown_table(('guests', 'median', 'fastest', 'slowest', 'limit of the median'), rows)}\n\n{note}"


def _waits(server: ServerProcess, browser: Browser, guests: int, seeds: tuple[int, ...]) -> list[float]:
    """Return the seconds for each event, ascending."""
    context = browser.new_context(base_url=server.address, viewport={"width": 1440, "height": 900})
    context.add_cookies([server.session_cookie()])
    page = context.new_page()
    page.add_init_script(WATCH)
    waits = sorted(_wait(page, _store_event(server, guests, seed)) for seed in seeds)
    context.close()
    return waits


def _wait(page: Page, event_id: UUID) -> float:
    """Press the button, wait for the first plan and then for the end of the run."""
    page.goto(f"/events/{event_id}/plan")
    page.get_by_role("button", name="Find the best plan").click()
    waited = page.wait_for_function("() => window.waited").json_value()
    page.wait_for_url(f"**/events/{event_id}/plans/**")  # the next one is not to wait for this one
    return float(waited) / 1000


def _store_event(server: ServerProcess, guests: int, seed: int) -> UUID:
    """Store a generated event with every pair that its planner can rate."""
    made, owner = generate_event(guests, seed), server.owner()
    with transaction(server.sessions()) as session:
        event = make_event(session, owner)
        people = make_guests(session, event, [f"Guest {number}" for number in range(guests)])
        make_tables(session, event, made.table_sizes)
        for number, members in enumerate(made.parties):
            party = models.Party(event_id=event.id, name=f"Party {number}", name_key=f"party {number}")
            session.add(party)
            session.flush()
            for member in members:
                people[member].party_id = party.id
        first, second = np.nonzero(~np.isnan(np.triu(made.answers, 1)) & np.triu(np.ones_like(made.truth, bool), 1))
        entries = [
            Entry(people[a].id, people[b].id, float(made.answers[a, b]))
            for a, b in zip(first.tolist(), second.tolist(), strict=True)
        ]
        put_ratings(open_event(session, owner, event.id), entries)
        return event.id

"""The page of rules of a large event: checked in the background, without losing what is typed."""

from __future__ import annotations

from collections.abc import Callable
from uuid import UUID

from playwright.sync_api import Page, expect

from app.db.session import transaction
from app.events.context import open_event
from app.events.edit import create_event
from app.guests.entries import GuestEntry
from app.guests.many import replace_guests
from app.rules.edit import RuleEntry, replace_rules
from app.tables.edit import replace_tables
from app.tables.entries import TableEntry
from tests.server import PATIENCE, ServerProcess

CheckAxe = Callable[[Page], None]
GUESTS, TABLES = 2_600, 2_000
"""So many that the server does not check them itself."""


def large_event(server: ServerProcess) -> UUID:
    """Return an event in which two guests must sit together and apart."""
    owner = server.owner()
    with transaction(server.sessions()) as session:
        event_id = create_event(session, owner, name="Congress").id
        guests = replace_guests(open_event(session, owner, event_id), [GuestEntry(f"Guest {n}") for n in range(GUESTS)])
        replace_tables(open_event(session, owner, event_id), [TableEntry(f"Table {n}", seats=2) for n in range(TABLES)])
        pair = guests[0].id, guests[1].id
        replace_rules(open_event(session, owner, event_id), [RuleEntry(kind, pair) for kind in ("together", "apart")])
    return event_id


def test_answer_of_the_worker_appears_by_itself(page: Page, server: ServerProcess, check_axe: CheckAxe) -> None:
    event_id = large_event(server)
    page.goto(f"/events/{event_id}/rules", timeout=PATIENCE * 1000)
    page.get_by_label("Guest", exact=True).first.fill("Guest 7")
    found = page.get_by_role("heading", name="These rules conflict")
    expect(found).to_be_visible(timeout=PATIENCE * 1000)
    expect(page.get_by_text("Checking your rules…")).to_have_count(0)
    expect(page.get_by_label("Guest", exact=True).first).to_have_value("Guest 7")
    check_axe(page)
    page.get_by_role("button", name="Delete that rule").click()
    expect(page.get_by_text("Rule deleted.")).to_be_visible(timeout=PATIENCE * 1000)
    expect(found).to_have_count(0)

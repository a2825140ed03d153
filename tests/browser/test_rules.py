"""The page of rules: a large event is checked in the background, and sentences about groups work by keyboard."""

from __future__ import annotations

from collections.abc import Callable
from uuid import UUID

from playwright.sync_api import Page, expect

from app.db.session import transaction
from app.events.context import open_event
from app.events.edit import create_event
from app.guests.entries import GuestEntry
from app.guests.field_checks import FieldEntry, OptionEntry
from app.guests.fields import add_field
from app.guests.whole_list import replace_guests
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


LONG = "The ladies and gentlemen of the choir of St Mary's cathedral"


def group_event(server: ServerProcess) -> UUID:
    """Return an event with groups, one of them with a long name, sides and tables."""
    owner = server.owner()
    with transaction(server.sessions()) as session:
        event_id = create_event(session, owner, name="Wedding").id
        ctx = open_event(session, owner, event_id)
        add_field(ctx, FieldEntry("side", options=[OptionEntry("Bride"), OptionEntry("Groom")]))
        people = [GuestEntry(f"Guest {n}", groups=[LONG if n % 3 else "Hosts"], side="Bride") for n in range(12)]
        replace_guests(ctx, people)
        replace_tables(ctx, [TableEntry(f"Table {n}", seats=8) for n in range(3)])
    return event_id


def test_rules_for_groups_are_made_by_keyboard_and_fit_a_phone(
    page: Page, server: ServerProcess, check_axe: CheckAxe
) -> None:
    event_id = group_event(server)
    page.goto(f"/events/{event_id}/rules", timeout=PATIENCE * 1000)
    page.get_by_label("How many at most").focus()
    page.keyboard.press("ControlOrMeta+a")
    page.keyboard.type("3")
    for choice in ("The ladies", "Table 1"):
        page.keyboard.press("Tab")
        page.keyboard.type(choice)
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.get_by_text(f"Rule added: At most 3 of {LONG} sit at Table 1.")).to_be_visible()
    expect(page.get_by_text("8 guests now.")).to_be_visible()
    page.get_by_role("button", name="Add rule: alternate by a field around each table").click()
    expect(page.get_by_role("alert")).to_contain_text("Choose a field.")
    expect(page.get_by_label("What neighbours differ in")).to_have_attribute("aria-invalid", "true")
    check_axe(page)
    for width in (360, 768, 1440):
        page.set_viewport_size({"width": width, "height": 900})
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), width

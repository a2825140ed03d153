"""Find your seat on a phone: names as people type them."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import BrowserContext, expect

from app.db import models
from app.db.session import transaction
from app.events.context import open_event
from app.sharing.links import create_link
from tests.factories import make_plan
from tests.server import ServerProcess

NAMES = ["Niamh O'Connor", "Søren Sørensen", "James Smith", "Clara Lopez", "James Smith (2)", "Anne-Marie Lund"]


@pytest.fixture
def link(server: ServerProcess) -> str:
    """The address of the guests' page, where one James Smith is “with Clara Lopez”."""
    owner = server.owner()
    with transaction(server.sessions()) as session:
        made = make_plan(session, owner, sizes=(2, 2, 2), names=NAMES)
        party = models.Party(event_id=made.event.id, name="Smith", name_key="smith")
        session.add(party)
        session.flush()
        for guest in made.guests[2:4]:
            guest.party_id = party.id
        return f"/s/{create_link(open_event(session, owner, made.event.id)).token}"


def test_names_are_found_as_people_type_them(link: str, new_context: Callable[..., BrowserContext]) -> None:
    page = new_context(viewport={"width": 390, "height": 844}).new_page()
    page.goto(link)
    expect(page.get_by_text("James Smith (with Clara Lopez)")).to_be_visible()
    for typed, name in (
        ("oconnor", "Niamh O'Connor"),
        ("o'con", "Niamh O'Connor"),
        ("connor", "Niamh O'Connor"),
        ("sorensen", "Søren Sørensen"),
        ("lop", "Clara Lopez"),
        ("marie", "Anne-Marie Lund"),
    ):
        page.get_by_label("Find your seat").fill(typed)
        expect(page.locator(".seat-name")).to_have_text(name)
    page.get_by_label("Find your seat").fill("smith")
    expect(page.get_by_role("status")).to_contain_text("2 names match.")

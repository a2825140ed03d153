"""Scripts in every text that people can enter, shown on every page: nothing runs and nothing is reported."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any
from uuid import UUID

from playwright.sync_api import BrowserContext, Dialog, Page
from sqlalchemy import Column, String, update

from app.accounts.actor import Actor
from app.accounts.api_keys import create_api_key
from app.accounts.sessions import start_session
from app.accounts.users import actor_of
from app.db.models import NAME_LENGTH, Base, Guest, Room, User
from app.db.session import Sessions, transaction
from app.events.context import open_event
from app.files.sheet_limits import ListSheet, SheetRow
from app.guests.imports.importing import open_import
from tests.factories import make_event
from tests.security.route_table import AUDIENCE
from tests.security.world import fill, make_world
from tests.server import ServerProcess

NewContext = Callable[..., BrowserContext]
PAYLOAD = (
    "</title></script></textarea>'\"><img src=x onerror=alert(1)><svg/onload=alert(1)>"
    "\" autofocus onfocus=alert(1) x='{{7*7}}${alert(1)}<!--javascript:alert(1)"
)
SHORT = "<img src=x onerror=alert(1)>"
SHORT_TEXTS = ("title", "first_name", "last_name", "phone", "email")
"""Of guests, besides those that are as long as a name."""
OF_FIELDS = {"field_options": "name", "guest_values": "text"}
FILES = (".csv", ".xlsx", ".json", ".ics", ".pdf", ".png", ".svg", "/image", "/background", "/present", "/arrivals")
WITH_PROVIDER = ("/account/openid",)  # there only where a provider is set
NOT_PAGES = ("/api/v1/", "/static", "/healthz", "/readyz", "/metrics", "/sign-in", "/setup", "/reset", *WITH_PROVIDER)
STREAMS = ("/runs/{run_id}/events", "/live")
WITH_QUERY = {
    "/events/{event_id}/take-over/preview": "/events/{other_event}/take-over/preview?from={event_id}&part=guests"
}
"""Pages that need to know more than the ids in their address."""
FRAGMENTS = ("/effects", "/parts", "/panel", "/cells", "/search")


def test_scripts_in_every_text_run_on_no_page(new_context: NewContext, server: ServerProcess) -> None:
    sessions = server.sessions()
    owner = _make_account(sessions)
    ids = make_world(sessions, owner).ids
    with transaction(sessions) as session:
        ids["other_event"] = str(make_event(session, owner).id)
    changed = _poison(sessions, owner, ids)
    assert {"events.name", "guests.note", "guests.diet", "tables.name", "groups.name", "links.name"} <= changed
    assert {"guest_fields.name", "guests.other_allergies", "guests.public_name", "guest_imports.file_name"} <= changed
    context = _signed_in(new_context, server, sessions, owner)
    page, dialogs = context.new_page(), list[str]()

    def hear(dialog: Dialog) -> None:
        dialogs.append(page.url)
        dialog.dismiss()

    page.on("dialog", hear)
    seen = 0
    for path in _pages():
        answer = page.goto(fill(WITH_QUERY.get(path, path), ids), wait_until="load")
        assert answer is not None
        assert (path, answer.status) == (path, 200)
        assert (path, page.locator("img[src=x], svg[onload], [onfocus], [onerror]").count()) == (path, 0)
        seen += PAYLOAD[:20] in page.content() or "&lt;/title&gt;" in page.content()
    assert dialogs == []
    assert seen > 20
    _use_the_plan(page, ids)
    assert dialogs == []


def _use_the_plan(page: Page, ids: dict[str, str]) -> None:
    """Pick a guest up, so that scripts write names into the page."""
    page.goto(fill("/events/{event_id}/plans/{plan_id}", ids))
    with page.expect_response(re.compile("/(effects|panel)")):
        page.locator("[data-seat]").first.press("Enter")
    assert page.locator("img[src=x]").count() == 0


def _pages() -> list[str]:
    found = [path for path, methods in AUDIENCE.items() if "GET" in methods and not path.startswith(NOT_PAGES)]
    return [path for path in found if not path.endswith((*FILES, *STREAMS, *FRAGMENTS))]


def _make_account(sessions: Sessions) -> Actor:
    with transaction(sessions) as session:
        user = User(name=PAYLOAD, email="eve@example.org", is_operator=True)
        session.add(user)
        session.flush()
        return actor_of(user)


def _poison(sessions: Sessions, owner: Actor, ids: dict[str, str]) -> set[str]:
    """Write the payload into every free text of the event, of a file that is imported, and of a member's name."""
    changed: set[str] = set()
    event_id = UUID(ids["event_id"])
    with transaction(sessions) as session:
        ids["import_id"] = str(
            open_import(open_event(session, owner, event_id), [ListSheet("", [SheetRow(1, (PAYLOAD,))])]).id
        )
        for table in Base.metadata.sorted_tables:
            if table.name != "idempotency_keys" and (table.name == "events" or "event_id" in table.c):
                is_its_own = (table.c.id if table.name == "events" else table.c.event_id) == event_id
                for column in filter(_is_free_text, table.c):
                    changed.add(f"{table.name}.{column.name}")
                    session.execute(update(table).where(is_its_own).values({column: PAYLOAD}))
        session.execute(update(Guest).where(Guest.event_id == event_id).values(dict.fromkeys(SHORT_TEXTS, SHORT)))
        for name, text in OF_FIELDS.items():
            table = Base.metadata.tables[name]
            assert session.execute(update(table).values({text: PAYLOAD}).returning(table.c[text])).all()
        create_api_key(session, owner, PAYLOAD)
        room = session.get_one(Room, event_id)
        room.items = [{**item, "text": PAYLOAD} for item in room.items]
        session.execute(update(User).where(User.id == UUID(ids["member_id"])).values(name=PAYLOAD))
    return changed


def _is_free_text(column: Column[Any]) -> bool:
    """Say whether people can write anything into a column: shorter ones hold words of ours."""
    if not isinstance(column.type, String) or column.name in ("email", "name_key"):
        return False
    return column.type.length is None or column.type.length >= NAME_LENGTH


def _signed_in(new_context: NewContext, server: ServerProcess, sessions: Sessions, owner: Actor) -> BrowserContext:
    with transaction(sessions) as session:
        token = start_session(session, session.get_one(User, owner.user_id), days=1)
    context = new_context()
    context.add_cookies([{**server.session_cookie(), "value": token, "httpOnly": True, "sameSite": "Lax"}])
    return context

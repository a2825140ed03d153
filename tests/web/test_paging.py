"""Tables and rules of large events come in pages."""

from __future__ import annotations

import re
from uuid import UUID

import pytest
from fastapi.testclient import TestClient

from app.accounts.actor import Actor
from app.db.session import Sessions, transaction
from app.events.context import open_event
from app.rules.edit import RuleEntry, replace_rules
from app.tables.edit import replace_tables
from app.tables.entries import TableEntry
from app.web.html import paging
from tests.rating_helpers import stored_event


@pytest.fixture
def event(sessions: Sessions, owner: Actor, monkeypatch: pytest.MonkeyPatch) -> str:
    """An event with five tables and five rules, of which a page shows two."""
    monkeypatch.setattr(paging, "PAGE_SIZE", 2)
    event_id, guests = stored_event(sessions, owner, "Aino Olli Sari Tuomas Ville Zaid")
    ids = [UUID(str(guest)) for guest in guests]
    with transaction(sessions) as session:
        named = [TableEntry(f"Table {number}", seats=4) for number in range(1, 6)]
        replace_tables(open_event(session, owner, UUID(str(event_id))), named)
        pairs = [RuleEntry("apart", (ids[0], other)) for other in ids[1:]]
        replace_rules(open_event(session, owner, UUID(str(event_id))), pairs)
    return f"/events/{event_id}"


def shown(page: str, what: str) -> list[str]:
    return re.findall(rf'<li[^>]* id="{what}-([0-9a-f-]+)"', page)


@pytest.mark.parametrize(("path", "what", "total"), [("tables", "table", "5 tables"), ("rules", "rule", "5 rules")])
def test_pages_follow_each_other_and_show_each_row_once(
    web: TestClient, event: str, path: str, what: str, total: str
) -> None:
    address: str | None = f"{event}/{path}"
    sizes, rows = [], []
    while address:
        page = web.get(address).text
        assert total in page
        found = shown(page, what)
        sizes.append(len(found))
        rows += found
        link = re.search(r'href="([^"]+)"[^>]* rel="next"|rel="next"[^>]* href="([^"]+)"', page)
        address = (link[1] or link[2]).replace("&amp;", "&") if link else None
    assert (sizes, len(set(rows))) == ([2, 2, 1], 5)
    assert shown(web.get(f"{event}/{path}?page=99").text, what) == rows[-1:]


def test_what_was_added_is_on_the_page_that_is_shown_next(web: TestClient, event: str) -> None:
    table = web.post(f"{event}/tables", data={"seats": "6"})
    assert "/tables?page=3#table-" in table.headers["location"]
    rule = web.post(f"{event}/rules", data={"kind": "apart", "first": "Olli", "second": "Sari"})
    added = rule.headers["location"].rpartition("=")[2]
    assert added in shown(web.get(rule.headers["location"]).text, "rule")


def test_removing_a_row_stays_on_its_page(web: TestClient, event: str) -> None:
    for path, what, way in (("tables", "table", "remove"), ("rules", "rule", "delete")):
        rows = shown(web.get(f"{event}/{path}?page=2").text, what)
        gone = web.post(f"{event}/{path}/{rows[0]}/{way}", data={"page": "2"})
        assert "page=2" in gone.headers["location"]
        assert rows[1] in shown(web.get(gone.headers["location"]).text, what)

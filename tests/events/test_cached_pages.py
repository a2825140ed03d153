"""Pages that are kept: sent again only when something changed, and never to somebody who may not see them."""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient
from sqlalchemy import MetaData, select
from sqlalchemy.orm import Session

from app.accounts.actor import Actor
from app.config import Settings
from app.db.models import Base, Event, Member
from app.db.models.events import Part
from app.db.session import Sessions, transaction
from app.events.cached_pages import CachedPage, CachedPages
from app.events.context import open_event
from app.events.queries import revision_of, revision_without
from app.guests import edit as guests
from app.guests.entries import GuestEntry
from app.plans import versions
from app.sharing import links
from app.web.json_api.conditional import has_tag
from tests.conftest import signed_in_client
from tests.factories import Planned, make_member, make_plan
from tests.security.route_table import AUDIENCE
from tests.security.world import Visitor, World, make_world, visitor

NOT_ON_PAGES = {
    "api_keys",
    "arrivals",
    "attempts",
    "audit_log",
    "idempotency_keys",
    "invitations",
    "links",
    "members",
    "plan_editors",
    "prints",
    "runs",
    "sessions",
    "sign_in_keys",
    "users",
}
"""Tables of which the kept pages show nothing, or whose rows the tag counts by itself."""


@pytest.fixture
def made(sessions: Sessions, owner: Actor) -> Planned:
    """A planned event."""
    with transaction(sessions) as session:
        return make_plan(session, owner, sizes=(2, 2), names=["Aino", "Bo", "Cleo", "Dan"], assignment=[0, 0, 1, 1])


def pages_of(made: Planned) -> list[str]:
    event = f"/events/{made.event.id}"
    paths = ("guests", "tables", "ratings/all", "ratings/cells", f"plans/{made.plan.id}")
    return [f"{event}/{path}" for path in paths]


def test_page_that_did_not_change_is_not_sent_again(web: TestClient, made: Planned) -> None:
    for page in pages_of(made):
        first, second = web.get(page), web.get(page)
        assert first.headers["cache-control"] == "private, no-cache"
        assert (second.text, second.headers["etag"]) == (first.text, first.headers["etag"])
        again = web.get(page, headers={"If-None-Match": first.headers["etag"]})
        assert (again.status_code, again.content, again.headers["etag"]) == (304, b"", first.headers["etag"])


def test_change_of_the_event_brings_a_new_page(
    web: TestClient, made: Planned, sessions: Sessions, owner: Actor
) -> None:
    before = {page: web.get(page).headers["etag"] for page in pages_of(made)}
    with transaction(sessions) as session:
        guests.add_guest(open_event(session, owner, made.event.id), GuestEntry("Late Lauri"))
    for page, tag in before.items():
        now = web.get(page, headers={"If-None-Match": tag})
        assert now.status_code == 200
        assert "Lauri" in now.text or "/tables" in page


def test_kept_page_is_for_one_session_alone(
    web: TestClient, client: TestClient, made: Planned, sessions: Sessions
) -> None:
    with transaction(sessions) as session:
        editor = make_member(session, made.event.id, "editor")
    other = signed_in_client(client, sessions, editor)
    for page in pages_of(made):
        assert web.get(page).headers["etag"] != other.get(page).headers["etag"]
    with transaction(sessions) as session:
        session.delete(session.get_one(Member, (made.event.id, editor.user_id)))
    for page in pages_of(made):
        assert other.get(page, headers={"If-None-Match": "*, " + web.get(page).headers["etag"]}).status_code == 404


def test_viewer_who_was_an_editor_no_longer_sees_what_editors_see(
    client: TestClient, made: Planned, sessions: Sessions
) -> None:
    with transaction(sessions) as session:
        actor = make_member(session, made.event.id, "editor")
    browser = signed_in_client(client, sessions, actor)
    page = f"/events/{made.event.id}/ratings/all"
    tag = browser.get(page).headers["etag"]
    with transaction(sessions) as session:
        session.get_one(Member, (made.event.id, actor.user_id)).role = "viewer"
    assert browser.get(page, headers={"If-None-Match": tag}).status_code == 403


def test_closed_link_is_refused_at_once_though_its_page_is_kept(
    client: TestClient, made: Planned, sessions: Sessions, owner: Actor
) -> None:
    with transaction(sessions) as session:
        link = links.create_link(open_event(session, owner, made.event.id), made.plan.id)
    page = f"/s/{link.token}"
    first, again = client.get(page), client.get(page)
    assert (first.status_code, again.content == first.content, first.headers["cache-control"]) == (
        200,
        True,
        "no-store",
    )
    with transaction(sessions) as session:
        links.revoke_link(open_event(session, owner, made.event.id), link.link.id)
    assert client.get(page).status_code == 404


def test_share_page_follows_names(client: TestClient, made: Planned, sessions: Sessions, owner: Actor) -> None:
    with transaction(sessions) as session:
        token = links.create_link(open_event(session, owner, made.event.id), made.plan.id).token
    assert "Aino" in client.get(f"/s/{token}").text
    with transaction(sessions) as session:
        guests.change_guest(open_event(session, owner, made.event.id), made.guests[0].id, GuestEntry("Aino Aalto"))
    assert "Aino Aalto" in client.get(f"/s/{token}").text


def test_renamed_and_deleted_plans_count_as_changes(made: Planned, sessions: Sessions, owner: Actor) -> None:
    def revision(session: Session) -> int | None:
        session.flush()
        return revision_of(session, made.event.id)

    with transaction(sessions) as session:
        first = revision(session)
        versions.rename_plan(open_event(session, owner, made.event.id), made.plan.id, "The one")
        second = revision(session)
        versions.delete_plan(open_event(session, owner, made.event.id), made.plan.id)
        assert len({first, second, revision(session)}) == 3


def test_signing_out_clears_what_the_browser_keeps(web: TestClient) -> None:
    assert web.post("/sign-out").headers["clear-site-data"] == '"cache"'


def test_kept_pages_are_bounded_and_the_oldest_go_first() -> None:
    pages = CachedPages(most_bytes=1000)
    for name in "abcde":
        pages.keep(name, CachedPage(b"x" * 240, "text/html"))
        pages.get("a")
    assert [name for name in "abcde" if pages.get(name)] == ["a", "c", "d", "e"]
    assert pages.size == 960
    pages.keep("a", CachedPage(b"x" * 10, "text/html"))
    assert pages.size == 730
    pages.keep("large", CachedPage(b"x" * 500, "text/html"))
    assert pages.get("large") is None


@pytest.mark.parametrize(
    ("header", "is_known"),
    [("", False), ('"a"', True), ('W/"a"', True), ('"b", W/"a"', True), ('"b"', False), ("*", False)],
)
def test_tags_are_compared_weakly(header: str, is_known: bool) -> None:
    assert has_tag(header, 'W/"a"') is is_known


PARTS: dict[Part, set[str]] = {
    "ratings": {"ratings", "rating_matrices"},
    "plans": {"plans", "seats", "moves"},
    "tables": {"tables", "rooms", "room_backgrounds"},
    "rules": {"rules", "rule_guests", "rule_tables", "rule_values"},
}
"""The tables of the parts of an event that some pages do not show."""


def content(session: Session, event_id: UUID) -> dict[str, list[tuple[object, ...]]]:
    """Return all rows that the pages of an event may show, apart from the event's own counter."""
    metadata: MetaData = Base.metadata
    found = {}
    own_counters = ("revision", *(f"{part}_revision" for part in PARTS), "measure_at", "problem")
    for table in metadata.sorted_tables:
        if table.name not in NOT_ON_PAGES and not table.name.startswith("run_"):
            rows = select(*(column for column in table.columns if column.name not in own_counters))
            if table.name == "guest_imports":  # a file that waits is on no kept page
                rows = rows.where(table.c.status != "open")
            found[table.name] = sorted((tuple(row) for row in session.execute(rows)), key=repr)
    return found


def writes() -> list[tuple[str, str]]:
    return [
        (method, path)
        for path, methods in AUDIENCE.items()
        for method, audience in methods.items()
        if audience == "editor" and method != "GET" and not path.endswith("/duplicate")  # it makes another event
    ]


FORMS: list[tuple[str, str, dict[str, str]]] = [
    ("POST", "/events/{event_id}/ratings/pairs", {"a": "{guest_id}", "b": "{other_id}", "score": "2"}),
    ("POST", "/events/{event_id}/ratings/guests/{guest_id}", {"score/{other_id}": "1", "was/{other_id}": "2"}),
    ("POST", "/events/{event_id}/guests/{guest_id}/likes", {"away/{other_id}": "on", "was/{other_id}": "+"}),
    (
        "POST",
        "/events/{event_id}/plans/{plan_id}/moves",
        {"kind": "swap", "guest": "{guest_id}", "to": "guest:{other_id}"},
    ),
    ("POST", "/events/{event_id}/plans/{plan_id}/moves", {"kind": "lock", "guest": "{guest_id}"}),
    ("POST", "/events/{event_id}/plans/{plan_id}/moves", {"kind": "unlock", "guest": "{guest_id}"}),
    ("POST", "/events/{event_id}/plans/{plan_id}/moves", {"kind": "undo"}),
    ("POST", "/events/{event_id}/plans/{plan_id}/moves", {"kind": "redo"}),
    ("POST", "/events/{event_id}/ratings/start-over", {"kind": "distance"}),
]
"""Writes of browsers, as they send them."""


@dataclass(frozen=True)
class Look:
    """All rows of an event, and the revisions that count their changes: of everything, and without one part."""

    rows: dict[str, list[tuple[object, ...]]]
    revision: int | None
    without: dict[Part, int]


def look_at(sessions: Sessions, event_id: UUID) -> Look:
    with transaction(sessions, read_only=True) as session:
        event = session.get_one(Event, event_id)
        without = {part: revision_without(event, [part]) for part in PARTS}
        return Look(content(session, event_id), revision_of(session, event_id), without)


def uncounted(before: Look, after: Look) -> list[str]:
    """Name the revisions that missed a change of rows they count."""
    changed = {name for name, rows in after.rows.items() if rows != before.rows[name]}
    missed = ["revision"] if changed and after.revision == before.revision else []
    return missed + [part for part in PARTS if changed - PARTS[part] and after.without[part] == before.without[part]]


def test_every_route_that_changes_an_event_counts_its_revisions_up(
    client: TestClient, sessions: Sessions, owner: Actor
) -> None:
    world: World = make_world(sessions, owner)
    event_id = UUID(world.ids["event_id"])
    person: Visitor = visitor(client, sessions, owner)
    forgotten = []
    before = look_at(sessions, event_id)
    for method, path, fields in (*FORMS, *((method, path, None) for method, path in writes())):
        if fields is None:
            person.ask(method, path, world.ids)
        else:
            sent = {name.format(**world.ids): text.format(**world.ids) for name, text in fields.items()}
            assert person.web.post(path.format(**world.ids), data=sent).status_code == 303, (path, fields)
        after = look_at(sessions, event_id)
        forgotten += [(method, path, name) for name in uncounted(before, after)]
        before = after
    assert forgotten == []


def tags(web: TestClient, pages: list[str]) -> dict[str, str]:
    return {page.rsplit("/", 1)[-1]: web.get(page).headers["etag"] for page in pages}


def test_pages_without_ratings_stay_when_a_pair_is_rated(web: TestClient, made: Planned) -> None:
    before = tags(web, pages_of(made))
    pair = {"a": str(made.guests[0].id), "b": str(made.guests[2].id), "score": "1"}
    assert web.post(f"/events/{made.event.id}/ratings/pairs", data=pair).status_code == 303
    now = tags(web, pages_of(made))
    assert {page for page in now if now[page] == before[page]} == {"guests", "tables"}


def test_pages_without_plans_stay_when_guests_are_moved(web: TestClient, made: Planned) -> None:
    before = tags(web, pages_of(made))
    swap = {"kind": "swap", "guest": str(made.guests[0].id), "to": f"guest:{made.guests[2].id}"}
    assert web.post(f"/events/{made.event.id}/plans/{made.plan.id}/moves", data=swap).status_code == 303
    now = tags(web, pages_of(made))
    assert {page for page in now if now[page] == before[page]} == {"guests", "tables", "all", "cells"}


def test_page_stays_in_no_browser_over_plain_http(
    app: FastAPI, web: TestClient, made: Planned, settings: Settings
) -> None:
    page = f"/events/{made.event.id}/guests"
    assert web.get(page).headers["cache-control"] == "private, no-cache"
    app.state.settings = settings.model_copy(update={"host": "0.0.0.0"})
    open_to_all = web.get(page)
    assert (open_to_all.headers["cache-control"], "etag" in open_to_all.headers) == ("no-store", False)

"""What somebody with a link opens: find your seat, the tables, the venue's list, the plan to read."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from fastapi import Request, Response
from sqlalchemy.orm import Session

from app.errors import NotFound
from app.events.kept_pages import find_kept, keep, kept_tags, make_tag
from app.guests.name_order import language_of, sorting_language
from app.sharing import links, shared_seating
from app.sharing.link_uses import LinkUses
from app.sharing.queries import LinkState
from app.sharing.shared_seating import SharedEvent, SharedTable, VenuePlan
from app.sharing.views.for_guests import FindPage, sort_by_letter
from app.sharing.views.for_planners import PlannerPlan, plan_for_planners
from app.web.deps import Db
from app.web.html.rendering import render
from app.web.one_hop import Router

router = Router()


@dataclass(frozen=True)
class TablesPage:
    """The tables with the guests at each."""

    shared: SharedEvent
    tables: Sequence[SharedTable]
    address: str
    tag: str = ""


@dataclass(frozen=True)
class VenuePage:
    """What the venue and the caterer need."""

    shared: SharedEvent
    venue: VenuePlan
    tag: str = ""


@dataclass(frozen=True)
class PlannerPage:
    """The plan to read, with how well everyone sits."""

    shared: SharedEvent
    planned: PlannerPlan | None
    tag: str = ""


PublicPage = FindPage | TablesPage | VenuePage | PlannerPage
Builder = Callable[[str], tuple[str, PublicPage]]
"""Returns the template and its page, still without a tag, for the language that names are sorted by."""


@router.get("/s/{token}")
def open_link(request: Request, session: Db, token: str) -> Response:
    """Show what the link is for; one that was closed is refused before anything that is kept is looked at."""
    state = links.open_link(session, token)

    def build(language: str) -> tuple[str, PublicPage]:
        return _first_page(session, state, language, f"/s/{token}")

    return _answer(request, state, "first", token, build)


@router.get("/s/{token}/tables")
def show_tables(request: Request, session: Db, token: str) -> Response:
    """Show guests who sits at each table."""
    state = links.open_link(session, token)
    if state.audience != "guests":
        raise NotFound(links.NO_LINK)

    def build(_language: str) -> tuple[str, PublicPage]:
        event = shared_seating.shared_event(session, state.event_id)
        tables = shared_seating.seating_for_guests(session, state.plan_id)
        return "sharing/tables.html", TablesPage(event, tables, f"/s/{token}")

    return _answer(request, state, "tables", token, build)


def _first_page(session: Session, state: LinkState, language: str, address: str) -> tuple[str, PublicPage]:
    event = shared_seating.shared_event(session, state.event_id)
    if state.audience == "venue":
        venue = shared_seating.seating_for_venue(session, state.plan_id)
        return "sharing/venue.html", VenuePage(event, venue)
    if state.audience == "planner":
        planned = plan_for_planners(session, state.event_id, state.plan_id)
        return "sharing/planner.html", PlannerPage(event, planned)
    tables = shared_seating.seating_for_guests(session, state.plan_id)
    return "sharing/find.html", FindPage(event, tables, sort_by_letter(tables, language), address)


def _answer(request: Request, state: LinkState, what: str, token: str, build: Builder) -> Response:
    """Send the page if it has changed since the phone got it; a phone that has none yet counts as a use.

    The tag is made of what the page shows, so nobody can tell from it that anything else of the event was changed. It
    is kept by the event's revision: only the first phone that asks after an edit makes the server read the seating.
    """
    language = sorting_language(language_of(request.headers.get("accept-language", "")))
    if "if-none-match" not in request.headers:
        _uses(request).count(state.link_id)
    read_from = make_tag("read from", what, token, language, _state_of_page(state))
    tag = kept_tags(request).get(read_from)
    if tag and (found := find_kept(request, tag, is_public=True)):
        return found
    template, page = build(language)
    # Short, because the page carries it, and nothing in a page may look like an id.
    tag = make_tag("share", what, token, page, length=24)
    kept_tags(request).keep(read_from, tag)
    if found := find_kept(request, tag, is_public=True):
        return found
    return keep(request, tag, render(request, template, replace(page, tag=tag)), is_public=True)


def _state_of_page(state: LinkState) -> tuple[object, ...]:
    """Return what a page is read from; only co-planners see what ratings lead to."""
    if state.audience == "planner":
        return state.event_id, state.audience, state.plan_id, state.revision, state.ratings_revision
    return state.event_id, state.audience, state.plan_id, state.revision - state.ratings_revision


def _uses(request: Request) -> LinkUses:
    return request.app.state.link_uses  # type: ignore[no-any-return]  # Starlette's state is untyped

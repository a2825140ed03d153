"""The pages behind links: find your seat, the tables, the venue's list, the plan for co-planners."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from fastapi import Request, Response
from sqlalchemy.orm import Session

from app.errors import NotFound
from app.sharing import links, shared_seating
from app.sharing.cached_answers import answer_kept
from app.sharing.queries import LinkState
from app.sharing.shared_rounds import AskedRound, RoundLinks, choose_round
from app.sharing.shared_seating import SharedEvent, SharedTable, VenuePlan
from app.sharing.views.for_guests import FindPage, sort_by_letter
from app.sharing.views.for_planners import PlannerPlan, plan_for_planners
from app.web.deps import Db
from app.web.one_hop import Router

router = Router()


@dataclass(frozen=True)
class TablesPage:
    """The tables with the guests at each, of several rounds in one of them."""

    shared: SharedEvent
    tables: Sequence[SharedTable]
    address: str
    rounds: RoundLinks
    tag: str = ""


@dataclass(frozen=True)
class VenuePage:
    """What the venue and the caterer need."""

    shared: SharedEvent
    venue: VenuePlan
    address: str
    rounds: RoundLinks
    tag: str = ""


@dataclass(frozen=True)
class PlannerPage:
    """The plan to read, with how well everyone sits."""

    shared: SharedEvent
    planned: PlannerPlan | None
    address: str
    rounds: RoundLinks
    tag: str = ""


PublicPage = FindPage | TablesPage | VenuePage | PlannerPage


@router.get("/s/{token}")
def open_link(request: Request, session: Db, token: str, asked: AskedRound = "") -> Response:
    """Show what the link is for; one that was closed is refused before anything that is kept is looked at."""
    state = links.open_link(session, token)
    plan_id, rounds = (state.plan_id, RoundLinks())
    if state.audience != "guests":  # they see their tables in all rounds
        plan_id, rounds = choose_round(session, state.plan_id, asked)

    def build(language: str) -> tuple[str, PublicPage]:
        return _first_page(session, state._replace(plan_id=plan_id), rounds, language, f"/s/{token}")

    return answer_kept(request, state, f"first {rounds.shown}", token, build)


@router.get("/s/{token}/tables")
def show_tables(request: Request, session: Db, token: str, asked: AskedRound = "") -> Response:
    """Show guests who sits at each table, of several rounds in the one that the address names."""
    state = links.open_link(session, token)
    if state.audience != "guests":
        raise NotFound(links.NO_LINK)
    _, rounds = choose_round(session, state.plan_id, asked)

    def build(_language: str) -> tuple[str, PublicPage]:
        event = shared_seating.shared_event(session, state.event_id)
        tables = shared_seating.seating_for_guests(session, state.plan_id, rounds.shown)
        return "sharing/tables.html", TablesPage(event, tables, f"/s/{token}", rounds)

    return answer_kept(request, state, f"tables {rounds.shown}", token, build)


def _first_page(
    session: Session, state: LinkState, rounds: RoundLinks, language: str, address: str
) -> tuple[str, PublicPage]:
    event = shared_seating.shared_event(session, state.event_id)
    if state.audience == "venue":
        venue = shared_seating.seating_for_venue(session, state.plan_id)
        return "sharing/venue.html", VenuePage(event, venue, address, rounds)
    if state.audience == "planner":
        planned = plan_for_planners(session, state.event_id, state.plan_id)
        return "sharing/planner.html", PlannerPage(event, planned, address, rounds)
    places = shared_seating.places_for_guests(session, state.plan_id)
    return "sharing/find.html", FindPage(event, sort_by_letter(places, language), address)

"""How a plan was found: its figures, the course of the search, the map of the guests, and how certain it is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from uuid import UUID

from app.db.models import Event, Plan
from app.db.types import new_id
from app.plans.drawing.guest_map import GuestMap
from app.plans.names import plan_name
from app.plans.read import PlanView
from app.plans.views.certainty import Knowledge, knowledge_of, paper_words
from app.plans.views.drawings import chart_of, map_of
from app.plans.views.search_end import GoOn, ending_text, go_on_of
from app.plans.views.text import attendance_words, plan_figures, starts_words
from app.runs.chart import VALUES, ChartWords
from app.solver import gap_text
from app.web.html.rendering import event_address

MOST_LEGEND = 40


@dataclass(frozen=True)
class FoundPage:
    """The page that explains how a plan was found."""

    event: Event
    plan: Plan
    title: str
    address: str
    figures: Sequence[tuple[str, str]]
    starts: str
    ending: str
    go_on: GoOn | None
    attendance: str
    paper: str
    gap: str
    objective: str
    chart: ChartWords | None
    map: GuestMap | None
    legend: Sequence[str]
    knowledge: Knowledge | None
    submission: UUID = field(default_factory=new_id)
    section: str = "plan"


def build_found_page(event: Event, view: PlanView, most_seconds: float) -> FoundPage:
    """Put the page together; a search can go on for so many seconds at most."""
    objective = view.figures.objective if view.figures else "average"
    return FoundPage(
        event=event,
        plan=view.plan,
        title=plan_name(view.plan),
        address=event_address(event.id, f"plans/{view.plan.id}"),
        figures=plan_figures(view),
        starts=starts_words(view),
        ending=ending_text(view),
        go_on=go_on_of(view, most_seconds),
        attendance=attendance_words(view),
        paper=paper_words(view),
        gap=_gap(objective, view),
        objective=objective,
        chart=chart_of(view),
        map=map_of(view),
        legend=tuple(table.name for table in view.tables) if len(view.tables) <= MOST_LEGEND else (),
        knowledge=knowledge_of(view),
    )


def _gap(objective: str, view: PlanView) -> str:
    """Say how much better a plan could be at most, and in which figure."""
    text = gap_text(objective, view.mse, view.total, view.bound, proven=view.proven_optimal)
    return text.replace(" better.", f" better by the {VALUES[objective]}.") if "more than" in text else text

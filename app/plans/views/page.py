"""What the page of a plan shows, put together from the plan, its words and its drawings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from uuid import UUID

from app.db.models import Event, Plan
from app.db.types import new_id
from app.errors import FieldError
from app.plans.drawing.floor import Floor
from app.plans.drawing.guest_map import GuestMap
from app.plans.move_options import Option
from app.plans.names import plan_name
from app.plans.plan_diff import Differences
from app.plans.read import PlanView
from app.plans.views.certainty import Knowledge, OtherPlanWords, beside_words, knowledge_of, other_plans, paper_words
from app.plans.views.drawings import chart_of, floor_of, map_of
from app.plans.views.edit_feedback import EditFeedback
from app.plans.views.repair_curve import CurveStep, curve_of
from app.plans.views.selected_guest import Held, describe_held
from app.plans.views.stale_banner import Notice, Staleness, notice_of
from app.plans.views.summary import Verdict, judge
from app.plans.views.table_list import Card, Pages, list_cards, pages_of_tables
from app.plans.views.text import describe_guests, plan_figures, seat_legend, starts_words
from app.runs.chart import ChartWords
from app.sentences import count
from app.web.html.filters import day, moment
from app.web.html.rendering import event_address

MOST_SPLIT_TABLES, MOST_SPLIT_GUESTS = 6, 30
MOST_LEGEND = 40


@dataclass(frozen=True)
class OtherPlan:
    """A plan in the list of all of them."""

    id: UUID
    title: str


@dataclass(frozen=True)
class PlanPage:
    """The page of a plan."""

    event: Event
    plan: Plan
    may_edit: bool
    address: str
    sub: str
    verdict: Verdict
    figures: Sequence[tuple[str, str]]
    starts: str
    floor: Floor | None
    is_wide: bool
    cards: Sequence[Card]
    pages: Pages
    page_of: Mapping[UUID, int]
    notice: Notice | None
    map: GuestMap | None
    legend: Sequence[str]
    chart: ChartWords | None
    objective: str
    legend_words: Sequence[tuple[int | None, str]]
    others: Sequence[OtherPlan]
    knowledge: Knowledge | None
    good_plans: Sequence[OtherPlanWords]
    curve: Sequence[CurveStep]
    paper: str
    beside: str
    feedback: EditFeedback
    held: Held | None = None
    can_undo: bool = False
    can_redo: bool = False
    faults: Sequence[FieldError] = field(default_factory=tuple)
    entered_name: str = ""
    repair: UUID = field(default_factory=new_id)
    section: str = "plan"


@dataclass(frozen=True)
class Extras:
    """What the page shows besides the plan itself."""

    others: Sequence[Plan] = field(default_factory=tuple)
    stale: Staleness = field(default_factory=Staleness)
    causes: Mapping[UUID, str] = field(default_factory=dict)
    differences: Differences = field(default_factory=Differences)
    feedback: EditFeedback = field(default_factory=EditFeedback)
    held: UUID | None = None
    options: Sequence[Option] = field(default_factory=tuple)
    can_undo: bool = False
    can_redo: bool = False
    faults: Sequence[FieldError] = field(default_factory=tuple)
    entered_name: str = ""
    page: int = 1


def build_page(event: Event, view: PlanView, extras: Extras) -> PlanPage:
    """Put the page together."""
    words = describe_guests(view, extras.causes)
    page_of = pages_of_tables(view)
    pages = Pages(min(max(extras.page, 1), max(page_of.values(), default=1)), max(page_of.values(), default=1))
    is_wide = len(view.tables) > MOST_SPLIT_TABLES or view.guest_count > MOST_SPLIT_GUESTS
    held = describe_held(view, extras.held, extras.options)
    address = event_address(event.id, f"plans/{view.plan.id}")
    curve = curve_of(view, extras.differences.than_before)
    return PlanPage(
        event=event,
        plan=view.plan,
        may_edit=view.can_edit,
        address=address,
        sub=_sub(event, view, extras),
        verdict=judge(view, words, extras.causes, is_stale=bool(extras.stale)),
        figures=plan_figures(view),
        starts=starts_words(view),
        floor=floor_of(view, words, extras.held, extras.options, extras.feedback.moved, is_wide=is_wide),
        is_wide=is_wide,
        cards=list_cards(view, words, extras.feedback.moved, pages, address),
        pages=pages,
        page_of=page_of,
        notice=notice_of(extras.stale, can_edit=view.can_edit),
        map=map_of(view),
        legend=tuple(table.name for table in view.tables) if len(view.tables) <= MOST_LEGEND else (),
        chart=chart_of(view),
        objective=view.figures.objective if view.figures else "average",
        legend_words=seat_legend(view, words),
        others=[OtherPlan(p.id, plan_name(p)) for p in extras.others],
        knowledge=knowledge_of(view),
        good_plans=() if curve else other_plans(view, extras.differences.than_here),
        curve=curve,
        paper=paper_words(view),
        beside=beside_words(view, extras.differences.than_in_use),
        feedback=extras.feedback,
        held=held,
        can_undo=extras.can_undo,
        can_redo=extras.can_redo,
        faults=extras.faults,
        entered_name=extras.entered_name,
    )


def _sub(event: Event, view: PlanView, extras: Extras) -> str:
    tables = sum(1 for table in view.tables if table.guests)
    plan = view.plan
    changed = f"edited {moment(plan.updated_at)}" if extras.can_undo else f"created {moment(plan.created_at)}"
    parts = [
        view.plan.name,
        day(event.date),
        count(view.guest_count, "guest"),
        count(tables, "table"),
        changed,
    ]
    return " · ".join(filter(None, parts))

"""What the workspace of a plan shows, put together from the plan, its words and its drawing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

from app.db.models import Event, Plan
from app.db.types import new_id
from app.errors import FieldError
from app.events.progress import Progress
from app.guests.shared_values import SharedField
from app.plans.always_together import AlwaysTogether
from app.plans.character import Character
from app.plans.comparison import Comparison
from app.plans.drawing.floor import EMPTY_ROOM, Floor
from app.plans.guest_details import GuestDetails
from app.plans.moves.changes import PlanChange
from app.plans.moves.exceptions import PlanException
from app.plans.moves.options import Option
from app.plans.names import plan_name
from app.plans.plan_diff import Movers
from app.plans.queries.rounds import main_of
from app.plans.read import PlanView, UnseatedGuest
from app.plans.rounds import rounds_in_words
from app.plans.views.certainty import OtherPlanWords, beside_words, other_plans
from app.plans.views.colours import Legend, SeatColours, with_levels
from app.plans.views.drawings import MOST_FLOOR_GUESTS, floor_of
from app.plans.views.edit_feedback import EditFeedback
from app.plans.views.guest_marks import MarkCount
from app.plans.views.in_use import PlanInUse, describe_rest
from app.plans.views.origin import Origin, describe_origin
from app.plans.views.problems import Remedies
from app.plans.views.search_end import ending_of
from app.plans.views.selected_guest import SelectedGuest, describe_selected
from app.plans.views.stale_banner import Notice, Staleness, notice_of
from app.plans.views.summary import Verdict, judge
from app.plans.views.table_list import Card, Pages, list_cards, pages_of_tables
from app.plans.views.text import describe_guests, seat_legend
from app.sentences import count
from app.tables.entries import SHAPES
from app.tables.rooms import RoomView
from app.web.html.filters import day, moment
from app.web.html.rendering import event_address
from app.web.html.text_metrics import LONGEST_IN_TEXT, shorten

TABS = {"table": "Tables", "guest": "Guest", "problems": "Problems", "changes": "Changes"}


@dataclass(frozen=True)
class OtherPlan:
    """A plan in the list of all of them."""

    id: UUID
    title: str
    created_at: datetime


@dataclass(frozen=True)
class RoundTab:
    """A round in the row of tabs."""

    number: int
    address: str
    is_shown: bool
    unseated: int = 0


@dataclass(frozen=True)
class WithoutSeat:
    """A guest who has no seat in some rounds: which in words, and their tabs."""

    id: UUID
    name: str
    words: str
    tabs: Sequence[RoundTab]


@dataclass(frozen=True)
class PlanPage:
    """The workspace of a plan."""

    event: Event
    plan: Plan
    may_edit: bool
    address: str
    sub: str
    verdict: Verdict
    floor: Floor | None
    tab: str
    tabs: Mapping[str, str]
    open_table: str
    open_card: Card | None
    open_seat: int | None
    groups: Sequence[tuple[str, str]]
    colour: str
    legends: Sequence[Legend]
    marks: Sequence[MarkCount]
    cards: Sequence[Card]
    shapes: Mapping[str, str]
    pages: Pages
    page_of: Mapping[UUID, int]
    unseated: Sequence[UnseatedGuest]
    without_seat: Sequence[WithoutSeat]
    """Who has no seat in some round; of a plan without rounds nobody."""
    exceptions: Sequence[PlanException]
    changes: Sequence[PlanChange]
    remedies: Remedies
    notice: Notice | None
    title: str
    others: Sequence[OtherPlan]
    good_plans: Sequence[OtherPlanWords]
    origin: Origin | None
    plan_before: UUID | None
    beside: str
    is_in_use: bool
    use_question: str
    in_use: PlanInUse
    rest_text: str
    feedback: EditFeedback
    selected: SelectedGuest | None = None
    can_undo: bool = False
    can_redo: bool = False
    refused: Sequence[tuple[str, str]] = ()
    faults: Sequence[FieldError] = field(default_factory=tuple)
    entered_name: str = ""
    links: int = 0
    progress: Progress | None = None
    rounds: Sequence[RoundTab] = ()
    own_rounds: str = ""
    """Where the selected guest sits in each round."""
    is_cut_short: bool = False
    """Whether the time limit ended the search, so that a longer one may find a better plan."""
    rest: UUID = field(default_factory=new_id)
    """The id of the run that plans the rest, so that a form that is sent twice starts one."""
    section: str = "plan"


@dataclass(frozen=True)
class Chosen:
    """What of the workspace is to be seen: a tab, a guest, a table, a way to colour the seats, a page of the list.

    `seat` is a free seat of the table, counted from 1.
    """

    tab: str = ""
    guest: UUID | None = None
    table: UUID | None = None
    colour: str = ""
    page: int = 1
    seat: int | None = None

    @property
    def shown_tab(self) -> str:
        """The tab that is open."""
        return self.tab if self.tab in TABS else ("guest" if self.guest else "table")


@dataclass(frozen=True)
class Extras:
    """What the page shows besides the plan itself."""

    others: Sequence[Plan] = field(default_factory=tuple)
    stale: Staleness = field(default_factory=Staleness)
    causes: Mapping[UUID, str] = field(default_factory=dict)
    characters: Mapping[UUID, Sequence[Character]] = field(default_factory=dict)
    than_in_use: Movers | None = None
    plan_before: UUID | None = None
    since: Comparison | None = None
    feedback: EditFeedback = field(default_factory=EditFeedback)
    details: Mapping[UUID, GuestDetails] = field(default_factory=dict)
    fields: Sequence[SharedField] = field(default_factory=tuple)
    colours: SeatColours = field(default_factory=SeatColours)
    options: Sequence[Option] = field(default_factory=tuple)
    rules: Sequence[str] = field(default_factory=tuple)
    remedies: Mapping[UUID, Sequence[Option]] = field(default_factory=dict)
    exceptions: Sequence[PlanException] = field(default_factory=tuple)
    changes: Sequence[PlanChange] = field(default_factory=tuple)
    refused: Sequence[tuple[str, str]] = ()
    can_undo: bool = False
    can_redo: bool = False
    faults: Sequence[FieldError] = field(default_factory=tuple)
    entered_name: str = ""
    room: RoomView = EMPTY_ROOM
    groups: Sequence[tuple[str, str]] = field(default_factory=tuple)
    links: int = 0
    progress: Progress | None = None
    in_use: PlanInUse = field(default_factory=PlanInUse)
    own_rounds: str = ""
    joined: AlwaysTogether | None = None


def build_page(
    event: Event, view: PlanView, chosen: Chosen, extras: Extras, only: Collection[UUID] | None = None
) -> PlanPage:
    """Put the page together; where `only` some tables are sent, the others have no cards and no words."""
    words = describe_guests(view, extras.causes)
    page_of, pages = _pages(view, chosen)
    address = event_address(event.id, f"plans/{view.plan.id}")
    verdict = judge(view, words, extras.causes, extras.exceptions, is_stale=bool(extras.stale), joined=extras.joined)
    levels = () if verdict.tone == "info" else seat_legend(view, words)
    colours = with_levels(extras.colours, levels)
    tags = _with_hosts(colours.tags, view)
    mode = colours.mode(chosen.colour)
    origin = describe_origin(extras.since)
    moved = extras.feedback.moved or (origin.moved if origin else frozenset())
    cards = list_cards(view, words, moved, pages, page_of, address, tags, only)
    open_table = _open_table(view, chosen)
    rounds = _round_tabs(event, view)
    return PlanPage(
        event=event,
        plan=view.plan,
        may_edit=view.can_edit,
        address=address,
        sub=_sub(event, view, extras),
        verdict=verdict,
        floor=floor_of(view, words, chosen.guest, extras.options, moved, colours.seats(mode), tags, extras.room, only),
        tab=chosen.shown_tab if view.can_edit else "table",
        tabs=TABS if view.can_edit else {"table": TABS["table"]},
        open_table=open_table,
        open_card=next((card for card in cards if card.id == open_table), None),
        open_seat=chosen.seat,
        groups=extras.groups,
        colour=mode,
        legends=colours.legends,
        marks=colours.marks,
        cards=cards,
        shapes=SHAPES,
        pages=pages,
        page_of=page_of,
        unseated=view.tray,
        without_seat=_without_seat(view, rounds),
        exceptions=extras.exceptions,
        changes=extras.changes,
        refused=extras.refused,
        remedies=Remedies(view, extras.remedies),
        notice=None if extras.stale.is_by_hand else notice_of(extras.stale, can_edit=view.can_edit),
        origin=origin,
        **_among_plans(view, extras),
        feedback=extras.feedback,
        selected=describe_selected(
            view, chosen.guest, extras.options, words, extras.details, extras.rules, extras.fields
        ),
        can_undo=extras.can_undo,
        can_redo=extras.can_redo,
        faults=extras.faults,
        entered_name=extras.entered_name,
        links=extras.links,
        progress=extras.progress,
        rounds=rounds,
        own_rounds=extras.own_rounds,
        is_cut_short=view.can_edit and not extras.stale and ending_of(view) == "time",
    )


def _with_hosts(tags: Mapping[UUID, tuple[str, ...]], view: PlanView) -> Mapping[UUID, tuple[str, ...]]:
    """Say in lists and on seats who is a host."""
    hosts = view.rounds.hosts.of if view.rounds else {}
    return {**tags, **{host: ("host", *tags.get(host, ())) for host in hosts}} if hosts else tags


def _pages(view: PlanView, chosen: Chosen) -> tuple[dict[UUID, int], Pages]:
    """Return the page of the list on which each table is, and the one to be seen."""
    page_of = pages_of_tables(view, is_one=view.guest_count <= MOST_FLOOR_GUESTS)
    most = max(page_of.values(), default=1)
    return page_of, Pages(min(max(chosen.page, 1), most), most)


def _among_plans(view: PlanView, extras: Extras) -> dict[str, Any]:
    """Return what the page says about this plan among the others, by the fields of `PlanPage`."""
    counted, can_edit = main_of(view.plan), view.can_edit
    return {
        "title": plan_name(view.plan),
        "others": [OtherPlan(p.id, plan_name(p), p.created_at) for p in extras.others],
        "good_plans": () if view.plan.moved is not None else other_plans(view, extras.characters),
        "plan_before": extras.plan_before,
        "beside": beside_words(view, extras.than_in_use),
        "is_in_use": extras.in_use.id == counted,
        "use_question": extras.in_use.ask(counted) if can_edit else "",
        "in_use": extras.in_use,
        "rest_text": describe_rest(view, extras.in_use) if can_edit else "",
    }


def _round_tabs(event: Event, view: PlanView) -> tuple[RoundTab, ...]:
    if view.rounds is None:
        return ()
    unseated = Counter(number for guest in view.rounds.missing for number in guest.rounds)
    return tuple(
        RoundTab(
            one.number,
            event_address(event.id, f"plans/{one.plan_id}"),
            one.plan_id == view.plan.id,
            unseated[one.number],
        )
        for one in view.rounds.rounds
    )


def _without_seat(view: PlanView, tabs: Sequence[RoundTab]) -> tuple[WithoutSeat, ...]:
    return tuple(
        WithoutSeat(
            guest.id,
            shorten(guest.name, LONGEST_IN_TEXT),
            rounds_in_words(guest.rounds),
            [tab for tab in tabs if tab.number in guest.rounds and not tab.is_shown],
        )
        for guest in (view.rounds.missing if view.rounds else ())
    )


def _open_table(view: PlanView, chosen: Chosen) -> str:
    """Return the table whose guests are shown: the chosen one, or that of the selected guest."""
    for table in view.tables:
        is_theirs = chosen.table is None and any(guest.id == chosen.guest for guest in table.guests)
        if table.id == chosen.table or is_theirs:
            return str(table.id)
    return str(view.tables[0].id) if len(view.tables) == 1 else ""


def _sub(event: Event, view: PlanView, extras: Extras) -> str:
    tables = sum(1 for table in view.tables if table.guests)
    plan = view.plan
    changed = f"edited {moment(plan.updated_at)}" if extras.can_undo else f"created {moment(plan.created_at)}"
    parts = [
        view.plan.name,
        day(event.date),
        count(view.guest_count + len(view.unseated), "guest"),
        count(tables, "table"),
        count(len(view.rounds.rounds), "round") if view.rounds else "",
        changed,
    ]
    return " · ".join(filter(None, parts))

"""What the page of a plan shows, put together from the plan, its words and its drawings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from uuid import UUID

from app.db.models import Event, Plan
from app.errors import Fault
from app.services.options import Option
from app.services.plans import PlanTable, PlanView, SeatedGuest
from app.web.charts import ChartWords, draw_course
from app.web.filters import count, day, figure, moment
from app.web.floor import Floor, FloorTable, Sitter, draw_floor
from app.web.guest_map import GuestMap, MapGuest, draw_map
from app.web.pages import event_address
from app.web.plan_knowledge import (
    Knowledge,
    OtherPlanWords,
    beside_words,
    knowledge_of,
    other_plans,
    paper_words,
    sureness_words,
)
from app.web.plan_verdict import Verdict, judge
from app.web.plan_words import (
    GuestWords,
    describe_guests,
    gain_sign,
    gain_words,
    plan_figures,
    plan_title,
    seat_legend,
    value_of,
)
from app.web.run_words import changes_words

SPLIT_ROOM, WIDE_ROOM = 740.0, 1190.0  # pixels for the floor beside the list, and above it
MOST_SPLIT_TABLES, MOST_SPLIT_GUESTS = 6, 30
MOST_FLOOR_GUESTS = 600
GUESTS_PER_PAGE = 240
MOST_SUGGESTIONS = 3
MOST_LEGEND = 40
Effects = Mapping[UUID, tuple[str, str]]  # what stands in a seat and its tone, by guest, or by table for a free seat


@dataclass(frozen=True)
class Row:
    """A guest in the list."""

    guest: SeatedGuest
    words: GuestWords
    href: str


@dataclass(frozen=True)
class Card:
    """A table in the list; `number` is its number on the map."""

    table: PlanTable
    number: int
    taken: str
    mean: str
    rows: tuple[Row, ...]


@dataclass(frozen=True)
class Choice:
    """A place in the menu for a guest who is held."""

    value: str
    words: str
    is_possible: bool


@dataclass(frozen=True)
class Held:
    """The guest who is to be moved: how certain their place is, what would help most, and all places by table."""

    guest: SeatedGuest
    sureness: str
    table: PlanTable
    suggestions: tuple[Choice, ...]
    tables: tuple[tuple[str, tuple[Choice, ...]], ...]


@dataclass(frozen=True)
class Pages:
    """Where one is in a list that comes in pages, counted from 1."""

    number: int = 1
    count: int = 1

    @property
    def text(self) -> str:
        """Say where one is."""
        return f"Page {self.number} of {self.count}"


@dataclass(frozen=True)
class OtherPlan:
    """A plan in the list of all of them."""

    id: UUID
    title: str
    mse: float | None


@dataclass(frozen=True)
class PlanPage:
    """The page of a plan."""

    event: Event
    plan: Plan
    can_edit: bool
    address: str
    sub: str
    verdict: Verdict
    figures: Sequence[tuple[str, str]]
    floor: Floor | None
    is_wide: bool
    cards: Sequence[Card]
    pages: Pages
    page_of: Mapping[UUID, int]
    unseated: Sequence[str]
    broken_rules: Sequence[str]
    map: GuestMap | None
    legend: Sequence[str]
    chart: ChartWords | None
    objective: str
    legend_words: Sequence[tuple[int | None, str]]
    others: Sequence[OtherPlan]
    knowledge: Knowledge | None
    good_plans: Sequence[OtherPlanWords]
    paper: str
    beside: str
    held: Held | None = None
    can_undo: bool = False
    can_redo: bool = False
    faults: Sequence[Fault] = field(default_factory=tuple)
    entered_name: str = ""
    changes: str = ""
    section: str = "plan"


@dataclass(frozen=True)
class Extras:
    """What the page shows besides the plan itself."""

    others: Sequence[Plan] = field(default_factory=tuple)
    broken_rules: Sequence[str] = field(default_factory=tuple)
    held: UUID | None = None
    options: Sequence[Option] = field(default_factory=tuple)
    can_undo: bool = False
    can_redo: bool = False
    faults: Sequence[Fault] = field(default_factory=tuple)
    entered_name: str = ""
    page: int = 1
    changes: Sequence[str] = field(default_factory=tuple)


def build_page(event: Event, view: PlanView, extras: Extras) -> PlanPage:
    """Put the page together."""
    words = describe_guests(view)
    page_of = _page_of(view)
    pages = Pages(min(max(extras.page, 1), max(page_of.values(), default=1)), max(page_of.values(), default=1))
    is_wide = len(view.tables) > MOST_SPLIT_TABLES or view.guest_count > MOST_SPLIT_GUESTS
    held = _held(view, extras)
    address = event_address(event.id, f"plans/{view.plan.id}")
    return PlanPage(
        event=event,
        plan=view.plan,
        can_edit=view.can_edit,
        address=address,
        sub=_sub(event, view, extras),
        verdict=judge(view, words),
        figures=plan_figures(view),
        floor=_floor(view, words, extras, WIDE_ROOM if is_wide else SPLIT_ROOM),
        is_wide=is_wide,
        cards=_cards(view, words, pages, page_of, address),
        pages=pages,
        page_of=page_of,
        unseated=view.unseated,
        broken_rules=extras.broken_rules,
        map=_map(view),
        legend=[table.name for table in view.tables] if len(view.tables) <= MOST_LEGEND else [],
        chart=_chart(view),
        objective=view.figures.objective if view.figures else "average",
        legend_words=seat_legend(view, words),
        others=[OtherPlan(p.id, plan_title(p), p.mse if view.can_edit else None) for p in extras.others],
        knowledge=knowledge_of(view),
        good_plans=other_plans(view),
        paper=paper_words(view),
        beside=beside_words(view),
        held=held,
        can_undo=extras.can_undo,
        can_redo=extras.can_redo,
        faults=extras.faults,
        entered_name=extras.entered_name,
        changes=changes_words(extras.changes),
    )


def _sub(event: Event, view: PlanView, extras: Extras) -> str:
    tables = sum(1 for table in view.tables if table.guests)
    plan = view.plan
    changed = f"edited {moment(plan.updated_at)}" if extras.can_undo else f"made {moment(plan.created_at)}"
    parts = [
        view.plan.name,
        day(event.date),
        count(view.guest_count, "guest"),
        count(tables, "table"),
        changed,
    ]
    return " · ".join(filter(None, parts))


def _page_of(view: PlanView) -> dict[UUID, int]:
    """Return the page of each table: tables stay whole."""
    pages: dict[UUID, int] = {}
    number, filled = 1, 0
    for table in view.tables:
        if filled and filled + len(table.guests) > GUESTS_PER_PAGE:
            number, filled = number + 1, 0
        pages[table.id] = number
        filled += len(table.guests)
    return pages


def _cards(
    view: PlanView, words: Mapping[UUID, GuestWords], pages: Pages, page_of: Mapping[UUID, int], address: str
) -> list[Card]:
    page = f"&page={pages.number}" if pages.count > 1 else ""
    return [
        Card(
            table,
            number,
            _taken(table),
            _mean(table),
            tuple(
                Row(guest, words.get(guest.id, GuestWords()), f"{address}?guest={guest.id}{page}#held")
                for guest in table.guests
            ),
        )
        for number, table in enumerate(view.tables)
        if page_of[table.id] == pages.number
    ]


def _taken(table: PlanTable) -> str:
    taken = f"{len(table.guests)} of {count(table.seats, 'seat')}"
    return f"{taken}, no longer in the event" if table.is_removed else taken


def _mean(table: PlanTable) -> str:
    return f"on average {figure(table.figure.mean, 1)}" if table.figure and len(table.guests) > 1 else ""


def _floor(view: PlanView, words: Mapping[UUID, GuestWords], extras: Extras, room: float) -> Floor | None:
    if view.guest_count > MOST_FLOOR_GUESTS:
        return None
    value = value_of(view)
    effects = {option.other or option.table_id: gain_sign(option, value) for option in extras.options}
    tables = [
        FloorTable(
            table.name,
            f"{len(table.guests)} of {table.seats}",
            table.shape,
            table.seats,
            (
                *((guest.seat, _sitter(guest, words, extras, effects)) for guest in table.guests),
                *_offered(table, effects),
            ),
            table.x,
            table.y,
        )
        for table in view.tables
    ]
    return draw_floor(tables, room)


def _sitter(guest: SeatedGuest, words: Mapping[UUID, GuestWords], extras: Extras, effects: Effects) -> Sitter:
    known = words.get(guest.id, GuestWords())
    states = [f"h{known.level}" if known.level is not None else "", "held" if guest.id == extras.held else ""]
    effect, tone = effects.get(guest.id, ("", ""))
    return Sitter(str(guest.id), guest.name, " ".join(filter(None, states)), known.why, effect, tone, guest.locked)


def _offered(table: PlanTable, effects: Effects) -> list[tuple[int, Sitter]]:
    """Return the first free seat of a table as a place for the guest who is held."""
    if table.id not in effects:
        return []
    taken = {guest.seat for guest in table.guests}
    seat = next(seat for seat in range(table.seats + 1) if seat not in taken)
    return [(seat, Sitter("", "", "empty", "a free seat", *effects[table.id]))]


def _held(view: PlanView, extras: Extras) -> Held | None:
    for table in view.tables:
        for guest in table.guests:
            if guest.id == extras.held and view.can_edit:
                suggestions = _suggestions(view, extras.options)
                return Held(guest, sureness_words(guest), table, suggestions, _by_table(view, extras.options))
    return None


def _suggestions(view: PlanView, options: Sequence[Option]) -> tuple[Choice, ...]:
    better = [option for option in options if not option.obstacle and (option.gain or 0) > 1e-9]
    best = sorted(better, key=lambda option: -(option.gain or 0))[:MOST_SUGGESTIONS]
    return tuple(Choice(_value(option), _suggestion(view, option), True) for option in best)


def _suggestion(view: PlanView, option: Option) -> str:
    where = f"Swap with {option.other_name} ({option.table_name})" if option.other else f"Seat at {option.table_name}"
    return f"{where}: {gain_words(option.gain, value_of(view))}"


def _by_table(view: PlanView, options: Sequence[Option]) -> tuple[tuple[str, tuple[Choice, ...]], ...]:
    tables: dict[UUID, tuple[str, list[Choice]]] = {}
    for option in options:
        words = f"swap with {option.other_name}" if option.other else "a free seat"
        effect = option.obstacle or gain_words(option.gain, value_of(view))
        choice = Choice(_value(option), f"{words}: {effect}" if effect else words, not option.obstacle)
        tables.setdefault(option.table_id, (option.table_name, []))[1].append(choice)
    return tuple((name, tuple(choices)) for name, choices in tables.values())


def _value(option: Option) -> str:
    return f"guest:{option.other}" if option.other else f"table:{option.table_id}"


def _map(view: PlanView) -> GuestMap | None:
    if view.figures is None:
        return None
    positions = view.figures.positions
    found = [
        (guest.id, MapGuest(guest.name, *positions[guest.id], number))
        for number, table in enumerate(view.tables)
        for guest in table.guests
        if guest.id in positions
    ]
    placed = [guest for guest_id, guest in found if guest_id not in view.figures.unrated]
    aside = [guest for guest_id, guest in found if guest_id in view.figures.unrated]
    return draw_map(placed, aside) if len({(guest.x, guest.y) for guest in placed}) > 1 else None


def _chart(view: PlanView) -> ChartWords | None:
    if view.figures is None or len(view.figures.history) < 2:
        return None
    history = [(step.seconds, step.value) for step in view.figures.history]
    return draw_course(history, view.figures.seconds, view.figures.objective)

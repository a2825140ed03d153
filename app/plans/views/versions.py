"""The versions of a plan as cards: picture, name, one sentence, when and by whom."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from uuid import UUID

from app.db.models import Event, Plan
from app.events.context import EventContext
from app.plans.character import Character
from app.plans.moves.exceptions import list_exceptions
from app.plans.names import plan_name
from app.plans.queries.versions import VersionRow
from app.plans.read import view_plan
from app.plans.views.certainty import character_text
from app.plans.views.summary import judge
from app.plans.views.text import describe_guests
from app.problem.cached_findings import find_once
from app.sentences import count
from app.web.html.filters import moment
from app.web.html.rendering import event_address

VERSIONS_PER_PAGE = 12
NOBODY = ("", "You")  # what the account of the person at this machine is called


@dataclass(frozen=True)
class VersionCard:
    """A plan as a card."""

    id: UUID
    name: str
    own_name: str
    picture: str
    made: str = ""
    sentence: str = ""
    character: str = ""
    is_current: bool = False
    alternatives: str = ""
    difference: str = ""


@dataclass(frozen=True)
class VersionsPage:
    """All versions of an event's plan, those deleted lately, and what was just deleted.

    `following_links` is how many open links show whichever plan is in use.
    """

    event: Event
    may_edit: bool
    address: str
    cards: Sequence[VersionCard]
    current: UUID | None
    page: int
    pages: int
    deleted: Sequence[VersionCard] = ()
    just_deleted: VersionCard | None = None
    following_links: int = 0
    section: str = "plan"


@dataclass(frozen=True)
class AlternativesPage:
    """The good plans of one run, each with what is special about it."""

    event: Event
    may_edit: bool
    address: str
    title: str
    main: UUID
    cards: Sequence[VersionCard] = field(default_factory=tuple)
    section: str = "plan"


def version_card(ctx: EventContext, row: VersionRow, *, current: UUID | None) -> VersionCard:
    """Return the card of a plan that is there."""
    has_link = bool(row.alternatives) and ctx.allows("editor")
    return replace(
        _card(ctx.event, row.plan),
        made=_made(row),
        sentence=sentence_of(ctx, row.plan),
        is_current=row.plan.id == current,
        alternatives=count(row.alternatives, "alternative") if has_link else "",
    )


def deleted_card(event: Event, row: VersionRow) -> VersionCard:
    """Return the card of a deleted plan."""
    return replace(_card(event, row.plan), made=f"deleted {moment(row.plan.deleted_at)}")


def alternative_cards(
    ctx: EventContext,
    family: Sequence[Plan],
    characters: Mapping[UUID, tuple[Character, ...]],
    differences: Mapping[UUID, str],
    *,
    current: UUID | None,
) -> list[VersionCard]:
    """Return the good plans of a run as cards, the one that counts first."""
    named = family_names(family)
    plans = {plan.id: plan for plan in family}
    return [
        replace(
            _card(ctx.event, plans[key]),
            name=name,
            sentence=sentence_of(ctx, plans[key]),
            character=character_text(characters.get(key, ())),
            is_current=key == current,
            difference=differences.get(key, ""),
        )
        for key, name in named.items()
    ]


def family_names(family: Sequence[Plan]) -> dict[UUID, str]:
    """Return what the good plans of a run are called beside each other, the one that counts first."""
    ordered = sorted(family, key=lambda plan: plan.alternative_of is not None)
    return {plan.id: _alternative_name(plan, number) for number, plan in enumerate(ordered)}


def sentence_of(ctx: EventContext, plan: Plan) -> str:
    """Say in one sentence how everyone sits in the plan."""
    can_edit = ctx.allows("editor")

    def find() -> str:
        view = view_plan(ctx.session, plan, can_edit=can_edit)
        exceptions = list_exceptions(ctx.session, plan) if can_edit else ()
        return judge(view, describe_guests(view, {}), exceptions=exceptions).sentence

    return find_once(ctx.session, ctx.event, ("sentence", plan.id, plan.version, can_edit), find, without=("plans",))


def _alternative_name(plan: Plan, number: int) -> str:
    return plan_name(plan) if plan.name or plan.alternative_of is None else f"Alternative {number}"


def _card(event: Event, plan: Plan) -> VersionCard:
    picture = event_address(event.id, f"plans/{plan.id}/picture.svg?v={plan.version}")
    return VersionCard(plan.id, plan_name(plan), plan.name, picture)


def _made(row: VersionRow) -> str:
    by = f" by {row.author}" if row.author and row.author not in NOBODY else ""
    return f"{moment(row.plan.created_at)}{by}"

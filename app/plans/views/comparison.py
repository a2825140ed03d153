"""Two plans side by side in words: who moves from where to where, and what it gains for them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from app.db.models import Event
from app.plans.comparison import Comparison, GuestMove
from app.plans.drawing.thumbnail import Thumbnail
from app.plans.moves.exceptions import PlanException
from app.plans.names import plan_name
from app.plans.read import PlanView
from app.plans.views.certainty import compare
from app.plans.views.drawings import MOST_FLOOR_GUESTS
from app.plans.views.picture import thumbnail_of
from app.plans.views.summary import describe_exceptions
from app.plans.views.text import GuestWords, describe_guests
from app.sentences import count, list_in_words
from app.web.html.rendering import event_address

MOVES_PER_PAGE = 100
NO_WORDS = GuestWords()
GAIN_ORDER = ("better", "worse", None, "same")
"""Where moves are listed: what was gained, what was lost, whose gain is not known, and what makes no difference."""
GAIN_TEXT = {"better": "sits better", "worse": "sits worse", "same": "sits as well as before"}


@dataclass(frozen=True)
class MoveText:
    """A guest who moves, in words."""

    guest_id: UUID
    name: str
    before: str
    after: str
    gain: str = ""
    gain_text: str = ""
    why: str = ""


@dataclass(frozen=True)
class ComparedPlan:
    """One side of the comparison."""

    id: UUID
    name: str
    address: str
    is_current: bool
    floor: Thumbnail | None


@dataclass(frozen=True)
class SameTable:
    """A table with the same guests in both plans."""

    name: str
    guests: str


@dataclass(frozen=True)
class ComparisonPage:
    """Two plans side by side."""

    event: Event
    may_edit: bool
    address: str
    before: ComparedPlan
    after: ComparedPlan
    broken: Sequence[str]
    """What each of them breaks, if it breaks anything."""
    summary: str
    moves: Sequence[MoveText]
    move_count: int
    page: int
    pages: int
    same_tables: Sequence[SameTable]
    choices: Sequence[tuple[UUID, str]]
    note: str = ""
    section: str = "plan"


def build_comparison(
    event: Event,
    compared: Comparison,
    choices: Sequence[tuple[UUID, str]],
    exceptions: Mapping[UUID, Sequence[PlanException]],
    *,
    current: UUID | None,
    page: int,
) -> ComparisonPage:
    """Put the page together; `choices` names every plan, and a long list of moves comes in pages."""
    moves = list_moves(compared)
    pages = max(1, -(-len(moves) // MOVES_PER_PAGE))
    names = dict(choices)
    page = min(max(page, 1), pages)
    moved = {move.guest_id for move in moves}
    return ComparisonPage(
        event=event,
        may_edit=compared.after.can_edit,
        address=event_address(event.id, f"plans/{compared.before.plan.id}/compare"),
        before=_side(event, compared.before, names, moved, current),
        after=_side(event, compared.after, names, moved, current),
        broken=[
            f"{names[key]}: {words}." for key, found in exceptions.items() if (words := describe_exceptions(found))
        ],
        summary=summarise(compared, names[compared.after.plan.id]),
        moves=moves[(page - 1) * MOVES_PER_PAGE : page * MOVES_PER_PAGE],
        move_count=len(moves),
        page=page,
        pages=pages,
        same_tables=[
            SameTable(table.name, list_in_words([guest.name for guest in table.guests]))
            for table in compared.same_tables
        ],
        choices=choices,
        note=_ratings_note(compared, names),
    )


def _ratings_note(compared: Comparison, names: Mapping[UUID, str]) -> str:
    """Say by which ratings both plans are judged, if the page of one of them says something else about its guests."""
    older = compared.measured_again
    if older is None:
        return ""
    newer = next(view.plan.id for view in (compared.before, compared.after) if view.plan.id != older)
    return (
        f"Both plans are judged by the ratings that {names[newer]} was made with. "
        f"The page of {names[older]} uses the ratings from when that plan was made, so it may say otherwise."
    )


def list_moves(compared: Comparison) -> list[MoveText]:
    """Say of everyone who moves where they were, where they are now and what it gains for them: gains first."""
    before, after = describe_guests(compared.before, {}), describe_guests(compared.after, {})
    moves = sorted(compared.moves, key=lambda move: GAIN_ORDER.index(move.gain))
    return [_move_text(move, before, after) for move in moves]


def summarise(compared: Comparison, after: str = "") -> str:
    """Say how many guests move, how many of them sit better and worse, and how the plans compare as a whole.

    `after` is what the later plan is called, if it is not called by its own name.
    """
    moved = len(compared.moves)
    if not moved:
        return "Everyone sits at the same table in both plans."
    parts = [f"{count(moved, 'guest')} {'sits' if moved == 1 else 'sit'} at a different table"]
    gains = [f"{compared.count(gain):,} {gain}" for gain in ("better", "worse") if compared.count(gain)]
    if gains:
        parts.append(list_in_words(gains))
    return f"{': '.join(parts)}.{_as_a_whole(compared, after)}"


def _as_a_whole(compared: Comparison, name: str) -> str:
    one, other = compared.before, compared.after
    if other.figures is None:
        return ""
    words = compare(other.figures.objective, (one.mse, one.total), (other.mse, other.total))
    return f" As a whole, {name or plan_name(other.plan)} is {words}." if words else ""


def _move_text(move: GuestMove, before: Mapping[UUID, GuestWords], after: Mapping[UUID, GuestWords]) -> MoveText:
    was, now = before.get(move.guest_id, NO_WORDS).why, after.get(move.guest_id, NO_WORDS).why
    return MoveText(
        move.guest_id,
        move.name,
        f"was at {move.before.name}" if move.before else "had no seat",
        f"now at {move.after.name}" if move.after else "has no seat now",
        move.gain or "",
        GAIN_TEXT[move.gain] if move.gain else "",
        _why(was, now),
    )


def _why(was: str, now: str) -> str:
    if was and now and was != now:
        return f"{now}; before: {was}"
    return now


def _side(
    event: Event, view: PlanView, names: Mapping[UUID, str], moved: set[UUID], current: UUID | None
) -> ComparedPlan:
    return ComparedPlan(
        view.plan.id,
        names[view.plan.id],
        event_address(event.id, f"plans/{view.plan.id}"),
        view.plan.id == current,
        thumbnail_of(view, moved) if view.guest_count <= MOST_FLOOR_GUESTS else None,
    )

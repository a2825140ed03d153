"""How settled the plan of an event is: as a worker measured it last, whether that still holds, and in words.

A worker measures it when it chooses questions, and stores it with them. All pages that show it read it here and show
it with templates/events/_progress.html.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any
from uuid import UUID

from sqlalchemy import Row, bindparam, exists, func, select
from sqlalchemy.orm import Session

from app.db.conditions import is_seated
from app.db.models import Event, Guest, QuestionBatch, Rating, RatingMatrix, Table
from app.db.models.events import Part
from app.events.context import EventContext
from app.events.queries import stored_revision
from app.sentences import count

COUNTED_APART: tuple[Part, ...] = ("ratings", "plans")
"""Changes of these parts leave the measure valid: ratings come one by one, and it does not depend on plans."""
MOST_MEASURED = 1000
"""Plans of larger events are not measured, and no pair is guessed in them."""
TARGETS = (0.25, 0.5, 0.75, 0.9)
SETTLED = TARGETS[-1]
"""From here on more answers hardly change the plan."""
LEAST_STEP = 0.02
OPTIONAL = ("before", "rated")
NO_GUESTS = "Progress appears once you have added at least two guests."
NO_TABLES = "Progress appears once you have added tables."
NO_SEATS = "Progress appears once there are enough seats for everyone and the rules allow a plan."
NOT_YET = "Convive is working out how settled your plan is. It appears here in a few seconds."
NEXT_TIME = "Progress appears here a few seconds after your next change."
OF_DISTANCES = "This event uses distances. Progress is measured for scores only."
OF_MATRIX = "The uploaded matrix says how guests get along. Progress is measured for scores from −2 to 2 only."
TOO_MANY = f"Progress is measured for up to {MOST_MEASURED:,} guests. All your answers count in the plan."


@dataclass(frozen=True)
class Measured:
    """What a worker found: how settled the plan was, 0 … 1, and how settled it will be after each further question.

    Both are missing where the tables or the rules allowed no plan. `revision` is that of the event without the parts
    that are counted apart, `answers` its number of changes of ratings. `before` is what was measured before, if more.
    """

    settled: float | None
    after: tuple[float, ...]
    revision: int
    answers: int
    before: float | None = None
    rated: int | None = None

    def as_json(self) -> dict[str, Any]:
        """Return it as it is stored: only a drop has a value from before."""
        return {name: value for name, value in asdict(self).items() if value is not None or name not in OPTIONAL}

    def following(self, earlier: Measured | None) -> Measured:
        """Return it with what was measured before, if pages showed a higher percentage then."""
        if earlier is None or earlier.settled is None or self.settled is None:
            return self
        is_drop = percent_of(earlier.settled) > percent_of(self.settled)
        return replace(self, before=earlier.settled if is_drop else None)


@dataclass(frozen=True)
class Progress:
    """How settled the plan is, as pages show it; no percentage while that is not known.

    `is_current` is false where something has changed since it was measured, or where it was not measured yet; if a
    worker is about to, `is_coming`. `can_ask` is false where no question can be asked.
    """

    percent: int | None
    text: str
    is_settled: bool
    is_current: bool
    is_coming: bool = False
    can_ask: bool = True


def read_measured(stored: Mapping[str, Any] | None) -> Measured | None:
    """Return what `Measured.as_json` gave."""
    return Measured(**{**stored, "after": tuple(stored["after"])}) if stored else None


def last_measured(session: Session, event_id: UUID) -> Measured | None:
    """Return what a worker found about the event last."""
    return read_measured(session.scalar(select(QuestionBatch.progress).where(QuestionBatch.event_id == event_id)))


def count_ratings(session: Session, event_id: UUID) -> int:
    """Return how many single ratings the event has."""
    return session.scalar(select(func.count()).where(Rating.event_id == event_id)) or 0


def show_progress(ctx: EventContext) -> Progress | None:
    """Return how settled the plan of the event is, for its editors; None for others."""
    return read_progress(ctx.session, [ctx.event_id]).get(ctx.event_id) if ctx.allows("editor") else None


def read_progress(session: Session, event_ids: Sequence[UUID]) -> dict[UUID, Progress]:
    """Return how settled the plans of these events are, or why that is not known."""
    rows = session.execute(_PROGRESS, {"events": list(event_ids)})
    return {row.id: _progress(row) for row in rows}


_PROGRESS = (
    select(
        Event.id,
        stored_revision(COUNTED_APART).label("revision"),
        Event.ratings_revision.label("answers"),
        select(func.count()).where(Rating.event_id == Event.id).scalar_subquery().label("rated"),
        QuestionBatch.progress.label("stored"),
        Event.kind,
        exists().where(Table.event_id == Event.id, Table.removed_at.is_(None)).label("has_tables"),
        select(func.count()).where(Guest.event_id == Event.id, is_seated()).scalar_subquery().label("guests"),
        exists().where(RatingMatrix.event_id == Event.id).label("has_matrix"),
        Event.measure_at.is_not(None).label("is_coming"),
    )
    .outerjoin(QuestionBatch, QuestionBatch.event_id == Event.id)
    .where(Event.id.in_(bindparam("events", expanding=True)))
)


def _progress(row: Row[Any]) -> Progress:
    measured = read_measured(row.stored)
    if row.kind != "score" or row.guests > MOST_MEASURED:
        return _never(OF_DISTANCES if row.kind != "score" else TOO_MANY)
    if row.guests < 2 or not row.has_tables:
        text = NO_GUESTS if row.guests < 2 else NO_TABLES
        return Progress(None, text, is_settled=False, is_current=True)
    if measured is None or measured.revision != row.revision:
        return _outdated(row, measured)
    if measured.settled is None:
        return Progress(None, NO_SEATS, is_settled=False, is_current=True)
    percent = percent_of(measured.settled)
    after = _outlook(measured, _answered(row, measured))
    text = " ".join(filter(None, [f"Your plan is {percent}% settled.", _drop(measured), after]))
    return Progress(percent, text, is_settled=measured.settled >= SETTLED, is_current=True)


def _never(reason: str) -> Progress:
    return Progress(None, reason, is_settled=False, is_current=True, can_ask=False)


def _outdated(row: Row[Any], measured: Measured | None) -> Progress:
    """Say what is known of an event that was changed since it was measured, or never was."""
    if row.has_matrix and not row.is_coming:
        return _never(OF_MATRIX)  # it has a scale of its own: a worker looked, and did not measure
    if measured is None or measured.settled is None:
        text = NOT_YET if row.is_coming else NEXT_TIME
        return Progress(None, text, is_settled=False, is_current=False, is_coming=row.is_coming)
    percent = percent_of(measured.settled)
    again = ", and is being measured again" if row.is_coming else ""
    text = f"Your plan was {percent}% settled before your latest changes{again}."
    return Progress(percent, text, is_settled=False, is_current=False, is_coming=row.is_coming)


def percent_of(share: float) -> int:
    """Return a share as a percentage; 100 only where nothing at all is left."""
    return 100 if share >= 1 else min(round(100 * share), 99)


def _drop(measured: Measured) -> str:
    """Say why it is less than before: answers and other changes can open questions, not only settle them."""
    if measured.before is None or (measured.settled or 0.0) >= SETTLED:
        return ""
    return f"Before your latest changes it was {percent_of(measured.before)}%: more is open now."


def _answered(row: Row[Any], measured: Measured) -> int:
    """Return how many ratings came since; fewer than none where some were taken back."""
    answered: int = row.answers - measured.answers if measured.rated is None else row.rated - measured.rated
    return answered


def _outlook(measured: Measured, answered: int) -> str:
    """Say what further answers are expected to bring."""
    settled, after = measured.settled or 0.0, measured.after
    if settled >= SETTLED:
        return "More answers will hardly change it."
    for target in TARGETS:
        needed = next((number for number, share in enumerate(after) if share >= target), None)
        if target >= settled + LEAST_STEP and needed is not None:
            return _answers(needed - answered, percent_of(target))
    if after and after[-1] >= settled + LEAST_STEP:
        return _answers(len(after) - 1 - answered, percent_of(after[-1]))
    return ""


def _answers(number: int, percent: int) -> str:
    if number < 1:
        return "Your latest answers are not counted yet."
    return f"Answer {count(number, 'more question')} for {percent}%."

"""Whose turn it is: every account gets its share of the workers, and small events come first."""

from __future__ import annotations

from uuid import UUID

from sqlalchemy import Select, func, or_, select
from sqlalchemy.orm import Session

from app.db.models import Run, RunShard
from app.db.models.runs import LIVE

GUESTS_OF_A_SMALL_EVENT = 25
PRICES = 16
"""A turn is the moment when a run begins times this, plus its price."""


def price(guest_count: int) -> int:
    """Return by how much a run puts off its account's next one: one more for each doubling of the event."""
    return min(max(1, (guest_count // GUESTS_OF_A_SMALL_EVENT).bit_length()), PRICES - 1)


def price_of(turn: int) -> int:
    """Return the price of the run that had this turn."""
    return max(1, turn % PRICES)


def take_turns(session: Session, user_id: UUID | None, own_price: int, shards: int) -> tuple[int, ...]:
    """Return the turns of a new run that has such a price.

    Fair queueing: a run begins at a moment of a clock that goes on with the runs that are taken: now, or when its
    account's last one ends, which is its price after it began. Of those that begin together the smallest comes first.
    So the hundredth run of one account comes after the first of another, and nobody is overtaken for ever.
    """
    whole, part, last = session.execute(
        select(*(query.scalar_subquery() for query in (_first_run(), _first_shard(), _last_of(user_id))))
    ).one()
    now = min((turn for turn in (whole, part) if turn is not None), default=0) // PRICES
    begin = max(now, 0 if last is None else sum(divmod(last, PRICES)))
    return tuple((begin + own_price * number) * PRICES + own_price for number in range(shards))


def _first_run() -> Select[int]:
    """Ask for the turn of the first run that waits."""
    return select(func.min(Run.turn)).where(Run.status == "queued", Run.shards == 1)


def _first_shard() -> Select[int]:
    """Ask for the turn of the first shard that waits."""
    waiting = select(func.min(RunShard.turn)).join(Run, Run.id == RunShard.run_id)
    return waiting.where(RunShard.status == "queued", Run.status.in_(LIVE))


def _last_of(user_id: UUID | None) -> Select[int]:
    """Ask for the turn of the last run of the account that goes on, or has ended since the first that waits came."""
    longest_waiting = select(func.min(Run.queued_at)).where(Run.status == "queued").scalar_subquery()
    counts = or_(Run.status.in_(LIVE), Run.finished_at >= longest_waiting)
    return select(func.max(Run.turn)).where(Run.user_id == user_id, counts)

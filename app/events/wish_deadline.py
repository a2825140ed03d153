"""The last day to change wishes, and how long the links for them stay open."""

from __future__ import annotations

from datetime import UTC, date, datetime, time

from sqlalchemy import update
from sqlalchemy.orm import Session

from app.clock import now
from app.db.models import Event, WishLink
from app.events.days import days_later

DAYS_TO_LOOK = 30  # for how long after the last day to answer a link still shows the wishes


def last_day_of(event: Event) -> date | None:
    """Return the last day to change wishes: the one that was set, else the day of the event."""
    return event.wishes_until or event.date


def lengthen_links(session: Session, event: Event) -> None:
    """Let open links last beyond the last day to change wishes, which may have moved; none ends sooner."""
    last_day = last_day_of(event)
    if last_day is None:
        return
    least = end_of(last_day)
    open_ones = WishLink.revoked_at.is_(None), WishLink.expires_at > now(), WishLink.expires_at < least
    session.execute(update(WishLink).where(WishLink.event_id == event.id, *open_ones).values(expires_at=least))


def end_of(last_day: date) -> datetime:
    """Return when links end at the earliest."""
    return datetime.combine(days_later(last_day, 1 + DAYS_TO_LOOK), time(), UTC)

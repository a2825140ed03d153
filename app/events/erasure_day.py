"""On which day an event is erased automatically: a number of days after its date, if its owner set one."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any

from app.clock import now
from app.errors import FieldError, Invalid
from app.events.days import days_later
from app.web.html.filters import day

CHOICES = (7, 30, 90, 180, 365)
MOST_DAYS = 3650
LEAST_NOTICE = timedelta(days=7)
"""So long before the day the last change must be that sets it."""
WARNED = timedelta(days=30)
LAST_ZONE = timedelta(hours=12)  # where a day ends last


def erased_on(on: date | None, after_days: int | None) -> date | None:
    """Return the day on which an event of that date is erased; one without a date never is."""
    return days_later(on, after_days) if on and after_days else None


def is_due(on: date | None, after_days: int | None) -> bool:
    """Return whether the day has come, everywhere."""
    erased = erased_on(on, after_days)
    return erased is not None and erased <= (now() - LAST_ZONE).date()


def is_too_soon(on: date | None, after_days: int | None) -> bool:
    """Return whether an event would be erased before its members have had time to notice."""
    erased = erased_on(on, after_days)
    return erased is not None and erased < now().date() + LEAST_NOTICE


def refuse_too_soon(on: date | None, after_days: int | None) -> None:
    """Refuse what would erase an event before its members have had time to notice."""
    erased = erased_on(on, after_days)
    if erased is not None and is_too_soon(on, after_days):
        text = f"The event would be erased on {day(erased)}, in less than {LEAST_NOTICE.days} days. Choose more days."
        raise Invalid(FieldError("erase_after_days", text))


def refuse_to_bring_forward(on: date | None, after_days: int | None, *, before: date | None) -> None:
    """Refuse an editor's new date that erases the event earlier than before, unless pages can warn of it in full."""
    erased = erased_on(on, after_days)
    if erased is None or (before is not None and erased >= before) or erased >= now().date() + WARNED:
        return
    text = f"With this date the event would be erased on {day(erased)}, in less than {WARNED.days} days."
    raise Invalid(FieldError("date", f"{text} Only an owner can set it."))


def days_if_not_too_soon(on: date | None, after_days: int | None) -> int | None:
    """Return after how many days an imported event is erased; never where that would be now or soon."""
    return None if is_too_soon(on, after_days) else after_days


def erasure_warning(event: Any) -> str:
    """Return what pages of an event say in the weeks before it is erased; nothing otherwise."""
    erased = erased_on(getattr(event, "date", None), getattr(event, "erase_after_days", None))
    if erased is None or erased > now().date() + WARNED:
        return ""
    return f"This event and everything in it will be erased on {day(erased)}. Export what you want to keep."

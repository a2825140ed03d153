"""Days of events: how late one may be, and days that are counted from it."""

from __future__ import annotations

from datetime import date, timedelta

from app.errors import FieldError, Invalid

LAST_DAY = date(2200, 12, 31)


def check_day(day: date | None, where: str = "date") -> None:
    """Refuse a day that nobody plans for; days before were not always refused, so stored ones may be later."""
    if day is not None and day > LAST_DAY:
        raise Invalid(FieldError(where, f"The date can be up to {LAST_DAY.isoformat()}."))


def days_later(day: date, days: int) -> date:
    """Return the day `days` later, or the last day of the calendar, which ends with the year 9999."""
    return day + timedelta(days=min(days, (date.max - day).days))

"""The time, in one place."""

from datetime import UTC, datetime


def now() -> datetime:
    """Return the current moment, aware of its zone, in UTC."""
    return datetime.now(UTC)

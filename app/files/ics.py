"""A day in the calendar: an iCalendar file (RFC 5545) with one event that lasts all day."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta

MOST_OCTETS = 75
ICS_TYPE = "text/calendar; charset=utf-8"


def write_ics(uid: str, name: str, day: date, changed_at: datetime) -> bytes:
    """Return the file; calendars replace an earlier one with the same `uid`."""
    lines = (
        "BEGIN:VCALENDAR",
        "VERSION:2.0",
        "PRODID:-//Convive//Convive//EN",
        "BEGIN:VEVENT",
        f"UID:{uid}",
        f"DTSTAMP:{changed_at.astimezone(UTC):%Y%m%dT%H%M%SZ}",
        f"DTSTART;VALUE=DATE:{_digits(day)}",
        *([f"DTEND;VALUE=DATE:{_digits(day + timedelta(days=1))}"] if day < date.max else []),
        f"SUMMARY:{_escaped(name)}",
        "TRANSP:TRANSPARENT",
        "END:VEVENT",
        "END:VCALENDAR",
    )
    return "".join(part + "\r\n" for line in lines for part in _folded(line)).encode()


def _digits(day: date) -> str:
    return day.isoformat().replace("-", "")


def _escaped(text: str) -> str:
    for character, written in (
        ("\\", "\\\\"),
        (";", "\\;"),
        (",", "\\,"),
        ("\r\n", "\\n"),
        ("\n", "\\n"),
        ("\r", "\\n"),
    ):
        text = text.replace(character, written)
    return text


def _folded(line: str) -> Iterator[str]:
    """Break a long line between characters, never inside one; the parts after the first begin with a space."""
    part = ""
    for character in line:
        if len((part + character).encode()) > MOST_OCTETS:
            yield part
            part = " "
        part += character
    yield part

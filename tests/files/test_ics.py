"""Calendar files."""

from __future__ import annotations

from datetime import UTC, date, datetime

from app.files.ics import write_ics

STAMP = datetime(2027, 1, 2, 3, 4, 5, tzinfo=UTC)


def test_event_lasts_all_day() -> None:
    assert write_ics("1@convive", "Dinner", date(2027, 12, 31), STAMP).decode().split("\r\n") == [
        "BEGIN:VCALENDAR",
        "VERSION:2.0",
        "PRODID:-//Convive//Convive//EN",
        "BEGIN:VEVENT",
        "UID:1@convive",
        "DTSTAMP:20270102T030405Z",
        "DTSTART;VALUE=DATE:20271231",
        "DTEND;VALUE=DATE:20280101",
        "SUMMARY:Dinner",
        "TRANSP:TRANSPARENT",
        "END:VEVENT",
        "END:VCALENDAR",
        "",
    ]


def test_name_is_escaped_and_cannot_add_a_line() -> None:
    text = write_ics("1", "A, B; C\\D\r\nATTENDEE:x\nE", date(2027, 1, 1), STAMP).decode()
    assert "SUMMARY:A\\, B\\; C\\\\D\\nATTENDEE:x\\nE\r\n" in text


def test_long_lines_are_folded_between_characters() -> None:
    name = "Ää王" * 60
    lines = write_ics("1", name, date(2027, 1, 1), STAMP).decode().split("\r\n")
    assert max(len(line.encode()) for line in lines) <= 75
    assert f"SUMMARY:{name}" in "\r\n".join(lines).replace("\r\n ", "")

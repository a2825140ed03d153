"""The columns of guests in files that Convive writes; those of the event's own fields stand behind them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

COLUMNS: dict[str, str] = {
    "name": "Name",
    "party": "Party",
    "groups": "Groups",
    "reply": "Reply",
    "age_group": "Age group",
    "diet": "Diet",
    "note": "Note",
    "high_chair": "High chair",
    "public_name": "Shown to guests as",
    "title": "Title",
    "first_name": "First name",
    "last_name": "Last name",
    "email": "E-mail",
    "phone": "Phone",
    "side": "Side",
    "allergies": "Allergies",
    "other_allergies": "Other allergies",
    "wheelchair": "Wheelchair",
}
"""The heading of each field, in the order of the columns."""
HEADINGS = tuple(COLUMNS.values())
READ_AS = {"age_group": "age", "other_allergies": "more_allergies"}
"""What an import calls a column, where that is something else."""
FIELDS = tuple(READ_AS.get(name, name) for name in COLUMNS)
OLD_HEADINGS = ("Name", "Party", "Groups", "Reply", "Child", "Diet", "Note", "High chair", "Shown to guests as")
OLD_FIELDS = ("name", "party", "groups", "reply", "child", "diet", "note", "high_chair", "public_name")
"""The columns of earlier versions, of which the first had seven."""
OLDEST_COLUMNS = 7
MARKS = {"course": " (menu)", "choice": " (choice)", "text": " (text)"}
"""What follows the name of a field in its heading, so that it can be made in another event."""


def own_fields(headings: Sequence[str]) -> tuple[str, ...]:
    """Return what the columns hold if Convive wrote these headings, else nothing."""
    if tuple(headings[: len(HEADINGS)]) == HEADINGS:
        return (*FIELDS, *("own" if heading.strip() else "" for heading in headings[len(HEADINGS) :]))
    if tuple(headings) in (OLD_HEADINGS, OLD_HEADINGS[:OLDEST_COLUMNS]):
        return OLD_FIELDS[: len(headings)]
    return ()


def field_heading(kind: str, name: str) -> str:
    """Return the heading of a course or of an own field; one of texts has its name alone, if that is clear."""
    is_clear = kind == "text" and not name.endswith(tuple(MARKS.values()))
    return name if is_clear else f"{name}{MARKS[kind]}"


def read_field_heading(heading: str) -> tuple[str, str]:
    """Return the name and the kind of the field that a heading is for."""
    return next(_marked(heading), (heading, "text"))


def _marked(heading: str) -> Iterator[tuple[str, str]]:
    for kind, mark in MARKS.items():
        if heading.endswith(mark) and heading != mark:
            yield heading.removesuffix(mark), kind


def yes_or_no(value: bool) -> str:
    return "yes" if value else "no"  # an empty cell changes nothing when it comes back

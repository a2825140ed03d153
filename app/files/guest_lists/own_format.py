"""The columns of guests in files that Convive writes; those of the event's own fields stand behind them."""

from __future__ import annotations

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


def yes_or_no(value: bool) -> str:
    return "yes" if value else "no"  # an empty cell changes nothing when it comes back

"""The check of what is entered about guests: tidied, or refused with everything that is wrong with it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, get_args
from uuid import UUID

from app.accounts.users import clean_email
from app.db.models.guests import CHILDREN, PART_LENGTH, PHONE_LENGTH, TITLE_LENGTH
from app.errors import FieldError, Invalid, collected
from app.guests.allergies import clean_allergies
from app.guests.entries import AGE_WORDS, GuestEntry, Reply
from app.guests.known_fields import NO_FIELDS, KnownFields, named_values, side_value
from app.guests.name_order import join_name
from app.guests.queries.fields import StoredValue
from app.web.names import clean_name, clean_note
from app.web.unset import UNSET, Unset

LEAST_DIGITS = 3
COURSE, OWN = "a course of this event's menu", "a field of this event"


def check_entry(entry: GuestEntry, where: str = "", known: KnownFields = NO_FIELDS) -> GuestEntry:
    """Return the entry with its texts tidied, or raise every fault in it, each below the path `where`.

    `known` are the event's fields, by whose names sides, meals and own fields are entered.
    """
    faults: list[FieldError] = []

    def checked(field: str, clean: Callable[[Any, str], Any]) -> Any:
        value = getattr(entry, field)
        return value if value is UNSET else collected(faults, lambda: clean(value, f"{where}{field}"), UNSET)

    parts = {field: checked(field, clean) for field, clean in CLEANERS.items() if getattr(entry, field) is not UNSET}
    name = entry.name if entry.name.strip() else _joined(parts)
    found = replace(
        entry,
        **parts,
        name=collected(faults, lambda: clean_name(name, f"{where}name"), name),
        values={**entry.values, **_values(entry, where, known, faults)},
    )
    if _disagree(found):
        faults.append(FieldError(f"{where}child", "Child and age group disagree. Send one of them."))
    if faults:
        raise Invalid(faults)
    return found


def _joined(parts: Mapping[str, Any]) -> str:
    first, last = (parts.get(part) or "" for part in ("first_name", "last_name"))
    return join_name(*("" if isinstance(part, Unset) else part for part in (first, last)))


def _disagree(entry: GuestEntry) -> bool:
    if isinstance(entry.child, Unset) or isinstance(entry.age_group, Unset):
        return False
    return entry.child != (entry.age_group in CHILDREN)


def _values(entry: GuestEntry, where: str, known: KnownFields, faults: list[FieldError]) -> Mapping[UUID, StoredValue]:
    """Return side, meals and own fields as they are stored."""
    found: dict[UUID, StoredValue] = {}
    side, meals, own = entry.side, entry.meals, entry.fields
    if not isinstance(side, Unset):
        found |= collected(faults, lambda: side_value(known, side, f"{where}side"), {})
    if not isinstance(meals, Unset):
        found |= collected(faults, lambda: named_values(known.courses, meals, f"{where}meals", COURSE), {})
    if not isinstance(own, Unset):
        found |= collected(faults, lambda: named_values(known.own, own, f"{where}fields", OWN), {})
    return found


def clean_reply(reply: str, where: str = "reply") -> str:
    """Return the reply, or say which ones there are."""
    if reply not in get_args(Reply):
        raise Invalid(FieldError(where, "The reply must be invited (no reply yet), yes, maybe or no."))
    return reply


def clean_age_group(age_group: str, where: str = "age_group") -> str:
    """Return the age group, or say which ones there are."""
    if age_group not in AGE_WORDS:
        raise Invalid(FieldError(where, "The age group must be adult, teenager, child or baby."))
    return age_group


def clean_group_name(text: str, where: str = "name") -> str:
    """Return a group's name tidied; a comma would split it where groups are written in one line."""
    name = clean_name(text, where, "The group name")
    if "," in name:
        raise Invalid(FieldError(where, f"The group name “{name}” contains a comma. Commas separate groups."))
    return name


def _clean_party(party: str | None, where: str) -> str | None:
    return clean_name(party, where, "The household name") if party and party.strip() else None


def _clean_groups(groups: Sequence[str], where: str) -> tuple[str, ...]:
    return tuple(clean_group_name(name, f"{where}/{number}") for number, name in enumerate(groups))


def _clean_email(email: str, where: str) -> str:
    return clean_email(email, where) if email.strip() else ""


def _clean_phone(phone: str, where: str) -> str:
    tidy = _optional("The phone number", PHONE_LENGTH)(phone, where)
    if tidy and sum(character.isdigit() for character in tidy) < LEAST_DIGITS:
        raise Invalid(FieldError(where, "Enter a phone number with digits, such as +44 20 7946 0018."))
    return tidy


def _optional(what: str, most: int | None = None) -> Callable[[str, str], str]:
    """Return a check of a text of one line that may be empty."""

    def clean(text: str, where: str) -> str:
        tidy = clean_name(text, where, what) if text.strip() else ""
        if most is not None and len(tidy) > most:
            raise Invalid(FieldError(where, f"{what} has {len(tidy):,} characters; maximum {most}."))
        return tidy

    return clean


CLEANERS: dict[str, Callable[[Any, str], Any]] = {
    "note": clean_note,
    "party": _clean_party,
    "groups": _clean_groups,
    "reply": clean_reply,
    "diet": _optional("The diet"),
    "public_name": _optional("The name shown to guests"),
    "title": _optional("The title", TITLE_LENGTH),
    "first_name": _optional("The first name", PART_LENGTH),
    "last_name": _optional("The last name", PART_LENGTH),
    "email": _clean_email,
    "phone": _clean_phone,
    "age_group": clean_age_group,
    "allergies": clean_allergies,
    "other_allergies": _optional("The text about allergies"),
}

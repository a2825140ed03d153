"""Names of guests, tables, groups and events: what is taken and when two are the same."""

from __future__ import annotations

import re
import unicodedata

from app.db.models import NAME_LENGTH
from app.errors import FieldError, Invalid

NOTE_LENGTH = 2000
QUOTED_LENGTH = 60
INVISIBLE = ("Cc", "Cf", "Mn", "Me", "Zl", "Zp", "Zs")  # alone they make a name that nobody can see


def tidy_name(text: str) -> str:
    """Return the name as it is stored: with single spaces, and without characters that no database takes."""
    # Most names are plain: with ten thousand of them, the short way saves time.
    is_plain = text.isascii() and text.isprintable()
    return " ".join((text if is_plain else without_controls(unicodedata.normalize("NFC", text))).split())


def clean_name(text: str, where: str = "name", what: str = "The name") -> str:
    """Return the name with its spaces tidied, or say why it cannot be taken."""
    name = tidy_name(text)
    if not name or not (name.isascii() or any(_is_visible(c) for c in name)):
        raise Invalid(FieldError(where, f"{what} is empty."))
    if len(name) > NAME_LENGTH:
        start = name[:20]
        raise Invalid(FieldError(where, f"{what} “{start}…” has {len(name):,} characters; maximum {NAME_LENGTH}."))
    return name


def name_key(name: str) -> str:
    """Return what decides whether two names are the same: case and width do not count."""
    plain = name.lower() if name.isascii() else unicodedata.normalize("NFKC", name).casefold()
    return plain[: NAME_LENGTH * 3]


def taken_already(noun: str, typed: str, stored: str) -> str:
    """Say that a name is there already: as it was typed, and as it is stored where that differs."""
    if typed == stored:
        return f"There is already a {noun} called “{stored}”."
    return f"“{typed[:QUOTED_LENGTH]}” already exists as “{stored}”."


def twice(name: str, earlier: str, where: str) -> str:
    """Say that a name is in a list twice: where else, and how it is written there if that differs."""
    written = "" if name == earlier else f" as “{earlier}”"
    return f"“{name}” is a duplicate (also {where}{written})."


def clean_note(text: str, where: str = "note") -> str:
    """Return the note with its line ends made plain, or say why it cannot be taken."""
    lines = re.split(r"\r\n?|\n", text)
    note = "\n".join(without_controls(line).rstrip() for line in lines).strip()
    if len(note) > NOTE_LENGTH:
        raise Invalid(FieldError(where, f"The note has {len(note):,} characters; maximum {NOTE_LENGTH:,}."))
    return note


def plain_email(text: str) -> str:
    """Return a typed e-mail address in the form in which it is looked up, whether it can be one or not."""
    return without_controls(text).strip().lower()


def without_controls(text: str) -> str:
    """Return the text with a space for every character that no database takes."""
    if text.isprintable():  # the usual case, and the quick one
        return text
    return "".join(" " if _is_control(character) else character for character in text)


def _is_visible(character: str) -> bool:
    return unicodedata.category(character) not in INVISIBLE


def _is_control(character: str) -> bool:
    # Not Cf: format characters join emoji and steer right-to-left names. Cs is half a character: no database takes it.
    return unicodedata.category(character) in ("Cc", "Cs")

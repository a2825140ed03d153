"""What was done with a plan by hand, in words."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from app.db.models import Move
from app.sentences import count, list_in_words

MOST_NAMED = 3
MOST_SWAPPED = 4
TRAY = "the unseated tray"
ARRIVALS = {"move": ("moved", "to"), "seat_unseated": ("seated", "at")}
SOMEBODY = "Someone"
LOCAL = "You"  # what the account of the person at this machine is called; to others it is not them


@dataclass(frozen=True)
class Names:
    """The names of guests, tables and accounts of an event, by their ids."""

    guests: Mapping[UUID, str]
    tables: Mapping[UUID, str]
    users: Mapping[UUID, str]


def say_what_happened(move: Move, names: Names) -> str:
    """Say who did what: `Mika moved Anna to Table 3.`"""
    who = name_of_user(move, names) or SOMEBODY
    return f"{SOMEBODY if who == LOCAL else who} {_did(move, names)}."


def say_how_long_ago(at: dt.datetime, now: dt.datetime) -> str:
    """Say how long ago something was done: `a moment ago`, `5 minutes ago`."""
    minutes = int((now - at).total_seconds() // 60)
    if minutes < 1:
        return "a moment ago"
    if minutes < 60:
        return f"{count(minutes, 'minute')} ago"
    return f"{count(minutes // 60, 'hour')} ago" if minutes < 24 * 60 else f"{count(minutes // (24 * 60), 'day')} ago"


def say_what_was_done(move: Move, names: Names) -> str:
    """Say what was done: `Moved Anna to Table 3`."""
    did = _did(move, names)
    return did[0].upper() + did[1:]


def name_of_user(move: Move, names: Names) -> str | None:
    """Return who made a move, if that is known."""
    return (names.users.get(move.user_id) or None) if move.user_id else None


def _did(move: Move, names: Names) -> str:
    if move.kind in ("undo", "redo"):
        verb = "undid" if move.kind == "undo" else "redid"
        what = "a change" if len(move.covers) < 2 else count(len(move.covers), "change")
        where = _arrivals(move.after, move.before, names)
        return f"{verb} {what}{f': {where}' if where else ''}"
    if move.kind == "undo_exception":
        return f"took back an exception: {_arrivals(move.after, move.before, names)}"
    if move.kind in ("lock", "unlock"):
        guests = _list([_guest(row, names) for row in move.after if "guest" in row])
        return f"locked {guests}" if move.kind == "lock" else f"unlocked {guests}"
    if move.kind == "swap":
        return f"swapped {_list([_guest(row, names) for row in move.after if 'guest' in row], most=MOST_SWAPPED)}"
    if move.kind in ARRIVALS:
        verb, preposition = ARRIVALS[move.kind]
        return f"{verb} {_arrivals(move.after, move.before, names, preposition)}"
    row = move.after[-1]  # behind guests who declined and lose their seat by that
    table = names.tables.get(UUID(row["table"]), "a deleted table")
    return {
        "lock_table": f"locked {table}",
        "unlock_table": f"unlocked {table}",
        "block_seat": f"kept seat {row.get('seat', 0) + 1} at {table} empty",
        "free_seat": f"freed seat {row.get('seat', 0) + 1} at {table}",
    }[move.kind]


def _arrivals(after: list[dict[str, Any]], before: list[dict[str, Any]], names: Names, preposition: str = "to") -> str:
    """Say who went where: `Anna and Ben to Table 3`; only those whose table changes, if any does."""
    were = {row["guest"]: row["table"] for row in before if "guest" in row}
    rows = [row for row in after if "guest" in row]
    moved = [row for row in rows if row["table"] != were.get(row["guest"])]
    by_table: dict[str | None, list[str]] = {}
    for row in moved or rows:
        by_table.setdefault(row["table"], []).append(_guest(row, names))
    parts = [
        f"{_list(guests)} {preposition} {_table(key, names, is_new=bool(moved))}" for key, guests in by_table.items()
    ]
    return _list(parts)


def _table(key: str | None, names: Names, *, is_new: bool) -> str:
    if key is None:
        return TRAY
    name = names.tables.get(UUID(key), "a deleted table")
    return name if is_new else f"another seat at {name}"


def _guest(row: Mapping[str, Any], names: Names) -> str:
    return names.guests.get(UUID(row["guest"]), "an erased guest")


def _list(items: list[str], most: int = MOST_NAMED) -> str:
    more = len(items) - most
    return list_in_words([*items[:most], f"{more} more"] if more > 0 else items)

"""Copies of what guests are called, in other rows than their own: each is changed so that it does without."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import replace
from unicodedata import category
from uuid import UUID

from sqlalchemy import delete, select, update
from sqlalchemy.orm import Session

from app.db.conditions import hold_runs
from app.db.models import Guest, GuestImport, IdempotencyKey, Print, Run, RunNames
from app.errors import Conflict
from app.guests.groups import ERASED, undo_without_guests
from app.guests.imports.undo import ImportUndo
from app.web.names import name_key

ERASED_REASON = "This run failed. The reason named a guest who has been erased."
ERASED_ANSWER = json.dumps({"title": "Gone", "status": 410, "detail": "This was about a guest who has been erased."})
GONE = 410
WORD = re.compile(r"[^\W_]+")


def erase_from_runs(session: Session, event_id: UUID, guests: Sequence[Guest]) -> None:
    """Take the names out of runs; choices of questions and checks of rules go, and are made again when needed.

    A run may know a guest by an earlier name.
    """
    side = (Run.event_id == event_id) & (Run.purpose != "plan")
    hold_runs(session, side)
    session.execute(delete(Run).where(side))
    gone, called = {str(guest.id) for guest in guests}, {guest.name for guest in guests}
    # One after the other: all names of all runs of a large event take hundreds of megabytes.
    for run_id in session.scalars(select(Run.id).where(Run.event_id == event_id)).all():
        names = session.scalar(select(RunNames.names).where(RunNames.run_id == run_id)) or {}
        if not gone.isdisjoint(names):
            called.update(name for key, name in names.items() if key in gone)
            left = {key: name for key, name in names.items() if key not in gone}
            session.execute(update(RunNames).where(RunNames.run_id == run_id).values(names=left))
    # SQLite finds failed runs by an index; it would read the problems of all others to look for a message behind them.
    failed = select(Run.id, Run.error).where(Run.purpose == "plan", Run.status == "failed", Run.event_id == event_id)
    for run_id, error in session.execute(failed).all():
        if any(name in (error or "") for name in called):
            session.execute(update(Run).where(Run.id == run_id).values(error=ERASED_REASON))


def erase_from_imports(session: Session, event_id: UUID, guests: Sequence[Guest]) -> None:
    """Take guests out of what undoes an import, and delete all files that were not confirmed.

    To look for names in these files would take too long while the event is locked.
    """
    gone = {str(guest.id) for guest in guests}
    session.execute(delete(GuestImport).where(GuestImport.event_id == event_id, GuestImport.status == "open"))
    for stored in session.scalars(select(GuestImport).where(GuestImport.event_id == event_id)):
        stored.file_name = ""
        if "group" in stored.columns:
            _erase_from_group(stored, guests, gone)
        elif stored.undo is not None:
            stored.undo = _undo_without(stored.undo, gone)
        if "did" in stored.columns:  # it may name a household or a guest
            stored.columns = {}
    session.flush()


def _erase_from_group(stored: GuestImport, guests: Sequence[Guest], gone: set[str]) -> None:
    """Take guests out of what brings a deleted group back, or say why it cannot come back any more."""
    before = stored.undo
    stored.undo = undo_without_guests(before, gone) if before is not None else None
    if is_named_after(str(stored.columns["group"]), guests):
        reason = "its name contained the name of a guest who was erased"
    elif before is not None and stored.undo is None:
        reason = "all its guests were erased"
    else:
        return
    stored.undo = None
    stored.columns = {ERASED: reason} if before is not None else {}  # otherwise it is back already


def is_named_after(name: str, guests: Sequence[Guest]) -> bool:
    """Return whether a guest's name, or a part of it, is in the name of a group: as whole words, also “the Smiths”.

    Where words are not parted by spaces, such as in Chinese, it may be anywhere; an initial says nothing.
    """
    key = name_key(name)
    words = f" {' '.join(WORD.findall(key))} "
    for part in {part for guest in guests for part in (guest.name, guest.first_name, guest.last_name) if part}:
        own = " ".join(WORD.findall(name_key(part)))
        if any(category(letter) == "Lo" for letter in own):
            if name_key(part).strip() in key:
                return True
        elif len(own) > 1 and (f" {own} " in words or f" {own}s " in words):
            return True
    return False


def erase_from_answers(session: Session, event_id: UUID, guests: Sequence[Guest]) -> None:
    """Replace the answers to repeated requests that have a guest in them."""
    marks = [mark for guest in guests for mark in (str(guest.id), json.dumps(guest.name, ensure_ascii=False)[1:-1])]
    for row in session.scalars(select(IdempotencyKey).where(IdempotencyKey.event_id == event_id)):
        if any(mark in (row.body or "") or mark in (row.location or "") for mark in marks):
            row.status, row.location, row.etag, row.body = GONE, None, None, ERASED_ANSWER
    session.flush()


def erase_from_prints(session: Session, event_id: UUID, guests: Sequence[Guest]) -> None:
    """Forget the digests of the guests' cards."""
    gone = {str(guest.id) for guest in guests} | {guest.id.hex for guest in guests}
    for made in session.scalars(select(Print).where(Print.event_id == event_id)):
        if not gone.isdisjoint(made.cards):
            made.cards = {key: digest for key, digest in made.cards.items() if key not in gone}
    session.flush()


def _undo_without(packed: bytes, gone: set[str]) -> bytes | None:
    try:
        undo = ImportUndo.unpack(packed)
    except Conflict:  # an older version stored it, and nothing can be undone with it
        return None
    return replace(
        undo,
        added={key: version for key, version in undo.added.items() if key not in gone},
        changed={key: was for key, was in undo.changed.items() if key not in gone},
        joined=[pair for pair in undo.joined if pair[1] not in gone],
        left=[pair for pair in undo.left if pair[1] not in gone],
        removed=[key for key in undo.removed if key not in gone],
        linked={
            key: [pair for pair in value if gone.isdisjoint(pair[:2])] if key == "pairs" else value
            for key, value in undo.linked.items()
        },
    ).pack()

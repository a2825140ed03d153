"""What was just done with a plan by hand, in words that stay in view, and the guests whom it moved."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from uuid import UUID

from app.plans.moves.history import MOST_LISTED, LastEdit, PlanChanged
from app.plans.read import PlanView
from app.plans.rounds import PlanRounds, rounds_in_words
from app.plans.seating import Place
from app.sentences import count, list_in_words
from app.web.html.text_metrics import LONGEST_IN_TEXT, shorten

STARTS = {"undo": "Undone: ", "redo": "Redone: "}


@dataclass(frozen=True)
class EditFeedback:
    """The words, and who sits elsewhere than before."""

    text: str = ""
    moved: frozenset[UUID] = field(default_factory=frozenset)


def describe_edit(view: PlanView, done: LastEdit | None) -> EditFeedback:
    """Say what has just been done; of seating the unseated also in how many rounds."""
    feedback = _describe(view, done)
    if done is None or done.kind != "seat_unseated" or view.rounds is None:
        return feedback
    return replace(feedback, text=f"{feedback.text} {_in_all_rounds(view.rounds)}")


def _in_all_rounds(rounds: PlanRounds) -> str:
    if not rounds.missing:
        return f"Everyone has a seat in all {len(rounds.rounds)} rounds."
    parts = [
        f"{shorten(guest.name, LONGEST_IN_TEXT)} in {rounds_in_words(guest.rounds)}"
        for guest in rounds.missing[:MOST_LISTED]
    ]
    more = len(rounds.missing) - len(parts)
    return f"No free place fits {list_in_words([*parts, f'{more:,} more'] if more else parts)}."


def _describe(view: PlanView, done: LastEdit | None) -> EditFeedback:
    if done is None:
        return EditFeedback()
    if not done.places:
        return EditFeedback(_locks(view, done))
    names = {guest.id: shorten(guest.name, LONGEST_IN_TEXT) for table in view.tables for guest in table.guests}
    tables = {table.id: f"{table.name}{' (deleted)' if table.is_removed else ''}" for table in view.tables}
    parts = [
        _part(names[guest], tables.get(place.table_id, "another table"), place, done)
        for guest, place in done.places.items()
        if place and guest in names
    ]
    if not parts and (done.tables or done.seats):
        return EditFeedback(_locks(view, done))
    without = list(_without_seat(view, done))
    if not parts and len(without) != 1:
        return EditFeedback(
            f"{STARTS.get(done.kind, '')}{count(len(done.places), 'guest')} moved to the unseated tray."
        )
    parts += without
    moved = frozenset() if done.is_lock else frozenset(done.places)
    return EditFeedback(f"{STARTS.get(done.kind, '')}{list_in_words(parts)}.", moved)


def _without_seat(view: PlanView, done: LastEdit) -> Iterator[str]:
    """Say who has lost their seat to somebody else."""
    left = {guest for guest, place in done.places.items() if place is None}
    what = "moved to the unseated tray" if len(left) == len(done.places) else "has no seat now"
    for guest in view.tray:
        if guest.id in left:
            yield f"{shorten(guest.name, LONGEST_IN_TEXT)} {what}"


def _locks(view: PlanView, done: LastEdit) -> str:
    """Say which tables were locked, and which seats stay empty."""
    names = {table.id: shorten(table.name, LONGEST_IN_TEXT) for table in view.tables}
    parts = [
        f"{names.get(table, 'a deleted table')} is {'locked' if is_locked else 'no longer locked'}"
        for table, is_locked in done.tables.items()
    ]
    parts += [
        f"seat {seat + 1} at {names.get(table, 'a deleted table')} {'stays empty' if is_blocked else 'is free again'}"
        for (table, seat), is_blocked in done.seats.items()
    ]
    text = f"{STARTS.get(done.kind, '')}{list_in_words(parts)}." if parts else ""
    return text[:1].upper() + text[1:]


def describe_overtaking(error: PlanChanged) -> str:
    """Say what somebody did before a change that was refused: `Dan moved Kaisa to Oak a moment ago.`"""
    newest, *earlier = error.details["happened"][:MOST_LISTED]
    return " ".join([f"{newest.removesuffix('.')} {error.when}.", *earlier, "Your change was not made."])


def _part(name: str, table: str, place: Place, done: LastEdit) -> str:
    if done.is_lock:
        return f"{name} is {'locked' if place.locked else 'no longer locked'} at {table}"
    return f"{name} {'is back at' if done.kind == 'undo' else 'moved to'} {table}"

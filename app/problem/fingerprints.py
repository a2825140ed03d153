"""Fingerprints: short digests of what a run was asked to solve, to see later whether the event has changed since."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any
from uuid import UUID

import numpy as np
from sqlalchemy.orm import Session

from app.db import models
from app.events.context import EventContext
from app.guests.queries.groups import group_ratings_of
from app.guests.queries.guests import seated_names_of
from app.guests.queries.parties import parties_of
from app.problem.cached_findings import find_once
from app.problem.queries import fingerprints as queries
from app.problem.queries.rules import RuleRow, rules_of, versions_of_rules
from app.ratings.queries.ratings import PlacedRatings, placed_ratings
from app.ratings.queries.values import accepted_wishes_of, memberships_of
from app.tables.queries import tables_of
from app.tables.shapes import seating_of

DIGITS = 32
AS_WRITTEN = "rules as written"
"""The mark of which rules there are, whoever they concern by now."""


@dataclass(frozen=True)
class _Part:
    """One thing that a run depends on: a stamp that is quick to read, and the mark of its values.

    As long as the stamp is the same nothing was written, and the values need not be read: they may be a large matrix.
    """

    stamp: str
    mark: Callable[[], str]


def take_marks(session: Session, event: models.Event) -> dict[str, Any]:
    """Return the marks of an event as it is now."""
    return {name: [part.stamp, part.mark()] for name, part in _parts(session, event).items()}


def list_changes(ctx: EventContext, run_id: UUID | None) -> tuple[str, ...]:
    """Return what of the event differs by value from what the run solved: guests, ratings, groups and so on."""
    event = ctx.require("editor")
    marks = queries.marks_of(ctx.session, ctx.event_id, run_id)
    if not marks:  # the run is gone, or older than marks
        return ()
    return find_once(
        ctx.session, event, ("changes", run_id), lambda: _compare(ctx.session, event, marks), without=("plans",)
    )


def _compare(session: Session, event: models.Event, marks: dict[str, Any]) -> tuple[str, ...]:
    parts = _parts(session, event)
    changed = [name for name, (stamp, mark) in marks.items() if _differs(parts.get(name), stamp, mark)]
    # A guest who came or went is in other rules than before, though nobody has touched these.
    is_by_guests = "guests" in changed and AS_WRITTEN in marks and AS_WRITTEN not in changed
    left_out = {AS_WRITTEN, "rules"} if is_by_guests else {AS_WRITTEN}
    return tuple(dict.fromkeys("ratings" if name == "matrix" else name for name in changed if name not in left_out))


def _differs(part: _Part | None, stamp: str, mark: str) -> bool:
    return part is not None and part.stamp != stamp and part.mark() != mark


def _parts(session: Session, event: models.Event) -> dict[str, _Part]:
    seated = seated_names_of(session, event.id)
    ids = tuple(guest.id for guest in seated)
    guests = [(str(guest.id), guest.name) for guest in seated]
    tables = [
        (str(t.id), t.name, t.seats, t.min_seats, seating_of(t.shape, t.end_seats), *_reserved(t))
        for t in tables_of(session, event.id)
    ]

    written, latest = queries.ratings_written(session, event.id)
    matrix = queries.matrix_stamp(session, event.id)

    def mark_ratings() -> str:
        if not written:
            return _digest([event.kind, []])
        return _digest_ratings(event.kind, ids, placed_ratings(session, event.id, ids))

    def mark_matrix() -> str:
        values = queries.matrix_values(session, event.id) if matrix else b""
        return sha256(values).hexdigest()[:DIGITS]

    return {
        "guests": _plain(guests),
        "tables": _plain(tables),
        "parties": _plain(_parties(session, event)),
        "rules": _plain(_rules(session, event)),
        AS_WRITTEN: _plain(versions_of_rules(session, event.id)),
        "groups": _plain(_groups(session, event, set(ids))),
        "wishes": _plain(_wishes(session, event, set(ids))),
        "ratings": _Part(f"{event.kind} {written} {latest.isoformat() if latest else ''}", mark_ratings),
        "matrix": _Part(matrix, mark_matrix),
    }


def _parties(session: Session, event: models.Event) -> list[list[str]]:
    return [[str(guest) for guest in party] for party in parties_of(session, event.id)]


def _rules(session: Session, event: models.Event) -> list[list[Any]]:
    return sorted(
        [rule.kind, [str(g) for g in rule.guest_ids], [str(t) for t in rule.table_ids], *_of_values(rule)]
        for rule in rules_of(session, event.id, only_seated=True)
    )


def _of_values(rule: RuleRow) -> list[Any]:
    """Return who is in which of its groups; nothing for a rule about guests, whose marks stay as they were."""
    return [rule.number or 0, [[str(g) for g in group] for group in rule.groups]] if rule.is_of_values else []


def _groups(session: Session, event: models.Event, guests: Collection[UUID]) -> list[Any]:
    """Return who is in which group and how groups get along, where values of pairs come from that."""
    rated = queries.ratings_written(session, event.id)[0] or queries.matrix_stamp(session, event.id)
    counts = group_ratings_of(session, event.id) or rated
    return _grid(session, event, guests) if event.kind == "score" and counts else []


def _grid(session: Session, event: models.Event, guests: Collection[UUID]) -> list[Any]:
    members = [(str(group), str(guest)) for group, guest in memberships_of(session, event.id) if guest in guests]
    return [members, [(str(a), str(b), score) for a, b, score in group_ratings_of(session, event.id)]]


def _wishes(session: Session, event: models.Event, guests: Collection[UUID]) -> list[Any]:
    wishes = accepted_wishes_of(session, event.id) if event.kind == "score" else []
    return [(str(guest), str(other)) for guest, other in wishes if guest in guests and other in guests]


def _plain(values: Any) -> _Part:
    mark = _digest(values)
    return _Part(mark, lambda: mark)


def _digest(values: Any) -> str:
    return sha256(json.dumps(values).encode()).hexdigest()[:DIGITS]


def _digest_ratings(kind: str, ids: Sequence[UUID], single: PlacedRatings) -> str:
    """Digest ratings, however guests and ratings are ordered; guests without any do not matter."""
    rated = sorted(np.unique([single.guests, single.others]).tolist(), key=lambda place: ids[place])
    rank = np.empty(len(ids), np.int64)
    rank[rated] = np.arange(len(rated))
    order = np.lexsort((rank[single.others], rank[single.guests]))
    parts = (rank[single.guests][order], rank[single.others][order], single.scores[order])
    said = json.dumps([kind, [str(ids[place]) for place in rated]]).encode()
    return sha256(b"".join((said, *(part.tobytes() for part in parts)))).hexdigest()[:DIGITS]


def _reserved(table: models.Table) -> list[str]:
    return [str(table.reserved_for)] if table.reserved_for else []

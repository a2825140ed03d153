"""Inquiries: what a worker needs to choose questions, by value, kept with its run."""

from __future__ import annotations

from dataclasses import dataclass
from io import BytesIO

import numpy as np
from sqlalchemy.orm import Session

from app.db import models
from app.events.progress import COUNTED_APART, count_ratings
from app.events.queries import revision_without
from app.guests.queries.guests import seated_guests_of
from app.problem.packing import pack, unpack
from app.problem.snapshot import Snapshot, build_problem
from app.questions.answered_pairs import pairs_without_questions
from app.ratings.known import known_values
from app.ratings.values import known_of
from app.solver import IntArray, Known, as_known
from app.tables.queries import tables_of


@dataclass(frozen=True)
class Inquiry:
    """Who is to be seated where, what is known about them, and which pairs need no question any more.

    `revision` shows later whether the event has changed since in more than its ratings and plans, `rated` how many
    ratings came since; `answers` is how often they were changed. `rated` is missing in what earlier versions packed.
    """

    snapshot: Snapshot
    known: Known
    asked: IntArray
    revision: int
    answers: int
    rated: int | None = None


def take_inquiry(session: Session, event: models.Event) -> Inquiry:
    """Copy what the choice of questions depends on; too few tables do not matter."""
    guests = seated_guests_of(session, event)
    ids = [guest.id for guest in guests]
    known, _ = known_of(session, event.id, ids, known_values(session, event.id, ids))
    snapshot = build_problem(session, event, guests, tables_of(session, event.id), np.zeros((len(guests), len(guests))))
    place = {guest_id: position for position, guest_id in enumerate(ids)}
    closed = pairs_without_questions(session, event.id)
    asked = sorted((place[a], place[b]) for a, b in closed if a in place and b in place)
    revision = revision_without(event, COUNTED_APART)
    rated = count_ratings(session, event.id)
    return Inquiry(snapshot, known, _as_pairs(asked), revision, event.ratings_revision, rated)


def pack_inquiry(inquiry: Inquiry) -> bytes:
    """Return the inquiry as compressed bytes."""
    known, file = inquiry.known, BytesIO()
    np.savez_compressed(
        file,
        snapshot=np.frombuffer(pack(inquiry.snapshot), dtype=np.uint8),
        pairs=known.pairs,
        values=known.values,
        groups=known.groups,
        group_defaults=known.group_defaults,
        wishes=_as_pairs(known.wishes),
        circles=np.zeros(known.groups.shape[1], dtype=bool) if known.circles is None else known.circles,
        asked=inquiry.asked,
        counted=np.array([inquiry.revision, inquiry.answers, *([] if inquiry.rated is None else [inquiry.rated])]),
    )
    return file.getvalue()


def unpack_inquiry(packed: bytes) -> Inquiry:
    """Return the inquiry that `pack_inquiry` was given."""
    with np.load(BytesIO(packed), allow_pickle=False) as stored:
        snapshot = unpack(stored["snapshot"].tobytes())
        known = as_known(
            len(snapshot.guest_ids),
            stored["pairs"],
            stored["values"],
            stored["groups"],
            stored["group_defaults"],
            snapshot.problem.parties,
            stored["wishes"],
            stored.get("circles"),
        )
        counted = stored["counted"].tolist() if "counted" in stored else (-1, 0)  # one packed by an earlier version
        return Inquiry(snapshot, known, _as_pairs(stored["asked"]), *counted)


def _as_pairs(pairs: object) -> IntArray:
    return np.asarray([] if pairs is None else pairs, dtype=np.int64).reshape(-1, 2)

"""The questions about the demo event and how settled its plan is, recorded as its plan is."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from app.clock import now
from app.events.context import EventContext
from app.events.measuring import put_off
from app.events.progress import COUNTED_APART, Measured, count_ratings
from app.events.queries import revision_without
from app.guests.queries.guests import seated_guests_of
from app.questions.batches import StoredBatch, put_batch
from app.solver import Batch, NameList, Question, Reason

QUESTIONS = Path(__file__).with_name("recorded_questions.json")
DIGITS, DRAWS = 3, 16
"""Enough to put the questions into another order after an answer."""


def add_recorded_questions(ctx: EventContext) -> None:
    """Store the recorded questions for the event as it is now, so that no worker has to choose any."""
    record = json.loads(QUESTIONS.read_text(encoding="utf-8"))
    ctx.session.refresh(ctx.event)
    revision, answers = revision_without(ctx.event, COUNTED_APART), ctx.event.ratings_revision
    rated = count_ratings(ctx.session, ctx.event_id)
    measured = Measured(record["settled"], tuple(record["after"]), revision, answers, rated=rated)
    ids = tuple(guest.id for guest in seated_guests_of(ctx.session, ctx.event))
    put_batch(ctx.session, ctx.event_id, StoredBatch(_batch_of(record), ids, now(), measured, _lists_of(record)))
    put_off(ctx.session, ctx.event_id, None)


def plain_questions(batch: Batch, measured: Measured, lists: Sequence[NameList]) -> dict[str, Any]:
    """Return questions and lists as they are recorded."""
    return {
        "questions": [[q.a, q.b, q.reason.value, round(q.gain, 2 * DIGITS)] for q in batch.questions],
        "means": batch.means.round(DIGITS).tolist(),
        "deviations": batch.deviations[:DRAWS].round(DIGITS).tolist(),
        "between_two": batch.between_two,
        "settled": measured.settled,
        "after": measured.after,
        "lists": [[one.guest, one.others, one.guesses, round(one.gain, 2 * DIGITS)] for one in lists],
    }


def _batch_of(record: dict[str, Any]) -> Batch:
    questions = tuple(Question(a, b, Reason(reason), gain) for a, b, reason, gain in record["questions"])
    return Batch(questions, np.array(record["means"]), np.array(record["deviations"]), record["between_two"])


def _lists_of(record: dict[str, Any]) -> tuple[NameList, ...]:
    rows = record["lists"]
    return tuple(NameList(guest, tuple(others), tuple(guesses), gain) for guest, others, guesses, gain in rows)

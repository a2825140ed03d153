"""Batches of questions as they are stored: a worker writes one, the pages take cards from it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from io import BytesIO
from typing import Any
from uuid import UUID

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import delete
from sqlalchemy.orm import Session

from app.clock import now
from app.db import models
from app.db.models.runs import OVER
from app.db.upsert import upsert
from app.events.progress import Measured
from app.questions import queries
from app.questions.queries import Pair
from app.solver import Batch, NameList, Question, Reason

REASONS = tuple(Reason)
ID_BYTES = 16


@dataclass(frozen=True)
class StoredBatch:
    """Questions and lists by the guests' positions in `guest_ids`, as of the moment when they were asked for.

    `measured` is how settled the plan was then; missing in batches that were stored before it was.
    """

    batch: Batch
    guest_ids: tuple[UUID, ...]
    asked_at: datetime
    measured: Measured | None
    lists: tuple[NameList, ...] = ()

    def pair(self, question: Question) -> Pair:
        """Return whom a question is about, the smaller id first."""
        return self.pair_of(question.a, question.b)

    def pair_of(self, one: int, other: int) -> Pair:
        """Return the ids of two guests, the smaller one first."""
        a, b = self.guest_ids[one], self.guest_ids[other]
        return min(a, b), max(a, b)


def read_batch(session: Session, event_id: UUID) -> StoredBatch | None:
    """Return the questions that a worker chose last."""
    stored = queries.batch_of(session, event_id)
    return unpack_batch(*stored) if stored else None


def store_batch(session: Session, event_id: UUID, run_id: UUID, stored: StoredBatch) -> None:
    """Put the questions in the place of those before, and forget the earlier runs that chose some."""
    put_batch(session, event_id, stored)
    run = models.Run
    over = run.status.in_(OVER)
    earlier = (run.event_id == event_id, run.purpose == "questions", run.id != run_id, over)
    session.execute(delete(run).where(*earlier))


def put_batch(session: Session, event_id: UUID, stored: StoredBatch) -> None:
    """Put the questions in the place of those before."""
    progress = stored.measured.as_json() if stored.measured else None
    row = {"event_id": event_id, "content": pack_batch(stored), "progress": progress, "created_at": now()}
    upsert(session, models.QuestionBatch, [row], ["content", "progress", "created_at"])


def pack_batch(stored: StoredBatch) -> bytes:
    """Return the questions as compressed bytes, without what was measured."""
    file, questions = BytesIO(), stored.batch.questions
    np.savez_compressed(
        file,
        pairs=np.array([(q.a, q.b) for q in questions], dtype=np.int64).reshape(-1, 2),
        reasons=np.array([REASONS.index(q.reason) for q in questions], dtype=np.int8),
        gains=np.array([q.gain for q in questions]),
        means=stored.batch.means,
        deviations=stored.batch.deviations,
        between_two=np.array(stored.batch.between_two),
        guest_ids=np.frombuffer(b"".join(guest.bytes for guest in stored.guest_ids), dtype=np.uint8),
        asked_at=np.array(stored.asked_at.isoformat()),
        list_guests=np.array([one.guest for one in stored.lists], dtype=np.int64),
        list_sizes=np.array([len(one.others) for one in stored.lists], dtype=np.int64),
        list_others=np.array([other for one in stored.lists for other in one.others], dtype=np.int64),
        list_guesses=np.array([level for one in stored.lists for level in one.guesses], dtype=np.int64),
        list_gains=np.array([one.gain for one in stored.lists]),
    )
    return file.getvalue()


def unpack_batch(packed: bytes, measured: Measured | None) -> StoredBatch:
    """Return the questions that `pack_batch` was given, with what was measured."""
    with np.load(BytesIO(packed), allow_pickle=False) as stored:
        rows = zip(stored["pairs"].tolist(), stored["reasons"].tolist(), stored["gains"].tolist(), strict=True)
        questions = tuple(Question(a, b, REASONS[reason], gain) for (a, b), reason, gain in rows)
        ids = stored["guest_ids"].tobytes()
        return StoredBatch(
            Batch(questions, stored["means"], stored["deviations"], float(stored["between_two"])),
            tuple(UUID(bytes=ids[start : start + ID_BYTES]) for start in range(0, len(ids), ID_BYTES)),
            datetime.fromisoformat(str(stored["asked_at"])),
            measured,
            tuple(_unpack_lists(stored)) if "list_guests" in stored else (),  # an earlier version packed none
        )


def _unpack_lists(stored: Mapping[str, NDArray[Any]]) -> Iterator[NameList]:
    ends = np.cumsum(stored["list_sizes"])[:-1]
    others, guesses = (np.split(stored[name], ends) for name in ("list_others", "list_guesses"))
    heads = zip(stored["list_guests"].tolist(), stored["list_gains"].tolist(), strict=True)
    for (guest, gain), names, levels in zip(heads, others, guesses, strict=False):
        yield NameList(guest, tuple(names.tolist()), tuple(levels.tolist()), gain)

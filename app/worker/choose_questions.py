"""Choosing the next questions, in a worker: infer what pairs are worth, find good plans, ask where they disagree."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime

import numpy as np
from sqlalchemy.orm import Session

from app.events.progress import Measured, last_measured
from app.questions.batches import StoredBatch, store_batch
from app.questions.question_cards import USUAL_SEATS
from app.questions.question_snapshot import Inquiry, unpack_inquiry
from app.ratings.values import LEAST_RATINGS
from app.runs.leases import Lease, end_run
from app.solver import (
    GIBBS_DRAWS,
    Batch,
    GoodPlans,
    Inference,
    Known,
    ShouldStop,
    Unsolvable,
    find_good_plans,
    infer_deeply,
    never_stop,
    next_lists,
    next_questions,
    settled_after,
    settledness,
)

Save = Callable[[Session], bool]
QUESTIONS, LISTS = 60, 8
SHARE_DIGITS = 4
FEWEST_DRAWS, ROOM = 16, 10_000_000
"""Draws are kept as guests × guests each; more than so many numbers would take hundreds of megabytes."""


def choose_questions(lease: Lease, packed: bytes, should_stop: ShouldStop) -> Save:
    """Choose the next questions of an event; return what stores them."""
    inquiry = unpack_inquiry(packed)
    stored = choose_for(inquiry, lease.options.seed, lease.created_at, should_stop)
    return lambda session: stored is not None and _save(session, lease, stored)


def choose_for(
    inquiry: Inquiry, seed: int, asked_at: datetime, should_stop: ShouldStop = never_stop
) -> StoredBatch | None:
    """Return the next questions and how settled the plan is; None when it is stopped."""
    keep = max(FEWEST_DRAWS, min(GIBBS_DRAWS, ROOM // max(inquiry.known.guests, 1) ** 2))
    inference = infer_deeply(inquiry.known, seed=seed, keep=keep)
    if should_stop():
        return None
    problem = inquiry.snapshot.problem
    plans = _plans(inquiry, inference, seed)
    seats = [table.most for table in problem.tables] or [USUAL_SEATS]
    others = plans.others if plans else np.empty((0, problem.guest_count), dtype=np.int64)
    batch = next_questions(inference, seats, others, inquiry.asked, QUESTIONS, problem.parties)
    count = LISTS if _has_guesses(inquiry.known) else 0
    lists = next_lists(inference, seats, others, inquiry.asked, count, problem.parties)
    return StoredBatch(batch, inquiry.snapshot.guest_ids, asked_at, _measure(inquiry, plans, batch), lists)


def _has_guesses(known: Known) -> bool:
    """Tell whether enough is known for guesses that a planner can correct: without it all of them would be neutral."""
    return len(known.pairs) >= LEAST_RATINGS or not bool(np.isnan(known.group_defaults).all())


def _measure(inquiry: Inquiry, plans: GoodPlans | None, batch: Batch) -> Measured:
    """Say how settled the plan is and will be; nothing where no plan is possible yet."""
    if plans is None:
        return Measured(None, (), inquiry.revision, inquiry.answers, rated=inquiry.rated)
    after = tuple(round(share, SHARE_DIGITS) for share in settled_after(plans.gained, plans.left, batch.doubt))
    settled = settledness(plans.gained, plans.left)
    return Measured(settled, after, inquiry.revision, inquiry.answers, rated=inquiry.rated)


def _plans(inquiry: Inquiry, inference: Inference, seed: int) -> GoodPlans | None:
    """Return good plans, or None where the tables or rules do not allow any yet."""
    problem = inquiry.snapshot.problem
    least = sum(table.least for table in problem.tables)
    if not least <= problem.guest_count <= problem.seat_count:
        return None
    try:
        return find_good_plans(problem, inference, seed=seed)
    except Unsolvable:
        return None


def _save(session: Session, lease: Lease, stored: StoredBatch) -> bool:
    """Write status and questions together, or neither."""
    if not end_run(session, lease, "done"):
        return False
    now = stored.measured and stored.measured.following(last_measured(session, lease.event_id))
    store_batch(session, lease.event_id, lease.run_id, replace(stored, measured=now))
    return True

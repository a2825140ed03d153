"""Wishes and pairs that were asked about, from a file: written at once, because there can be many."""

from __future__ import annotations

from collections.abc import Mapping
from uuid import UUID

from sqlalchemy import insert

from app.clock import now
from app.db import models
from app.events.context import EventContext

Pair = tuple[UUID, UUID]


def add_wishes(ctx: EventContext, states: Mapping[Pair, str]) -> None:
    """Store who wishes to sit with whom, and what was said to it."""
    at = now()
    rows = [
        {
            "event_id": ctx.event_id,
            "guest_id": guest,
            "other_id": other,
            "created_at": at,
            "accepted_at": at if state == "accepted" else None,
            "declined_at": at if state == "declined" else None,
        }
        for (guest, other), state in states.items()
    ]
    if rows:
        ctx.session.execute(insert(models.Wish), rows)


def add_asked(ctx: EventContext, answers: Mapping[Pair, str]) -> None:
    """Store the pairs that got no rating; of two answers about a pair the last one counts."""
    sorted_pairs = {(min(pair), max(pair)): answer for pair, answer in answers.items()}
    at = now()
    rows = [
        {"event_id": ctx.event_id, "guest_a": a, "guest_b": b, "answer": answer, "created_at": at}
        for (a, b), answer in sorted_pairs.items()
    ]
    if rows:
        ctx.session.execute(insert(models.AskedPair), rows)

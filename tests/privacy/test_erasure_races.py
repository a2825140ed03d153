"""Erasing a guest while others work: what they prepared before, or write later, brings nothing of the guest back."""

from __future__ import annotations

from uuid import UUID

import numpy as np
import pytest
from sqlalchemy import event, select

from app.accounts.actor import Actor
from app.db import models
from app.db.session import Sessions, transaction
from app.errors import EventChanged
from app.events.context import open_event
from app.files.sheet_limits import ListSheet, SheetRow
from app.guests.imports.importing import open_import
from app.privacy.erase import erase_one, prepare_one
from app.privacy.removed import list_removed
from app.ratings.matrix import put_matrix
from app.runs.leases import end_run, take_lease
from tests.factories import Planned, make_plan


@pytest.fixture
def made(sessions: Sessions, owner: Actor) -> Planned:
    with transaction(sessions) as session:
        return make_plan(session, owner, sizes=(2, 2), names=["Canary", "Bo", "Cleo", "Dan"])


def _erase(sessions: Sessions, owner: Actor, event_id: UUID, guest_id: UUID) -> None:
    with transaction(sessions) as session:
        ctx = open_event(session, owner, event_id)
        erase_one(ctx, prepare_one(ctx, guest_id))


def test_two_erasures_at_once_leave_neither_guest_in_the_matrix(
    sessions: Sessions, owner: Actor, made: Planned
) -> None:
    event_id, ids = made.event.id, [guest.id for guest in made.guests]
    with transaction(sessions) as session:
        put_matrix(open_event(session, owner, event_id), "score", ids, np.eye(4))
    with transaction(sessions, read_only=True) as session:
        ctx = open_event(session, owner, event_id)
        first, second = prepare_one(ctx, ids[0]), prepare_one(ctx, ids[1])
    with transaction(sessions) as session:
        erase_one(open_event(session, owner, event_id), first)
    with pytest.raises(EventChanged), transaction(sessions) as session:
        erase_one(open_event(session, owner, event_id), second)
    _erase(sessions, owner, event_id, ids[1])
    with transaction(sessions) as session:
        assert session.scalars(select(models.RatingMatrix.guest_ids)).one() == [str(one) for one in ids[2:]]


def test_run_that_fails_after_an_erasure_gives_no_reason(sessions: Sessions, owner: Actor, made: Planned) -> None:
    with transaction(sessions) as session:
        session.get_one(models.Run, made.run.id).status = "queued"
    with transaction(sessions) as session:
        lease = take_lease(session, made.run.id)
        assert lease is not None
    _erase(sessions, owner, made.event.id, made.guests[0].id)
    with transaction(sessions) as session:
        assert end_run(session, lease, "failed", error="Canary and Bo sit apart.")
    with transaction(sessions) as session:
        run = session.get_one(models.Run, made.run.id)
        assert (run.status, run.error) == ("cancelled", None)


def test_failed_run_forgets_what_an_erased_guest_was_called_then(
    sessions: Sessions, owner: Actor, made: Planned
) -> None:
    with transaction(sessions) as session:
        run = session.get_one(models.Run, made.run.id)
        run.status, run.error = "failed", "Canary and Bo sit apart."
        session.get_one(models.Guest, made.guests[0].id).name = "Finch"
    _erase(sessions, owner, made.event.id, made.guests[0].id)
    with transaction(sessions) as session:
        assert "Canary" not in str(session.get_one(models.Run, made.run.id).error)


def test_unconfirmed_file_goes_wherever_it_names_the_guest(sessions: Sessions, owner: Actor, made: Planned) -> None:
    rows = [SheetRow(number, ("Somebody", f"Else {number}")) for number in range(1, 200)]
    with transaction(sessions) as session:
        ctx = open_event(session, owner, made.event.id)
        open_import(ctx, [ListSheet("", [*rows, SheetRow(200, ("Canary",))])], "list.csv")
    _erase(sessions, owner, made.event.id, made.guests[0].id)
    with transaction(sessions) as session:
        assert session.scalars(select(models.GuestImport)).all() == []


def test_removed_guests_are_listed_in_as_many_queries_as_one(sessions: Sessions, owner: Actor, made: Planned) -> None:
    with transaction(sessions) as session:
        for guest in session.scalars(select(models.Guest)):
            guest.removed_at = made.event.created_at
        session.flush()
        ctx, queries = open_event(session, owner, made.event.id), []
        connection = session.connection()
        event.listen(connection, "before_cursor_execute", lambda *args: queries.append(args[2]))
        found = list_removed(ctx)
    assert [guest.kept.seats for guest in found] == [1, 1, 1, 1]
    assert len(queries) <= 8

"""Large events: the same values from few pairs as from all of them, and plans without anything n × n."""

from __future__ import annotations

from uuid import UUID

import pytest
from sqlalchemy import insert
from sqlalchemy.orm import Session

from app.accounts.actor import Actor
from app.clock import now
from app.db.models import Event, Wish
from app.db.session import Sessions, transaction
from app.errors import Invalid, TooLarge
from app.events.context import open_event
from app.guests import whole_list as guest_lists
from app.guests.entries import GuestEntry
from app.guests.groups import GroupEntry, add_group
from app.guests.queries.guests import seated_guests_of
from app.plans import read as plans
from app.plans.moves.edit import MoveEntry, make_move
from app.problem.packing import pack, unpack
from app.problem.snapshot import take_snapshot
from app.ratings.change import Entry, patch_ratings, start_over
from app.ratings.group_defaults import GroupPair, set_group_ratings
from app.ratings.matrix import read_matrix
from app.ratings.sparse_values import MOST_PAIRS, few_values
from app.ratings.values import pair_values
from app.runs.options import RunOptions
from app.runs.prepare import prepare_run
from app.solver import MATRIX_GUESTS
from app.worker.execute import execute_run
from tests.factories import make_event, make_tables
from tests.run_helpers import read_run, stored_run

GUESTS = MATRIX_GUESTS + 40


def test_few_pairs_have_the_same_values_as_all_of_them(session: Session, owner: Actor) -> None:
    event = make_event(session, owner)
    entries = [GuestEntry(f"Guest {n}", party=f"Party {n // 3}" if n < 9 else None) for n in range(20)]
    ids = [guest.id for guest in guest_lists.replace_guests(open_event(session, owner, event.id), entries)]
    rated = [(0, 1, -1.0), (1, 0, 2.0), (4, 12, 0.0), (5, 6, 1.5), (19, 18, -2.0)]
    patch_ratings(open_event(session, owner, event.id), [Entry(ids[a], ids[b], score) for a, b, score in rated])
    wishes = [(10, 11), (11, 10), (0, 2), (5, 6)]
    accepted = {"event_id": event.id, "created_at": now(), "accepted_at": now()}
    session.execute(insert(Wish), [{**accepted, "guest_id": ids[a], "other_id": ids[b]} for a, b in wishes])
    members = (ids[:10], ids[5:15], ids[14:])
    groups = [
        add_group(open_event(session, owner, event.id), GroupEntry(f"Group {n}", guest_ids=tuple(guests))).id
        for n, guests in enumerate(members)
    ]
    cells = [(0, 0, 1.0), (0, 1, -1.0), (1, 2, 0.5), (2, 2, -2.0), (1, 1, 0.0)]
    set_group_ratings(
        open_event(session, owner, event.id), [GroupPair(groups[a], groups[b], score) for a, b, score in cells]
    )
    guests = seated_guests_of(session, event)
    all_values = pair_values(session, event, guests, most_guessed=0).values
    assert few_values(session, event, [guest.id for guest in guests]).as_matrix().tolist() == all_values.tolist()


def large_event(sessions: Sessions, owner: Actor, count: int = GUESTS) -> tuple[UUID, list[UUID]]:
    """Make an event too large for a matrix: everybody likes the next one, and the first four are couples."""
    with transaction(sessions) as session:
        event = make_event(session, owner)
        entries = [GuestEntry(f"Guest {n}", party=f"Couple {n // 2}" if n < 4 else None) for n in range(count)]
        ids = [guest.id for guest in guest_lists.replace_guests(open_event(session, owner, event.id), entries)]
        patch_ratings(
            open_event(session, owner, event.id), [Entry(a, b, 2.0) for a, b in zip(ids[::2], ids[1::2], strict=True)]
        )
        make_tables(session, event, (20,) * -(-count // 20))
        return event.id, ids


def test_large_event_is_planned_changed_and_read_without_a_matrix(sessions: Sessions, owner: Actor) -> None:
    event_id, ids = large_event(sessions, owner)
    with transaction(sessions, read_only=True) as session:
        event = session.get_one(Event, event_id)
        snapshot = unpack(pack(take_snapshot(session, event, objective="average")))
    assert snapshot.problem.matrix.size == 0
    assert snapshot.problem.ratings is not None
    assert len(snapshot.problem.ratings.scores) == GUESTS  # each of the pairs from both sides
    run_id = stored_run(sessions, owner, event_id, restarts=1, time_limit=1.0)
    assert execute_run(sessions, run_id) == "done"
    plan_id = read_run(sessions, run_id).plan_id
    assert plan_id is not None
    with transaction(sessions) as session:
        view = plans.read_plan(open_event(session, owner, event_id), plan_id)
        assert view.guest_count == GUESTS
        assert view.figures is not None
        at = {guest.id: table for table in view.tables for guest in table.guests}
        assert (at[ids[0]].id, at[ids[2]].id) == (at[ids[1]].id, at[ids[3]].id)
        assert view.total == pytest.approx(2.0 * sum(at[a] is at[b] for a, b in zip(ids[::2], ids[1::2], strict=True)))
        elsewhere = next(table for table in view.tables if table.id != at[ids[9]].id)
        single = next(guest for guest in elsewhere.guests if guest.id not in ids[:4])
        make_move(open_event(session, owner, event_id), plan_id, MoveEntry("swap", ids[9], single.id))
        moved = plans.read_plan(open_event(session, owner, event_id), plan_id)
        at = {guest.id: table for table in moved.tables for guest in table.guests}
        assert at[ids[9]].id == elsewhere.id
        assert moved.total == pytest.approx(2.0 * sum(at[a] is at[b] for a, b in zip(ids[::2], ids[1::2], strict=True)))


def test_matrix_of_too_many_guests_is_refused_before_it_is_read(sessions: Sessions, owner: Actor) -> None:
    event_id, _ = large_event(sessions, owner, 6_002)
    with transaction(sessions) as session:
        with pytest.raises(TooLarge, match="6,000"):
            read_matrix(open_event(session, owner, event_id))
        start_over(open_event(session, owner, event_id), "distance")
        with pytest.raises(Invalid, match="6,000") as refused:
            prepare_run(open_event(session, owner, event_id), RunOptions())
    assert [fault.where for fault in refused.value.faults] == ["guests"]


def test_what_needs_a_matrix_is_refused_at_once_in_a_huge_event(sessions: Sessions, owner: Actor) -> None:
    event_id, _ = large_event(sessions, owner, 6_002)
    with transaction(sessions, read_only=True) as session, pytest.raises(Invalid) as refused:
        prepare_run(open_event(session, owner, event_id), RunOptions(fairness="some", shards=2))
    assert sorted(fault.where for fault in refused.value.faults) == ["fairness", "shards"]


def test_ratings_of_huge_groups_are_refused_before_they_are_laid_out(sessions: Sessions, owner: Actor) -> None:
    event_id, ids = large_event(sessions, owner)
    with transaction(sessions) as session:
        group = add_group(open_event(session, owner, event_id), GroupEntry("Everybody", guest_ids=tuple(ids))).id
        set_group_ratings(open_event(session, owner, event_id), [GroupPair(group, group, 1.0)])
        assert GUESTS**2 // 2 > MOST_PAIRS
        with pytest.raises(Invalid, match=f"{MOST_PAIRS:,}"):
            prepare_run(open_event(session, owner, event_id), RunOptions())

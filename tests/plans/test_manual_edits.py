"""Edits of a plan by hand: moves, swaps, locks, undo and redo."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import select
from sqlalchemy.orm import Session

from app.accounts.actor import Actor
from app.clock import now
from app.db import models
from app.errors import Conflict, Forbidden, Invalid
from app.events.context import open_event
from app.plans import read as plans
from app.plans.moves.changes import list_changes
from app.plans.moves.edit import MoveEntry, make_move
from app.plans.moves.effects import list_effects
from app.plans.moves.history import can_redo, can_undo, last_done
from app.plans.moves.options import list_options
from app.plans.moves.promises import broken_rules
from app.plans.queries.moves import newest_moves
from app.plans.views.edit_feedback import describe_edit
from app.solver import mean_squared_error, total_score
from tests.factories import Planned, make_member, make_plan

NAMES = ["Aino", "Bo", "Cleo", "Dan", "Eve"]
SCORES = np.array(
    [[0, 2, 0, 0, 1], [2, 0, 0, 0, 0], [0, 0, 0, -2, 0], [0, 0, -2, 0, 1], [1, 0, 0, 1, 0]],
    dtype=float,
)


@pytest.fixture
def made(session: Session, owner: Actor) -> Planned:
    """Aino, Bo at a table of 3; Cleo, Dan, Eve at a table of 3 that they fill."""
    return make_plan(session, owner, sizes=(3, 3), names=NAMES, matrix=SCORES, assignment=[0, 0, 1, 1, 1], bound=0.1)


def move(session: Session, owner: Actor, made: Planned, kind: str, **what: object) -> models.Plan:
    return make_move(open_event(session, owner, made.event.id), made.plan.id, MoveEntry(kind, **what))  # type: ignore[arg-type]


def seats(session: Session, owner: Actor, made: Planned) -> list[list[tuple[str, int]]]:
    view = plans.read_plan(open_event(session, owner, made.event.id), made.plan.id)
    return [[(guest.name, guest.seat) for guest in table.guests] for table in view.tables]


def add_rule(session: Session, made: Planned, kind: str, guests: list[int], tables: list[int] | None = None) -> None:
    rule = models.Rule(event_id=made.event.id, kind=kind)
    session.add(rule)
    session.flush()
    session.add_all(models.RuleGuest(rule_id=rule.id, guest_id=made.guests[g].id) for g in guests)
    session.add_all(models.RuleTable(rule_id=rule.id, table_id=made.tables[t].id) for t in tables or [])
    session.flush()


def test_guest_moves_to_the_first_free_seat_and_figures_follow(session: Session, owner: Actor, made: Planned) -> None:
    plan = move(session, owner, made, "move", guest=made.guests[4].id, table=made.tables[0].id)
    assert seats(session, owner, made) == [[("Aino", 0), ("Bo", 1), ("Eve", 2)], [("Cleo", 0), ("Dan", 1)]]
    after, problem = [0, 0, 1, 1, 0], made.snapshot.problem
    assert plan.mse == pytest.approx(mean_squared_error(problem.squared_distances, after, 2))
    assert plan.total == pytest.approx(total_score(problem.scores, after))
    eve = plans.read_plan(open_event(session, owner, made.event.id), made.plan.id).tables[0].guests[2]
    assert eve.figure is not None
    assert (eve.figure.best_guest, eve.figure.liked) == (made.guests[0].id, 1)


def test_full_table_refuses_a_move_and_takes_a_swap(session: Session, owner: Actor, made: Planned) -> None:
    with pytest.raises(
        Conflict, match=r"Table 2 is full \(4 guests at 3 seats\)\. Swap with someone there, or add a chair"
    ):
        move(session, owner, made, "move", guest=made.guests[0].id, table=made.tables[1].id)
    move(session, owner, made, "swap", guest=made.guests[0].id, other=made.guests[3].id)
    assert seats(session, owner, made) == [[("Dan", 0), ("Bo", 1)], [("Cleo", 0), ("Aino", 1), ("Eve", 2)]]


def test_households_of_the_same_size_swap(session: Session, owner: Actor, made: Planned) -> None:
    aino, bo, cleo, dan, eve = (guest.id for guest in made.guests)
    with pytest.raises(
        Conflict, match=r"2 guests swap only with a household of 2\. Move Dan and others to the unseated"
    ):
        move(session, owner, made, "swap", guests=(aino, bo), other=dan)
    open_event(session, owner, made.event.id).edit()
    party = models.Party(event_id=made.event.id, name="Brown", name_key="brown")
    session.add(party)
    session.flush()
    made.guests[3].party_id = made.guests[4].party_id = party.id
    session.flush()
    effects = list_effects(open_event(session, owner, made.event.id), made.plan.id, [aino, bo])
    at_full_table = [(one.seat, one.other, one.tone) for one in effects.seats if one.table == made.tables[1].id]
    assert [(seat, other) for seat, other, _ in at_full_table] == [(0, None), (1, dan), (2, eve)]
    assert [tone == "breaks" for *_, tone in at_full_table] == [True, False, False]
    move(session, owner, made, "swap", guests=(aino, bo), other=eve)
    assert seats(session, owner, made) == [[("Eve", 0), ("Dan", 1)], [("Cleo", 0), ("Bo", 1), ("Aino", 2)]]
    move(session, owner, made, "undo")
    assert seats(session, owner, made) == [[("Aino", 0), ("Bo", 1)], [("Cleo", 0), ("Dan", 1), ("Eve", 2)]]
    assert cleo not in {one.other for one in effects.seats}


def test_guest_moves_to_the_seat_that_is_asked_for(session: Session, owner: Actor, made: Planned) -> None:
    move(session, owner, made, "move", guest=made.guests[0].id, table=made.tables[0].id, seat=2)
    assert seats(session, owner, made)[0] == [("Bo", 1), ("Aino", 2)]
    with pytest.raises(Conflict, match="Bo sits there"):
        move(session, owner, made, "move", guest=made.guests[0].id, table=made.tables[0].id, seat=1)
    with pytest.raises(Invalid, match="Table 1 has 3 seats"):
        move(session, owner, made, "move", guest=made.guests[0].id, table=made.tables[0].id, seat=3)


def test_undo_and_redo_walk_through_all_moves(session: Session, owner: Actor, made: Planned) -> None:
    first = (seats(session, owner, made), made.plan.mse)
    move(session, owner, made, "swap", guest=made.guests[0].id, other=made.guests[3].id)
    move(session, owner, made, "move", guest=made.guests[4].id, table=made.tables[0].id)
    move(session, owner, made, "lock", guest=made.guests[4].id)
    last = (seats(session, owner, made), made.plan.mse)
    for _ in range(3):
        move(session, owner, made, "undo")
    assert (seats(session, owner, made), made.plan.mse) == first
    assert (can_undo(session, made.plan), can_redo(session, made.plan)) == (False, True)
    for _ in range(3):
        move(session, owner, made, "redo")
    assert (seats(session, owner, made), made.plan.mse) == last
    assert (can_undo(session, made.plan), can_redo(session, made.plan)) == (True, False)
    with pytest.raises(Conflict, match="Nothing to redo"):
        move(session, owner, made, "redo")


def test_new_move_ends_what_could_be_done_again(session: Session, owner: Actor, made: Planned) -> None:
    move(session, owner, made, "lock", guest=made.guests[0].id)
    move(session, owner, made, "undo")
    move(session, owner, made, "lock", guest=made.guests[1].id)
    assert can_redo(session, made.plan) is False
    move(session, owner, made, "undo")
    with pytest.raises(Conflict, match="Nothing to undo"):
        move(session, owner, made, "undo")
    move(session, owner, made, "redo")
    locked = [g.name for t in plans.view_plan(session, made.plan, can_edit=False).tables for g in t.guests if g.locked]
    assert (locked, can_redo(session, made.plan)) == (["Bo"], False)  # and not Aino, whose lock was undone before


def test_locked_guest_stays_until_unlocked(session: Session, owner: Actor, made: Planned) -> None:
    move(session, owner, made, "lock", guest=made.guests[4].id)
    with pytest.raises(Conflict, match="Eve is locked"):
        move(session, owner, made, "move", guest=made.guests[4].id, table=made.tables[0].id)
    with pytest.raises(Conflict, match="Eve is locked"):
        move(session, owner, made, "swap", guest=made.guests[0].id, other=made.guests[4].id)
    move(session, owner, made, "unlock", guest=made.guests[4].id)
    move(session, owner, made, "move", guest=made.guests[4].id, table=made.tables[0].id)
    assert seats(session, owner, made)[0] == [("Aino", 0), ("Bo", 1), ("Eve", 2)]


@pytest.mark.parametrize(
    ("kind", "guests", "tables", "words"),
    [
        ("together", [3, 4], [], "Dan and Eve sit together"),
        ("apart", [0, 4], [], "Aino and Eve sit apart"),
        ("pinned", [4], [1], "Eve sits at Table 2"),
        ("side_by_side", [3, 4], [], "Dan and Eve sit side by side"),
    ],
)
def test_move_that_breaks_a_rule_is_refused_in_words(
    session: Session, owner: Actor, made: Planned, kind: str, guests: list[int], tables: list[int], words: str
) -> None:
    add_rule(session, made, kind, guests, tables)
    before = seats(session, owner, made)
    with pytest.raises(Conflict, match=f"That would break the rule “{words}”. Nothing was changed."):
        move(session, owner, made, "move", guest=made.guests[4].id, table=made.tables[0].id)
    session.expire_all()
    assert seats(session, owner, made) == before


def test_two_who_sit_side_by_side_are_not_parted_at_their_own_table(session: Session, owner: Actor) -> None:
    made = make_plan(session, owner, sizes=(4, 2), names=NAMES, assignment=[0, 0, 0, 0, 1])
    add_rule(session, made, "side_by_side", [0, 1])
    move(session, owner, made, "swap", guest=made.guests[2].id, other=made.guests[3].id)
    with pytest.raises(Conflict, match="Aino and Bo sit side by side"):
        move(session, owner, made, "swap", guest=made.guests[1].id, other=made.guests[3].id)


def test_rule_that_is_broken_already_does_not_stop_the_mending(session: Session, owner: Actor, made: Planned) -> None:
    add_rule(session, made, "together", [0, 1, 4])
    move(session, owner, made, "move", guest=made.guests[4].id, table=made.tables[0].id)
    assert seats(session, owner, made)[0] == [("Aino", 0), ("Bo", 1), ("Eve", 2)]


def test_each_move_counts_the_version_up_and_a_move_to_nowhere_does_not(
    session: Session, owner: Actor, made: Planned
) -> None:
    assert move(session, owner, made, "lock", guest=made.guests[0].id).version == 2
    assert move(session, owner, made, "lock", guest=made.guests[0].id).version == 2
    assert move(session, owner, made, "undo").version == 3


def test_edited_plan_is_proven_only_where_it_is_as_good(session: Session, owner: Actor) -> None:
    made = make_plan(session, owner, sizes=(3, 3), names=NAMES, matrix=SCORES, assignment=[0, 0, 1, 1, 1],
                     bound=0.1, proven_optimal=True)  # fmt: skip
    assert move(session, owner, made, "lock", guest=made.guests[0].id).proven_optimal is True
    assert move(session, owner, made, "swap", guest=made.guests[1].id, other=made.guests[2].id).proven_optimal is False
    plan = move(session, owner, made, "undo")
    assert (plan.proven_optimal, plan.bound) == (True, 0.1)


def test_undo_leaves_out_a_guest_who_was_removed(session: Session, owner: Actor, made: Planned) -> None:
    move(session, owner, made, "swap", guest=made.guests[0].id, other=made.guests[3].id)
    made.guests[3].removed_at = now()
    session.flush()
    move(session, owner, made, "undo")
    assert seats(session, owner, made) == [[("Aino", 0), ("Bo", 1)], [("Cleo", 0), ("Eve", 2)]]


def test_undo_goes_on_past_a_deleted_table(session: Session, owner: Actor, made: Planned) -> None:
    start = seats(session, owner, made)
    move(session, owner, made, "move", guest=made.guests[4].id, table=made.tables[0].id)
    move(session, owner, made, "move", guest=made.guests[0].id, table=made.tables[1].id)
    move(session, owner, made, "lock_table", table=made.tables[1].id)
    open_event(session, owner, made.event.id).edit()
    made.tables[1].removed_at = now()
    session.flush()
    move(session, owner, made, "undo", to=0)
    assert seats(session, owner, made) == start
    move(session, owner, made, "redo", to=3)
    view = plans.read_plan(open_event(session, owner, made.event.id), made.plan.id)
    assert [(table.is_removed, table.locked) for table in view.tables] == [(False, False), (True, False)]


def test_guest_who_declined_keeps_their_seat_while_another_is_empty(
    session: Session, owner: Actor, made: Planned
) -> None:
    here, aino, eve = made.tables[0], made.guests[0], made.guests[4]
    move(session, owner, made, "move", guest=eve.id, table=None)
    aino.reply = "no"
    session.flush()
    move(session, owner, made, "move", guest=eve.id, table=here.id)
    rows = session.scalars(select(models.Seat).where(models.Seat.plan_id == made.plan.id))
    assert {(row.guest_id, row.table_id, row.seat) for row in rows} >= {(aino.id, here.id, 0), (eve.id, here.id, 2)}


def test_guest_who_declined_loses_a_seat_that_is_to_stay_empty(session: Session, owner: Actor, made: Planned) -> None:
    table, aino = made.tables[0].id, made.guests[0]
    start = seats(session, owner, made)
    aino.reply = "no"
    session.flush()
    move(session, owner, made, "block_seat", table=table, seat=0)
    ctx = open_event(session, owner, made.event.id)
    assert [change.text for change in list_changes(ctx, made.plan.id)] == ["Kept seat 1 at Table 1 empty"]
    done = last_done(newest_moves(session, made.plan.id, limit=1), "block_seat")
    assert describe_edit(plans.read_plan(ctx, made.plan.id), done).text == "Seat 1 at Table 1 stays empty."
    aino.reply = "yes"
    session.flush()
    assert seats(session, owner, made)[0] == [("Bo", 1)]
    move(session, owner, made, "undo")
    assert seats(session, owner, made) == start


def test_removed_table_takes_nobody(session: Session, owner: Actor, made: Planned) -> None:
    made.tables[1].removed_at = now()
    session.flush()
    with pytest.raises(Invalid, match="Choose a table of this event"):
        move(session, owner, made, "move", guest=made.guests[0].id, table=made.tables[1].id)


def test_guest_of_another_event_is_not_taken(session: Session, owner: Actor, made: Planned) -> None:
    other = make_plan(session, owner, sizes=(2,), names=["Zoe"])
    with pytest.raises(Invalid, match="Guest not found in this plan"):
        move(session, owner, made, "swap", guest=made.guests[0].id, other=other.guests[0].id)
    with pytest.raises(Invalid, match="Choose a table of this event"):
        move(session, owner, made, "move", guest=made.guests[0].id, table=other.tables[0].id)


def test_viewer_cannot_move(session: Session, owner: Actor, made: Planned) -> None:
    viewer = make_member(session, made.event.id, "viewer")
    with pytest.raises(Forbidden):
        move(session, viewer, made, "lock", guest=made.guests[0].id)
    with pytest.raises(Forbidden):
        list_options(open_event(session, viewer, made.event.id), made.plan.id, made.guests[0].id)


def test_options_tell_what_each_move_then_does(session: Session, owner: Actor, made: Planned) -> None:
    add_rule(session, made, "apart", [0, 2])
    move(session, owner, made, "lock", guest=made.guests[3].id)
    options = list_options(open_event(session, owner, made.event.id), made.plan.id, made.guests[4].id)
    assert [(o.table_name, o.other_name, o.obstacle) for o in options] == [
        ("Table 1", "", None),
        ("Table 1", "Aino", "That would break the rule “Aino and Cleo sit apart”."),
        ("Table 1", "Bo", None),
    ]
    before = made.plan.mse
    assert before is not None
    for option, kind, what in [
        (options[0], "move", {"table": made.tables[0].id}),
        (options[2], "swap", {"other": made.guests[1].id}),
    ]:
        plan = move(session, owner, made, kind, guest=made.guests[4].id, **what)
        assert plan.mse is not None
        assert option.gain == pytest.approx(before - plan.mse)
        move(session, owner, made, "undo")


@settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=st.lists(st.tuples(st.sampled_from(["move", "swap", "lock", "unlock", "undo", "redo"]),
                                st.integers(0, 4), st.integers(0, 4), st.integers(0, 1)), max_size=12))  # fmt: skip
def test_whatever_is_done_sizes_hold_and_undoing_all_leads_back(
    session: Session, owner: Actor, steps: list[tuple[str, int, int, int]]
) -> None:
    made = make_plan(session, owner, sizes=(3, 3), names=NAMES, matrix=SCORES, assignment=[0, 0, 1, 1, 1])
    add_rule(session, made, "apart", [2, 0])
    first = (seats(session, owner, made), made.plan.mse)
    for kind, guest, other, table in steps:
        what = {"guest": made.guests[guest].id, "other": made.guests[other].id, "table": made.tables[table].id}
        try:
            move(session, owner, made, kind, **what)
        except Conflict:
            continue
        now_at = seats(session, owner, made)
        assert all(len({seat for _, seat in table}) == len(table) <= 3 for table in now_at)
        assert sum(map(len, now_at)) == 5
        assert not any({"Aino", "Cleo"} <= {name for name, _ in table} for table in now_at)
    while can_undo(session, made.plan):
        move(session, owner, made, "undo")
    assert (seats(session, owner, made), made.plan.mse) == first


@pytest.mark.parametrize(
    ("shape", "end_seats", "holds"),
    [
        ("round", False, True),
        ("square", False, True),
        ("oval", False, True),
        ("long", True, True),
        ("long", False, False),
        ("head", False, False),
    ],
)
def test_first_and_last_seat_are_side_by_side_where_seats_go_around(
    session: Session, owner: Actor, shape: str, end_seats: bool, holds: bool
) -> None:
    made = make_plan(session, owner, sizes=(4, 2), names=NAMES, assignment=[0, 0, 0, 0, 1], shape=shape)
    made.tables[0].end_seats = end_seats
    add_rule(session, made, "side_by_side", [0, 3])
    assert (broken_rules(session, made.plan) == []) is holds


def test_two_at_opposite_sides_of_a_long_table_are_not_side_by_side(session: Session, owner: Actor) -> None:
    made = make_plan(session, owner, sizes=(4, 2), names=NAMES, assignment=[0, 0, 0, 0, 1], shape="long")
    add_rule(session, made, "side_by_side", [0, 1])
    assert broken_rules(session, made.plan) == []
    with pytest.raises(Conflict, match="Aino and Bo sit side by side"):
        move(session, owner, made, "swap", guest=made.guests[0].id, other=made.guests[2].id)

"""Promises by hand: what a move would break is said before, done only anyway, and listed until it is taken back."""

from __future__ import annotations

import pytest
from sqlalchemy.orm import Session

from app.accounts.actor import Actor
from app.db import models
from app.errors import Conflict, Invalid, NotFound
from app.events.context import open_event
from app.plans import read as plans
from app.plans.moves.changes import list_changes
from app.plans.moves.edit import MoveEntry, MoveKind, Refused, make_move
from app.plans.moves.exceptions import PlanException, list_exceptions
from app.plans.versions import delete_plan
from app.rules.edit import RuleEntry, add_rule
from app.tables.edit import remove_table
from tests.factories import Planned, make_guests, make_plan

NAMES = ["Aino", "Bo", "Cleo", "Dan", "Eve", "Finn"]


@pytest.fixture
def made(session: Session, owner: Actor) -> Planned:
    """Aino and Bo, one household, and Cleo at a table of 4; Dan, Eve and Finn at a table of 4 for at least 3."""
    made = make_plan(session, owner, sizes=(4, 4, 2), names=NAMES, assignment=[0, 0, 0, 1, 1, 1])
    party = models.Party(event_id=made.event.id, name="Virtanen", name_key="virtanen")
    session.add(party)
    session.flush()
    made.guests[0].party_id = made.guests[1].party_id = party.id
    made.tables[1].min_seats = 3
    session.flush()
    return made


def edit(session: Session, owner: Actor, made: Planned, kind: MoveKind, **what: object) -> models.Plan:
    return make_move(open_event(session, owner, made.event.id), made.plan.id, MoveEntry(kind, **what))  # type: ignore[arg-type]


def seats(session: Session, owner: Actor, made: Planned) -> list[list[tuple[str, int]]]:
    view = plans.read_plan(open_event(session, owner, made.event.id), made.plan.id)
    return [[(guest.name, guest.seat) for guest in table.guests] for table in view.tables]


def exceptions(session: Session, made: Planned) -> list[PlanException]:
    return list_exceptions(session, made.plan)


@pytest.mark.parametrize(
    ("guest", "table", "kind", "warning", "text"),
    [
        (
            0,
            2,
            "household",
            "That would separate Aino and Bo, who belong to one household.",
            "Aino and Bo belong to one household but sit at different tables.",
        ),
        (
            3,
            0,
            "under_minimum",
            "That would leave Table 2 with 2 guests; its minimum is 3.",
            "Table 2 has 2 guests; its minimum is 3.",
        ),
        (
            2,
            1,
            "rule",
            "That would break the rule “Cleo and Dan sit apart”.",
            "The rule “Cleo and Dan sit apart” is broken.",
        ),
    ],
)
def test_promise_is_broken_only_anyway_and_then_listed(
    session: Session, owner: Actor, made: Planned, guest: int, table: int, kind: str, warning: str, text: str
) -> None:
    add_rule(open_event(session, owner, made.event.id), RuleEntry("apart", (made.guests[2].id, made.guests[3].id)))
    if kind == "under_minimum":
        edit(session, owner, made, "move", guest=made.guests[2].id, table=made.tables[2].id)  # out of the rule's way
    before = seats(session, owner, made)
    what = {"guest": made.guests[guest].id, "table": made.tables[table].id}
    with pytest.raises(Refused) as caught:
        edit(session, owner, made, "move", **what)
    assert [(one.kind, one.warning) for one in caught.value.breaks] == [(kind, warning)]
    assert caught.value.details["breaks"][0]["text"] == warning
    assert seats(session, owner, made) == before
    edit(session, owner, made, "move", **what, anyway=True)
    found = exceptions(session, made)
    assert [(one.broken.text, one.can_undo) for one in found] == [(text, True)]
    number = found[0].move
    assert number is not None
    edit(session, owner, made, "undo_exception", exception=found[0].broken.key)
    assert (seats(session, owner, made), exceptions(session, made)) == (before, [])
    edit(session, owner, made, "undo")
    assert [one.move for one in exceptions(session, made)] == [number]


def test_full_table_takes_an_extra_chair_anyway(session: Session, owner: Actor, made: Planned) -> None:
    made.tables[0].seats = 3
    session.flush()
    with pytest.raises(Refused, match=r"Table 1 is full \(4 guests at 3 seats\)"):
        edit(session, owner, made, "move", guest=made.guests[5].id, table=made.tables[0].id)
    open_event(session, owner, made.event.id).edit()
    made.tables[1].min_seats = 0
    edit(session, owner, made, "move", guest=made.guests[5].id, table=made.tables[0].id, anyway=True)
    assert seats(session, owner, made)[0] == [("Aino", 0), ("Bo", 1), ("Cleo", 2), ("Finn", 3)]
    assert [one.broken.text for one in exceptions(session, made)] == ["Table 1 has 4 guests at 3 seats."]


def test_rule_that_came_later_is_an_exception_without_a_move(session: Session, owner: Actor, made: Planned) -> None:
    add_rule(open_event(session, owner, made.event.id), RuleEntry("apart", (made.guests[3].id, made.guests[4].id)))
    assert [(one.broken.kind, one.move, one.can_undo) for one in exceptions(session, made)] == [("rule", None, False)]
    with pytest.raises(Conflict, match="no move made it"):
        edit(session, owner, made, "undo_exception", exception=exceptions(session, made)[0].broken.key)


def test_exception_cannot_be_taken_back_by_itself_once_others_are_in_the_way(
    session: Session, owner: Actor, made: Planned
) -> None:
    edit(session, owner, made, "move", guest=made.guests[0].id, table=made.tables[2].id, anyway=True)
    key = exceptions(session, made)[0].broken.key
    edit(session, owner, made, "lock", guest=made.guests[0].id)
    assert [one.can_undo for one in exceptions(session, made)] == [False]
    with pytest.raises(Conflict, match="Later changes are in the way"):
        edit(session, owner, made, "undo_exception", exception=key)


def test_reserved_table_asks_before_it_takes_somebody_else(session: Session, owner: Actor, made: Planned) -> None:
    group = models.Group(event_id=made.event.id, name="Choir", name_key="choir")
    session.add(group)
    session.flush()
    session.add(models.GroupGuest(group_id=group.id, guest_id=made.guests[2].id))
    made.tables[2].reserved_for = group.id
    session.flush()
    edit(session, owner, made, "move", guest=made.guests[2].id, table=made.tables[2].id)
    with pytest.raises(Refused, match="Table 3 is reserved for Choir; Finn is not a member"):
        edit(session, owner, made, "move", guest=made.guests[5].id, table=made.tables[2].id)


def test_household_moves_together_to_seats_beside_each_other(session: Session, owner: Actor, made: Planned) -> None:
    household = (made.guests[0].id, made.guests[1].id)
    edit(session, owner, made, "move", guests=household, table=made.tables[2].id)
    assert seats(session, owner, made)[2] == [("Aino", 0), ("Bo", 1)]
    edit(session, owner, made, "move", guests=household, table=made.tables[0].id, seat=3)
    assert seats(session, owner, made)[0] == [("Aino", 0), ("Cleo", 2), ("Bo", 3)]


def test_guests_go_to_the_tray_and_back(session: Session, owner: Actor, made: Planned) -> None:
    household = (made.guests[0].id, made.guests[1].id)
    edit(session, owner, made, "move", guests=household, table=None)
    view = plans.read_plan(open_event(session, owner, made.event.id), made.plan.id)
    assert [guest.name for guest in view.tray] == ["Aino", "Bo"]
    edit(session, owner, made, "swap", guest=made.guests[0].id, other=made.guests[2].id)
    assert seats(session, owner, made)[0] == [("Aino", 2)]
    edit(session, owner, made, "undo", to=0)
    assert seats(session, owner, made)[0] == [("Aino", 0), ("Bo", 1), ("Cleo", 2)]


def test_guest_who_came_later_is_seated_and_counts_as_neutral(session: Session, owner: Actor, made: Planned) -> None:
    late = make_guests(session, made.event, ["Late"])[0]
    before = made.plan.mse
    edit(session, owner, made, "move", guest=late.id, table=made.tables[0].id)
    view = plans.read_plan(open_event(session, owner, made.event.id), made.plan.id)
    assert (view.newcomers, view.mse, view.bound) == ((late.id,), before, None)
    edit(session, owner, made, "undo")
    assert [guest.name for guest in plans.view_plan(session, made.plan, can_edit=False).tray] == ["Late"]


def test_guests_at_a_table_that_came_later_have_figures(session: Session, owner: Actor, made: Planned) -> None:
    new = models.Table(event_id=made.event.id, name="Late", name_key="late", seats=4, min_seats=0, position=9)
    session.add(new)
    session.flush()
    edit(session, owner, made, "move", guests=(made.guests[0].id, made.guests[1].id), table=new.id)
    view = plans.read_plan(open_event(session, owner, made.event.id), made.plan.id)
    late = next(table for table in view.tables if table.id == new.id)
    assert late.figure is not None
    assert all(guest.figure is not None for guest in late.guests)


def test_seat_of_a_guest_who_declined_can_be_taken_and_given_back(
    session: Session, owner: Actor, made: Planned
) -> None:
    made.guests[2].reply = "no"
    session.flush()
    edit(session, owner, made, "move", guest=made.guests[0].id, table=made.tables[0].id, seat=2)
    made.guests[2].reply = "yes"
    session.flush()
    assert seats(session, owner, made)[0] == [("Bo", 1), ("Aino", 2)]
    edit(session, owner, made, "undo")
    assert seats(session, owner, made)[0] == [("Aino", 0), ("Bo", 1), ("Cleo", 2)]


def test_locked_table_and_blocked_seat_hold_even_anyway(session: Session, owner: Actor, made: Planned) -> None:
    edit(session, owner, made, "block_seat", table=made.tables[0].id, seat=3)
    with pytest.raises(Refused, match="Seat 4 at Table 1 is kept empty"):
        edit(session, owner, made, "move", guest=made.guests[2].id, table=made.tables[0].id, seat=3, anyway=True)
    with pytest.raises(Conflict, match="Aino sits there"):
        edit(session, owner, made, "block_seat", table=made.tables[0].id, seat=0)
    edit(session, owner, made, "lock_table", table=made.tables[1].id)
    for what in (
        {"guest": made.guests[3].id, "table": made.tables[2].id},
        {"guest": made.guests[2].id, "table": made.tables[1].id},
        {"guest": made.guests[3].id, "table": None},
    ):
        with pytest.raises(Refused, match="Table 2 is locked"):
            edit(session, owner, made, "move", **what, anyway=True)
    view = plans.read_plan(open_event(session, owner, made.event.id), made.plan.id)
    assert [(table.locked, table.blocked) for table in view.tables] == [(False, (3,)), (True, ()), (False, ())]
    edit(session, owner, made, "undo", to=0)
    assert (made.plan.locked_tables, made.plan.blocked_seats) == ([], [])


def test_only_a_guest_with_a_seat_can_be_locked(session: Session, owner: Actor, made: Planned) -> None:
    edit(session, owner, made, "move", guest=made.guests[2].id, table=None)
    with pytest.raises(Invalid, match="Cleo has no seat yet"):
        edit(session, owner, made, "lock", guest=made.guests[2].id)


def test_changes_are_told_in_words_with_who_and_where_to_go_back(session: Session, owner: Actor, made: Planned) -> None:
    guest = [one.id for one in made.guests]
    edit(session, owner, made, "move", guests=(guest[0], guest[1]), table=made.tables[2].id)
    edit(session, owner, made, "swap", guest=guest[2], other=guest[3])
    edit(session, owner, made, "lock", guest=guest[2])
    edit(session, owner, made, "lock_table", table=made.tables[2].id)
    edit(session, owner, made, "block_seat", table=made.tables[0].id, seat=3)
    edit(session, owner, made, "undo", to=2)
    edit(session, owner, made, "redo")
    edit(session, owner, made, "move", guest=guest[5], table=None, anyway=True)
    found = list_changes(open_event(session, owner, made.event.id), made.plan.id)
    assert [(one.number, one.text, one.undone, one.can_undo_to) for one in found] == [
        (8, "Moved Finn to the unseated tray", False, False),
        (7, "Redid a change: Cleo to another seat at Table 2", False, False),
        (6, "Undid 3 changes: Cleo to another seat at Table 2", False, False),
        (5, "Kept seat 4 at Table 1 empty", True, False),
        (4, "Locked Table 3", True, False),
        (3, "Locked Cleo", False, True),
        (2, "Swapped Cleo and Dan", False, True),
        (1, "Moved Aino and Bo to Table 3", False, True),
    ]
    assert {one.by for one in found} == {"You"}
    with pytest.raises(Conflict, match="Nothing to redo"):
        edit(session, owner, made, "redo")


def test_seat_kept_empty_at_a_table_with_an_extra_chair_needs_anyway(
    session: Session, owner: Actor, made: Planned
) -> None:
    for guest in (made.guests[3].id, made.guests[4].id):  # the second one sits on an extra chair
        edit(session, owner, made, "move", guest=guest, table=made.tables[0].id, anyway=True)
    edit(session, owner, made, "move", guest=made.guests[2].id, table=made.tables[1].id)
    before = {one.broken.key for one in exceptions(session, made)}
    with pytest.raises(Refused) as caught:
        edit(session, owner, made, "block_seat", table=made.tables[0].id, seat=2)
    assert [(one.kind, one.table) for one in caught.value.breaks] == [("over_seats", made.tables[0].id)]
    edit(session, owner, made, "block_seat", table=made.tables[0].id, seat=2, anyway=True)
    (found,) = [one for one in exceptions(session, made) if one.broken.key not in before]
    assert found.broken.text == "Table 1 has 4 guests at 3 seats."
    assert found.move == list_changes(open_event(session, owner, made.event.id), made.plan.id)[0].number


def test_guests_leave_a_locked_table_that_was_deleted(session: Session, owner: Actor, made: Planned) -> None:
    edit(session, owner, made, "lock_table", table=made.tables[0].id)
    remove_table(open_event(session, owner, made.event.id), made.tables[0].id)
    edit(session, owner, made, "move", guest=made.guests[2].id, table=made.tables[1].id)
    assert ("Cleo", 3) in seats(session, owner, made)[1]


def test_deleted_plan_cannot_be_changed(session: Session, owner: Actor, made: Planned) -> None:
    delete_plan(open_event(session, owner, made.event.id), made.plan.id)
    with pytest.raises(NotFound):
        edit(session, owner, made, "lock", guest=made.guests[0].id)

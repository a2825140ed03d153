"""Checking guests in: several helpers at once, and changes that come late."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from itertools import permutations
from threading import Barrier
from uuid import UUID, uuid4

import pytest
from sqlalchemy import select
from sqlalchemy.orm import Session

from app.accounts.actor import Actor
from app.clock import now
from app.db import models
from app.db.session import Sessions, transaction
from app.errors import Forbidden, NotFound
from app.events.context import open_event
from app.sharing.door.access import DoorAccess, helper_access, member_access
from app.sharing.door.check_in import check_in, list_guests, undo_check_in
from app.sharing.door.expected import NO_TABLE
from app.sharing.door.links import create_helper_link
from app.sharing.door.search import find_by_name
from app.sharing.links import revoke_link
from tests.factories import Planned, make_member, make_plan

MINUTE = timedelta(minutes=1)


@pytest.fixture
def made(session: Session, owner: Actor) -> Planned:
    return make_plan(session, owner, sizes=(2, 2), names=["Dan", "Bo", "Cleo", "Aino"])


@pytest.fixture
def access(session: Session, owner: Actor, made: Planned) -> DoorAccess:
    return member_access(open_event(session, owner, made.event.id))


def arrived(access: DoorAccess) -> list[str]:
    return [guest.name for guest in list_guests(access).guests if guest.is_here]


def test_list_has_everyone_by_name_with_table_and_counts(access: DoorAccess, made: Planned) -> None:
    check_in(access, made.guests[3].id)
    found = list_guests(access)
    assert [(guest.name, guest.table) for guest in found.guests] == [
        ("Aino", "Table 2"),
        ("Bo", "Table 1"),
        ("Cleo", "Table 2"),
        ("Dan", "Table 1"),
    ]
    assert [(table.name, table.guests, table.arrived) for table in found.tables] == [
        ("Table 1", 2, 0),
        ("Table 2", 2, 1),
    ]
    assert found.arrived == 1


def test_guests_without_a_seat_are_expected_and_removed_ones_are_not(access: DoorAccess, made: Planned) -> None:
    access.session.delete(access.session.get_one(models.Seat, (made.plan.id, made.guests[0].id)))
    made.guests[1].removed_at = now()
    made.guests[2].reply = "no"
    access.session.flush()
    assert [(guest.name, guest.table) for guest in list_guests(access).guests] == [
        ("Aino", "Table 2"),
        ("Dan", NO_TABLE),
    ]
    with pytest.raises(NotFound):
        check_in(access, made.guests[1].id)


def test_second_check_in_keeps_the_first(access: DoorAccess, made: Planned) -> None:
    first = now() - 5 * MINUTE
    link = create_helper_link(open_event(access.session, Actor(access.user_id or uuid4()), made.event.id), days=1)
    check_in(access, made.guests[0].id, first)
    check_in(helper_access(access.session, link.token), made.guests[0].id)
    stored = access.session.get_one(models.Arrival, made.guests[0].id)
    assert (stored.arrived_at, stored.user_id, stored.link_id) == (first, access.user_id, None)


def test_undo_takes_back_what_is_there_and_nothing_else(access: DoorAccess, made: Planned) -> None:
    undo_check_in(access, made.guests[0].id)
    found = list_guests(access)
    assert (found.arrived, [table.arrived for table in found.tables]) == (0, [0, 0])
    assert [(guest.is_here, guest.by) for guest in found.guests] == [(False, "")] * 4
    check_in(access, made.guests[0].id)
    undo_check_in(access, made.guests[0].id)
    undo_check_in(access, made.guests[0].id)
    assert arrived(access) == []
    check_in(access, made.guests[0].id)
    assert arrived(access) == ["Dan"]


@pytest.mark.parametrize("order", list(permutations(range(4))))
def test_later_action_counts_in_whatever_order_they_come(
    access: DoorAccess, made: Planned, order: tuple[int, ...]
) -> None:
    start = now() - 10 * MINUTE
    dan, bo = (guest.id for guest in made.guests[:2])
    for number in order:
        first, second = (check_in, undo_check_in) if number % 2 == 0 else (undo_check_in, check_in)
        first(access, dan, start + number * MINUTE)
        second(access, bo, start + number * MINUTE)
    assert arrived(access) == ["Bo"]


def test_action_from_the_future_counts_as_now(access: DoorAccess, made: Planned) -> None:
    check_in(access, made.guests[0].id, now() + timedelta(days=3650))
    undo_check_in(access, made.guests[0].id)
    assert arrived(access) == []


def test_two_helpers_at_once_make_one_arrival(sessions: Sessions, owner: Actor) -> None:
    with transaction(sessions) as session:
        made = make_plan(session, owner, sizes=(2, 2), names=["Dan", "Bo", "Cleo", "Aino"])
        ctx = open_event(session, owner, made.event.id)
        tokens = [create_helper_link(ctx, days=1).token for _ in range(2)]
    start = Barrier(4)

    def help_out(token: str) -> None:
        start.wait()
        for guest in made.guests:
            with transaction(sessions) as session:
                check_in(helper_access(session, token), guest.id)
        with transaction(sessions) as session:
            undo_check_in(helper_access(session, token), made.guests[0].id)

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(help_out, tokens * 2))
    with transaction(sessions) as session:
        rows = session.scalars(select(models.Arrival)).all()
        # Dan was undone by whoever came last, the others were checked in once and stay so.
        assert {row.guest_id: row.arrived_at is not None for row in rows} == {
            guest.id: guest.name != "Dan" for guest in made.guests
        }


def test_arrival_is_erased_with_the_guest(access: DoorAccess, made: Planned) -> None:
    check_in(access, made.guests[0].id)
    access.session.delete(access.session.get_one(models.Guest, made.guests[0].id))
    access.session.flush()
    access.session.expire_all()
    assert access.session.scalars(select(models.Arrival)).all() == []


def test_viewer_cannot_work_at_the_door(session: Session, made: Planned) -> None:
    viewer = make_member(session, made.event.id, "viewer")
    with pytest.raises(Forbidden):
        member_access(open_event(session, viewer, made.event.id))


def test_revoked_and_guests_links_do_not_open_the_door(session: Session, owner: Actor, made: Planned) -> None:
    ctx = open_event(session, owner, made.event.id)
    link = create_helper_link(ctx, days=1)
    assert helper_access(session, link.token).event.id == made.event.id
    revoke_link(ctx, link.link.id)
    link_of_guests = create_helper_link(ctx, days=1)
    link_of_guests.link.audience = "guests"
    session.flush()
    for token in (link.token, link_of_guests.token, "x" * 43):
        with pytest.raises(NotFound):
            helper_access(session, token)


def test_references_differ_between_links(session: Session, owner: Actor, made: Planned) -> None:
    ctx = open_event(session, owner, made.event.id)
    one, other = (helper_access(session, create_helper_link(ctx, days=1).token) for _ in range(2))
    guest_id: UUID = made.guests[0].id
    assert len({one.reference(guest_id), other.reference(guest_id), str(guest_id)}) == 3


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("soren", ["Søren Łukasz"]),
        ("LUK", ["Søren Łukasz"]),
        ("nguyen", ["Nguyễn Thị"]),
        ("virt ai", ["Aino Virtanen"]),
        ("an", ["Ann O’Connor", "Aino Virtanen"]),
        ("oconnor", ["Ann O’Connor"]),
        ("o con", ["Ann O’Connor"]),
        ("岡", ["岡本"]),
        ("zzz", []),
    ],
)
def test_any_part_of_a_name_finds_it(text: str, found: list[str]) -> None:
    names = ["Aino Virtanen", "Ann O’Connor", "Nguyễn Thị", "Søren Łukasz", "岡本"]
    assert find_by_name(names, text, str) == found

"""Undo of imports and of replies: what they wrote comes back, and nothing that was done since is lost."""

from __future__ import annotations

from uuid import UUID

import pytest
from sqlalchemy import update
from sqlalchemy.orm import Session

from app.accounts.actor import Actor
from app.db.models import Group, Guest
from app.db.models.base import GENERATION
from app.events.context import open_event
from app.events.edit import create_event
from app.files.sheet_limits import ListSheet
from app.files.sheets import read_csv
from app.guests.bulk import set_column
from app.guests.edit import list_guests
from app.guests.entries import GuestEntry
from app.guests.groups import GroupEntry, add_group, change_group, list_groups
from app.guests.imports.importing import confirm_import, open_import
from app.guests.imports.undo import undo_import
from app.guests.whole_list import replace_guests
from app.ratings.group_defaults import GroupPair, list_group_ratings, set_group_ratings


@pytest.fixture
def event_id(session: Session, owner: Actor) -> UUID:
    """An event with Aino and Bo, who work together."""
    event_id = create_event(session, owner, name="Party").id
    replace_guests(
        open_event(session, owner, event_id), [GuestEntry("Aino", groups=["Work"]), GuestEntry("Bo", groups=["Work"])]
    )
    return event_id


def ids(session: Session, owner: Actor, event_id: UUID) -> list[UUID]:
    return [guest.id for guest in list_guests(open_event(session, owner, event_id))]


def imported(session: Session, owner: Actor, event_id: UUID, text: str) -> UUID:
    import_id = open_import(open_event(session, owner, event_id), [ListSheet("", read_csv(text))]).id
    confirm_import(open_event(session, owner, event_id), import_id)
    return import_id


def members(session: Session, owner: Actor, event_id: UUID) -> dict[str, int]:
    return {group.name: len(group.guest_ids) for group in list_groups(open_event(session, owner, event_id))}


def test_undo_of_replies_leaves_groups_alone(session: Session, owner: Actor, event_id: UUID) -> None:
    replied = set_column(open_event(session, owner, event_id), ids(session, owner, event_id), "reply", "yes")
    [work] = list_groups(open_event(session, owner, event_id))
    add_group(open_event(session, owner, event_id), GroupEntry("Choir", guest_ids=ids(session, owner, event_id)))
    change_group(open_event(session, owner, event_id), work.id, GroupEntry("Colleagues"))
    assert replied.undo is not None
    undo_import(open_event(session, owner, event_id), replied.undo)
    assert members(session, owner, event_id) == {"Colleagues": 2, "Choir": 2}
    assert {guest.reply for guest in list_guests(open_event(session, owner, event_id))} == {"invited"}


def test_undo_of_an_import_takes_back_its_own_groups_and_no_others(
    session: Session, owner: Actor, event_id: UUID
) -> None:
    import_id = imported(session, owner, event_id, "Name;Groups;Diet\nAino;Family;\nBo;;vegan\nCleo;Family;\n")
    work, _ = list_groups(open_event(session, owner, event_id))
    change_group(open_event(session, owner, event_id), work.id, GroupEntry("Colleagues"))
    add_group(open_event(session, owner, event_id), GroupEntry("Choir", guest_ids=ids(session, owner, event_id)[:2]))
    undo_import(open_event(session, owner, event_id), import_id)
    message = [(guest.name, guest.groups, guest.diet) for guest in list_guests(open_event(session, owner, event_id))]
    assert message == [("Aino", ("Colleagues", "Choir"), ""), ("Bo", ("Colleagues", "Choir"), "")]
    assert members(session, owner, event_id) == {"Colleagues": 2, "Choir": 2}


def test_undo_keeps_a_new_group_that_was_rated_or_changed(session: Session, owner: Actor, event_id: UUID) -> None:
    import_id = imported(session, owner, event_id, "Name;Groups\nCleo;Family, Friends, Choir\n")
    work, family, friends, _ = list_groups(open_event(session, owner, event_id))
    set_group_ratings(open_event(session, owner, event_id), [GroupPair(work.id, family.id, 2.0)])
    change_group(open_event(session, owner, event_id), friends.id, GroupEntry("Friends", colour="gold"))
    undo_import(open_event(session, owner, event_id), import_id)
    assert members(session, owner, event_id) == {"Work": 2, "Family": 0, "Friends": 0}
    assert [pair.score for pair in list_group_ratings(open_event(session, owner, event_id))] == [2.0]


def test_restore_does_not_count_as_a_change(session: Session, owner: Actor, event_id: UUID) -> None:
    import_id = imported(session, owner, event_id, "Name;Groups\nCleo;Family\n")
    for model in (Guest, Group):  # as a restore does
        session.execute(update(model).values(version=model.version + 70_000 * GENERATION))
    session.expire_all()
    undo_import(open_event(session, owner, event_id), import_id)
    assert members(session, owner, event_id) == {"Work": 2}

"""Parties: households that sit together."""

from __future__ import annotations

from sqlalchemy import select
from sqlalchemy.orm import Session

from app.accounts.actor import Actor
from app.db.models import Party
from app.events.context import open_event
from app.events.edit import create_event
from app.guests.edit import change_guest, remove_guest, restore_guest
from app.guests.entries import GuestEntry
from app.guests.queries.parties import parties_of
from app.guests.whole_list import replace_guests


def test_parties_are_told_by_two_or_more_present_guests(session: Session, owner: Actor) -> None:
    event_id = create_event(session, owner, name="Party").id
    entries = [
        GuestEntry("Aino", party="Mäkelä"),
        GuestEntry("Wei", party="Li"),
        GuestEntry("Olli"),
        GuestEntry("Eero", party="mäkelä"),
        GuestEntry("Mei", party="LI"),
        GuestEntry("Sari", party="Alone"),
    ]
    aino, wei, _, eero, mei, _ = (guest.id for guest in replace_guests(open_event(session, owner, event_id), entries))
    assert parties_of(session, event_id) == [(aino, eero), (wei, mei)]
    remove_guest(open_event(session, owner, event_id), wei)
    assert parties_of(session, event_id) == [(aino, eero)]
    restore_guest(open_event(session, owner, event_id), wei)
    assert parties_of(session, event_id) == [(aino, eero), (wei, mei)]


def test_a_party_goes_with_the_last_guest_who_leaves_it_but_not_with_a_removed_one(
    session: Session, owner: Actor
) -> None:
    event_id = create_event(session, owner, name="Party").id
    entries = [GuestEntry("Aino", party="Mäkelä"), GuestEntry("Wei", party="Li")]
    aino, wei = (guest.id for guest in replace_guests(open_event(session, owner, event_id), entries))
    remove_guest(open_event(session, owner, event_id), aino)
    change_guest(open_event(session, owner, event_id), wei, GuestEntry("Wei", party=None))
    assert session.scalars(select(Party.name)).all() == ["Mäkelä"]

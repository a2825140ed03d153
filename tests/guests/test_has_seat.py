"""Who is to be seated is decided alike by the database and without it."""

from __future__ import annotations

import pytest
from sqlalchemy.orm import Session

from app.accounts.actor import Actor
from app.events import edit as events
from app.events.context import open_event
from app.guests import edit as guests
from app.guests.entries import REPLY_WORDS, GuestEntry
from app.guests.queries.guests import has_seat, named_guests, seated_guests_of
from tests.factories import make_event


@pytest.mark.parametrize("seats_undecided", [True, False])
def test_query_and_rule_agree(session: Session, owner: Actor, seats_undecided: bool) -> None:
    event = make_event(session, owner)
    for reply in REPLY_WORDS:
        guests.add_guest(open_event(session, owner, event.id), GuestEntry(f"Guest {reply}", reply=reply))
    events.change_event(open_event(session, owner, event.id), seats_undecided=seats_undecided)
    by_rule = [guest.name for guest in named_guests(session, event.id) if has_seat(event, guest.reply)]
    assert by_rule == [guest.name for guest in seated_guests_of(session, event)]

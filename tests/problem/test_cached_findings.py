"""What was found out about an event is kept until something changes on which it depends."""

from __future__ import annotations

import pytest

from app.accounts.actor import Actor
from app.db.models import Event
from app.db.session import Sessions, transaction
from app.events.context import open_event
from app.guests import edit as guests
from app.guests.entries import GuestEntry
from app.plans.moves.edit import MoveEntry, make_move
from app.problem.cached_findings import find_once
from app.problem.fingerprints import list_changes, take_marks
from tests.factories import Planned, make_plan


@pytest.fixture
def made(sessions: Sessions, owner: Actor) -> Planned:
    """A planned event that has not changed since its run."""
    with transaction(sessions) as session:
        made = make_plan(session, owner, sizes=(2, 2), names=["Aino", "Bo", "Cleo", "Dan"], assignment=[0, 0, 1, 1])
        made.run.marks = take_marks(session, made.event)
        return made


class Finder:
    """Finds a number out, another one each time."""

    def __init__(self, sessions: Sessions, made: Planned) -> None:
        self._sessions, self._made, self._number = sessions, made, 0

    def _find(self) -> int:
        self._number += 1
        return self._number

    def find(self, *, read_only: bool = True) -> int:
        """Return what is kept, or find it out."""
        with transaction(self._sessions, read_only=read_only) as session:
            event = session.get_one(Event, self._made.event.id)
            return find_once(session, event, "number", self._find, without=("plans",))


def test_finding_stays_through_moves_and_is_made_again_after_other_changes(
    sessions: Sessions, owner: Actor, made: Planned
) -> None:
    finder = Finder(sessions, made)
    assert [finder.find(), finder.find()] == [1, 1]
    with transaction(sessions) as session:
        swap = MoveEntry("swap", made.guests[0].id, other=made.guests[3].id)
        make_move(open_event(session, owner, made.event.id), made.plan.id, swap)
    assert finder.find() == 1
    with transaction(sessions) as session:
        guests.add_guest(open_event(session, owner, made.event.id), GuestEntry("Late Lauri"))
    assert [finder.find(), finder.find()] == [2, 2]


def test_transaction_that_writes_keeps_nothing_and_is_given_nothing_kept(sessions: Sessions, made: Planned) -> None:
    finder = Finder(sessions, made)
    assert finder.find(read_only=False) == 1
    assert finder.find() == 2
    assert finder.find(read_only=False) == 3
    assert finder.find() == 2


def test_change_that_was_rolled_back_is_not_remembered(sessions: Sessions, owner: Actor, made: Planned) -> None:
    def changes(*, read_only: bool) -> tuple[str, ...]:
        with transaction(sessions, read_only=read_only) as session:
            if not read_only:
                guests.add_guest(open_event(session, owner, made.event.id), GuestEntry("Late Lauri"))
            found = list_changes(open_event(session, owner, made.event.id), made.plan.run_id)
            session.rollback()
            return found

    assert changes(read_only=True) == ()
    assert changes(read_only=False) == ("guests",)
    assert changes(read_only=True) == ()
    with transaction(sessions) as session:  # it is given the revision that was rolled back, and changes something else
        guests.change_guest(
            open_event(session, owner, made.event.id), made.guests[0].id, GuestEntry("Aino", note="By the door")
        )
    assert changes(read_only=True) == ()

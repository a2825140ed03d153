"""Several editors at once on one plan: no update is lost, nobody is seated twice; a short form of `make load`."""

from __future__ import annotations

import random
import threading

import pytest
from sqlalchemy.orm import Session

from app.accounts.actor import Actor
from app.db.session import Sessions, transaction
from app.errors import Conflict, Stale
from app.events.context import open_event
from app.plans.moves.edit import MoveEntry, make_move
from app.plans.moves.history import PlanChanged
from app.plans.read import find_plan
from tests.factories import Planned, make_member, make_plan
from tests.plan_log import find_faults, places_of

EDITORS, MOVES = 6, 12


@pytest.fixture
def made(sessions: Sessions, owner: Actor) -> Planned:
    """Twenty guests at four tables of six."""
    with transaction(sessions) as session:
        return make_plan(session, owner, sizes=(6,) * 4, names=[f"Guest {n}" for n in range(20)])


def random_entry(rng: random.Random, made: Planned, version: int) -> MoveEntry:
    guest, other = (one.id for one in rng.sample(made.guests, 2))
    table = rng.choice(made.tables).id
    return rng.choice(
        [
            MoveEntry("swap", guest, other, version=version),
            MoveEntry("move", guest, table=table, seat=rng.randrange(6), version=version),
            MoveEntry("move", guests=(guest, other), table=table, anyway=True, version=version),
            MoveEntry("move", guest, table=None, version=version),
            MoveEntry("undo", version=version),
            MoveEntry("swap", guest, other),
        ]
    )


def test_editors_at_once_lose_nothing(sessions: Sessions, owner: Actor, made: Planned) -> None:
    start, versions, faults = places_of(sessions, made.plan.id), list[int](), list[BaseException]()

    def edit(number: int) -> None:
        rng, seen = random.Random(number), 1
        try:
            for _ in range(MOVES):
                try:
                    with transaction(sessions) as session:
                        ctx = open_event(session, owner, made.event.id)
                        plan = find_plan(session, made.event.id, made.plan.id)  # read before it is held, as pages do
                        before = plan.version
                        plan = make_move(ctx, made.plan.id, random_entry(rng, made, seen))
                        session.flush()
                    if plan.version > before:
                        versions.append(plan.version)
                    seen = plan.version
                except (Conflict, Stale):
                    seen = current_version(sessions, made)
        except BaseException as error:
            faults.append(error)

    threads = [threading.Thread(target=edit, args=(number,)) for number in range(EDITORS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert faults == []
    assert len(versions) > MOVES
    assert find_faults(sessions, made.plan.id, start, sorted(set(versions))) == []


def current_version(sessions: Sessions, made: Planned) -> int:
    with transaction(sessions, read_only=True) as session:
        return find_plan(session, made.event.id, made.plan.id).version


def move(session: Session, actor: Actor, made: Planned, entry: MoveEntry) -> int:
    return make_move(open_event(session, actor, made.event.id), made.plan.id, entry).version


def test_move_of_an_older_version_is_done_where_nothing_it_touches_was_changed(
    session: Session, owner: Actor, made: Planned
) -> None:
    guests = [guest.id for guest in made.guests]
    seen = made.plan.version
    move(session, owner, made, MoveEntry("swap", guests[0], guests[7], version=seen))
    assert move(session, owner, made, MoveEntry("swap", guests[1], guests[8], version=seen)) == seen + 2


def test_move_that_somebody_overtook_is_refused_with_what_happened(
    session: Session, owner: Actor, made: Planned
) -> None:
    guests, seen = [guest.id for guest in made.guests], made.plan.version
    editor = make_member(session, made.event.id, "editor")
    move(session, editor, made, MoveEntry("move", guests[0], table=made.tables[3].id, seat=5, version=seen))
    for entry in (
        MoveEntry("swap", guests[0], guests[7], version=seen),
        MoveEntry("move", guests[1], table=made.tables[3].id, seat=5, version=seen),
        MoveEntry("undo", version=seen),
    ):
        with pytest.raises(PlanChanged, match="editor moved Guest 0 to Table 4") as caught:
            move(session, owner, made, entry)
        assert caught.value.details == {"happened": ["editor moved Guest 0 to Table 4."]}


def test_version_from_another_time_is_refused(session: Session, owner: Actor, made: Planned) -> None:
    with pytest.raises(Stale):
        move(session, owner, made, MoveEntry("undo", version=made.plan.version + 5))
    with pytest.raises(Stale):
        move(session, owner, made, MoveEntry("lock", made.guests[0].id, version=made.plan.version - 2**13))

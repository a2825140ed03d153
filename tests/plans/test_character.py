"""What is special about the good plans of a run: only where they really differ."""

from __future__ import annotations

from uuid import UUID

from sqlalchemy.orm import Session

from app.accounts.actor import Actor
from app.db import models
from app.events.context import open_event
from app.plans.character import Traits, compare_traits, find_characters
from tests.factories import make_plan
from tests.plans.test_good_plans import make_family, others_of

ONE, TWO, THREE = (UUID(int=number) for number in (1, 2, 3))


def test_each_word_goes_to_the_one_plan_that_earns_it() -> None:
    found = compare_traits(
        {
            ONE: Traits(100, value=-0.5, mixed=0.4, alone=6, close=40),
            TWO: Traits(100, value=-0.6, mixed=0.7, alone=2, close=41),
            THREE: Traits(100, value=-0.7, mixed=0.2, alone=6, close=50),
        }
    )
    assert found == {
        ONE: ("best score",),
        TWO: ("fewest people alone", "most mixed"),
        THREE: ("closest friends", "groups together"),
    }


def test_plans_that_hardly_differ_get_no_words() -> None:
    same = Traits(300, value=-0.5, mixed=0.41, alone=6, close=40)
    other = Traits(300, value=-0.5001, mixed=0.42, alone=5, close=42)
    assert compare_traits({ONE: same, TWO: other}) == {ONE: (), TWO: ()}
    assert compare_traits({ONE: same, TWO: same}) == {ONE: (), TWO: ()}


def test_what_is_not_known_of_every_plan_is_not_compared() -> None:
    known = Traits(10, value=-0.5, mixed=0.9, alone=0, close=9)
    unknown = Traits(10, value=None, mixed=None, alone=None, close=None)
    assert compare_traits({ONE: known, TWO: unknown}) == {ONE: (), TWO: ()}


def test_groups_are_counted_from_the_plans_themselves(session: Session, owner: Actor) -> None:
    made = make_family(session, owner)
    # Aino, Bo and Finn in one group, the others in another: only the plan beside seats each group at one table.
    for name, members in (("Choir", (0, 1, 5)), ("Work", (2, 3, 4))):
        group = models.Group(event_id=made.event.id, name=name, name_key=name)
        session.add(group)
        session.flush()
        session.add_all(models.GroupGuest(group_id=group.id, guest_id=made.guests[number].id) for number in members)
    session.flush()
    (beside,) = others_of(session, made.plan)
    found = find_characters(open_event(session, owner, made.event.id), made.plan)
    assert {key: [word for word in words if "score" not in word] for key, words in found.items()} == {
        made.plan.id: ["most mixed"],
        beside.id: ["groups together"],
    }


def test_single_plan_has_no_character(session: Session, owner: Actor) -> None:
    made = make_plan(session, owner)
    assert find_characters(open_event(session, owner, made.event.id), made.plan) == {}

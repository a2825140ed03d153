"""Circles within groups: which groups are asked about, what is kept, and that groups are asked about no more for it."""

from __future__ import annotations

from uuid import UUID

import pytest
from sqlalchemy.orm import Session

from app.accounts.actor import Actor
from app.db import models
from app.errors import Forbidden, Invalid
from app.events.context import EventContext, open_event
from app.events.edit import create_event
from app.guests.entries import GuestEntry
from app.guests.groups import GroupEntry, change_group, delete_group, list_groups, restore_group
from app.guests.queries.groups import circles_of, group_ratings_of
from app.guests.queries.guests import seated_names_of
from app.guests.whole_list import replace_guests
from app.questions.circles import CircleDeck, show_circle_deck
from app.questions.group_cards import show_group_deck
from app.questions.save_circle import save_circle, undo_circle
from app.ratings.group_defaults import GroupPair, set_group_ratings
from app.ratings.queries.values import group_names_of
from tests.factories import make_member

FAMILY, WORK, ALONE = "ABCDEFGH", "IJK", "LMNO"
COUPLE = "BC"


@pytest.fixture
def ctx(session: Session, owner: Actor) -> EventContext:
    """A family of eight, B and C of them a couple, three colleagues, and four guests in no group."""
    opened = open_event(session, owner, create_event(session, owner, name="Party").id)
    entries = [
        GuestEntry(
            name=name,
            groups=["Family"] if name in FAMILY else ["Work"] if name in WORK else [],
            party="The Bs" if name in COUPLE else None,
        )
        for name in FAMILY + WORK + ALONE
    ]
    replace_guests(opened, entries)
    return opened


def ids(ctx: EventContext, names: str) -> set[UUID]:
    return {guest.id for guest in seated_names_of(ctx.session, ctx.event_id) if guest.name in names}


def group(ctx: EventContext, name: str) -> UUID:
    return next(one.id for one in list_groups(ctx) if one.name == name)


def left(deck: CircleDeck) -> dict[str, list[str]]:
    """Return the households that are left in each group."""
    return {
        pool.group.name if pool.group else "": ["".join(one.name for one in home.guests) for home in pool.left]
        for pool in deck.pools
    }


def members(ctx: EventContext) -> dict[str, str]:
    names = {guest.id: guest.name for guest in seated_names_of(ctx.session, ctx.event_id)}
    return {one.name: "".join(names.get(guest, "-") for guest in one.guest_ids) for one in list_groups(ctx)}


def mark(ctx: EventContext, names: str, within: str = "Family", name: str = "") -> UUID:
    key = str(group(ctx, within)) if within else "none"
    return save_circle(ctx, ids(ctx, names), key, name).id


def cards(ctx: EventContext) -> set[tuple[str, str]]:
    """Return the questions about groups, each with the first name by letter first."""
    return {(min(names), max(names)) for card in show_group_deck(ctx).cards for names in [(card.a.name, card.b.name)]}


def test_large_groups_and_guests_in_no_group_are_asked_about_by_household(ctx: EventContext) -> None:
    assert left(show_circle_deck(ctx)) == {"Family": ["A", "BC", "D", "E", "F", "G", "H"], "": [*"LMNO"]}


def test_circle_is_a_group_of_close_guests_with_their_households(ctx: EventContext) -> None:
    circle = mark(ctx, "AB")
    assert members(ctx)["Family circle 1"] == "ABC"
    assert group_ratings_of(ctx.session, ctx.event_id) == [(circle, circle, 2.0)]
    assert circles_of(ctx.session, ctx.event_id) == {circle: group(ctx, "Family")}
    deck = show_circle_deck(ctx)
    assert left(deck)["Family"] == ["D", "E", "F", "G", "H"]
    assert [(pool.key, [one.name for one in pool.circles]) for pool in deck.marked] == [
        (str(group(ctx, "Family")), ["Family circle 1"])
    ]


def test_group_is_asked_about_until_one_household_is_left(ctx: EventContext) -> None:
    mark(ctx, "AB")
    mark(ctx, "DE")
    assert left(show_circle_deck(ctx))["Family"] == ["F", "G", "H"]
    mark(ctx, "FG")
    assert "Family" not in left(show_circle_deck(ctx))


def test_same_circle_is_kept_once_and_names_stay_different(ctx: EventContext) -> None:
    first = mark(ctx, "ABC")
    again = save_circle(ctx, ids(ctx, "AC"), str(group(ctx, "Family")), "Cousins")
    assert (again.id, again.is_new) == (first, False)
    change_group(ctx, first, GroupEntry("FAMILY Circle 2"))
    mark(ctx, "DE")
    mark(ctx, "FG", name=" Cousins ")
    assert set(members(ctx)) == {"Family", "Work", "FAMILY Circle 2", "Family circle 1", "Cousins"}


def test_same_circle_is_found_though_a_guest_of_it_declined(ctx: EventContext) -> None:
    circle = mark(ctx, "DEF")
    ctx.session.get_one(models.Guest, next(iter(ids(ctx, "F")))).reply = "no"
    ctx.session.flush()
    assert mark(ctx, "DE") == circle


def test_guests_of_a_circle_that_somebody_marked_meanwhile_are_named(ctx: EventContext) -> None:
    mark(ctx, "DEF", name="Cousins")
    with pytest.raises(Invalid, match="E and F are in the circle “Cousins” already"):
        mark(ctx, "EFG")


def test_whole_group_can_be_one_circle_but_overwrites_no_answer(ctx: EventContext) -> None:
    family = group(ctx, "Family")
    assert mark(ctx, FAMILY) == family
    assert group_ratings_of(ctx.session, ctx.event_id) == [(family, family, 2.0)]
    assert "Family" not in left(show_circle_deck(ctx))
    set_group_ratings(ctx, [GroupPair(family, family, -1.0)])
    with pytest.raises(Invalid, match="for which another answer was given"):
        mark(ctx, FAMILY)


def test_partner_of_another_group_is_not_drawn_into_the_circle(session: Session, owner: Actor) -> None:
    opened = open_event(session, owner, create_event(session, owner, name="Party").id)
    entries = [GuestEntry(name=name, groups=["Family"]) for name in "ADEF"]
    couple = [GuestEntry(name="B", groups=["Family"], party="Bs"), GuestEntry(name="C", groups=["Work"], party="Bs")]
    other = [GuestEntry(name="X", party="Xs"), GuestEntry(name="Y", groups=["Work"], party="Xs"), GuestEntry(name="Z")]
    replace_guests(opened, entries + couple + other)
    mark(opened, "AB")
    assert members(opened)["Family circle 1"] == "AB"
    mark(opened, "XZ", within="")
    assert members(opened)["Circle 1"] == "XZ"


def test_circle_of_one_household_or_of_guests_who_left_is_refused(ctx: EventContext) -> None:
    with pytest.raises(Invalid, match="Choose guests of at least two households"):
        mark(ctx, "BC")
    with pytest.raises(Invalid, match="no longer in this group"):
        mark(ctx, "AI")
    with pytest.raises(Invalid, match="no longer in this group"):
        mark(ctx, "LA", within="")
    with pytest.raises(Invalid, match="This group was deleted meanwhile"):
        save_circle(ctx, ids(ctx, "AB"), "x")
    assert set(members(ctx)) == {"Family", "Work"}


def test_circles_add_no_questions_about_other_groups(ctx: EventContext) -> None:
    before = cards(ctx)
    for names in ("AB", "DE", "FGH"):
        mark(ctx, names)
    assert cards(ctx) == before
    assert show_group_deck(ctx).answered == 3


@pytest.mark.parametrize("rated", [False, True])
def test_groups_inside_others_that_nobody_marked_keep_their_questions(ctx: EventContext, rated: bool) -> None:
    everybody = [replace_entry(name) for name in FAMILY + WORK]
    replace_guests(ctx, everybody)
    assert cards(ctx) == {
        ("Everyone", "Everyone"), ("Everyone", "Family"), ("Everyone", "Work"),
        ("Family", "Family"), ("Family", "Work"), ("Work", "Work"),
    }  # fmt: skip
    if rated:
        set_group_ratings(ctx, [GroupPair(group(ctx, "Family"), group(ctx, "Family"), 2.0)])
        assert ("Family", "Work") in cards(ctx)
    pools = left(show_circle_deck(ctx))
    assert len(pools["Everyone"]) == 10
    assert ("Family" in pools) is not rated


def replace_entry(name: str) -> GuestEntry:
    return GuestEntry(name=name, groups=["Everyone", "Family" if name in FAMILY else "Work"])


def test_circle_of_guests_in_no_group_is_an_ordinary_group(ctx: EventContext) -> None:
    circle = mark(ctx, "LM", within="")
    assert circles_of(ctx.session, ctx.event_id) == {}
    assert group_ratings_of(ctx.session, ctx.event_id) == [(circle, circle, 2.0)]
    assert left(show_circle_deck(ctx)).keys() == {"Family"}  # two are left in no group
    assert ("Circle 1", "Family") in cards(ctx)


def test_circle_outlives_its_group_as_an_ordinary_one(ctx: EventContext) -> None:
    mark(ctx, "DEFG")
    undo = delete_group(ctx, group(ctx, "Family"))
    assert circles_of(ctx.session, ctx.event_id) == {}
    assert ("Family circle 1", "Work") in cards(ctx)
    restore_group(ctx, undo)
    assert list(circles_of(ctx.session, ctx.event_id)) == [group(ctx, "Family circle 1")]


def test_group_that_is_back_has_its_circles_and_not_those_that_were_marked_within_them(ctx: EventContext) -> None:
    circle = mark(ctx, "ADEFG")
    undo = delete_group(ctx, group(ctx, "Family"))
    set_group_ratings(ctx, [GroupPair(circle, circle, None)])
    mark(ctx, "DE", within="Family circle 1", name="Twins")
    restore_group(ctx, undo)
    family = group(ctx, "Family")
    assert circles_of(ctx.session, ctx.event_id) == {circle: family}
    assert {one.name: one.circle_of for one in list_groups(ctx)} == {
        "Family": None, "Work": None, "Family circle 1": family, "Twins": None,
    }  # fmt: skip
    assert [
        (pool.group and pool.group.id, [one.id for one in pool.circles]) for pool in show_circle_deck(ctx).marked
    ] == [(family, [circle])]


def test_circle_that_is_not_rated_close_is_open_until_it_is(ctx: EventContext) -> None:
    circle = mark(ctx, "DEF")
    set_group_ratings(ctx, [GroupPair(circle, circle, None)])
    assert left(show_circle_deck(ctx))["Family"] == ["A", "BC", "D", "E", "F", "G", "H"]
    assert mark(ctx, "DEF") == circle
    assert left(show_circle_deck(ctx))["Family"] == ["A", "BC", "G", "H"]
    set_group_ratings(ctx, [GroupPair(circle, circle, -1.0)])
    with pytest.raises(Invalid, match="the guests of “Family circle 1”, for which another answer was given"):
        mark(ctx, "DEF")
    assert mark(ctx, "EFG") != circle


def test_guest_whose_household_is_in_a_circle_can_be_in_another_one(ctx: EventContext) -> None:
    ann, ben = sorted(ids(ctx, "DE"))
    mark(ctx, "DF")
    for guest in (ann, ben):
        ctx.session.get_one(models.Guest, guest).party_id = ctx.session.get_one(models.Guest, *ids(ctx, "B")).party_id
    ctx.session.flush()
    assert left(show_circle_deck(ctx))["Family"] == ["A", "BCE", "G", "H"]
    mark(ctx, "EG")
    assert members(ctx)["Family circle 2"] == "BCEG"


def test_guests_in_no_group_who_are_saved_twice_are_one_group(ctx: EventContext) -> None:
    first = save_circle(ctx, ids(ctx, "LM"), "none")
    again = save_circle(ctx, ids(ctx, "LM"), "none")
    assert (again.id, first.is_new, again.is_new) == (first.id, True, False)
    with pytest.raises(Invalid, match="no longer in this group"):
        save_circle(ctx, ids(ctx, "LMI"), "none")


def test_deleted_circle_comes_back_as_one(ctx: EventContext) -> None:
    circle = mark(ctx, "DE")
    restore_group(ctx, delete_group(ctx, circle))
    assert circles_of(ctx.session, ctx.event_id) == {circle: group(ctx, "Family")}


def test_circle_is_undone_unless_somebody_has_changed_or_used_it(ctx: EventContext) -> None:
    circle = mark(ctx, "DE")
    version = next(one.version for one in list_groups(ctx) if one.id == circle)
    change_group(ctx, circle, GroupEntry("Cousins", guest_ids=sorted(ids(ctx, "DEF"))))
    assert not undo_circle(ctx, circle, version)
    version = next(one.version for one in list_groups(ctx) if one.id == circle)
    table = models.Table(
        event_id=ctx.event_id, name="1", name_key="1", seats=4, min_seats=0, reserved_for=circle, position=0
    )
    ctx.session.add(table)
    ctx.session.flush()
    assert not undo_circle(ctx, circle, version)
    table.reserved_for = None
    ctx.session.flush()
    assert undo_circle(ctx, circle, version)
    assert circle not in group_names_of(ctx.session, ctx.event_id)


def test_circles_need_scores(ctx: EventContext) -> None:
    ctx.event.kind = "distance"
    ctx.session.flush()
    assert "uses distances" in show_circle_deck(ctx).obstacle
    with pytest.raises(Invalid, match="uses distances"):
        mark(ctx, "AB")


def test_viewer_sees_no_circles_and_saves_none(ctx: EventContext, session: Session) -> None:
    viewer = open_event(session, make_member(session, ctx.event_id, "viewer"), ctx.event_id)
    with pytest.raises(Forbidden):
        show_circle_deck(viewer)
    with pytest.raises(Forbidden):
        save_circle(viewer, ids(ctx, "AB"), str(group(ctx, "Family")))
    with pytest.raises(Forbidden):
        undo_circle(viewer, group(ctx, "Family"), 1)

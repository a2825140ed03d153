"""Sides, the menu and own fields of an event, and what guests have in them."""

from __future__ import annotations

import pytest
from sqlalchemy.orm import Session

from app.accounts.actor import Actor
from app.errors import Invalid
from app.events.context import EventContext, open_event
from app.events.edit import create_event
from app.guests.edit import add_guest, change_guest, list_guests, show_guest
from app.guests.entries import GuestEntry
from app.guests.field_checks import MOST_OWN, FieldEntry, OptionEntry
from app.guests.fields import (
    FieldView,
    add_field,
    change_field,
    delete_field,
    delete_option,
    list_fields,
    order_fields,
)
from app.guests.shared_values import (
    balanced_fields,
    guests_with,
    require_value,
    set_balanced,
    shared_fields,
    values_by_guest,
)
from app.guests.whole_list import replace_guests


@pytest.fixture
def ctx(session: Session, owner: Actor) -> EventContext:
    """An event without guests."""
    return open_event(session, owner, create_event(session, owner, name="Party").id)


def options(*names: str) -> list[OptionEntry]:
    return [OptionEntry(name) for name in names]


def make_field(ctx: EventContext, kind: str, name: str, *names: str) -> FieldView:
    return add_field(ctx, FieldEntry(kind, name, None if kind == "text" else options(*names)))


def faults_of(error: pytest.ExceptionInfo[Invalid]) -> list[tuple[str, str]]:
    return [(fault.where, fault.message) for fault in error.value.faults]


def test_guests_have_side_meal_and_own_fields_by_name(ctx: EventContext) -> None:
    make_field(ctx, "side", "", "Bride", "Groom")
    make_field(ctx, "course", "Main course", "Fish", "Beef")
    make_field(ctx, "choice", "Hotel", "Ritz", "Grand")
    make_field(ctx, "text", "Song")
    entry = GuestEntry("Aino", side="bride", meals={"main course": "FISH"}, fields={"Hotel": "Grand", "Song": " Ja \n"})
    guest = add_guest(ctx, entry)
    shown = show_guest(ctx, guest.id)
    assert (shown.side, shown.meals) == ("Bride", {"Main course": "Fish"})
    assert shown.fields == {"Hotel": "Grand", "Song": "Ja"}
    change_guest(ctx, guest.id, GuestEntry("Aino", side=None, fields={"Song": None}))
    after = show_guest(ctx, guest.id)
    assert (after.side, after.meals, after.fields) == (None, {"Main course": "Fish"}, {"Hotel": "Grand"})
    assert after.version > shown.version


def test_a_whole_list_keeps_what_it_leaves_out_and_names_each_fault_by_its_place(ctx: EventContext) -> None:
    make_field(ctx, "side", "", "Bride", "Groom")
    make_field(ctx, "choice", "Hotel", "Ritz")
    replace_guests(ctx, [GuestEntry("Aino", side="Bride"), GuestEntry("Bo", side="Groom", fields={"Hotel": "Ritz"})])
    replace_guests(ctx, [GuestEntry("Bo", fields={"Hotel": ""}), GuestEntry("Aino")])
    assert [(g.name, g.side, g.fields) for g in list_guests(ctx)] == [("Bo", "Groom", {}), ("Aino", "Bride", {})]
    wrong = [GuestEntry("Bo", side="Cook"), GuestEntry("Aino", fields={"Hotel": "Savoy", "Room": "1"}, meals={"x": ""})]
    with pytest.raises(Invalid) as refused:
        replace_guests(ctx, wrong)
    assert faults_of(refused) == [
        ("guests/0/side", "“Cook” isn't an option of Side. Options: Bride, Groom."),
        ("guests/1/meals/x", "“x” isn't a course of this event's menu. Known: none yet."),
        ("guests/1/fields/Hotel", "“Savoy” isn't an option of Hotel. Options: Ritz."),
        ("guests/1/fields/Room", "“Room” isn't a field of this event. Known: Hotel."),
    ]


def test_renaming_an_option_keeps_it_and_leaving_it_out_takes_it_away(ctx: EventContext) -> None:
    field = make_field(ctx, "choice", "Hotel", "Ritz", "Grand", "Savoy")
    replace_guests(ctx, [GuestEntry(name, fields={"Hotel": name}) for name in ("Ritz", "Grand", "Savoy")])
    ritz, grand, _ = field.options
    renamed = [OptionEntry("Grand", grand.id), OptionEntry("Palace", ritz.id), OptionEntry("New")]
    changed = change_field(ctx, field.id, FieldEntry("choice", "Place to stay", renamed))
    assert [(one.name, one.guests) for one in changed.options] == [("Grand", 1), ("Palace", 1), ("New", 0)]
    assert [g.fields for g in list_guests(ctx)] == [{"Place to stay": "Palace"}, {"Place to stay": "Grand"}, {}]
    assert changed.version > field.version
    swapped = [OptionEntry("Palace", grand.id), OptionEntry("Grand", ritz.id)]
    change_field(ctx, field.id, FieldEntry("choice", "Place to stay", swapped))
    assert [g.fields.get("Place to stay") for g in list_guests(ctx)] == ["Grand", "Palace", None]


def test_deleted_option_leaves_its_guests_another_one_or_none(ctx: EventContext) -> None:
    field = make_field(ctx, "course", "Main course", "Fish", "Beef", "Leek")
    replace_guests(ctx, [GuestEntry(name, meals={"Main course": name}) for name in ("Fish", "Beef", "Leek")])
    fish, beef, leek = field.options
    assert delete_option(ctx, field.id, fish.id, instead=leek.id) == "Fish"
    assert delete_option(ctx, field.id, beef.id) == "Beef"
    assert [g.meals.get("Main course") for g in list_guests(ctx)] == ["Leek", None, "Leek"]
    with pytest.raises(Invalid):
        delete_option(ctx, field.id, leek.id, instead=leek.id)
    assert delete_field(ctx, field.id) == "Main course"
    assert [g.meals for g in list_guests(ctx)] == [{}, {}, {}]


def test_fields_have_an_order_and_limits(ctx: EventContext) -> None:
    made = [make_field(ctx, "text", f"Field {number}") for number in range(MOST_OWN)]
    order_fields(ctx, [made[3].id, made[1].id])
    assert [field.name for field in list_fields(ctx)][:4] == ["Field 3", "Field 1", "Field 0", "Field 2"]
    with pytest.raises(Invalid, match="maximum"):
        make_field(ctx, "choice", "One more", "a")
    with pytest.raises(Invalid, match="already"):
        change_field(ctx, made[0].id, FieldEntry("text", "FIELD 1"))
    with pytest.raises(Invalid, match="already"):
        change_field(ctx, made[0].id, FieldEntry("text", "diet"))
    with pytest.raises(Invalid, match="characters"):
        change_field(ctx, made[0].id, FieldEntry("text", "x" * 61))
    with pytest.raises(Invalid, match="characters"):
        add_guest(ctx, GuestEntry("Aino", fields={"Field 1": "x" * 501}))


def test_any_value_that_guests_share_is_a_field_and_a_value(ctx: EventContext) -> None:
    make_field(ctx, "side", "", "Bride", "Groom")
    make_field(ctx, "course", "Main course", "Fish")
    make_field(ctx, "choice", "Hotel", "Ritz")
    make_field(ctx, "text", "Song")
    entries = [
        GuestEntry("Aino", groups=["Choir", "Family"], party="Mäkelä", reply="yes", side="Bride"),
        GuestEntry("Bo", groups=["Choir"], age_group="baby", meals={"Main course": "Fish"}, fields={"Hotel": "Ritz"}),
    ]
    names = {guest.id: guest.name for guest in replace_guests(ctx, entries)}
    found = shared_fields(ctx.session, ctx.event_id)
    assert [field.name for field in found] == [
        *("Group", "Household", "Side", "Age group", "Reply", "Main course", "Hotel")
    ]
    told: dict[str, set[str]] = {}
    for field in found:
        by_guest = values_by_guest(ctx.session, ctx.event_id, field.key)
        for value in field.values:
            who = guests_with(ctx.session, ctx.event_id, field.key, value.key)
            assert who == {guest for guest, values in by_guest.items() if value.key in values}
            told[f"{field.name}: {value.name}"] = {names[guest] for guest in who}
            assert require_value(ctx.session, ctx.event_id, field.key, value.key) == (field, value)
    assert {key: sorted(who) for key, who in told.items() if who} == {
        "Group: Choir": ["Aino", "Bo"],
        "Group: Family": ["Aino"],
        "Household: Mäkelä": ["Aino"],
        "Side: Bride": ["Aino"],
        "Age group: Adult": ["Aino"],
        "Age group: Baby": ["Bo"],
        "Reply: Attending": ["Aino"],
        "Reply: No reply yet": ["Bo"],
        "Main course: Fish": ["Bo"],
        "Hotel: Ritz": ["Bo"],
    }
    with pytest.raises(Invalid):
        require_value(ctx.session, ctx.event_id, "side", "nobody")


def test_balanced_fields_are_remembered_until_the_field_goes(ctx: EventContext) -> None:
    hotel = make_field(ctx, "choice", "Hotel", "Ritz")
    side = make_field(ctx, "side", "", "Bride", "Groom")
    set_balanced(ctx, ["side", str(hotel.id), "side"])
    assert [field.name for field in balanced_fields(ctx.session, ctx.event_id)] == ["Side", "Hotel"]
    delete_field(ctx, side.id)
    assert [field.name for field in balanced_fields(ctx.session, ctx.event_id)] == ["Hotel"]
    for key in ("household", "nothing"):
        with pytest.raises(Invalid):
            set_balanced(ctx, [key])
    set_balanced(ctx, [])
    assert balanced_fields(ctx.session, ctx.event_id) == []

"""Parts of names, contact, age groups and allergies of guests."""

from __future__ import annotations

import pytest
from sqlalchemy.orm import Session

from app.accounts.actor import Actor
from app.errors import Invalid
from app.events.context import EventContext, open_event
from app.events.edit import create_event
from app.guests.bulk import set_column
from app.guests.columns import columns_of
from app.guests.edit import add_guest, change_guest, list_guests, show_guest
from app.guests.entries import GuestEntry
from app.guests.imports.undo import undo_import
from app.guests.known_fields import KnownFields
from app.guests.listing import ListQuery, find_guests
from app.guests.name_order import Names, last_name_first, name_following, parts_following
from app.guests.whole_list import replace_guests


@pytest.fixture
def ctx(session: Session, owner: Actor) -> EventContext:
    """An event without guests."""
    return open_event(session, owner, create_event(session, owner, name="Party").id)


def names_of(ctx: EventContext, guest: GuestEntry) -> tuple[str, str, str]:
    made = add_guest(ctx, guest)
    return made.name, made.first_name, made.last_name


def test_first_and_last_name_make_a_name_that_is_missing(ctx: EventContext) -> None:
    assert names_of(ctx, GuestEntry(first_name=" Anna ", last_name="van  Dyk")) == ("Anna van Dyk", "Anna", "van Dyk")
    assert names_of(ctx, GuestEntry("Aunt Jo", last_name="Smith")) == ("Aunt Jo", "", "Smith")
    with pytest.raises(Invalid, match="is empty"):
        add_guest(ctx, GuestEntry(title="Dr"))
    with pytest.raises(Invalid, match="already"):
        add_guest(ctx, GuestEntry(first_name="ANNA", last_name="van Dyk"))


def test_name_and_its_parts_follow_each_other(ctx: EventContext) -> None:
    anna = add_guest(ctx, GuestEntry(first_name="Anna", last_name="Smith"))
    change_guest(ctx, anna.id, GuestEntry("Anna Smith", last_name="Jones"))
    assert (anna.name, anna.last_name) == ("Anna Jones", "Jones")
    change_guest(ctx, anna.id, GuestEntry("Anna Maria Jones"))
    assert (anna.first_name, anna.last_name) == ("Anna", "Maria Jones")
    change_guest(ctx, anna.id, GuestEntry("Auntie", first_name="Anna", last_name="Jones"))
    assert (anna.name, anna.first_name, anna.last_name) == ("Auntie", "Anna", "Jones")
    change_guest(ctx, anna.id, GuestEntry("Auntie", last_name="Wood"))
    assert (anna.name, anna.last_name) == ("Auntie", "Wood")
    replace_guests(ctx, [GuestEntry("Bo Berg", first_name="Bo", last_name="Berg")])
    replace_guests(ctx, [GuestEntry("Bo Berg", last_name="Borg")])  # a list names everyone: the name stays
    assert [(g.name, g.last_name) for g in list_guests(ctx)] == [("Bo Berg", "Borg")]


def test_parts_that_the_new_name_does_not_have_go() -> None:
    stored = Names("Anna Smith", "Anna", "Smith")
    assert parts_following(stored, Names("Marianne Smith", "Anna", "Smith")) == ("Marianne", "Smith")
    assert parts_following(stored, Names("Somebody", "Anna", "Smith")) == ("", "")
    assert parts_following(Names("Ann", "Anna", "Smith"), Names("Annie", "Anna", "Smith")) == ("Anna", "Smith")
    assert name_following(stored, Names("Anna Smith", "", "")) == "Anna Smith"


def test_lists_by_last_name_use_the_one_that_was_entered(ctx: EventContext) -> None:
    assert last_name_first("Anna van der Berg (2)", "van der Berg") == "van der Berg Anna (2)"
    assert last_name_first("Auntie", "van der Berg") == "Auntie"
    assert last_name_first("Gabriel García Márquez", "García Márquez") == "García Márquez Gabriel"
    parts = [("Zoe", "van Dyk"), ("Adam", "Aalto"), ("Bo", "de Wit")]
    replace_guests(ctx, [GuestEntry(first_name=first, last_name=last) for first, last in parts])
    found = find_guests(ctx, columns_of(ctx), ListQuery(sort="last"), "en").guests
    assert [guest.last_name for guest in found] == ["Aalto", "de Wit", "van Dyk"]


@pytest.mark.parametrize(
    ("stored", "entry", "age_group"),
    [
        ("adult", GuestEntry("A", child=True), "child"),
        ("baby", GuestEntry("A", child=True), "baby"),
        ("teenager", GuestEntry("A", child=False), "teenager"),
        ("baby", GuestEntry("A", child=False), "adult"),
        ("child", GuestEntry("A", age_group="teenager"), "teenager"),
        ("adult", GuestEntry("A", age_group="baby", child=True), "baby"),
    ],
)
def test_child_is_another_way_to_say_the_age_group(
    ctx: EventContext, stored: str, entry: GuestEntry, age_group: str
) -> None:
    guest = add_guest(ctx, GuestEntry("A", age_group=stored))
    change_guest(ctx, guest.id, entry)
    assert show_guest(ctx, guest.id).age_group == age_group
    assert show_guest(ctx, guest.id).child == (age_group in ("child", "baby"))


@pytest.mark.parametrize(
    ("entry", "where"),
    [
        (GuestEntry("A", age_group="old"), "age_group"),
        (GuestEntry("A", age_group="adult", child=True), "child"),
        (GuestEntry("A", email="nobody"), "email"),
        (GuestEntry("A", email="a\x00@example.org"), "email"),
        (GuestEntry("A", phone="none"), "phone"),
        (GuestEntry("A", phone="1" * 41), "phone"),
        (GuestEntry("A", title="x" * 41), "title"),
        (GuestEntry("A", first_name="x" * 101), "first_name"),
        (GuestEntry("A", other_allergies="x" * 201), "other_allergies"),
        (GuestEntry("A", allergies=["milk", "cats"]), "allergies/1"),
        (GuestEntry("A", side="Bride"), "side"),
    ],
)
def test_what_cannot_be_right_is_refused_at_its_place(ctx: EventContext, entry: GuestEntry, where: str) -> None:
    with pytest.raises(Invalid) as refused:
        add_guest(ctx, entry)
    assert [fault.where for fault in refused.value.faults] == [where]


def test_texts_are_tidied_and_allergens_stand_once_in_their_order(ctx: EventContext) -> None:
    entry = GuestEntry(
        "A",
        title="  Dr\u0000 ",
        email=" Anna@Example.ORG ",
        phone="+44\t20 7946 0018",
        allergies=["nuts", "gluten", "nuts"],
        other_allergies="kiwi",
        wheelchair=True,
    )
    shown = show_guest(ctx, add_guest(ctx, entry).id)
    assert (shown.title, shown.email, shown.phone) == ("Dr", "anna@example.org", "+44 20 7946 0018")
    assert (shown.allergies, shown.other_allergies, shown.wheelchair) == (("gluten", "nuts"), "kiwi", True)


def test_undo_of_a_reply_leaves_everything_else(ctx: EventContext) -> None:
    guest = add_guest(ctx, GuestEntry("A", allergies=["milk"], email="a@example.org"))
    undo = set_column(ctx, [guest.id], "reply", "yes").undo
    assert undo is not None
    undo_import(ctx, undo)
    shown = show_guest(ctx, guest.id)
    assert (shown.reply, shown.allergies, shown.email) == ("invited", ("milk",), "a@example.org")
    assert KnownFields.of(ctx.session, ctx.event_id).fields == ()

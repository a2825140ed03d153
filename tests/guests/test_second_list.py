"""A second list of guests who are there already: the same file again, another one with other words, and contacts."""

from __future__ import annotations

from uuid import UUID

import pytest
from fastapi.testclient import TestClient
from sqlalchemy.orm import Session

from app.accounts.actor import Actor
from app.events.context import open_event
from app.events.edit import create_event
from app.files.list_files import read_sheets
from app.guests.edit import list_guests
from app.guests.imports.differences import find_differences
from app.guests.imports.importing import confirm_import, open_import, preview_import
from app.guests.imports.preview import Taken
from tests.pages import words_of

LIST = "Name,Group,Meal\nAda King,Bride friends,fish\nBo Ray,Bride friends,\nCleo Fox,Groom work,\n"
CARDS = "".join(
    f"BEGIN:VCARD\r\nVERSION:3.0\r\nFN:{name}\r\nEMAIL:{name[:2].lower()}@example.org\r\nCATEGORIES:Friends\r\nEND:VCARD\r\n"
    for name in ("Ada King", "Bo Ray", "Dan Poe")
)


@pytest.fixture
def event_id(session: Session, owner: Actor) -> UUID:
    """An event with the guests of a list."""
    event_id = create_event(session, owner, name="Party").id
    assert take(session, owner, event_id, LIST) == Taken(3, 0, 0)
    return event_id


def take(session: Session, owner: Actor, event_id: UUID, text: str) -> Taken:
    ctx = open_event(session, owner, event_id)
    return confirm_import(ctx, open_import(ctx, read_sheets(text.encode())).id)


def listed(session: Session, owner: Actor, event_id: UUID) -> list[tuple[str, tuple[str, ...], str | None]]:
    guests = list_guests(open_event(session, owner, event_id))
    return [(guest.name, tuple(guest.groups), guest.email) for guest in guests]


def test_same_list_again_changes_nobody_and_one_changed_cell_one(
    session: Session, owner: Actor, event_id: UUID
) -> None:
    assert take(session, owner, event_id, LIST) == Taken(0, 0, 0)
    assert take(session, owner, event_id, LIST.replace("fish", "beef")) == Taken(0, 1, 0)


FULL = (
    "Name,Household,Groups,Reply,Age,Diet,Allergies,Note,E-mail,Side,Meal,Wheelchair,Shown to guests as\n"
    'Ada King,King,"Choir, Work",yes,34,vegan,nuts,sings,ada@example.org,Bride,fish,yes,Ada\n'
    "Bo Ray,,Work,,5,,,,,Groom,beef,,\n"
)


@pytest.mark.parametrize(
    ("was", "now", "expected"),
    [
        ("Ada King", "ADA KING", []),
        ("Choir, Work", "work,choir", []),
        (",yes,34", ",no,34", [("Reply", "Attending", "Not attending")]),
        (",King,", ",King family,", [("Household", "King", "King family")]),
        ("nuts", "milk", [("Allergies", "Nuts", "Milk")]),
        (",5,", ",15,", [("Age", "Child", "Teenager")]),
        ("Groom,beef", "Bride,soup", [("Side", "Groom", "Bride"), ("Main course", "beef", "soup")]),
        ("sings", "dances", [("Note", "sings", "dances")]),
        ("sings", "Sings", [("Note", "sings", "Sings")]),
        ("yes,Ada", "yes,Ada K.", [("Shown to guests as", "Ada", "Ada K.")]),
        ("ada@example.org", "by post", [("Note", "sings", "sings\nE-mail: by post")]),
    ],
)
def test_preview_names_what_changes_and_as_many_guests_are_updated(
    session: Session, owner: Actor, was: str, now: str, expected: list[tuple[str, str, str]]
) -> None:
    event_id = create_event(session, owner, name="Party").id
    take(session, owner, event_id, FULL)
    ctx, changed = open_event(session, owner, event_id), FULL.replace(was, now)
    import_id = open_import(ctx, read_sheets(changed.encode())).id
    found = find_differences(ctx, preview_import(ctx, import_id).rows)
    assert [(one.label, one.before, one.after) for changes in found.values() for one in changes] == expected
    assert confirm_import(ctx, import_id) == Taken(0, len(found), 0)


def test_contacts_update_guests_and_add_to_their_groups(session: Session, owner: Actor, event_id: UUID) -> None:
    assert take(session, owner, event_id, CARDS) == Taken(1, 2, 0)
    assert listed(session, owner, event_id) == [
        ("Ada King", ("Bride friends", "Friends"), "ad@example.org"),
        ("Bo Ray", ("Bride friends", "Friends"), "bo@example.org"),
        ("Cleo Fox", ("Groom work",), ""),
        ("Dan Poe", ("Friends",), "da@example.org"),
    ]


def test_list_with_other_words_for_groups_names_the_same_people(session: Session, owner: Actor, event_id: UUID) -> None:
    other = LIST.replace("Bride friends", "Friends").replace("Groom work", "Office")
    assert take(session, owner, event_id, other) == Taken(0, 3, 0)


def test_single_namesake_in_another_group_is_another_person(session: Session, owner: Actor, event_id: UUID) -> None:
    assert take(session, owner, event_id, "Name,Group\nAda King,Office\nEve Moss,Office\nFay Ross,Office\n").added == 3


def test_back_after_an_import_leads_to_the_list_with_undo(web: TestClient) -> None:
    guests = str(web.post("/events", data={"name": "Party"}).headers["location"])
    for said in ("3 guests added.", "Nothing changed: everyone in the file was on the list already."):
        address = str(web.post(f"{guests}/import", data={"text": LIST}).headers["location"])
        assert ("3 already on the list (nothing to change)" in words_of(web.get(address).text)) == ("Nothing" in said)
        done = web.post(address, data={"action": "confirm"}).headers["location"]
        assert said in words_of(web.get(done).text)
        back = web.get(address)
        assert back.headers["location"] == f"{guests}?imported={address.rpartition('/')[2]}"
        assert "This list has already been imported." in words_of(web.get(back.headers["location"]).text)

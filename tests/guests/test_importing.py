"""Import guests: previewed, taken over as a whole, undone as a whole."""

from __future__ import annotations

import re
from uuid import UUID

import pytest
from fastapi.testclient import TestClient
from sqlalchemy.orm import Session

from app.accounts.actor import Actor
from app.errors import Conflict, Invalid, NotFound
from app.events.context import open_event
from app.events.edit import create_event
from app.files.sheet_limits import ListSheet
from app.files.sheets import read_csv
from app.guests.edit import change_guest, list_guests
from app.guests.entries import GuestEntry
from app.guests.groups import list_groups
from app.guests.guest_view import GuestView
from app.guests.imports.choices import Choices
from app.guests.imports.importing import confirm_import, open_import, preview_import, set_columns, set_heading
from app.guests.imports.preview import Taken
from app.guests.imports.undo import undo_import
from app.guests.whole_list import replace_guests
from tests.hostile_files import far_cell
from tests.pages import actions_of, faults_of, fields_of, words_of

SHEET = "Name;Party;Groups;Reply;Diet\nAino Mäkelä;Mäkelä;Choir;yes;vegan\nWei Li;;Choir, Work;;\n"


@pytest.fixture
def event_id(session: Session, owner: Actor) -> UUID:
    """An event without guests."""
    return create_event(session, owner, name="Party").id


def opened(session: Session, owner: Actor, event_id: UUID, text: str) -> UUID:
    return open_import(open_event(session, owner, event_id), [ListSheet("", read_csv(text))]).id


def notice(guests: list[GuestView]) -> list[tuple[object, ...]]:
    return [(g.name, g.party, g.groups, g.reply, g.diet) for g in guests]


def test_guests_are_taken_over_with_all_that_is_said_of_them(session: Session, owner: Actor, event_id: UUID) -> None:
    taken = confirm_import(open_event(session, owner, event_id), opened(session, owner, event_id, SHEET))
    assert taken == Taken(2, 0, 0)
    assert notice(list_guests(open_event(session, owner, event_id))) == [
        ("Aino Mäkelä", "Mäkelä", ("Choir",), "yes", "vegan"),
        ("Wei Li", None, ("Choir", "Work"), "invited", ""),
    ]


@pytest.mark.parametrize("written", ["aino mäkelä", "Mäkelä Aino", "Mäkelä, Aino", "Aino Makela"])
def test_guest_who_is_there_already_is_known_however_they_are_written(
    session: Session, owner: Actor, event_id: UUID, written: str
) -> None:
    replace_guests(open_event(session, owner, event_id), [GuestEntry("Aino Mäkelä", note="kept"), GuestEntry("Bo")])
    import_id = opened(session, owner, event_id, f'Guest;Diet\n"{written}";vegan\nDan;\n')
    [row] = preview_import(open_event(session, owner, event_id), import_id).alike
    assert (row.like, row.choice) == ("Aino Mäkelä", "update")
    assert confirm_import(open_event(session, owner, event_id), import_id) == Taken(1, 1, 0)
    found = list_guests(open_event(session, owner, event_id))
    assert [(g.name, g.note, g.diet) for g in found] == [
        ("Aino Mäkelä", "kept", "vegan"),
        ("Bo", "", ""),
        ("Dan", "", ""),
    ]


@pytest.mark.parametrize("there", [["Kim Lee", "Lee Kim"], ["Lee Kim"], []])
def test_own_export_of_two_who_are_alike_comes_back_as_two(
    session: Session, owner: Actor, event_id: UUID, there: list[str]
) -> None:
    replace_guests(open_event(session, owner, event_id), [GuestEntry(name) for name in there])
    sheet = "Name,Party,Groups,Reply,Child,Diet,Note\nKim Lee,,,yes,,,one\nLee Kim,,,no,,,other\n"
    confirm_import(open_event(session, owner, event_id), opened(session, owner, event_id, sheet))
    found = {(guest.name, guest.note) for guest in list_guests(open_event(session, owner, event_id))}
    assert found == {("Kim Lee", "one"), ("Lee Kim", "other")}


def test_same_name_goes_before_one_that_is_alike_wherever_it_stands(
    session: Session, owner: Actor, event_id: UUID
) -> None:
    replace_guests(open_event(session, owner, event_id), [GuestEntry("Kim Lee"), GuestEntry("Li Wei")])
    import_id = opened(session, owner, event_id, "Guest;Diet\nLee Kim;nuts\nKim Lee;vegan\nWei Li;halal\n")
    rows = preview_import(open_event(session, owner, event_id), import_id).rows
    assert [(row.like, row.choice) for row in rows] == [
        ("Kim Lee", "skip"),
        ("Kim Lee", "update"),
        ("Li Wei", "update"),
    ]
    confirm_import(open_event(session, owner, event_id), import_id)
    assert [guest.diet for guest in list_guests(open_event(session, owner, event_id))] == ["vegan", "halal"]


def test_what_is_done_with_namesakes_can_be_chosen(session: Session, owner: Actor, event_id: UUID) -> None:
    replace_guests(open_event(session, owner, event_id), [GuestEntry("Aino"), GuestEntry("Bo"), GuestEntry("Cleo")])
    import_id = opened(session, owner, event_id, "Name;Diet\nAino;vegan\nBo;vegan\nCleo;vegan\nDan;\nDan;vegan\n")
    choices = Choices({"2.0": "add", "3.0": "skip", "6.0": "update"})
    assert confirm_import(open_event(session, owner, event_id), import_id, choices) == Taken(2, 1, 1)
    assert [(guest.name, guest.diet) for guest in list_guests(open_event(session, owner, event_id))] == [
        ("Aino", ""),
        ("Bo", ""),
        ("Cleo", "vegan"),
        ("Aino (B)", "vegan"),
        ("Dan", "vegan"),
    ]


def test_import_with_a_fault_changes_nothing_unless_its_row_is_left_out(
    session: Session, owner: Actor, event_id: UUID
) -> None:
    import_id = opened(session, owner, event_id, f"Name;Reply\nAino;yes\n;yes\nBo;hm\n{'x' * 300};\n")
    with pytest.raises(Invalid) as refused:
        confirm_import(open_event(session, owner, event_id), import_id, Choices())
    assert [fault.message for fault in refused.value.faults] == [
        "Row 3: The name is empty.",
        f"Row 5: The name “{'x' * 20}…” has 300 characters; maximum 200.",
    ]
    assert list_guests(open_event(session, owner, event_id)) == []
    assert confirm_import(open_event(session, owner, event_id), import_id, Choices(leave_faulty_out=True)) == Taken(
        2, 0, 2
    )
    with pytest.raises(NotFound):
        confirm_import(open_event(session, owner, event_id), import_id)


def test_odd_cell_costs_no_guest_and_is_told(session: Session, owner: Actor, event_id: UUID) -> None:
    replace_guests(open_event(session, owner, event_id), [GuestEntry("Aino", reply="yes")])
    sheet = "Name;Reply;Child;Plus one\nAino;weiß nicht;;\nBo;weiß nicht;2;\nCleo;yes;hm;!!\nDan;no;yes;\n"
    import_id = opened(session, owner, event_id, sheet)
    preview = preview_import(open_event(session, owner, event_id), import_id)
    assert (preview.faulty, [(row.row.name, row.notes) for row in preview.noted]) == (
        [],
        [
            ("Aino", ("“weiß nicht” is not a known reply: existing reply kept",)),
            (
                "Bo",
                (
                    "“weiß nicht” is not a known reply: imported as no reply yet",
                    "“2” is not yes or no: imported as a child",
                ),
            ),
            (
                "Cleo",
                (
                    "“hm” is not yes or no: imported as an adult",
                    "“!!” is not a number or a name: no plus-one added",
                ),
            ),
        ],
    )
    assert confirm_import(open_event(session, owner, event_id), import_id) == Taken(3, 0, 0)  # Aino stays as she is
    assert [(g.name, g.reply, g.child) for g in list_guests(open_event(session, owner, event_id))] == [
        ("Aino", "yes", False),
        ("Bo", "invited", True),
        ("Cleo", "yes", False),
        ("Dan", "no", True),
    ]


def test_undo_brings_back_exactly_what_was_before(session: Session, owner: Actor, event_id: UUID) -> None:
    replace_guests(
        open_event(session, owner, event_id), [GuestEntry("Aino Mäkelä", party="Old", groups=["Family"], diet="nuts")]
    )
    before = notice(list_guests(open_event(session, owner, event_id)))
    import_id = opened(session, owner, event_id, SHEET)
    confirm_import(open_event(session, owner, event_id), import_id)
    undo_import(open_event(session, owner, event_id), import_id)
    assert notice(list_guests(open_event(session, owner, event_id))) == before
    assert [group.name for group in list_groups(open_event(session, owner, event_id))] == ["Family"]
    undo_import(open_event(session, owner, event_id), import_id)
    assert notice(list_guests(open_event(session, owner, event_id))) == before


def test_undo_is_refused_once_a_guest_was_changed(session: Session, owner: Actor, event_id: UUID) -> None:
    import_id = opened(session, owner, event_id, SHEET)
    confirm_import(open_event(session, owner, event_id), import_id)
    wei = list_guests(open_event(session, owner, event_id))[1]
    change_guest(open_event(session, owner, event_id), wei.id, GuestEntry("Wei Li", note="changed"))
    after = list_guests(open_event(session, owner, event_id))
    with pytest.raises(Conflict, match="Wei Li changed since then"):
        undo_import(open_event(session, owner, event_id), import_id)
    assert list_guests(open_event(session, owner, event_id)) == after


def test_columns_can_be_said_by_hand(session: Session, owner: Actor, event_id: UUID) -> None:
    import_id = opened(session, owner, event_id, "Aino;vegan\nBo;vegan\n")
    assert set_heading(open_event(session, owner, event_id), import_id, 1)
    assert set_columns(open_event(session, owner, event_id), import_id, ["note", "name"])
    assert not set_columns(open_event(session, owner, event_id), import_id, ["note", "name"])
    [row] = preview_import(open_event(session, owner, event_id), import_id).rows
    assert (row.row.name, row.row.note) == ("vegan", "Bo")


def test_stranger_finds_no_import(session: Session, owner: Actor, stranger: Actor, event_id: UUID) -> None:
    import_id = opened(session, owner, event_id, SHEET)
    with pytest.raises(NotFound):
        preview_import(open_event(session, stranger, event_id), import_id)
    with pytest.raises(NotFound):
        undo_import(open_event(session, stranger, event_id), import_id)


@pytest.fixture
def guests(web: TestClient) -> str:
    """The address of the guests of a new event."""
    return str(web.post("/events", data={"name": "Party"}).headers["location"])


def test_file_is_sent_checked_confirmed_and_undone_on_the_pages(web: TestClient, guests: str) -> None:
    sent = web.post(f"{guests}/import", files={"file": ("list.csv", SHEET.encode("utf-16"))})
    address = sent.headers["location"]
    page = web.get(address).text
    assert "From list.csv." in words_of(page)
    assert "Add 2 guests" in words_of(page)
    assert fields_of(page)["column"] == ["name", "party", "groups", "reply", "diet"]
    form = {"column": ["name", "party", "groups", "reply", "diet"], "has_heading": "on", "action": "confirm"}
    done = web.post(address, data=form)
    listed = web.get(done.headers["location"]).text
    assert "2 guests added." in words_of(listed)
    [undo] = [action for action in actions_of(listed) if action.endswith("/undo")]
    web.post(undo)
    assert "Who is coming?" in web.get(guests).text


def test_confirming_twice_leads_to_the_guests_with_undo(web: TestClient, guests: str) -> None:
    address = web.post(f"{guests}/import", data={"text": SHEET}).headers["location"]
    web.post(address, data={"action": "confirm"})
    again = web.post(address, data={"action": "confirm", "choice-²": "add"})
    listed = web.get(again.headers["location"]).text
    assert "This list has already been imported." in words_of(listed)
    assert [action for action in actions_of(listed) if action.endswith("/undo")] == [f"{address}/undo"]


def test_changed_columns_are_shown_again_before_anything_is_taken(web: TestClient, guests: str) -> None:
    address = web.post(f"{guests}/import", data={"text": "Aino;Choir\nBo;Choir\n"}).headers["location"]
    sent = web.post(address, data={"column": ["name", "party"], "action": "confirm"})
    shown = web.get(sent.headers["location"])
    assert "Preview refreshed." in words_of(shown.text)
    assert fields_of(shown.text)["column"] == ["name", "party"]
    assert web.post(address, data={"column": ["", ""], "action": "confirm"}).status_code == 303
    assert web.post(address, data={"column": ["", ""], "action": "confirm"}).status_code == 422


def test_pasted_lines_with_more_than_a_name_are_shown_first(web: TestClient, guests: str) -> None:
    lines = "1. Aino Virtanen; Family; vegetarian\n2. Bo; Work;\n"
    sent = web.post(f"{guests}/paste", data={"lines": lines})
    assert re.fullmatch(rf"{guests}/import/[0-9a-f-]+", sent.headers["location"])
    assert "Aino Virtanen" in web.get(sent.headers["location"]).text


def test_what_was_typed_beside_a_pasted_list_is_still_there_after_its_preview(web: TestClient, guests: str) -> None:
    typed = {"name": "Cleo", "party": "Rahman", "note": "sings", "child": "true"}
    shown = web.post(f"{guests}/paste", data={"lines": "Aino; Choir\nBo; Choir\n", **typed})
    kept = {name: values for name, values in fields_of(shown.text).items() if name.startswith("kept-")}
    own = next(action for action in actions_of(shown.text) if re.search("import/[0-9a-f-]+$", action))
    again = web.post(own, data={"column": ["name", "party"], "action": "columns", **kept})
    assert {name: fields_of(again.text)[name] for name in kept} == kept
    done = web.post(own, data={"column": ["name", "party"], "action": "confirm", **kept})
    assert "2 guests added." in words_of(done.text)
    assert {name: fields_of(done.text)[name] for name in ("name", "party", "note")} == {
        "name": ["Cleo"],
        "party": ["Rahman"],
        "note": ["sings"],
    }
    [undo] = [action for action in actions_of(done.text) if action.endswith("/undo")]
    assert fields_of(web.post(undo, data=typed).text)["name"] == ["Cleo"]


def test_preview_tells_of_odd_cells(web: TestClient, guests: str) -> None:
    address = web.post(f"{guests}/import", data={"text": "Name;Zusage?\nAino;weiß nicht\n"}).headers["location"]
    words = words_of(web.get(address).text)
    assert "1 row needs checking (still imported) Row 2, Aino : “weiß nicht” is not a known reply" in words


def test_columns_that_are_not_used_are_named(web: TestClient, guests: str) -> None:
    sheet = "Name;Address;Table;RSVP?;Empty\nAino;Road 1;4;yes;\n"
    address = web.post(f"{guests}/import", data={"text": sheet}).headers["location"]
    assert "Not used: Address, Table, Empty" in words_of(web.get(address).text)


def test_hostile_file_is_refused_on_the_page_and_nothing_is_lost(web: TestClient, guests: str) -> None:
    refused = web.post(f"{guests}/import", files={"file": ("x.xlsx", far_cell())})
    assert (refused.status_code, faults_of(refused.text)) == (
        422,
        [
            "Row 1,048,576, column 16,384 has content; maximum 20,000 rows and 200 columns.",
        ],
    )
    both = web.post(f"{guests}/import", data={"text": "Aino"}, files={"file": ("x.csv", b"Bo")})
    assert (both.status_code, fields_of(both.text)["text"]) == (422, ["Aino"])

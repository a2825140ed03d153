"""The preview of a messy list: everything in it can be chosen, and nothing chosen is lost."""

from __future__ import annotations

import io
from typing import Any

import pytest
from fastapi.testclient import TestClient
from openpyxl import Workbook

from tests.pages import faults_of, fields_of, words_of

MESSY = (
    "Our wedding;;;;;\nB = beef, V = vegetarian;;;;;\n\nGuest;Household;Group;RSVP;Meal;T-shirt\n"
    "Grace Chen +1;;Work;Y;B;M\nMr & Mrs Novak;;Family;regrets;;\nJames Smith;Chen;Work;tbc;V;\n"
    "James Smith;Lopez;School;soon;;\nDr. Ada King (V);;;;;\nMia Lee (age 4);Lee;;Y;;\nBen Lee;Lee;;Y;;\nTotal;;;8;;\n"
)


@pytest.fixture
def guests(web: TestClient) -> str:
    """The address of the guests of a new event."""
    return str(web.post("/events", data={"name": "Party"}).headers["location"])


def opened(web: TestClient, guests: str, text: str = MESSY) -> str:
    return str(web.post(f"{guests}/import", data={"text": text}).headers["location"])


def sent(page: str, **changes: Any) -> dict[str, Any]:
    """Return the form of the page as a browser sends it, with changes."""
    return {**fields_of(page), "action": "save", **changes}


def listed(api: TestClient, guests: str) -> dict[str, dict[str, Any]]:
    event = guests.removesuffix("/guests")[1:]
    return {guest["name"]: guest for guest in api.get(f"{event}/guests").json()["guests"]}


def test_messy_list_is_understood_and_taken_over(web: TestClient, api: TestClient, guests: str) -> None:
    address = opened(web, guests)
    words = words_of(web.get(address).text)
    assert "Same name: the same person, or another?" in words
    assert "1 guest has the same name as another guest:" in words
    assert "2 households of two or more" not in words
    assert "3 households of two or more Guests of one household always sit at the same table." in words
    assert "Row 8, James Smith : “soon” is not a known reply: imported as no reply yet." in words
    assert "Not used: T-shirt" in words
    web.post(address, data={"action": "confirm"})
    found = listed(api, guests)
    assert list(found) == [
        "Grace Chen",
        "Guest of Grace Chen",
        "Mr Novak",
        "Mrs Novak",
        "James Smith (Chen)",
        "James Smith (Lopez)",
        "Ada King",
        "Mia Lee",
        "Ben Lee",
    ]
    assert {name: guest["party"] for name, guest in found.items() if guest["party"]} == {
        "Grace Chen": "Grace Chen",
        "Guest of Grace Chen": "Grace Chen",
        "Mr Novak": "Mr & Mrs Novak",
        "Mrs Novak": "Mr & Mrs Novak",
        "James Smith (Chen)": "Chen",
        "James Smith (Lopez)": "Lopez",
        "Mia Lee": "Lee",
        "Ben Lee": "Lee",
    }
    assert found["Grace Chen"]["meals"] == {"Main course": "beef"}
    assert (found["Ada King"]["title"], found["Ada King"]["diet"]) == ("Dr.", "vegetarian")
    assert found["Mia Lee"]["age_group"] == "child"
    assert [found[name]["public_name"] for name in ("James Smith (Chen)", "James Smith (Lopez)")] == ["James Smith"] * 2


def test_choices_survive_and_count(web: TestClient, api: TestClient, guests: str) -> None:
    address = opened(web, guests)
    page = web.get(address).text
    fields = fields_of(page)
    meanings = dict(zip(fields["word"], fields["meaning"], strict=True)) | {"reply:soon": "maybe"}
    changes = {
        "kind": [kind for kind in fields["kind"] if kind != "couple"],
        "row": [row for row in fields["row"] if row != "11"],
        "household": [key for key in fields["household"] if key != "grace chen"],
        "column": [*fields["column"][:-1], "own"],
        "meaning": list(meanings.values()),
        "names-9": "Ada King\nPip King (child)",
        "party-9": "King",
        "choice-8.0": "skip",
    }
    web.post(address, data=sent(page, **changes))
    again = web.get(address).text
    assert {name: fields_of(again).get(name, [])[0] for name in ("names-9", "party-9", "choice-8.0")} == {
        "names-9": "Ada King\nPip King (child)",
        "party-9": "King",
        "choice-8.0": "skip",
    }
    web.post(address, data=sent(again, action="confirm"))
    found = listed(api, guests)
    assert list(found) == [
        "Grace Chen",
        "Guest of Grace Chen",
        "Mr & Mrs Novak",
        "James Smith",
        "Ada King",
        "Pip King",
        "Mia Lee",
    ]
    assert [found[name]["party"] for name in ("Grace Chen", "Ada King", "Pip King")] == [None, "King", "King"]
    assert (found["Pip King"]["age_group"], found["Grace Chen"]["fields"]) == ("child", {"T-shirt": "M"})


def test_words_without_a_number_ask_how_many_and_notes_are_proposed(
    web: TestClient, api: TestClient, guests: str
) -> None:
    rows = ("Vera Sand & kids,yes,2 high chairs", "The Lee family,yes,", "Bo Ek,no,nut allergy", "Ed Ek,yes,vegan")
    text = "\n".join(("Name,RSVP,Notes", *rows))
    address = opened(web, guests, text)
    page = web.get(address).text
    words = words_of(page)
    assert "2 rows that don't say how many" in words
    assert "Row 2: “& kids” doesn't say how many children." in words
    assert [fields_of(page)[name] for name in ("seats-2", "seats-3")] == [["2"], ["2"]]
    kinds = [one for one in fields_of(page)["kind"] if one != "note_diet"]
    web.post(address, data=sent(page, kind=kinds, **{"seats-2": "3", "seats-3": "x"}))
    again = web.get(address).text
    assert [fields_of(again)[name] for name in ("seats-2", "seats-3")] == [["3"], ["2"]]
    web.post(address, data=sent(again, action="confirm"))
    found = listed(api, guests)
    assert list(found) == [
        *("Vera Sand", "Child of Vera Sand", "2nd child of Vera Sand", "3rd child of Vera Sand"),
        *("Guest of the Lee family", "2nd guest of the Lee family", "Bo Ek", "Ed Ek"),
    ]
    assert [one["high_chair"] for one in found.values()][:4] == [False, True, True, False]
    assert (found["Bo Ek"]["allergies"], found["Bo Ek"]["note"]) == (["nuts"], "")
    assert (found["Ed Ek"]["diet"], found["Ed Ek"]["note"]) == ("", "vegan")


def test_single_proposal_and_all_households_can_be_refused(web: TestClient, api: TestClient, guests: str) -> None:
    address = opened(web, guests)
    page = web.get(address).text
    fields = fields_of(page)
    readings = [one for one in fields["reading"] if one != "5:plus_one"]
    without = {
        name: values for name, values in sent(page, reading=readings, action="confirm").items() if name != "together"
    }
    web.post(address, data=without)
    found = listed(api, guests)
    assert "Grace Chen +1" in found
    assert "Guest of Grace Chen" not in found
    assert {guest["party"] for guest in found.values()} == {None}


def test_headings_and_sheet_can_be_chosen(web: TestClient, guests: str) -> None:
    book = Workbook()
    book.active.append(["Drinks", "Cost"])  # type: ignore[union-attr]
    sheet = book.create_sheet("Second")
    for cells in (["Odd title"], ["Wer", "Woher"], ["Aino", "Oulu"], ["Bo", "Turku"]):
        sheet.append(cells)
    data = io.BytesIO()
    book.save(data)
    address = web.post(f"{guests}/import", files={"file": ("list.xlsx", data.getvalue())}).headers["location"]
    page = web.get(address).text
    assert fields_of(page)["sheet"] == ["1"]
    after = web.get(web.post(address, data=sent(page, heading="2")).headers["location"]).text
    assert fields_of(after)["heading"] == ["2"]
    assert "Row 3 of “Second”" in words_of(after)
    other = web.get(web.post(address, data=sent(after, sheet="0")).headers["location"]).text
    assert fields_of(other)["sheet"] == ["0"]


def test_all_rows_are_shown_page_by_page(web: TestClient, guests: str) -> None:
    address = opened(web, guests, "Name;Group\n" + "".join(f"Guest {n} Lee;Choir\n" for n in range(1, 121)))
    first = web.get(address).text
    assert len(fields_of(first)["row"]) == 50
    unticked = [row for row in fields_of(first)["row"] if row != "2"]
    second = web.post(address, data=sent(first, row=unticked, action="page-3")).headers["location"]
    assert second.endswith("?page=3#rows")
    assert len(fields_of(web.get(second).text)["row"]) == 20
    assert "2" not in fields_of(web.get(address).text)["row"]


def test_same_list_again_updates_the_same_people(web: TestClient, api: TestClient, guests: str) -> None:
    for _ in range(2):
        web.post(opened(web, guests), data={"action": "confirm"})
    assert len(listed(api, guests)) == 9


def test_unnamed_guests_are_named_in_one_place(web: TestClient, api: TestClient, guests: str) -> None:
    web.post(opened(web, guests), data={"action": "confirm"})
    assert "Name 1 unnamed guest" in words_of(web.get(guests).text)
    page = web.get(f"{guests}/unnamed").text
    [field] = [name for name in fields_of(page) if name.startswith("name-")]
    refused = web.post(f"{guests}/unnamed", data={field: "ben lee"})
    assert (refused.status_code, fields_of(refused.text)[field]) == (422, ["ben lee"])
    assert faults_of(refused.text)[0].startswith("“ben lee” already exists as “Ben Lee”.")
    assert web.post(f"{guests}/unnamed", data={field: "Oskar Lind"}).headers["location"] == guests
    assert "Oskar Lind" in listed(api, guests)
    assert "Every guest has a name" in web.get(f"{guests}/unnamed").text


def test_pasted_names_with_more_to_them_are_shown_first(web: TestClient, guests: str) -> None:
    shown = web.post(f"{guests}/paste", data={"lines": "Aino\nBo & guest\n"})
    assert "/import/" in shown.headers["location"]
    assert web.post(f"{guests}/paste", data={"lines": "Aino\nBo Ek\n"}).headers["location"].endswith("added=2")


def test_api_reads_names_to_the_letter_if_asked(api: TestClient) -> None:
    event = f"events/{api.post('events', json={'name': 'Party'}).json()['id']}"
    body, params = b"Name\nAnna and Ben Lee\nDr. Ada King\n", {"dry_run": True}
    tried = api.post(f"{event}/guests/import", content=body, params=params).json()
    assert [(row["name"], row["understood"]) for row in tried["rows"]] == [
        ("Anna Lee", ["“Anna and Ben Lee” is 2 people: Anna Lee and Ben Lee"]),
        ("Ben Lee", ["“Anna and Ben Lee” is 2 people: Anna Lee and Ben Lee"]),
        ("Ada King", ["“Dr.” is a title"]),
    ]
    plain = api.post(f"{event}/guests/import", content=body, params={**params, "as_written": True}).json()
    assert [row["name"] for row in plain["rows"]] == ["Anna and Ben Lee", "Dr. Ada King"]
    none = api.post(f"{event}/guests/import", content=body, params={**params, "headings_row": 0}).json()
    assert (none["headings_row"], len(none["rows"])) == (None, 4)

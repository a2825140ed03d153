"""Import guests through the API: tried, taken as a whole, undone as a whole."""

from __future__ import annotations

from typing import Any

import pytest
from fastapi.testclient import TestClient

from tests.hostile_files import far_cell

SHEET = "Name;Party;Groups;Reply;Diet\nAino Mäkelä;Mäkelä;Choir;yes;vegan\nWei Li;;Choir, Work;;\n"


@pytest.fixture
def guests(web: TestClient) -> str:
    """The address of the guests of a new event."""
    return str(web.post("/events", data={"name": "Party"}).headers["location"])


def test_api_takes_a_file_after_a_dry_run(api: TestClient) -> None:
    event = f"events/{api.post('events', json={'name': 'Party'}).json()['id']}"
    api.post(f"{event}/guests", json={"name": "Aino Mäkelä"})
    tried = api.post(f"{event}/guests/import", params={"dry_run": True}, content=SHEET.encode()).json()
    assert tried["columns"] == ["name", "party", "groups", "reply", "diet"]
    assert [tried[key] for key in ("done", "added", "updated", "left_out")] == [False, 1, 1, 0]
    assert tried["rows"][0] == {
        "row": 2,
        "name": "Aino Mäkelä",
        "choice": "update",
        "like": "Aino Mäkelä",
        "faults": [],
        "notes": [],
        "understood": [],
    }
    assert len(api.get(f"{event}/guests").json()["guests"]) == 1
    done = api.post(f"{event}/guests/import", content=SHEET.encode()).json()
    assert [done[key] for key in ("done", "added", "updated", "left_out")] == [True, 1, 1, 0]
    assert [guest["name"] for guest in api.get(f"{event}/guests").json()["guests"]] == ["Aino Mäkelä", "Wei Li"]
    refused = api.post(f"{event}/guests/import", content=far_cell())
    assert (refused.status_code, refused.json()["errors"][0]["detail"][:38]) == (
        422,
        "Row 1,048,576, column 16,384 has conte",
    )


def test_api_import_can_be_undone_and_leaves_who_is_only_alike(web: TestClient, api: TestClient, guests: str) -> None:
    event = guests.removesuffix("/guests")[1:]
    waiting = web.post(f"{guests}/import", data={"text": SHEET}).headers["location"]
    api.post(f"{event}/guests", json={"name": "Aino Mäkelä"})
    done = api.post(f"{event}/guests/import", content=b"Name;Diet\nMakela Aino;nuts\nWei;vegan\n").json()
    assert [done[key] for key in ("added", "updated", "left_out")] == [1, 0, 1]
    assert [(row["name"], row["like"], row["choice"]) for row in done["rows"]] == [
        ("Makela Aino", "Aino Mäkelä", "skip")
    ]
    assert web.get(waiting).status_code == 200
    assert api.post(f"{event}/guests/import/{done['id']}/undo").status_code == 204
    assert [guest["name"] for guest in api.get(f"{event}/guests").json()["guests"]] == ["Aino Mäkelä"]


def test_file_in_a_form_is_read_as_the_file(api: TestClient) -> None:
    event = f"events/{api.post('events', json={'name': 'Party'}).json()['id']}"
    done = api.post(f"{event}/guests/import", files={"file": ("guests.csv", SHEET.encode(), "text/csv")})
    assert done.status_code == 200
    plain = f"events/{api.post('events', json={'name': 'Party'}).json()['id']}"
    as_body = api.post(f"{plain}/guests/import", content=SHEET.encode(), headers={"Content-Type": "text/csv"})
    names = [[guest["name"] for guest in api.get(f"{one}/guests").json()["guests"]] for one in (event, plain)]
    assert names[0] == names[1] != []
    assert {**done.json(), "id": ""} == {**as_body.json(), "id": ""}


def test_form_without_the_file_or_with_two_is_refused(api: TestClient) -> None:
    event = f"events/{api.post('events', json={'name': 'Party'}).json()['id']}"
    form = {"Content-Type": "multipart/form-data; boundary=x"}
    for refused in (
        api.post(f"{event}/guests/import", files={"guests": ("guests.csv", b"Aino", "text/csv")}),
        api.post(f"{event}/guests/import", files=[("file", ("a.csv", b"Aino")), ("file", ("b.csv", b"Bo"))]),
        api.post(f"{event}/guests/import", content=b"no form", headers=form),
    ):
        assert (refused.status_code, refused.headers["content-type"]) == (422, "application/problem+json")
    assert api.get(f"{event}/guests").json()["guests"] == []


def test_other_content_types_are_refused_with_those_accepted(api: TestClient) -> None:
    event = f"events/{api.post('events', json={'name': 'Party'}).json()['id']}"
    for other in ("application/json", "application/x-www-form-urlencoded", "image/png"):
        refused = api.post(f"{event}/guests/import", content=b"Aino", headers={"Content-Type": other})
        assert refused.status_code == 415
        assert refused.json()["detail"] == (
            "Send the guests as text/csv, text/tab-separated-values, text/plain, "
            "text/vcard, application/vnd.openxmlformats-officedocument.spreadsheetml.sheet, "
            "or as multipart/form-data with the field “file”. Nothing was changed."
        )


LEFT_OVER = "Name,E-mail,Phone,Side,Allergies\n" + "\n".join(
    [
        'Aino,"aino(at)mail.fi",call her mother,Side 0,"nuts, kiwi"',
        'Bo,"bo@mail.fi; b.work@mail.fi","+358 40 1234567 / +358 9 7654321 ext. 12 (evenings)",Side 1,TBC',
        "Cy,TBC,-,Side 2,",
        *(f"Guest {number},,,Side {number}," for number in range(3, 12)),
    ]
)


def test_what_no_field_takes_is_named_and_kept_in_the_note(api: TestClient) -> None:
    event = f"events/{api.post('events', json={'name': 'Party'}).json()['id']}"
    sent: dict[str, Any] = {"content": LEFT_OVER.encode(), "headers": {"Content-Type": "text/csv"}}
    tried = api.post(f"{event}/guests/import?dry_run=true", **sent).json()
    notes = {row["row"]: row["notes"] for row in tried["rows"] if row["notes"]}
    assert notes == {
        2: [
            "E-mail “aino(at)mail.fi” is not an address: kept in the note",
            "Phone “call her mother” is not a number: kept in the note",
        ],
        3: [
            "E-mail “b.work@mail.fi” is one address more: kept in the note",
            "Phone “+358 9 7654321 ext. 12 (evenings)” is one number more: kept in the note",
        ],
        12: ["Side “Side 10” would be one option more than 10: kept in the note"],
        13: ["Side “Side 11” would be one option more than 10: kept in the note"],
    }
    for _ in range(2):  # a second time, nothing is added again
        assert api.post(f"{event}/guests/import", **sent).is_success
        aino, bo, cy, *rest = api.get(f"{event}/guests").json()["guests"]
        assert aino["note"] == "E-mail: aino(at)mail.fi\nPhone: call her mother"
        assert (aino["allergies"], aino["other_allergies"], aino["side"]) == (["nuts"], "kiwi", "Side 0")
        assert (bo["email"], bo["phone"]) == ("bo@mail.fi", "+358 40 1234567")
        assert (cy["email"], cy["phone"], cy["note"]) == ("", "", "")
        assert (rest[-1]["side"], rest[-1]["note"]) == (None, "Side: Side 11")

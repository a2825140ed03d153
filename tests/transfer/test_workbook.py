"""A whole event as a workbook, and back without loss."""

from __future__ import annotations

import io
import re
from urllib.parse import quote
from uuid import UUID

import numpy as np
import pytest
from fastapi.testclient import TestClient
from openpyxl import load_workbook
from sqlalchemy import select

from app.accounts.actor import Actor
from app.clock import now
from app.db import models
from app.db.session import Sessions, transaction
from app.events.context import open_event
from app.files.workbook import Sheet, write_workbook
from app.files.xlsx import read_workbook
from app.guests.party_and_group_names import COLOURS
from app.ratings.matrix import put_matrix
from app.ratings.values import pair_values
from app.transfer import export as exports
from app.web.html.attachments import attachment
from tests.pages import faults_of, words_of


@pytest.fixture
def event(web: TestClient, api: TestClient, sessions: Sessions) -> str:
    """An event with something of everything, and with names that a spreadsheet would like to run."""
    address = str(web.post("/events", data={"name": "Party", "on": "2026-12-05"}).headers["location"])
    root = address.removesuffix("/guests")[1:]
    guests = [
        {"name": "Aino", "party": "A & B", "groups": ["Family"], "note": "line one\nline two", "reply": "yes"},
        {"name": "Bo", "party": "A & B", "groups": ["Family", "=Work"], "child": True, "diet": "no nuts"},
        {"name": "=1+1", "groups": ["=Work"], "reply": "maybe"},
        {"name": "'Dan"},
    ]
    ids = [guest["id"] for guest in api.put(f"{root}/guests", json={"guests": guests}).json()["guests"]]
    family, work = (group["id"] for group in api.get(f"{root}/groups").json()["groups"])
    api.put(f"{root}/groups/ratings", json={"ratings": [{"a": family, "b": work, "score": -0.5}]})
    ratings = [(0, 2, 2.0), (2, 0, 1 / 3), (1, 3, -2.0)]
    api.put(f"{root}/ratings", json={"ratings": [{"a": ids[a], "b": ids[b], "score": s} for a, b, s in ratings]})
    tables = [{"name": "Birch", "seats": 4, "min_seats": 2, "shape": "long", "end_seats": True, "rotation": 90},
              {"name": "Oak", "seats": 3, "shape": "oval", "x": 90.5, "y": -3, "reserved_for": family}]  # fmt: skip
    birch, _ = (t["id"] for t in api.put(f"{root}/tables", json={"tables": tables}).json()["tables"])
    bar = {"kind": "bar", "x": 30.5, "y": 90, "width": 60, "height": 200, "rotation": 15, "text": "=Bar"}
    api.patch(f"{root}/room", json={"width": 1200, "items": [bar]}, headers={"If-Match": "*"})
    api.post(f"{root}/rules", json={"kind": "apart", "guests": [ids[0], ids[3]]})
    api.post(f"{root}/rules", json={"kind": "pinned", "guests": [ids[2]], "tables": [birch]})
    with transaction(sessions) as session:
        session.get_one(models.Group, UUID(work)).circle_of = UUID(family)
        wishes = [(0, 3, None), (2, 3, now())]
        for a, b, accepted in wishes:
            keys = {"event_id": UUID(root.split("/")[1]), "guest_id": UUID(ids[a]), "other_id": UUID(ids[b])}
            session.add(models.Wish(**keys, accepted_at=accepted))
        for pair, answer in (((0, 1), "unknown"), ((1, 2), "skipped")):
            one, other = sorted(UUID(ids[place]) for place in pair)
            session.add(models.AskedPair(event_id=keys["event_id"], guest_a=one, guest_b=other, answer=answer))
    return f"/{root}"


def exported(web: TestClient, event: str) -> bytes:
    return web.get(f"{event}/event.xlsx").content


def take(web: TestClient, book: bytes) -> str:
    taken = web.post("/import", files={"file": ("event.xlsx", book)})
    assert taken.status_code == 303
    return str(taken.headers["location"]).removesuffix("/guests?made=1")


def test_event_comes_back_as_it_was(web: TestClient, event: str, sessions: Sessions) -> None:
    book = exported(web, event)
    again = take(web, book)
    assert again != event
    assert read_workbook(exported(web, again)) == read_workbook(book)
    with transaction(sessions, read_only=True) as session:
        values = []
        for address in (event, again):
            one = session.get_one(models.Event, UUID(address.removeprefix("/events/")))
            guests = select(models.Guest).where(models.Guest.event_id == one.id).order_by(models.Guest.position)
            values.append(pair_values(session, one, session.scalars(guests).all()).values)
        assert np.array_equal(values[0], values[1])


@pytest.mark.parametrize(
    ("name", "header"),
    [
        ("Midsummer dinner", 'attachment; filename="Midsummer-dinner.xlsx"'),
        ('../x"; y\\z.', 'attachment; filename="x-y-z.xlsx"'),
        ("Häät", "attachment; filename=\"Haat.xlsx\"; filename*=UTF-8''H%C3%A4%C3%A4t.xlsx"),
        ("נועה", f"attachment; filename=\"event.xlsx\"; filename*=UTF-8''{quote('נועה')}.xlsx"),
        ("Anna & Bo", "attachment; filename=\"Anna-Bo.xlsx\"; filename*=UTF-8''Anna-%26-Bo.xlsx"),
        ("x\r\ny: z", 'attachment; filename="x-y-z.xlsx"'),
        ("...", 'attachment; filename="event.xlsx"'),
        ("Anna\u202exslx\u2066exe", 'attachment; filename="Anna-xslx-exe.xlsx"'),
    ],
)
def test_file_called_after_an_event_has_a_name_that_every_system_takes(name: str, header: str) -> None:
    assert attachment(name, "xlsx", "event") == header


def test_workbook_is_called_after_the_event(web: TestClient, event: str) -> None:
    assert web.get(f"{event}/event.xlsx").headers["content-disposition"] == 'attachment; filename="Party.xlsx"'


def test_new_event_from_a_workbook_is_told(web: TestClient) -> None:
    book = write_workbook([Sheet("Guests", ("Name",), [("Aino",)])])
    taken = web.post("/import", files={"file": ("event.xlsx", book)})
    assert "Event created. Your other events" in words_of(web.get(taken.headers["location"]).text)


def test_what_was_asked_wished_and_ruled_goes_out(web: TestClient, event: str) -> None:
    asked = read_workbook(exported(web, event))["Asked"]
    assert [row.cells for row in asked[1:]] == [("=1+1", "Bo", "skipped"), ("Aino", "Bo", "unknown")]
    wishes, rules = (web.get(f"{event}/{part}.csv").text.splitlines()[1:] for part in ("wishes", "rules"))
    assert sorted(wishes) == ["'=1+1,'Dan,accepted", "Aino,'Dan,undecided"]
    assert rules == ["1,apart,guest,Aino", "1,apart,guest,'Dan", "2,pinned,guest,'=1+1", "2,pinned,table,Birch"]


def test_uploaded_matrix_comes_back_too(web: TestClient, event: str, sessions: Sessions, owner: Actor) -> None:
    event_id = UUID(event.removeprefix("/events/"))
    with transaction(sessions) as session:
        found = session.scalars(select(models.Guest.id).where(models.Guest.event_id == event_id).limit(3)).all()
        put_matrix(
            open_event(session, owner, event_id), "distance", found, [[0, 0.1, None], [7.25, 0, 2], [None, 2, 0]]
        )
    book = exported(web, event)
    sheets = read_workbook(book)
    assert [row.cells[1:] for row in sheets["Matrix"][1:]] == [("0", "0.1"), ("7.25", "0", "2"), ("", "2", "0")]
    assert read_workbook(exported(web, take(web, book))) == sheets


@pytest.mark.parametrize(
    ("sheets", "message"),
    [
        (
            [Sheet("Ratings", ("Guest",), [])],
            "This workbook is not an exported event: it has no “Event” or “Guests” sheet.",
        ),
        (
            [Sheet("Guests", ("Name",), [("Aino",)]), Sheet("Ratings", ("Guest",), [("Aino", "Bo", 1)])],
            "Sheet “Ratings”, row 2: “Bo” is not a guest in this workbook.",
        ),
        (
            [Sheet("Guests", ("Name",), [("Aino",), ("Bo",)]), Sheet("Ratings", ("Guest",), [("Aino", "Bo", "x")])],
            "Sheet “Ratings”, row 2: “x” is not a number.",
        ),
        (
            [Sheet("Guests", ("Name",), [("Aino",), (), ("aino",)])],
            "Sheet “Guests”, row 4: “aino” is a duplicate (also row 2 as “Aino”).",
        ),
        (
            [Sheet("Guests", ("Name",), [("Aino", "", "", "hm")])],
            "Sheet “Guests”, row 2: “hm” is not a known reply; write yes, no, maybe or invited.",
        ),
        (
            [Sheet("Guests", ("Name",), []), Sheet("Groups", ("Name",), [("Choir", "mauve")])],
            f"Sheet “Groups”, row 2: The colour must be one of {', '.join(COLOURS)}.",
        ),
        (
            [Sheet("Guests", ("Name",), []), Sheet("Groups", ("Name",), [("Family",), ("Twins", "", "Famly")])],
            "Sheet “Groups”, row 3: No group has this name.",
        ),
        (
            [Sheet("Guests", ("Name",), [("Aino",), ("Bo",)]), Sheet("Ratings", ("Guest",), [("Aino", "Bo", 7)])],
            "Sheet “Ratings”, row 2: A score must be from −2 to 2.",
        ),
        (
            [Sheet("Guests", ("Name",), [("Aino",)]), Sheet("Rules", ("Rule",), [(1, "apart", "guest", "Aino")])],
            "Sheet “Rules”, row 2: This kind of rule needs at least two guests.",
        ),
        (
            [Sheet("Guests", ("Name",), []), Sheet("Tables", ("Name",), [("Oak", "star", 4, 0)])],
            "Sheet “Tables”, row 2: The shape must be round, square, long, head or oval.",
        ),
        (
            [Sheet("Guests", ("Name",), []), Sheet("Room", ("What",), [("room",), ("pool", "", 0, 0, 9, 9)])],
            "Sheet “Room”, row 3: The kind must be one of door, dance_floor, stage, bar, label, wall.",
        ),
        (
            [
                Sheet("Guests", ("Name",), [("Aino",)]),
                Sheet("Tables", ("Name",), [("Oak", "round", 4, 0)]),
                Sheet("Seating by guest", ("Guest",), [("Aino", "Oak", 502)]),
            ],
            "Sheet “Seating by guest”, row 2: A seat is a number from 1 to 501.",
        ),
        (
            [
                Sheet("Guests", ("Name",), []),
                Sheet("Tables", ("Name",), [("Oak", "round", 4, 0)]),
                Sheet("Locks", ("Table",), [("Oak", "", "table locked"), ("Oak", "", "table locked")]),
            ],
            "Sheet “Locks”, row 3: Row 2 says the same.",
        ),
        (
            [
                Sheet("Guests", ("Name",), []),
                Sheet("Tables", ("Name",), [("Oak", "round", 4, 0)]),
                Sheet("Locks", ("Table",), [("Oak", 2, "closed")]),
            ],
            "Sheet “Locks”, row 2: Write “table locked” or “seat kept empty”, not “closed”.",
        ),
        (
            [Sheet("Event", ("What",), [("Date", "soon")])],
            "Sheet “Event”: “soon” is not a date. Use the format 2026-12-05.",
        ),
    ],
)
def test_what_is_wrong_is_told_and_no_event_is_made(web: TestClient, sheets: list[Sheet], message: str) -> None:
    refused = web.post("/import", files={"file": ("event.xlsx", write_workbook(sheets))})
    assert (refused.status_code, faults_of(refused.text)) == (422, [message])
    assert not re.findall(r'id="event-', web.get("/").text)


def test_words_are_read_as_a_list_of_guests_reads_them(web: TestClient, api: TestClient) -> None:
    rows = [("Aino", "", "", "Yes", "X"), ("Bo", "", "", "tackat nej", "No"), ("Cleo",)]
    event = take(web, write_workbook([Sheet("Guests", ("Name",), rows)]))
    guests = api.get(f"{event[1:]}/guests").json()["guests"]
    assert [(g["reply"], g["child"]) for g in guests] == [("yes", True), ("no", False), ("invited", False)]


def test_event_that_could_not_come_back_is_not_exported(
    web: TestClient, event: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(exports, "MOST_CELLS", 50)
    refused = web.get(f"{event}/event.xlsx")
    assert refused.status_code == 413
    assert "maximum 50 in an importable workbook" in words_of(refused.text)


def test_sheet_that_is_hidden_is_not_read() -> None:
    book = load_workbook(io.BytesIO(write_workbook([Sheet(title, ("Name",), [("Aino",)]) for title in ("A", "B")])))
    book["B"].sheet_state = "hidden"
    file = io.BytesIO()
    book.save(file)
    assert list(read_workbook(file.getvalue())) == ["A"]


def test_file_that_is_no_workbook_is_refused(web: TestClient) -> None:
    assert web.post("/import", files={"file": ("event.xlsx", b"Aino,Bo")}).status_code == 422
    assert web.post("/import").status_code == 422


def test_ratings_go_out_as_csv_and_come_back(web: TestClient, event: str) -> None:
    text = web.get(f"{event}/ratings.csv").text
    assert text.splitlines()[1] == "Aino,0,,2,"
    web.post(f"{event}/ratings/start-over", data={"kind": "score"})
    web.post(f"{event}/ratings/matrix", data={"kind": "score", "text": text})
    assert web.get(f"{event}/ratings.csv").text == text

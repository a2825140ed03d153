"""A whole event as JSON, and back without loss."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from uuid import UUID, uuid4

import pytest
from fastapi.testclient import TestClient
from hypothesis import HealthCheck, given, settings
from sqlalchemy.orm import Session

from app.accounts.actor import Actor
from app.db.models import Plan, User
from app.db.scratch import scratch_session
from app.db.session import Sessions, transaction
from app.errors import Invalid
from app.events.context import EventContext, open_event
from app.files.event_file import EventFileError, read_event_file, write_event_file
from app.files.workbook import write_workbook
from app.files.xlsx import read_workbook
from app.guests.queries.guests import guests_of
from app.plans.moves.edit import MoveEntry, make_move
from app.tables.queries import tables_of
from app.transfer.export import export_event
from app.transfer.json_export import export_json
from app.transfer.json_import import import_json
from app.transfer.staged_events import stage_event
from app.transfer.workbook_import import Book, import_event
from tests.pages import faults_of
from tests.transfer.event_files import event_files

OWNER = Actor(uuid4())
SMALL: dict[str, Any] = {
    "event": {"name": "Party", "date": "2026-12-05"},
    "guests": [{"id": "a", "name": "Aino", "note": "shy"}, {"id": "b", "name": "Bo"}, {"id": "c", "name": "Cleo"}],
    "ratings": [["a", "b", 2], ["b", "c", -2]],
    "tables": [{"id": "t", "name": "Oak", "seats": 3}, {"id": "u", "name": "Elm", "seats": 3}],
    "plans": [
        {
            "id": "p",
            "number": 4,
            "name": "Final",
            "created_at": "2026-11-01T10:00:00Z",
            "used_at": "2026-11-02T10:00:00Z",
            "seats": [["a", "t", 1], ["b", "t", 3], ["c", "u", 1]],
            "locked_guests": ["b"],
        }
    ],
}


@contextmanager
def scratch() -> Iterator[Session]:
    with scratch_session() as session:
        session.add(User(id=OWNER.user_id))
        session.flush()
        yield session


def ctx_of(session: Session, event_id: UUID) -> EventContext:
    return open_event(session, OWNER, event_id)


def book_of(ctx: EventContext) -> Book:
    return read_workbook(write_workbook(export_event(ctx)))


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(data=event_files())
def test_what_was_exported_is_exported_again_after_an_import(data: bytes) -> None:
    with scratch() as session:
        first = ctx_of(session, import_json(session, OWNER, read_event_file(data)).id)
        exported, book = export_json(first), book_of(first)
        again = import_json(session, OWNER, read_event_file(exported))
        assert export_json(ctx_of(session, again.id)) == exported
        from_book = import_event(session, OWNER, book)
        assert book_of(ctx_of(session, from_book.id)) == book


def test_file_from_sqlite_is_the_same_after_an_import_elsewhere(sessions: Sessions, owner: Actor) -> None:
    staged = stage_event(owner, read_event_file(write_event_file(SMALL)))
    with scratch() as session:
        event = import_json(session, OWNER, read_event_file(write_event_file(SMALL)))
        exported, book = export_json(ctx_of(session, event.id)), book_of(ctx_of(session, event.id))
    for step in staged.steps:
        with transaction(sessions) as session:
            step.write(session)
    with transaction(sessions) as session:
        staged.finish(session)
    with transaction(sessions, read_only=True) as session:
        ctx = open_event(session, owner, staged.id)
        assert (export_json(ctx), book_of(ctx)) == (exported, book)


def test_imported_plan_can_be_edited() -> None:
    with scratch() as session:
        event = import_json(session, OWNER, read_event_file(write_event_file(SMALL)))
        ctx = ctx_of(session, event.id)
        plan = session.query(Plan).one()
        assert (plan.number, plan.name, plan.total) == (4, "Final", 2.0)

        guests = {guest.name: guest.id for guest in guests_of(session, event.id)}
        tables = {table.name: table.id for table in tables_of(session, event.id)}
        make_move(ctx, plan.id, MoveEntry(kind="move", guest=guests["Cleo"], table=tables["Oak"]))
        assert session.get_one(Plan, plan.id).total == 0.0


def test_event_goes_out_and_in_by_page_and_api(web: TestClient, api: TestClient) -> None:
    made = api.post("import", content=write_event_file(SMALL), headers={"Content-Type": "application/json"})
    event = made.json()["id"]
    assert (made.status_code, made.headers["location"]) == (201, f"/api/v1/events/{event}")
    exported = api.get(f"events/{event}/event.json").content
    taken = web.post("/import", files={"file": ("event.json", b"\xef\xbb\xbf" + exported)})
    again = taken.headers["location"].removesuffix("/guests?made=1")
    page = web.get(f"{again}/event.json")
    assert (page.content, page.headers["content-disposition"]) == (exported, 'attachment; filename="Party.json"')
    assert read_workbook(api.get(f"events/{event}/event.xlsx").content)["Seating by table"][1].cells == (
        "Oak",
        "1",
        "Aino",
    )
    assert read_event_file(exported).plans[0].locked_guests == ("g2",)


def changed(**parts: Any) -> bytes:
    return json.dumps({"format": "convive-event", "version": 1, **SMALL, **parts}).encode()


PLAN = SMALL["plans"][0]
GUEST = {"id": "a", "name": "Aino"}


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b'{"format": "convive-event",\n "version": }', "This file is not valid JSON: see line 2, column 13."),
        (b"[" * 100_000, "This file is nested too deeply to be an exported event."),
        (b'{"a":' * 100_000, "This file is nested too deeply to be an exported event."),
        (b"[1]", "This JSON file is not an exported event: “format” must be “convive-event”."),
        (b"\xff{", "This file is not valid JSON: see line 1, column 1."),
        (changed(version=7), "This file is version 7 of the format; this server reads version 1."),
        (changed(version="1"), "“version” must be 1."),
        (changed(colour="red"), "colour: is not part of this format."),
        (changed(event={"name": 5}), "event.name: must be text."),
        (changed(event={"name": "x" * 201}), "event.name: must have at most 200 characters."),
        (changed(event={"name": "x", "date": 0}), "event.date: must be text."),
        (changed(guests=[GUEST, GUEST], ratings=[], plans=[]), "guests[1]: duplicate id “a” (also guests[0])."),
        (changed(guests=[{"id": "a"}]), "guests[0].name: is required."),
        (changed(ratings=[["a", "z", 1]]), "ratings[0]: no guest has the id “z”."),
        (changed(ratings=[["a", "b", 1], ["a", "b", 2]]), "ratings[1]: the same pair stands in ratings[0]."),
        (changed(ratings=[["a", "b", "2"]]), "ratings[0][2]: must be a number."),
        (changed().replace(b'"b", 2]', b'"b", 1e999]'), "ratings[0][2]: must be a finite number."),
        (changed().replace(b'"b", 2]', b'"b", ' + b"9" * 400 + b"]"), "ratings[0][2]: must be a finite number."),
        (changed(tables=[{"id": "t", "name": "Oak", "seats": 10**30}]), "tables[0].seats: must be at most 100,000."),
        (changed(plans=[{**PLAN, "seats": [["a", "t", 1], ["b", "t", 1]], "locked_guests": []}]),
         "plans[0].seats: seat 1 of table “t” is taken twice."),
        (changed(plans=[{**PLAN, "seats": [["a", "t", 501], ["b", "t", 503]], "locked_guests": []}]),
         "plans[0].seats[1]: seat 503 is too high; maximum 502."),
        (changed(plans=[{**PLAN, "empty_seats": [["t", 504]]}]),
         "plans[0].empty_seats[0]: seat 504 is too high; maximum 503."),
        (changed(plans=[{**PLAN, "empty_seats": [["t", 2], ["t", 2]]}]),
         "plans[0].empty_seats[1]: duplicate of plans[0].empty_seats[0]."),
        (changed(plans=[{**PLAN, "alternative_of": "p"}]), "plans[0].alternative_of: no other plan has this id."),
        (changed(plans=[{**PLAN, "created_at": "soon"}]),
         "plans[0].created_at: must be a moment such as 2026-12-05T18:00:00Z."),
    ],
)  # fmt: skip
def test_form_of_a_file_that_is_wrong_is_told_with_its_place(data: bytes, message: str) -> None:
    with pytest.raises(EventFileError) as error:
        read_event_file(data)
    assert error.value.errors == (message,)


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        ({"ratings": [["a", "b", 3]]}, "ratings[0]: A score must be from −2 to 2."),
        ({"guests": [GUEST, {"id": "b", "name": "aino"}], "ratings": [], "plans": []},
         "guests[1].name: “aino” is a duplicate (also guests[0] as “Aino”)."),
        ({"tables": [{"id": "t", "name": "Oak", "seats": 3, "reserved_for": "Choir"}], "plans": []},
         "tables[0].reserved_for: No group has this name."),
        ({"rules": [{"kind": "apart", "guests": ["a"]}]},
         "rules[0].guests: This kind of rule needs at least two guests."),
    ],
)  # fmt: skip
def test_event_that_cannot_be_made_is_told_with_its_place(parts: dict[str, Any], message: str) -> None:
    with scratch() as session, pytest.raises(Invalid) as error:
        import_json(session, OWNER, read_event_file(changed(**parts)))
    assert [fault.message for fault in error.value.faults] == [message]


def test_wrong_file_makes_no_event(web: TestClient, api: TestClient) -> None:
    wrong = changed(ratings=[["a", "z", 1]])
    refused = web.post("/import", files={"file": ("event.json", wrong)})
    assert (refused.status_code, faults_of(refused.text)) == (422, ["ratings[0]: no guest has the id “z”."])
    answer = api.post("import", content=wrong, headers={"Content-Type": "application/json"})
    assert (answer.status_code, answer.json()["detail"]) == (422, "ratings[0]: no guest has the id “z”.")
    assert api.get("events").json()["events"] == []


def test_file_past_the_limit_is_refused_before_it_is_read(api: TestClient) -> None:
    headers = {"Content-Type": "application/json"}
    assert api.post("import", content=b" " * (17 << 20), headers=headers).status_code == 413

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
from sqlalchemy import event as listeners
from sqlalchemy.orm import Session

from app.accounts.actor import Actor
from app.clock import now
from app.db.models import Plan, User
from app.db.scratch import scratch_session
from app.db.session import Sessions, transaction
from app.errors import Invalid, TooLarge
from app.events.context import EventContext, open_event
from app.events.erasure_day import MOST_DAYS
from app.files import event_guests, event_parts
from app.files.event_file import EventFileError, read_event_file, write_event_file
from app.files.workbook import write_workbook
from app.files.xlsx import read_workbook
from app.guests.entries import MAX_GUESTS
from app.guests.party_and_group_names import MAX_GROUPS
from app.guests.queries.guests import guests_of
from app.plans.moves.edit import MoveEntry, make_move
from app.plans.read import current_plan_id
from app.rules.edit import MAX_RULES
from app.tables.entries import MAX_SEATS, MAX_TABLES
from app.tables.queries import tables_of
from app.tables.room_items import MAX_ITEMS
from app.transfer import json_export
from app.transfer.export import export_event
from app.transfer.json_export import export_json
from app.transfer.json_import import import_json
from app.transfer.staged_events import stage_event
from app.transfer.workbook_import import import_event
from app.transfer.workbook_reader import Book
from app.wishes.form import MOST_WISHES
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
LOCKED = {**SMALL, "plans": [{**SMALL["plans"][0], "locked_tables": ["u"], "empty_seats": [["t", 2]]}]}


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


@settings(max_examples=15, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
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
    staged = stage_event(owner, read_event_file(write_event_file(LOCKED)))
    with scratch() as session:
        event = import_json(session, OWNER, read_event_file(write_event_file(LOCKED)))
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
    made = api.post("import", content=write_event_file(LOCKED), headers={"Content-Type": "application/json"})
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
    locks = read_workbook(api.get(f"events/{event}/event.xlsx").content)["Locks"]
    assert [row.cells for row in locks[1:]] == [("Oak", "2", "seat kept empty"), ("Elm", "", "table locked")]


def changed(**parts: Any) -> bytes:
    return json.dumps({"format": "convive-event", "version": 1, **SMALL, **parts}).encode()


PLAN = SMALL["plans"][0]
GUEST = {"id": "a", "name": "Aino"}
ITEM = {"kind": "door", "x": 0, "y": 0, "width": 9, "height": 9}
TABLE = {"id": "t", "name": "Oak", "seats": 3}


def test_file_takes_as_much_as_an_event() -> None:
    taken = (event_guests.MOST_GROUPS, event_guests.MOST_GUESTS, event_parts.MOST_TABLES, event_parts.MOST_CHAIRS)
    assert taken == (MAX_GROUPS, MAX_GUESTS, MAX_TABLES, MAX_SEATS)
    assert (event_parts.MOST_RULES, event_parts.MOST_ITEMS) == (MAX_RULES, MAX_ITEMS)
    assert event_parts.MOST_WISHES == MOST_WISHES * MAX_GUESTS
    assert event_parts.MOST_DAYS == MOST_DAYS


def test_day_of_erasing_comes_along_unless_it_is_too_soon() -> None:
    for date, days, kept in (("2199-05-01", 30, 30), ("2001-05-01", 30, None), (None, 90, 90)):
        data = changed(event={"name": "Party", "date": date, "erase_after_days": days})
        with scratch() as session:
            event = import_json(session, OWNER, read_event_file(data))
            assert event.erase_after_days == kept
            assert import_event(session, OWNER, book_of(ctx_of(session, event.id))).erase_after_days == kept


def test_last_of_two_answers_about_a_pair_counts() -> None:
    data = changed(asked=[["a", "b", "unknown"], ["b", "a", "skipped"]], wishes=[["b", "a", "declined"]])
    with scratch() as session:
        event = import_json(session, OWNER, read_event_file(data))
        exported = read_event_file(export_json(ctx_of(session, event.id)))
    assert (exported.asked, exported.wishes) == ((("g1", "g2", "skipped"),), (("g2", "g1", "declined"),))


def test_version_from_the_future_gives_way_to_the_next_one_in_use() -> None:
    first = {**PLAN, "id": "p", "number": 1, "created_at": "9000-01-01T00:00:00Z", "used_at": "9000-01-02T00:00:00Z"}
    second = {**first, "id": "q", "number": 2, "used_at": "9000-01-03T00:00:00Z"}
    with scratch() as session:
        event = import_json(session, OWNER, read_event_file(changed(plans=[second, first])))
        one, other = session.query(Plan).order_by(Plan.number)
        assert one.used_at is not None
        assert other.used_at is not None
        assert one.created_at == other.created_at < one.used_at < other.used_at <= now()
        assert current_plan_id(ctx_of(session, event.id)) == other.id


def test_oldest_unused_alternatives_stay_behind_where_versions_are_too_many(monkeypatch: pytest.MonkeyPatch) -> None:
    beside = [{**PLAN, "id": f"b{n}", "number": n, "alternative_of": "p", "used_at": None} for n in (5, 6, 7)]
    beside[0]["used_at"] = "2026-11-03T10:00:00Z"
    with scratch() as session:
        event = import_json(session, OWNER, read_event_file(changed(plans=[PLAN, *beside])))
        ctx = ctx_of(session, event.id)

        def numbers() -> list[int]:
            return [plan.number for plan in read_event_file(export_json(ctx)).plans]

        assert numbers() == [4, 5, 6, 7]
        monkeypatch.setattr(json_export, "MOST_PLANS", 3)
        assert numbers() == [4, 5, 7]
        monkeypatch.setattr(json_export, "MOST_SEATS", 6)
        assert numbers() == [4, 5]
        monkeypatch.setattr(json_export, "MOST_PLANS", 1)
        with pytest.raises(TooLarge, match=r"2 versions of its plan; .* Delete versions you no longer need"):
            numbers()


def test_more_tables_need_no_more_queries() -> None:
    def queries_for(tables: int) -> int:
        named = [{**TABLE, "id": f"t{n}", "name": f"Oak {n}"} for n in range(tables)]
        with scratch() as session:
            made = import_json(session, OWNER, read_event_file(changed(tables=named, plans=[])))
            ctx, counted = ctx_of(session, made.id), list[str]()
            session.flush()
            engine = session.get_bind()
            listeners.listen(engine, "before_cursor_execute", lambda *call: counted.append(call[2]))
            export_json(ctx)
            return len(counted)

    assert queries_for(1) == queries_for(9) > 0


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
        (changed(ratings=[["a", "b", 1], ["a", "b", 2]]), "ratings[1]: duplicate of ratings[0]."),
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
         "plans[0].created_at: must be a date and time such as 2026-12-05T18:00:00Z."),
        (changed(plans=[{**PLAN, "created_at": "9999-12-31T23:59:59-01:00"}]),
         "plans[0].created_at: must be in the years 1 to 9999 in UTC."),
        (changed(plans=[{**PLAN, "used_at": "0001-01-01T00:00:00+01:00"}]),
         "plans[0].used_at: must be in the years 1 to 9999 in UTC."),
        (changed(room={"items": [ITEM] * 201}), "room.items: must have at most 200 entries."),
        (changed(tables=[TABLE] * 2_001, plans=[]), "tables: must have at most 2,000 entries."),
        (changed(wishes=[["a", "b", "accepted"]] * 200_001), "wishes: must have at most 200,000 entries."),
    ],
)  # fmt: skip
def test_form_of_a_file_that_is_wrong_is_told_with_its_place(data: bytes, message: str) -> None:
    with pytest.raises(EventFileError) as error:
        read_event_file(data)
    assert error.value.errors == (message,)


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        ({"event": {"name": "Party", "date": "9999-12-31"}}, "event.date: The date can be up to 2200-12-31."),
        ({"event": {"name": "Party", "wishes_until": "2201-01-01"}},
         "event.wishes_until: The date can be up to 2200-12-31."),
        ({"ratings": [["a", "b", 3]]}, "ratings[0]: A score must be from −2 to 2."),
        ({"guests": [GUEST, {"id": "b", "name": "aino"}], "ratings": [], "plans": []},
         "guests[1].name: “aino” is a duplicate (also guests[0] as “Aino”)."),
        ({"tables": [{"id": "t", "name": "Oak", "seats": 3, "reserved_for": "Choir"}], "plans": []},
         "tables[0].reserved_for: No group has this name."),
        ({"groups": [{"name": "Family"}, {"name": "Twins", "circle_of": "Famly"}], "group_ratings": []},
         "groups[1].circle_of: No group has this name."),
        ({"groups": [{"name": "A"}, {"name": "B", "circle_of": "A"}, {"name": "C", "circle_of": "b"}]},
         "groups[2].circle_of: The larger group is a circle itself."),
        ({"groups": [{"name": "A", "circle_of": "a"}]}, "groups[0].circle_of: A group can't be a circle of itself."),
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
    assert (answer.status_code, answer.json()["detail"]) == (422, "ratings/0: no guest has the id “z”.")
    assert api.get("events").json()["events"] == []


def test_api_points_at_what_is_wrong_and_says_what_is_no_json(api: TestClient) -> None:
    def errors(data: bytes) -> list[dict[str, str]]:
        answer = api.post("import", content=data, headers={"Content-Type": "application/json"})
        assert answer.status_code == 422
        return list(answer.json()["errors"])

    assert errors(changed(guests=[{"id": "a"}])) == [{"pointer": "#/guests/0/name", "detail": "is required."}]
    assert errors(changed(ratings=[["a", "b", "2"]]))[0]["pointer"] == "#/ratings/0/2"
    twice = errors(changed(guests=[GUEST, {"id": "b", "name": "aino"}], ratings=[], plans=[]))
    assert twice[0]["pointer"] == "#/guests/1/name"
    for data in (b"", b"\x00\x9f random"):
        assert "not valid JSON" in errors(data)[0]["detail"]


def test_circle_is_found_however_names_are_spaced(api: TestClient) -> None:
    groups = [{"name": "Big  family"}, {"name": "Old  friends ", "circle_of": " Big family"}]
    made = api.post("import", content=changed(groups=groups), headers={"Content-Type": "application/json"})
    assert made.status_code == 201, made.text
    parts = api.get(f"events/{made.json()['id']}/event.json").json()["groups"]
    assert [(one["name"], one.get("circle_of")) for one in parts] == [
        ("Big family", None),
        ("Old friends", "Big family"),
    ]


def test_import_that_is_sent_twice_makes_one_event(api: TestClient) -> None:
    headers = {"Content-Type": "application/json", "Idempotency-Key": "key-1"}
    first, again = (api.post("import", content=changed(), headers=headers) for _ in range(2))
    assert (first.status_code, again.status_code) == (201, 201)
    assert (first.json(), first.headers["location"]) == (again.json(), again.headers["location"])
    assert len(api.get("events").json()["events"]) == 1
    other = api.post("import", content=changed(rules=[]), headers=headers)
    assert other.status_code == 409
    files = {"file": ("event.json", changed())}
    both = [api.post("import", files=files, headers={"Idempotency-Key": "key-2"}) for _ in range(2)]
    assert [one.status_code for one in both] == [201, 409]  # another boundary is another request
    assert len(api.get("events").json()["events"]) == 2


def test_file_past_the_limit_is_refused_before_it_is_read(api: TestClient) -> None:
    headers = {"Content-Type": "application/json"}
    assert api.post("import", content=b" " * (17 << 20), headers=headers).status_code == 413

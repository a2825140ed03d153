"""/api/v1/events/{event}/plans and moves."""

from __future__ import annotations

import numpy as np
import pytest
from fastapi.testclient import TestClient

from app.accounts.actor import Actor
from app.db import models
from app.db.session import Sessions, transaction
from tests.conftest import api_client
from tests.factories import ANY_VERSION, Planned, make_member, make_plan

SCORES = np.array([[0, 2, 0, 0], [2, 0, 0, 0], [0, 0, 0, -2], [0, 0, -2, 0]], dtype=float)


@pytest.fixture
def made(sessions: Sessions, owner: Actor) -> Planned:
    """Aino and Bo at the first table, Cleo and Dan at the second; one seat is spare."""
    with transaction(sessions) as session:
        return make_plan(session, owner, sizes=(2, 3), names=["Aino", "Bo", "Cleo", "Dan"], matrix=SCORES, bound=0.2)


@pytest.fixture
def viewer_api(client: TestClient, sessions: Sessions, made: Planned) -> TestClient:
    """The REST API as a viewer of the event uses it."""
    with transaction(sessions) as session:
        viewer = make_member(session, made.event.id, "viewer")
    return api_client(client, sessions, viewer)


def address(made: Planned) -> str:
    return f"events/{made.event.id}/plans/{made.plan.id}"


def seats(answer: dict[str, object]) -> list[list[tuple[str, int, bool]]]:
    return [[(g["name"], g["seat"], g["locked"]) for g in t["guests"]] for t in answer["tables"]]  # type: ignore[attr-defined]


def test_plan_has_the_shape_of_the_design(api: TestClient, made: Planned) -> None:
    read = api.get(address(made))
    body = read.json()
    assert (read.status_code, read.headers["etag"]) == (200, '"1"')
    assert (body["id"], body["mse"], body["total"]) == (str(made.plan.id), 0.5, 0.0)
    assert (body["bound"], body["proven_optimal"]) == (0.2, False)
    first = body["tables"][0]
    assert (first["id"], first["name"]) == (str(made.tables[0].id), "Table 1")
    assert first["guests"] == [
        {"id": str(made.guests[0].id), "name": "Aino", "seat": 1, "locked": False},
        {"id": str(made.guests[1].id), "name": "Bo", "seat": 2, "locked": False},
    ]
    figures = body["figures"]
    assert (figures["restarts"], figures["kind"], len(figures["history"])) == (1000, "score", 3)
    levels = {name: figures["guests"][str(guest.id)]["level"] for name, guest in zip("ABCD", made.guests, strict=True)}
    assert levels == {"A": 2, "B": 2, "C": 0, "D": 0}


def test_list_comes_newest_first_in_pages(api: TestClient, made: Planned, sessions: Sessions, owner: Actor) -> None:
    listed = api.get(f"events/{made.event.id}/plans").json()
    assert [plan["id"] for plan in listed["plans"]] == [str(made.plan.id)]
    assert "tables" not in listed["plans"][0]
    page = api.get(f"events/{made.event.id}/plans", params={"limit": 1}).json()
    rest = api.get(f"events/{made.event.id}/plans", params={"limit": 1, "after": page["next"]}).json()
    assert rest == {"plans": [], "current": str(made.plan.id), "next": None}


def test_viewer_gets_names_and_tables_but_no_figure(viewer_api: TestClient, made: Planned) -> None:
    body = viewer_api.get(address(made)).json()
    assert seats(body)[0] == [("Aino", 1, False), ("Bo", 2, False)]
    assert [body[key] for key in ("mse", "total", "bound", "figures")] == [None] * 4
    listed = viewer_api.get(f"events/{made.event.id}/plans").json()["plans"][0]
    assert [listed[key] for key in ("mse", "total", "bound")] == [None] * 3


def test_viewer_cannot_write(viewer_api: TestClient, made: Planned) -> None:
    match = {"If-Match": "*"}
    assert viewer_api.patch(address(made), json={"name": "x"}, headers=match).status_code == 403
    assert viewer_api.delete(address(made), headers=match).status_code == 403
    assert viewer_api.post(f"{address(made)}/moves", json={"kind": "undo"}).status_code == 403


def test_stranger_cannot_see_or_change_a_plan(stranger_api: TestClient, made: Planned) -> None:
    match = {"If-Match": "*"}
    assert stranger_api.get(f"events/{made.event.id}/plans").status_code == 404
    assert stranger_api.get(address(made)).status_code == 404
    assert stranger_api.patch(address(made), json={"name": "x"}, headers=match).status_code == 404
    assert stranger_api.delete(address(made), headers=match).status_code == 404
    assert stranger_api.post(f"{address(made)}/moves", json={"kind": "undo"}).status_code == 404


def test_plan_is_renamed_and_deleted_with_its_version(api: TestClient, made: Planned) -> None:
    assert api.patch(address(made), json={"name": "Final"}).status_code == 428
    named = api.patch(address(made), json={"name": " Final "}, headers={"If-Match": '"1"'})
    assert (named.json()["name"], named.headers["etag"]) == ("Final", '"2"')
    assert api.delete(address(made), headers={"If-Match": '"1"'}).status_code == 412
    assert api.delete(address(made), headers={"If-Match": '"2"'}).status_code == 204
    assert api.get(address(made)).status_code == 404


def test_move_answers_with_the_plan(api: TestClient, made: Planned) -> None:
    body = {"kind": "move", "guest": str(made.guests[0].id), "table": str(made.tables[1].id)}
    moved = api.post(f"{address(made)}/moves", json=body, headers=ANY_VERSION)
    assert (moved.status_code, moved.headers["etag"]) == (200, '"2"')
    assert seats(moved.json()) == [
        [("Bo", 2, False)],
        [("Cleo", 1, False), ("Dan", 2, False), ("Aino", 3, False)],
    ]
    assert moved.json() == api.get(address(made)).json()
    undone = api.post(f"{address(made)}/moves", json={"kind": "undo"}, headers=ANY_VERSION).json()
    assert seats(undone)[0] == [("Aino", 1, False), ("Bo", 2, False)]


def test_seats_count_from_one(api: TestClient, made: Planned) -> None:
    guest, table = str(made.guests[2].id), str(made.tables[1].id)
    body = {"kind": "move", "guest": guest, "table": table}
    moved = api.post(f"{address(made)}/moves", json={**body, "seat": 3}, headers=ANY_VERSION).json()
    assert seats(moved)[1] == [("Dan", 2, False), ("Cleo", 3, False)]
    refused = api.post(f"{address(made)}/moves", json={**body, "seat": 4}, headers=ANY_VERSION)
    assert refused.json()["errors"] == [{"pointer": "#/seat", "detail": "Table 2 has 3 seats."}]


def test_move_honours_if_match(api: TestClient, made: Planned) -> None:
    lock = {"kind": "lock", "guest": str(made.guests[0].id)}
    stale = api.post(f"{address(made)}/moves", json=lock, headers={"If-Match": '"7"'})
    assert stale.status_code == 412
    locked = api.post(f"{address(made)}/moves", json=lock, headers={"If-Match": '"1"'})
    assert seats(locked.json())[0] == [("Aino", 1, True), ("Bo", 2, False)]


def test_refused_move_says_why(api: TestClient, made: Planned) -> None:
    body = {"kind": "move", "guest": str(made.guests[2].id), "table": str(made.tables[0].id)}
    full = api.post(f"{address(made)}/moves", json=body, headers=ANY_VERSION)
    assert (full.status_code, full.json()["title"]) == (409, "Conflict")
    text = "Table 1 is full (3 guests at 2 seats). Swap with someone there, or add a chair."
    assert full.json()["detail"] == f"{text} Nothing was changed."
    assert [(one["kind"], one["text"]) for one in full.json()["breaks"]] == [("over_seats", text)]
    missing = api.post(
        f"{address(made)}/moves", json={"kind": "swap", "guest": str(made.guests[2].id)}, headers=ANY_VERSION
    )
    assert missing.json()["errors"] == [{"pointer": "#/other", "detail": "Choose a guest."}]
    unknown = api.post(f"{address(made)}/moves", json={"kind": "dance"}, headers=ANY_VERSION)
    assert unknown.json()["errors"][0]["pointer"] == "#/kind"


def test_repeated_move_with_an_idempotency_key_is_done_once(api: TestClient, made: Planned) -> None:
    swap = {"kind": "swap", "guest": str(made.guests[0].id), "other": str(made.guests[2].id)}
    key = {"Idempotency-Key": "swap-1", **ANY_VERSION}
    first, second = (api.post(f"{address(made)}/moves", json=swap, headers=key) for _ in range(2))
    assert first.json() == second.json() == api.get(address(made)).json()
    assert api.post(f"{address(made)}/moves", json={"kind": "undo"}, headers=ANY_VERSION).status_code == 200
    assert api.post(f"{address(made)}/moves", json={"kind": "undo"}, headers=ANY_VERSION).status_code == 409


def test_move_needs_if_match_or_a_version(api: TestClient, made: Planned) -> None:
    lock = {"kind": "lock", "guests": [str(made.guests[0].id)]}
    assert api.post(f"{address(made)}/moves", json=lock).status_code == 428
    done = api.post(f"{address(made)}/moves", json={**lock, "version": 1})
    assert (done.status_code, done.json()["version"]) == (200, 2)
    unlock = {"kind": "unlock", "guests": lock["guests"], "version": 1}
    overtaken = api.post(f"{address(made)}/moves", json=unlock)
    assert (overtaken.status_code, overtaken.json()["happened"]) == (412, ["Someone locked Aino."])


def test_exception_is_listed_and_taken_back(api: TestClient, made: Planned, sessions: Sessions) -> None:
    with transaction(sessions) as session:
        party = models.Party(event_id=made.event.id, name="Virtanen", name_key="virtanen")
        session.add(party)
        session.flush()
        for guest in made.guests[:2]:
            session.get_one(models.Guest, guest.id).party_id = party.id
    move = {"kind": "move", "guests": [str(made.guests[0].id)], "table": str(made.tables[1].id), "version": 1}
    refused = api.post(f"{address(made)}/moves", json=move)
    text = "That would separate Aino and Bo, who belong to one household."
    key = f"household:{party.id}"
    people = [str(guest.id) for guest in made.guests[:2]]
    assert (refused.status_code, refused.json()["breaks"]) == (
        409,
        [{"kind": "household", "key": key, "text": text, "guests": people, "table": None, "rule": None}],
    )
    tried = api.post(f"{address(made)}/moves", json={**move, "dry_run": True}).json()
    assert (tried["tone"], tried["text"], len(tried["seats"]), tried["breaks"][0]["key"]) == ("breaks", text, 5, key)
    done = api.post(f"{address(made)}/moves", json={**move, "anyway": True}).json()
    assert done["exceptions"] == [
        {
            "kind": "household",
            "key": key,
            "text": "Aino and Bo belong to one household but sit at different tables.",
            "guests": people,
            "table": None,
            "rule": None,
            "move": 1,
            "can_undo": True,
        }
    ]
    back = api.post(f"{address(made)}/moves", json={"kind": "undo_exception", "exception": key, "version": 2}).json()
    assert (back["exceptions"], seats(back)[0]) == ([], [("Aino", 1, False), ("Bo", 2, False)])


def test_tray_locked_tables_and_empty_seats_are_part_of_the_plan(
    api: TestClient, viewer_api: TestClient, made: Planned
) -> None:
    moves, table = f"{address(made)}/moves", str(made.tables[1].id)
    missing = api.post(moves, json={"kind": "move", "guest": str(made.guests[0].id)}, headers=ANY_VERSION)
    assert missing.json()["errors"] == [{"pointer": "#/table", "detail": "Choose a table of this event."}]
    api.post(moves, json={"kind": "move", "guest": str(made.guests[0].id), "table": None}, headers=ANY_VERSION)
    api.post(moves, json={"kind": "block_seat", "table": table, "seat": 3}, headers=ANY_VERSION)
    plan = api.post(moves, json={"kind": "lock_table", "table": table}, headers=ANY_VERSION).json()
    assert plan["tray"] == [{"id": str(made.guests[0].id), "name": "Aino"}]
    assert plan["unseated"] == ["Aino"]
    assert [(one["locked"], one["blocked"]) for one in plan["tables"]] == [(False, []), (True, [3])]
    seen = viewer_api.get(address(made)).json()
    assert (seen["tray"], seen["exceptions"], seen["newcomers"]) == (plan["tray"], None, [])


def test_effects_of_all_seats_and_changes_in_words(api: TestClient, made: Planned) -> None:
    guest = str(made.guests[0].id)
    found = api.get(f"{address(made)}/effects", params={"guest": guest}).json()
    assert [(one["seat"], one["other"], one["tone"]) for one in found["seats"]] == [
        (1, None, "same"),
        (2, str(made.guests[1].id), "same"),
        (1, str(made.guests[2].id), "same"),
        (2, str(made.guests[3].id), "same"),
        (3, None, "worse"),
    ]
    assert found["best"] == []
    swap = {"kind": "swap", "guest": guest, "other": str(made.guests[2].id)}
    api.post(f"{address(made)}/moves", json=swap, headers=ANY_VERSION)
    api.post(f"{address(made)}/moves", json={"kind": "undo", "to": 0}, headers=ANY_VERSION)
    page = api.get(f"{address(made)}/changes", params={"limit": 1}).json()
    rest = api.get(f"{address(made)}/changes", params={"after": page["next"]}).json()
    told = [(one["number"], one["text"], one["by"], one["undone"]) for one in [*page["changes"], *rest["changes"]]]
    assert told == [
        (2, "Undid a change: Aino to Table 1 and Cleo to Table 2", "You", False),
        (1, "Swapped Aino and Cleo", "You", True),
    ]


def test_number_that_no_move_can_have_is_refused(api: TestClient, made: Planned) -> None:
    for kind in ("undo", "redo"):
        answer = api.post(f"{address(made)}/moves", json={"kind": kind, "to": 10**30}, headers=ANY_VERSION)
        assert answer.status_code == 422
    assert api.get(f"{address(made)}/changes?after={10**30}").status_code == 422

"""Whatever JSON is sent about a plan or its room: it is refused in words, and nothing changes."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

import pytest
from fastapi.testclient import TestClient

from app.accounts.actor import Actor
from app.db.session import Sessions, transaction
from tests.factories import make_plan

HUGE, OUTSIDE = 10**40, str(uuid4())
VALUES: tuple[Any, ...] = (HUGE, -HUGE, -1, 2**63, 1.5, "", "x" * 5000, True, [], {}, [[]], "\x00", "NaN")
MOVE = {"kind": "move", "guest": OUTSIDE, "table": None, "version": 1}


@pytest.fixture
def plan(api: TestClient, sessions: Sessions, owner: Actor) -> str:
    """The address of a plan."""
    with transaction(sessions) as session:
        made = make_plan(session, owner, sizes=(3, 3), names=["Aino", "Bo", "Cleo"], assignment=[0, 0, 1])
        return f"events/{made.event.id}/plans/{made.plan.id}"


def requests(root: str, plan: str) -> list[tuple[str, str, Any]]:
    """Return bodies with each field of each endpoint replaced by each bad value, and addresses with bad numbers."""
    item = {"kind": "label", "x": 1, "y": 1, "width": 1, "height": 1, "text": "x"}
    place = {"id": OUTSIDE, "x": 1, "y": 1, "rotation": 0}
    moves = [MOVE | {"kind": kind} for kind in ("swap", "lock", "lock_table", "block_seat", "undo", "undo_exception")]
    fields = ("kind", "guest", "guests", "other", "table", "seat", "version", "to", "exception", "anyway", "dry_run")
    found: list[tuple[str, str, Any]] = [
        ("POST", f"{plan}/moves", MOVE | {name: value}) for name in fields for value in VALUES
    ]
    found += [
        ("POST", f"{plan}/moves", move | {"exception": "rule:x", "other": OUTSIDE, "seat": HUGE}) for move in moves
    ]
    found += [("POST", f"{plan}/moves", MOVE | {"guests": [OUTSIDE] * 10_000})]
    found += [("PATCH", f"{root}/room", {"items": [item | {name: value}]}) for name in item for value in VALUES]
    found += [("PATCH", f"{root}/room", {name: value}) for name in ("width", "height", "items") for value in VALUES]
    found += [("PATCH", f"{root}/room/layout", {"tables": [place | {n: v}]}) for n in place for v in VALUES]
    found += [("PATCH", plan, {"name": value}) for value in VALUES if value not in ("", "NaN")]
    found += [("PUT", f"{plan}/editors/{uuid4()}", {"guests": value}) for value in VALUES if value != []]
    for number in (HUGE, -HUGE, 2**63, -(2**63) - 1, "NaN", ""):
        found += [("GET", f"{plan}/changes?{name}={number}", None) for name in ("after", "limit")]
        found += [("GET", f"{plan}/effects?guest={number}", None), ("GET", f"{plan}/comparison/{number}", None)]
    return found


def test_bad_values_are_refused_and_change_nothing(api: TestClient, plan: str) -> None:
    root, before = plan.partition("/plans")[0], api.get(plan).json()
    wrong = []
    for method, address, body in requests(root, plan):
        answer = api.request(method, address, json=body, headers={"If-Match": "*"})
        is_room = "/room" in address and answer.status_code == 200  # a room may be as large as its limits say
        if not is_room and not 400 <= answer.status_code < 500:
            wrong.append((method, address, body, answer.status_code))
    assert wrong == []
    assert api.get(plan).json() == before


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "1e999"])
def test_numbers_that_are_not_finite_are_refused(api: TestClient, plan: str, number: str) -> None:
    root, headers = plan.partition("/plans")[0], {"If-Match": "*", "Content-Type": "application/json"}
    for address, body in (
        (f"{root}/room", f'{{"width": {number}}}'),
        (f"{root}/room/layout", f'{{"tables": [{{"id": "{OUTSIDE}", "x": {number}, "y": 0}}]}}'),
        (f"{root}/room", f'{{"background_opacity": {number}}}'),
    ):
        assert api.request("PATCH", address, content=body, headers=headers).status_code in (400, 422)


def test_ids_of_another_event_are_unknown(api: TestClient, plan: str, sessions: Sessions, owner: Actor) -> None:
    with transaction(sessions) as session:
        other = make_plan(session, owner, sizes=(2,), names=["Zoe"])
        guest, table, theirs = str(other.guests[0].id), str(other.tables[0].id), str(other.plan.id)
    root, any_version = plan.partition("/plans")[0], {"If-Match": "*"}
    own = api.get(plan).json()["tables"][0]["guests"][0]["id"]
    for move in (
        {"kind": "move", "guest": guest, "table": None},
        {"kind": "move", "guests": [own, guest], "table": None},
        {"kind": "move", "guest": own, "table": table},
        {"kind": "swap", "guest": own, "other": guest},
        {"kind": "lock_table", "table": table},
        {"kind": "block_seat", "table": table, "seat": 1},
    ):
        assert api.post(f"{plan}/moves", json=move, headers=any_version).status_code == 422
    assert api.get(f"{plan}/effects?guest={guest}").status_code == 422
    layout = {"tables": [{"id": table, "x": 1, "y": 1, "rotation": 0}]}
    assert api.patch(f"{root}/room/layout", json=layout, headers=any_version).status_code in (404, 422)
    for address in ("", "/changes", "/effects?guest=" + own, "/events"):
        assert api.get(f"{root}/plans/{theirs}{address}").status_code == 404

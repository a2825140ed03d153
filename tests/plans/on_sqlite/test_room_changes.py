"""Changes of the room from the workspace, and the undo that is offered after each."""

from __future__ import annotations

from typing import Any

import pytest
from fastapi.testclient import TestClient

from app.accounts.actor import Actor
from app.db import models
from app.db.session import Sessions, transaction
from tests.factories import Planned, make_plan

SCRIPT = {"Accept": "application/json"}
SUBMISSION = "7d1c6a2e-5f0b-4c58-9f60-5a3d2b1c0e9f"


@pytest.fixture
def made(sessions: Sessions, owner: Actor) -> Planned:
    with transaction(sessions) as session:
        return make_plan(session, owner, sizes=(3, 3), names=["Aino", "Bo", "Cleo", "Dan"], assignment=[0, 0, 1, 1])


def root(made: Planned) -> str:
    return f"/events/{made.event.id}/plans/{made.plan.id}/tables"


def state(sessions: Sessions, made: Planned) -> list[tuple[Any, ...]]:
    with transaction(sessions, read_only=True) as session:
        stored = [session.get_one(models.Table, table.id) for table in made.tables]
        return [(t.name, t.seats, t.shape, t.x, t.y, t.rotation, t.reserved_for) for t in stored]


def place(made: Planned, number: int) -> str:
    return f'[{{"table": "{made.tables[number].id}", "x": 30, "y": 40.5, "rotation": 15}}]'


def changes(made: Planned) -> dict[str, tuple[str, dict[str, str]]]:
    return {
        "places": ("places", {"places": place(made, 1)}),
        "arrange": ("arrange", {}),
        "rename": (str(made.tables[1].id), {"name": "Birch", "seats": "5", "shape": "square"}),
    }


@pytest.mark.parametrize("change", ["places", "arrange", "rename"])
def test_change_of_the_room_is_undone(web: TestClient, sessions: Sessions, made: Planned, change: str) -> None:
    before = state(sessions, made)
    path, fields = changes(made)[change]
    saved = web.post(f"{root(made)}/{path}", data=fields, headers=SCRIPT).json()
    assert state(sessions, made) != before
    undone = web.post(f"{root(made)}/{saved['undo']['path']}", data=saved["undo"]["fields"], headers=SCRIPT).json()
    assert (undone["message"], undone["undo"]) == ("Undone.", None)
    assert state(sessions, made) == before


def test_copy_of_a_table_is_removed_again_unless_somebody_sits_there(web: TestClient, made: Planned) -> None:
    added = web.post(f"{root(made)}/{made.tables[0].id}/duplicate", headers=SCRIPT).json()
    assert added["message"] == "Table 3 was added."
    removed = web.post(f"{root(made)}/{added['undo']['path']}", data=added["undo"]["fields"], headers=SCRIPT)
    assert removed.json()["message"] == "Table 3 was removed."
    assert "Table 3" not in web.get(root(made).removesuffix("/tables")).text
    refused = web.post(f"{root(made)}/{made.tables[0].id}/remove", headers=SCRIPT)
    assert (refused.status_code, refused.json()) == (422, {"message": "Guests sit at Table 1. Move them first."})


def test_copy_whose_answer_got_lost_is_not_made_twice(web: TestClient, sessions: Sessions, made: Planned) -> None:
    for message in ("Table 3 was added.", "Saved."):
        sent = {"submission": SUBMISSION}
        added = web.post(f"{root(made)}/{made.tables[0].id}/duplicate", data=sent, headers=SCRIPT).json()
        assert added["message"] == message
    with transaction(sessions, read_only=True) as session:
        assert session.query(models.Table).filter_by(event_id=made.event.id).count() == 3


@pytest.mark.parametrize("change", ["places", "arrange", "rename"])
def test_change_whose_answer_got_lost_offers_no_undo_again(web: TestClient, made: Planned, change: str) -> None:
    path, fields = changes(made)[change]
    sent = {**fields, "submission": SUBMISSION}
    first, second = (web.post(f"{root(made)}/{path}", data=sent, headers=SCRIPT).json() for _ in range(2))
    assert first["undo"] is not None
    assert (second["message"], second["undo"]) == ("Saved.", None)


@pytest.mark.parametrize("change", ["remove", "rename"])
def test_refused_change_is_refused_again(web: TestClient, made: Planned, change: str) -> None:
    path, fields = {"remove": ("/remove", {}), "rename": ("", {"name": ""})}[change]
    sent = {**fields, "submission": SUBMISSION}
    first, second = (web.post(f"{root(made)}/{made.tables[0].id}{path}", data=sent, headers=SCRIPT) for _ in range(2))
    assert (first.status_code, second.status_code) == (422, 422)
    assert first.json() == second.json()


def test_stranger_cannot_remove_a_table(stranger_web: TestClient, made: Planned) -> None:
    assert stranger_web.post(f"{root(made)}/{made.tables[0].id}/remove").status_code == 404

"""What a page that follows a plan gets: the parts that changed, and what happened where its own change was refused."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import uuid4

import pytest
from fastapi.testclient import TestClient

from app.accounts.actor import Actor
from app.db import models
from app.db.session import Sessions, transaction
from app.events.context import open_event
from app.plans.moves.change_wording import say_how_long_ago
from app.plans.moves.edit import MoveEntry, make_move
from app.tables import edit as tables
from app.tables.entries import TableEntry
from tests.conftest import signed_in_client
from tests.factories import Planned, make_member, make_plan

JSON = {"Accept": "application/json"}
NOON = datetime(2026, 6, 1, 12, tzinfo=UTC)


@pytest.fixture
def made(sessions: Sessions, owner: Actor) -> Planned:
    """Aino and Bo at the first table, Cleo and Dan at the second, Eve at the third."""
    names = ["Aino", "Bo", "Cleo", "Dan", "Eve"]
    with transaction(sessions) as session:
        return make_plan(session, owner, sizes=(3, 3, 3), names=names, assignment=[0, 0, 1, 1, 2])


@pytest.fixture
def partner(sessions: Sessions, made: Planned) -> Actor:
    with transaction(sessions) as session:
        actor = make_member(session, made.event.id, "editor")
        session.get_one(models.User, actor.user_id).name = "Maija"
        return actor


def address(made: Planned) -> str:
    return f"/events/{made.event.id}/plans/{made.plan.id}"


def move(sessions: Sessions, actor: Actor, made: Planned, guest: int, table: int) -> None:
    entry = MoveEntry("move", made.guests[guest].id, table=made.tables[table].id)
    with transaction(sessions) as session:
        make_move(open_event(session, actor, made.event.id), made.plan.id, entry)


def seen_now(web: TestClient, made: Planned) -> dict[str, Any]:
    answer = web.get(f"{address(made)}/parts").json()
    return {"version": answer["version"], "revision": answer["revision"], "tab": "table"}


def drawn(fragments: dict[str, str]) -> set[str]:
    return {place for place in fragments if place.startswith(("#t-", ".floor"))}


def test_moves_are_followed_by_their_tables_alone(
    web: TestClient, sessions: Sessions, made: Planned, partner: Actor
) -> None:
    seen = seen_now(web, made)
    move(sessions, partner, made, 0, 1)
    answer = web.get(f"{address(made)}/parts", params=seen).json()
    assert answer["version"] == seen["version"] + 1
    assert answer["revision"] == seen["revision"] + 1
    first, second = (made.tables[number].id for number in (0, 1))
    assert drawn(answer["fragments"]) == {f"#t-{first}", f"#t-{second}"}
    assert "Aino" in answer["fragments"][f'[data-table-card="{second}"]']
    assert "#panel" not in answer["fragments"]
    nothing_new = {**seen, "version": answer["version"], "revision": answer["revision"]}
    assert drawn(web.get(f"{address(made)}/parts", params=nothing_new).json()["fragments"]) == set()


def test_changed_table_is_followed_by_the_whole_room(
    web: TestClient, sessions: Sessions, made: Planned, partner: Actor
) -> None:
    seen = seen_now(web, made)
    with transaction(sessions) as session:
        ctx = open_event(session, partner, made.event.id)
        tables.change_table(ctx, made.tables[2].id, TableEntry("Oak"))
    move(sessions, partner, made, 0, 1)
    fragments = web.get(f"{address(made)}/parts", params=seen).json()["fragments"]
    assert drawn(fragments) == {".floor-picture"}
    assert "Oak" in fragments[".floor-picture"]
    assert "Oak" in fragments["#panel"]


def test_viewer_follows_without_forms(client: TestClient, sessions: Sessions, made: Planned, partner: Actor) -> None:
    with transaction(sessions) as session:
        viewer = make_member(session, made.event.id, "viewer")
    web = signed_in_client(client, sessions, viewer)
    seen = seen_now(web, made)
    move(sessions, partner, made, 0, 1)
    fragments = web.get(f"{address(made)}/parts", params=seen).json()["fragments"]
    assert "Aino" in fragments[f"#t-{made.tables[1].id}"]
    assert "#history" not in fragments
    assert "data-show-guest" not in "".join(fragments.values())


@pytest.mark.parametrize(("kind", "again"), [("move", "Do it again"), ("undo", "Undo the latest change")])
def test_overtaken_change_says_who_did_what_and_can_be_repeated(
    web: TestClient, sessions: Sessions, made: Planned, partner: Actor, kind: str, again: str
) -> None:
    seen = seen_now(web, made)
    move(sessions, partner, made, 0, 1)
    fields = {"kind": kind, "version": seen["version"]}
    if kind == "move":
        fields |= {"guest": str(made.guests[0].id), "table": str(made.tables[2].id)}
    answer = web.post(f"{address(made)}/moves", data=fields, headers=JSON)
    told = answer.json()
    assert answer.status_code == 422
    assert told["message"] == "Maija moved Aino to Table 2 a moment ago. Your change was not made."
    assert (told["happened"], told["again"]) == (["Maija moved Aino to Table 2."], again)
    assert told["version"] == seen["version"] + 1
    if kind == "move":
        done = web.post(f"{address(made)}/moves", data={**fields, "version": told["version"]}, headers=JSON).json()
        assert done["message"] == "Aino moved to Table 3."
        assert done["revision"] == seen["revision"] + 2


def test_change_that_is_sent_twice_is_made_once(web: TestClient, sessions: Sessions, made: Planned) -> None:
    aino, cleo = made.guests[0], made.guests[2]
    swap = {"kind": "swap", "guest": str(aino.id), "other": str(cleo.id), "submission": str(uuid4())}
    refused = {**swap, "other": str(uuid4())}
    assert web.post(f"{address(made)}/moves", data=refused, headers=JSON).status_code == 422
    first, second = (web.post(f"{address(made)}/moves", data=swap, headers=JSON).json() for _ in range(2))
    assert first["message"] == "Aino moved to Table 2 and Cleo moved to Table 1."
    assert second["message"] == "Saved."
    assert second["version"] == first["version"]
    assert "Aino" in second["fragments"][f"#t-{made.tables[1].id}"]
    with transaction(sessions) as session:
        assert session.query(models.Move).count() == 1


def test_numbers_out_of_range_are_refused(web: TestClient, made: Planned) -> None:
    for wrong in ("-1", "x", str(2**64)):
        assert web.get(f"{address(made)}/parts", params={"version": wrong}).status_code == 422


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(59, "a moment ago"), (60, "1 minute ago"), (3599, "59 minutes ago"), (7200, "2 hours ago"), (90000, "1 day ago")],
)
def test_time_since_a_change_is_told_in_words(seconds: int, words: str) -> None:
    assert say_how_long_ago(NOON - timedelta(seconds=seconds), NOON) == words

"""The pages and JSON routes of versions: cards, pictures, comparison and late changes."""

from __future__ import annotations

import re
from uuid import UUID, uuid4

import numpy as np
import pytest
from fastapi.testclient import TestClient
from sqlalchemy import select

from app.accounts.actor import Actor
from app.db import models
from app.db.session import Sessions, transaction
from app.events.context import open_event
from app.plans import versions
from app.plans.moves import edit
from app.plans.moves.edit import MoveEntry
from app.sharing.links import create_link
from tests.conftest import api_client, signed_in_client
from tests.factories import ANY_VERSION, Planned, make_guests, make_member, make_plan
from tests.plans.on_sqlite.plan_pages import text_of
from tests.plans.test_good_plans import make_family, others_of

NAMES = ["Aino <b>", "Bo", "Cleo", "Dan", "Eve", "Finn"]
SCORES = np.zeros((6, 6))
SCORES[[0, 3, 1, 2], [3, 0, 2, 1]] = 2.0


@pytest.fixture
def made(sessions: Sessions, owner: Actor) -> Planned:
    """Aino and Bo, Cleo and Dan, Eve and Finn at tables of two."""
    with transaction(sessions) as session:
        return make_plan(session, owner, sizes=(2, 2, 2), names=NAMES, matrix=SCORES)


@pytest.fixture
def copy(sessions: Sessions, owner: Actor, made: Planned) -> UUID:
    """A copy in which Bo and Dan changed places."""
    with transaction(sessions) as session:
        ctx = open_event(session, owner, made.event.id)
        copy = versions.duplicate_plan(ctx, made.plan.id)
        edit.make_move(ctx, copy.id, MoveEntry("swap", made.guests[1].id, other=made.guests[3].id))
        return copy.id


@pytest.fixture
def viewer(sessions: Sessions, made: Planned) -> Actor:
    with transaction(sessions) as session:
        return make_member(session, made.event.id, "viewer")


def root(made: Planned) -> str:
    return f"/events/{made.event.id}/plans"


def cards(page: str) -> list[str]:
    return [text_of(card).strip() for card in re.findall(r'<li class="card version.*?</li>', page, flags=re.S)]


def test_versions_are_cards_and_every_action_comes_back_to_them(web: TestClient, made: Planned, copy: UUID) -> None:
    first, second = cards(web.get(root(made)).text)
    assert "Copy of Version 1" in first
    assert "Use this" in first
    assert "Version 1 In use" in second
    used = web.post(f"{root(made)}/{copy}/choose", data={"back": "versions"})
    assert (used.status_code, used.headers["location"]) == (303, root(made))
    assert "Copy of Version 1 In use" in cards(web.get(root(made)).text)[0]
    assert web.get(f"/events/{made.event.id}/plan").headers["location"] == f"{root(made)}/{copy}"
    renamed = web.post(f"{root(made)}/{copy}/name", data={"back": "versions", "name": "For Aunt Leena"})
    assert renamed.headers["location"] == root(made)
    assert "For Aunt Leena In use" in cards(web.get(root(made)).text)[0]
    assert web.post(f"{root(made)}/{copy}/duplicate").headers["location"] == root(made)
    assert cards(web.get(root(made)).text)[0].startswith("Copy of For Aunt Leena")


def test_deleted_plan_is_restored_from_the_banner(web: TestClient, made: Planned, copy: UUID) -> None:
    deleted = web.post(f"{root(made)}/{copy}/delete")
    assert deleted.headers["location"] == f"{root(made)}?deleted={copy}"
    page = web.get(deleted.headers["location"]).text
    assert "Copy of Version 1 is deleted. You can restore it for 30 days." in text_of(page)
    assert len(cards(page)) == 1
    assert web.get(f"{root(made)}/{copy}").status_code == 404
    assert web.get(f"{root(made)}/{copy}/picture.svg").status_code == 404
    assert web.get(f"{root(made)}/{made.plan.id}/compare", params={"other": str(copy)}).status_code == 404
    assert web.post(f"{root(made)}/{copy}/restore").headers["location"] == root(made)
    assert len(cards(web.get(root(made)).text)) == 2


def test_editors_read_how_many_links_a_change_of_the_plan_in_use_reaches(
    web: TestClient, client: TestClient, sessions: Sessions, owner: Actor, made: Planned, copy: UUID, viewer: Actor
) -> None:
    assert "open link" not in text_of(web.get(root(made)).text)
    with transaction(sessions) as session:
        ctx = open_event(session, owner, made.event.id)
        following = [create_link(ctx), create_link(ctx, audience="door"), create_link(ctx)]
        create_link(ctx, copy)
        following[2].link.revoked_at = following[2].link.created_at
    other, in_use = cards(web.get(root(made)).text)
    assert "2 open links will show this version if you use it." in other
    assert "If you delete" not in other
    assert "If you delete this version, 2 open links will show whichever plan is in use then." in in_use
    assert "if you use it" not in in_use
    menus = [text_of(web.get(f"{root(made)}/{plan}").text) for plan in (made.plan.id, copy)]
    assert "its edits. 2 open links show this plan. Those pinned to it stop working" in menus[0]
    assert "its edits. 1 open link shows this plan. Those pinned to it stop working" in menus[1]
    assert "open link" not in text_of(signed_in_client(client, sessions, viewer).get(root(made)).text)


def test_versions_come_in_pages(web: TestClient, sessions: Sessions, owner: Actor, made: Planned) -> None:
    with transaction(sessions) as session:
        for _ in range(13):
            versions.duplicate_plan(open_event(session, owner, made.event.id), made.plan.id)
    first, second = (cards(web.get(root(made), params={"page": page}).text) for page in (1, 2))
    assert (len(first), len(second)) == (12, 2)
    assert "Version 1 In use" in second[1]


def test_picture_has_no_names_and_is_kept_until_its_plan_changes(web: TestClient, made: Planned, copy: UUID) -> None:
    found = web.get(f"{root(made)}/{made.plan.id}/picture.svg")
    assert found.headers["content-type"].startswith("image/svg+xml")
    assert found.text.count('r="14"') == 6
    assert not any(name in found.text for name in ("Aino", "Finn", "Table"))
    tag = {"If-None-Match": found.headers["etag"]}
    assert web.get(f"{root(made)}/{made.plan.id}/picture.svg", headers=tag).status_code == 304
    web.post(f"{root(made)}/{copy}/moves", data={"kind": "undo"})
    assert web.get(f"{root(made)}/{made.plan.id}/picture.svg", headers=tag).status_code == 304
    web.post(f"{root(made)}/{made.plan.id}/moves", data={"kind": "lock", "guest": str(made.guests[0].id)})
    assert web.get(f"{root(made)}/{made.plan.id}/picture.svg", headers=tag).status_code == 200


def test_picture_for_a_viewer_has_no_colours(
    client: TestClient, web: TestClient, sessions: Sessions, made: Planned, copy: UUID, viewer: Actor
) -> None:
    address = f"{root(made)}/{copy}/picture.svg"
    assert len(set(re.findall(r'r="14" fill="(#\w+)"', web.get(address).text))) == 2
    seen = signed_in_client(client, sessions, viewer).get(address).text
    assert len(set(re.findall(r'r="14" fill="(#\w+)"', seen))) == 1


def test_comparison_lists_who_moves_and_folds_what_stays(web: TestClient, made: Planned, copy: UUID) -> None:
    page = web.get(f"{root(made)}/{made.plan.id}/compare", params={"other": str(copy)}).text
    text = text_of(page)
    assert "2 guests sit at a different table: 2 better." in text
    assert (
        "Bo was at Table 1 → now at Table 2 sits better close to Cleo; before: nobody they like at this table" in text
    )
    assert re.search(r"<summary>1 table stays the same</summary>", page)
    bo = str(made.guests[1].id)
    assert page.count(f'data-seat="{bo}"') == 2
    assert page.count(f'data-guest="{bo}"') == 1
    assert "Aino &lt;b&gt;" in page


def test_comparison_without_another_plan_takes_the_newest_one(web: TestClient, made: Planned, copy: UUID) -> None:
    page = text_of(web.get(f"{root(made)}/{made.plan.id}/compare").text)
    assert "2 guests sit at a different table" in page
    assert web.get(f"{root(made)}/{made.plan.id}/compare", params={"other": str(uuid4())}).status_code == 404


def test_long_list_of_moves_comes_in_pages(web: TestClient, sessions: Sessions, owner: Actor) -> None:
    names = [f"Guest {number}" for number in range(500)]
    with transaction(sessions) as session:
        large = make_plan(session, owner, sizes=[10] * 50, names=names)
        copy = versions.duplicate_plan(open_event(session, owner, large.event.id), large.plan.id)
        query = select(models.Seat).where(models.Seat.plan_id == copy.id).order_by(models.Seat.table_id)
        seats = session.scalars(query).all()
        tables = [seat.table_id for seat in seats]
        for seat in seats:
            seat.seat += 100  # out of the way: no two may be at one seat in between
        session.flush()
        for seat, table in zip(seats, tables[10:] + tables[:10], strict=True):
            seat.table_id, seat.seat = table, seat.seat - 100
        copy_id = copy.id
    address = f"{root(large)}/{large.plan.id}/compare"
    pages = [web.get(address, params={"other": str(copy_id), "page": page}).text for page in (1, 5)]
    assert [page.count("data-guest=") for page in pages] == [100, 100]
    assert "500 guests sit at a different table" in text_of(pages[0])


def test_viewer_sees_versions_without_actions_and_ratings(
    client: TestClient, sessions: Sessions, made: Planned, copy: UUID, viewer: Actor
) -> None:
    web = signed_in_client(client, sessions, viewer)
    page = web.get(root(made)).text
    assert "6 guests at 3 tables." in text_of(page)
    assert "<button" not in page.split("<main")[1]
    compared = text_of(web.get(f"{root(made)}/{made.plan.id}/compare", params={"other": str(copy)}).text)
    assert "was at Table 1 → now at Table 2" in compared
    assert not re.search("better|worse|close to", compared)
    assert web.get(f"{root(made)}/{made.plan.id}/repair").status_code == 403


def test_late_change_offers_to_find_the_fewest_moves(web: TestClient, sessions: Sessions, made: Planned) -> None:
    with transaction(sessions) as session:
        make_guests(session, session.get_one(models.Event, made.event.id), ["Late Lauri"])
        session.get_one(models.Table, made.tables[0].id).seats = 3
    page = web.get(f"{root(made)}/{made.plan.id}/repair").text
    assert "Late Lauri has no seat" in text_of(page)
    assert f'action="{root(made)}/{made.plan.id}/repair"' in page


def test_api_uses_duplicates_deletes_and_restores(api: TestClient, made: Planned) -> None:
    plan = f"events/{made.event.id}/plans/{made.plan.id}"
    made_copy = api.post(f"{plan}/duplicate")
    assert made_copy.status_code == 201
    body = made_copy.json()
    copy = made_copy.headers["location"].removeprefix("/api/v1/")
    assert (body["title"], body["number"], api.get(copy).json()["id"]) == ("Copy of Version 1", 2, body["id"])
    assert api.get(f"events/{made.event.id}/plans").json()["current"] == str(made.plan.id)
    assert api.post(f"{copy}/use").json()["id"] == body["id"]
    assert api.get(f"events/{made.event.id}/plans").json()["current"] == body["id"]
    assert api.delete(copy, headers=ANY_VERSION).status_code == 204
    deleted = api.get(f"events/{made.event.id}/deleted-plans").json()["plans"]
    assert [(one["id"], one["title"]) for one in deleted] == [(body["id"], "Copy of Version 1")]
    assert api.post(f"{copy}/restore").status_code == 200
    assert api.post(f"{copy}/restore").status_code == 404
    assert api.get(f"events/{made.event.id}/plans").json()["current"] == body["id"]


def test_repeated_duplicate_makes_one_copy(api: TestClient, made: Planned) -> None:
    key = {"Idempotency-Key": "one-copy"}
    address = f"events/{made.event.id}/plans/{made.plan.id}/duplicate"
    assert api.post(address, headers=key).json() == api.post(address, headers=key).json()
    assert len(api.get(f"events/{made.event.id}/plans").json()["plans"]) == 2


def test_api_compares_two_plans(
    client: TestClient, api: TestClient, sessions: Sessions, made: Planned, copy: UUID, viewer: Actor
) -> None:
    address = f"events/{made.event.id}/plans/{made.plan.id}/comparison/{copy}"
    body = api.get(address).json()
    assert [(move["name"], move["before"]["name"], move["after"]["name"], move["gain"]) for move in body["moves"]] == [
        ("Bo", "Table 1", "Table 2", "better"),
        ("Dan", "Table 2", "Table 1", "better"),
    ]
    assert [table["name"] for table in body["same_tables"]] == ["Table 3"]
    seen = api_client(client, sessions, viewer).get(address).json()
    assert {(move["gain"], move["text"]) for move in seen["moves"]} == {(None, "")}


def test_api_picture_is_svg(api: TestClient, made: Planned) -> None:
    found = api.get(f"events/{made.event.id}/plans/{made.plan.id}/picture")
    assert found.headers["content-type"].startswith("image/svg+xml")
    assert found.text.startswith("<svg")


def test_alternatives_are_cards_with_what_is_special_about_them(
    web: TestClient, api: TestClient, sessions: Sessions, owner: Actor
) -> None:
    with transaction(sessions) as session:
        family = make_family(session, owner)
        (beside,) = others_of(session, family.plan)
        beside.mse = (family.plan.mse or 0.0) + 1.0
    first, second = cards(web.get(f"{root(family)}/{beside.id}/alternatives").text)
    assert first.startswith("Version 1 In use")
    assert "Best score" in first
    assert "Best score" not in second
    assert second.startswith("Alternative 1 ")
    assert "2 guests sit at a different table" in second
    assert second.endswith("Compare")
    compared = text_of(web.get(f"{root(family)}/{family.plan.id}/compare", params={"other": str(beside.id)}).text)
    assert "Compare Version 1 with Alternative 1" in compared
    assert "As a whole, Alternative 1 is" in compared
    assert "Alternative to" not in compared
    body = api.get(f"events/{family.event.id}/plans/{beside.id}").json()
    assert [one["character"] for one in body["alternatives"]] == [["best score"]]
    assert "1 alternative" in cards(web.get(root(family)).text)[0]

"""Wishes over the REST API."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import date
from uuid import UUID

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import select, text

from app.accounts.actor import Actor
from app.db import models
from app.db.session import Sessions, transaction
from app.errors import Conflict, NotFound
from app.events.context import open_event
from app.wishes.form import add_wish, find_names
from app.wishes.links import make_links, revoke_all, set_last_day
from tests.conftest import api_client
from tests.factories import make_event, make_guests, make_member
from tests.server import wait_for


@pytest.fixture
def wished(sessions: Sessions, owner: Actor) -> tuple[str, list[str]]:
    """An event where the first guest wishes for the two others, and its guests."""
    with transaction(sessions) as session:
        event = make_event(session, owner)
        guests = make_guests(session, event, ["Aino", "Bo", "Cleo"])
        for other in guests[1:]:
            session.add(models.Wish(event_id=event.id, guest_id=guests[0].id, other_id=other.id))
        return f"events/{event.id}/wishes", [str(guest.id) for guest in guests]


def test_wishes_are_listed_page_by_page(api: TestClient, wished: tuple[str, list[str]]) -> None:
    address, guests = wished
    first = api.get(address, params={"limit": 1}).json()
    second = api.get(address, params={"limit": 1, "after": first["next"]}).json()
    found = [{key: wish[key] for key in ("guest", "other", "state")} for wish in first["wishes"] + second["wishes"]]
    assert found == [{"guest": guests[0], "other": other, "state": "undecided"} for other in sorted(guests[1:])]
    assert api.get(address, params={"after": "x"}).status_code == 422


def test_wishes_are_accepted_declined_and_withdrawn(
    api: TestClient, wished: tuple[str, list[str]], sessions: Sessions
) -> None:
    address, (aino, bo, cleo) = wished
    for_bo, for_cleo = ({"guest": aino, "other": other} for other in (bo, cleo))
    assert api.post(f"{address}/accept", json={"wishes": [for_bo]}).json() == {"changed": 1, "undecided": 1}
    assert api.post(f"{address}/accept", json={"wishes": [for_bo]}).json() == {"changed": 0, "undecided": 1}
    assert api.post(f"{address}/decline", json={"wishes": [for_cleo]}).json() == {"changed": 1, "undecided": 0}
    with transaction(sessions) as session:
        accepted = session.scalars(select(models.Wish).where(models.Wish.accepted_at.is_not(None))).all()
        assert [str(wish.other_id) for wish in accepted] == [bo]
    assert api.post(f"{address}/withdraw", json={"wishes": [for_bo, for_cleo]}).json() == {"changed": 2, "undecided": 2}


def test_unknown_wish_is_named(api: TestClient, wished: tuple[str, list[str]]) -> None:
    address, (aino, bo, _) = wished
    refused = api.post(
        f"{address}/accept", json={"wishes": [{"guest": aino, "other": bo}, {"guest": bo, "other": aino}]}
    )
    assert refused.status_code == 422
    assert [fault["pointer"] for fault in refused.json()["errors"]] == ["#/wishes/1"]


@pytest.mark.parametrize("database", [pytest.param("postgres", marks=pytest.mark.postgres)], indirect=True)
@pytest.mark.parametrize(("close", "error"), [("last day", Conflict), ("links", NotFound)])
def test_wish_that_waited_while_it_was_closed_is_refused(
    sessions: Sessions, owner: Actor, wished: tuple[str, list[str]], close: str, error: type[Exception]
) -> None:
    event_id = UUID(wished[0].split("/")[1])
    with transaction(sessions) as session:
        token = make_links(open_event(session, owner, event_id), per="guest", days=1)[1].token
        cleo = find_names(session, token, "Cleo").names[0].reference

    def wish() -> None:
        with transaction(sessions) as session:
            add_wish(session, token, cleo)

    waiting = text("SELECT count(*) FROM pg_locks WHERE NOT granted")
    with ThreadPoolExecutor(1) as pool:
        with transaction(sessions) as session:
            if close == "links":
                revoke_all(open_event(session, owner, event_id))
            else:
                set_last_day(open_event(session, owner, event_id), date(2020, 1, 1))
            late = pool.submit(wish)
            wait_for(lambda: session.scalar(waiting) == 1, "the wish to wait")
        with pytest.raises(error):
            late.result()


def test_viewer_and_stranger_see_no_wish(
    client: TestClient, sessions: Sessions, stranger_api: TestClient, wished: tuple[str, list[str]]
) -> None:
    address, _ = wished
    with transaction(sessions) as session:
        viewer = make_member(session, session.scalars(select(models.Event.id)).one(), "viewer")
    assert api_client(client, sessions, viewer).get(address).status_code == 403
    assert stranger_api.get(address).status_code == 404

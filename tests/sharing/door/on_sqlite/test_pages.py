"""The door: check-in by members and by helpers, the big screen, and what these pages must not show."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient
from httpx2 import Response
from sqlalchemy import select, update

from app.accounts.actor import Actor
from app.clock import now
from app.config import Settings
from app.db import models
from app.db.session import Sessions, transaction
from app.events.context import open_event
from app.sharing.door.links import create_helper_link
from app.sharing.links import create_link
from tests.canaries import canaries_in, make_plan_with_canaries
from tests.conftest import signed_in_client
from tests.factories import Planned, make_member, make_plan
from tests.pages import words_of

JSON = {"accept": "application/json"}


@pytest.fixture
def made(sessions: Sessions, owner: Actor) -> Planned:
    with transaction(sessions) as session:
        return make_plan_with_canaries(session, owner)


@pytest.fixture
def door(sessions: Sessions, owner: Actor, made: Planned) -> str:
    """The address of a helper's link."""
    with transaction(sessions) as session:
        return f"/d/{create_helper_link(open_event(session, owner, made.event.id), days=9).token}"


def named_rows(page: Response) -> list[tuple[str, str]]:
    row = r'data-reference="([^"]+)">\s*<span class="door-who"><bdi class="door-name">([^<]+)'
    return re.findall(row, page.text)


def references(page: Response) -> dict[str, str]:
    return {name: reference for reference, name in named_rows(page)}


def values(client: TestClient, door: str) -> dict[str, bool]:
    return {one["name"]: bool(one["arrived"]) for one in client.get(f"{door}/arrivals").json()["guests"]}


def test_helper_checks_in_and_undoes_without_javascript(client: TestClient, door: str) -> None:
    page = client.get(door)
    assert "0 of 4 arrived" in words_of(page.text)
    cleo = references(page)["Cleo"]
    sent = client.post(f"{door}/arrivals", data={"guest": cleo, "here": "1", "show": "missing"})
    assert sent.status_code == 303
    after = client.get(sent.headers["location"])
    assert "1 of 4 arrived" in words_of(after.text)
    assert "Cleo" not in references(after)
    assert "data-done-table>Table 2<" in after.text
    client.post(f"{door}/arrivals", data={"guest": cleo, "here": "0"})
    assert "Cleo" in references(client.get(door))


def test_search_and_lists_work_without_javascript(client: TestClient, door: str) -> None:
    client.post(f"{door}/arrivals", data={"guest": references(client.get(door))["Dan"], "here": "1"})
    assert list(references(client.get(door))) == ["Aino", "Bo", "Cleo"]
    assert list(references(client.get(f"{door}?show=arrived"))) == ["Dan"]
    assert list(references(client.get(f"{door}?q=AN"))) == ["Dan"]
    assert list(references(client.get(f"{door}?table=2"))) == ["Cleo", "Dan"]
    tables = client.get(f"{door}?show=tables")
    assert "Table 1 0 of 2" in words_of(tables.text)
    assert "Table 2 1 of 2" in words_of(tables.text)


def test_helper_sees_names_tables_and_arrivals_and_nothing_else(
    client: TestClient, sessions: Sessions, owner: Actor, made: Planned, door: str
) -> None:
    client.post(f"{door}/arrivals", data={"guest": references(client.get(door))["Aino"], "here": "1"})
    with transaction(sessions) as session:
        token = create_link(open_event(session, owner, made.event.id), made.plan.id).token
    pages = (door, f"{door}?show=all", f"{door}?show=tables", f"{door}/arrivals", f"/s/{token}/screen")
    for path in pages:
        page = client.get(path)
        assert page.status_code == 200
        assert canaries_in(page.text) == []
        assert page.headers["cache-control"] == "no-store"
        assert page.headers["referrer-policy"] == "no-referrer"
    assert client.get(f"{door}/arrivals").json()["guests"][0].keys() == {"reference", "name", "table", "arrived"}


def test_check_in_shows_public_names_and_only_members_find_the_planners_names(
    web: TestClient, client: TestClient, sessions: Sessions, made: Planned, door: str
) -> None:
    with transaction(sessions) as session:
        names = {1: ("Cleo (2)", ""), 3: ("Uncle Dan", "Daniel Smith")}
        for number, (name, public_name) in names.items():
            guest = session.get_one(models.Guest, made.guests[number].id)
            guest.name, guest.public_name = name, public_name
    own = f"/events/{made.event.id}/door/check-in"
    for phone, path in ((client, door), (web, own)):
        assert [name for _, name in named_rows(phone.get(path))] == ["Aino", "Cleo", "Cleo", "Daniel Smith"]
        assert list(values(phone, path)) == ["Aino", "Cleo", "Daniel Smith"]
        assert "(2)" not in phone.get(f"{path}/arrivals").text
    assert list(references(web.get(f"{own}?q=uncle dan"))) == ["Daniel Smith"]
    assert list(references(client.get(f"{door}?q=uncle"))) == []
    assert "Uncle" in web.get(f"{own}/arrivals").text
    assert "Uncle" not in client.get(f"{door}/arrivals").text


def test_script_gets_the_list_only_when_it_changed(client: TestClient, door: str) -> None:
    first = client.get(f"{door}/arrivals")
    again = client.get(f"{door}/arrivals", headers={"if-none-match": first.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")
    assert abs(int(again.headers["x-server-time"]) / 1000 - now().timestamp()) < 60
    reference = first.json()["guests"][0]["reference"]
    change = client.post(f"{door}/arrivals", data={"guest": reference, "here": "1"}, headers=JSON)
    assert change.headers["etag"] != first.headers["etag"]
    assert change.json()["guests"][0]["arrived"]


def test_change_that_was_sent_twice_or_late_counts_once(client: TestClient, sessions: Sessions, door: str) -> None:
    aino = references(client.get(door))["Aino"]
    early, late = (str(round((now() - timedelta(minutes=m)).timestamp() * 1000)) for m in (9, 3))
    for at, here in ((early, "1"), (early, "1"), (late, "0"), (early, "1")):
        client.post(f"{door}/arrivals", data={"guest": aino, "here": here, "at": at}, headers=JSON)
    assert values(client, door)["Aino"] is False
    with transaction(sessions) as session:
        assert len(session.scalars(select(models.Arrival)).all()) == 1


def test_guest_who_is_gone_is_a_conflict(client: TestClient, sessions: Sessions, made: Planned, door: str) -> None:
    aino = references(client.get(door))["Aino"]
    with transaction(sessions) as session:
        session.execute(update(models.Guest).where(models.Guest.id == made.guests[0].id).values(removed_at=now()))
    for headers in (JSON, {}):
        sent = client.post(f"{door}/arrivals", data={"guest": aino, "here": "1"}, headers=headers)
        assert sent.status_code == 409
        assert "no longer on the list" in sent.text


def test_closed_and_unknown_links_look_the_same(
    client: TestClient, sessions: Sessions, owner: Actor, made: Planned, door: str
) -> None:
    with transaction(sessions) as session:
        session.execute(update(models.Link).values(revoked_at=now()))
        expired = create_helper_link(open_event(session, owner, made.event.id), days=9)
        expired.link.expires_at = now() - timedelta(seconds=1)
    unknown = "x" * 43
    for tail in ("", "/arrivals"):
        paths = [f"{door}{tail}", f"/d/{expired.token}{tail}", f"/d/{unknown}{tail}"]
        answers = [client.get(path) for path in paths] + [client.post(path) for path in paths if tail]
        assert {answer.status_code for answer in answers} == {404}
        assert len({re.sub(r"[0-9a-f]{32}", "", answer.text) for answer in answers}) == 1
    assert client.get(f"/s/{unknown}/screen").status_code == 404


def test_editor_checks_in_and_creates_links_for_helpers(web: TestClient, client: TestClient, made: Planned) -> None:
    overview = f"/events/{made.event.id}/door"
    made_link = web.post(f"{overview}/links")
    assert made_link.status_code == 303
    page = web.get(made_link.headers["location"])
    link = re.search(r'value="http://localhost(/d/[\w-]{43})"', page.text)
    assert link
    aino = str(made.guests[0].id)
    web.post(f"{overview}/check-in/arrivals", data={"guest": aino, "here": "1"})
    assert values(client, link[1]) == {"Aino": True, "Bo": False, "Cleo": False, "Dan": False}
    assert "1 of 4 arrived" in words_of(web.get(overview).text)
    # With no-referrer, browsers would send “Origin: null” with the forms of members, which are then refused.
    assert '<meta name="referrer" content="same-origin">' in web.get(f"{overview}/check-in").text
    assert '<meta name="referrer" content="no-referrer">' in client.get(link[1]).text
    assert client.get(link[1].replace("/d/", "/s/")).status_code == 404
    assert client.get(f"/api/v1/shared/{link[1].removeprefix('/d/')}").status_code == 404


@pytest.fixture
def reachable(app: FastAPI, settings: Settings) -> None:
    """Give the server an address that phones can open."""
    app.state.settings = settings.model_copy(update={"base_url": "http://192.168.1.20:8000"})


def test_address_that_phones_cannot_open_is_said_before_anything_is_printed(
    web: TestClient, api: TestClient, app: FastAPI, settings: Settings, made: Planned
) -> None:
    root, plan = f"/events/{made.event.id}", f"/events/{made.event.id}/plans/{made.plan.id}"
    path = f"{root[1:]}/links"
    link = api.post(path, json={"audience": "guests"}).json()
    screen = link["url"].removeprefix("http://localhost") + "/screen"
    places = ("/share", f"/links/{link['id']}", "/door", f"/plans/{made.plan.id}/print?what=door-poster&wait=1")
    pages = [*(f"{root}{place}" for place in places), f"{plan}/print/view?what=door-poster"]
    for page in pages:
        words = words_of(web.get(page).text)
        assert re.search(r"on this computer only.*CONVIVE_BASE_URL", words), page
    assert 'class="qr"' not in web.get(screen).text
    assert link["local_only"] is True
    app.state.settings = settings.model_copy(update={"base_url": "http://192.168.1.20:8000"})
    for page in pages:
        assert "on this computer only" not in words_of(web.get(page).text), page
    assert 'class="qr"' in web.get(screen).text
    assert api.get(f"{path}/{link['id']}").json()["local_only"] is False


def test_screen_follows_the_plan_in_use_and_has_a_code_only_with_a_link(
    web: TestClient, client: TestClient, sessions: Sessions, owner: Actor, made: Planned, reachable: None
) -> None:
    with transaction(sessions) as session:
        token = create_link(open_event(session, owner, made.event.id)).token
        seat = session.get_one(models.Seat, (made.plan.id, made.guests[0].id))
        session.delete(seat)
    shown = client.get(f"/s/{token}/screen")
    own = web.get(f"/events/{made.event.id}/door/screen")
    names = ["Table 1", "Bo", "Table 2", "Cleo", "Dan"]
    for page in (shown, own):
        assert re.findall(r"<bdi>([^<]+)</bdi>", page.text)[1:] == names
    assert 'class="qr"' in shown.text
    assert 'class="qr"' not in own.text
    assert 'class="look-dark"' in client.get(f"/s/{token}/screen?look=dark").text


def test_screen_of_a_viewer_has_no_code(web: TestClient, sessions: Sessions, made: Planned, reachable: None) -> None:
    web.post(f"/events/{made.event.id}/share", data={"audience": "guests", "days": "30"})
    address = f"/events/{made.event.id}/door/screen"
    assert 'class="qr"' in web.get(address).text
    with transaction(sessions) as session:
        viewer = make_member(session, made.event.id, "viewer")
    seen = signed_in_client(web, sessions, viewer).get(address)
    assert seen.status_code == 200
    assert 'class="qr"' not in seen.text


def test_opening_a_page_counts_as_a_use_and_asking_again_does_not(
    client: TestClient, sessions: Sessions, owner: Actor, made: Planned, door: str
) -> None:
    with transaction(sessions) as session:
        guests = create_link(open_event(session, owner, made.event.id))
        of_door = session.scalars(select(models.Link.id).where(models.Link.audience == "door")).one()
    for path in (door, f"{door}?show=all", f"{door}?q=a", f"{door}/arrivals", f"/s/{guests.token}/screen"):
        assert client.get(path).status_code == 200
    client.get(f"/s/{guests.token}/screen", headers={"x-asks-again": "1"})
    counted = client.app.state.link_uses.take()  # type: ignore[attr-defined]  # an application, as tests start it
    assert {link: uses.count for link, uses in counted.items()} == {of_door: 1, guests.link.id: 1}


def test_titles_name_the_event_only(
    client: TestClient, sessions: Sessions, owner: Actor, made: Planned, door: str
) -> None:
    with transaction(sessions) as session:
        token = create_link(open_event(session, owner, made.event.id)).token
    for path in (door, f"/s/{token}/screen"):
        head = client.get(path).text.partition("</head>")[0]
        assert re.findall(r'<title>(.*?)</title>|<meta property="og:\w+" content="(.*?)">', head) == [
            (made.event.name, ""),
            ("", made.event.name),
        ]


def test_door_without_a_plan_asks_for_one(web: TestClient, api: TestClient) -> None:
    event_id = api.post("events", json={"name": "Tea"}).json()["id"]
    assert "No plan yet" in web.get(f"/events/{event_id}/door").text
    assert "No guests are expected yet." in web.get(f"/events/{event_id}/door/check-in").text
    assert "No seats assigned yet." in web.get(f"/events/{event_id}/door/screen").text


def test_api_lists_arrivals_and_repeats_are_harmless(api: TestClient, sessions: Sessions, owner: Actor) -> None:
    with transaction(sessions) as session:
        made = make_plan(session, owner, sizes=(2,), names=["Dan", "Bo"])
    arrivals = f"events/{made.event.id}/arrivals"
    dan = made.guests[0].id
    first, second = (api.put(f"{arrivals}/{dan}") for _ in range(2))
    assert first.status_code == 200
    assert first.json() == second.json()
    found = api.get(arrivals).json()
    assert (found["guests"], found["arrived"]) == (2, 1)
    assert found["tables"] == [{"table": str(made.tables[0].id), "name": "Table 1", "guests": 2, "arrived": 1}]
    assert [(one["name"], one["arrived_at"]) for one in found["arrivals"]] == [
        ("Bo", None),
        ("Dan", first.json()["arrived_at"]),
    ]
    assert api.delete(f"{arrivals}/{dan}", params={"at": "2020-01-01T00:00:00Z"}).status_code == 204
    assert api.get(arrivals).json()["arrived"] == 1
    assert [api.delete(f"{arrivals}/{dan}").status_code for _ in range(2)] == [204, 204]
    assert api.get(arrivals).json()["arrived"] == 0
    assert api.put(f"{arrivals}/{made.event.id}").status_code == 404


@pytest.mark.parametrize(
    ("at", "status"),
    [
        ("0001-01-01T00:00:00+14:00", 200),
        ("9999-12-31T23:59:59-14:00", 200),
        ("2026-12-05T18:30:00", 422),
        ("5", 422),
        ("soon", 422),
    ],
)
def test_api_takes_moments_and_nothing_else(
    api: TestClient, sessions: Sessions, owner: Actor, at: str, status: int
) -> None:
    with transaction(sessions) as session:
        made = make_plan(session, owner, sizes=(2,), names=["Dan", "Bo"])
    sent = api.put(f"events/{made.event.id}/arrivals/{made.guests[0].id}", params={"at": at})
    assert sent.status_code == status

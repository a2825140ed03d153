"""What a link must never show: secrets of the event, whether in a page, JSON, a header, an error or a log."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest
from sqlalchemy import select

from app.db import models
from app.db.session import transaction
from app.events.context import open_event
from app.sharing.links import Audience, create_link
from tests.canaries import canaries_in, canaries_in_log, make_plan_with_canaries
from tests.factories import ANY_VERSION, Planned
from tests.server import ServerProcess

FOOD = re.compile("Canary (?:diet|allergy|course one|course)")
"""What a venue needs to know."""
PATHS = ("/s/{}", "/s/{}/tables", "/s/{}/screen", "/d/{}", "/d/{}/arrivals", "/d/{}?show=all", "/api/v1/shared/{}")


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    """A server whose log can be read."""
    folder: Path = tmp_path_factory.mktemp("leaks")
    server = ServerProcess(folder / "server", CONVIVE_LOG_LEVEL="debug", CONVIVE_LOG_FORMAT="json").start()
    yield server
    server.stop()


def make_shared(server: ServerProcess, audience: Audience) -> tuple[Planned, str]:
    """Make an event full of secrets, with two guests of one name and one with a public name, and a link to it."""
    owner = server.owner()
    with transaction(server.sessions()) as session:
        made = make_plan_with_canaries(session, owner)
        made.guests[1].name = "Aino (2)"
        made.guests[3].name, made.guests[3].public_name = "Canary Dan", "Dan"
        party = models.Party(event_id=made.event.id, name="Canary uncles", name_key="canary uncles")
        session.add(party)
        session.flush()
        for guest in made.guests[2:]:
            guest.party_id, guest.note = party.id, "Canary: owes money"
        for one, other in ((0, 2), (3, 0)):
            ids = {"guest_id": made.guests[one].id, "other_id": made.guests[other].id}
            session.add(models.Wish(event_id=made.event.id, **ids))
        ctx = open_event(session, owner, made.event.id)
        return made, create_link(ctx, audience=audience, name="Canary link").token


def answers(server: ServerProcess, token: str) -> dict[str, str]:
    """Return all that a link reaches, headers included, by path; also what is wrong about it."""
    with httpx2.Client(base_url=server.address, headers={"Accept-Encoding": "identity"}) as phone:
        found = {path: phone.get(path.format(token)) for path in PATHS}
        found["wrong"] = phone.get(f"/s/{token}x")
        found["query"] = phone.get(f"/s/{token}?q=1")
        found["method"] = phone.post(f"/s/{token}", data={"q": "a"})
        found["missing"] = phone.get(f"/s/{token}/print/place-cards.pdf")
    without_id = {name: {k: v for k, v in one.headers.items() if k != "x-request-id"} for name, one in found.items()}
    return {name: f"{without_id[name]}\n{_body(one)}" for name, one in found.items()}


def _body(answer: httpx2.Response) -> str:
    # Errors name the request, which is in the log as well, and no row of the database.
    request_id = answer.headers["x-request-id"]
    return answer.text.replace(request_id, "")


def test_link_for_guests_reaches_no_secret(server: ServerProcess) -> None:
    made, token = make_shared(server, "guests")
    owner = server.api().get(f"events/{made.event.id}/guests").text
    assert canaries_in(owner) != []
    for path, text in answers(server, token).items():
        assert (path, canaries_in(text.replace(token, ""))) == (path, [])
    log = server.log.read_text()
    assert (canaries_in_log(log), token in log) == ([], False)


def test_link_for_the_venue_reaches_diets_and_no_other_secret(server: ServerProcess) -> None:
    _, token = make_shared(server, "venue")
    for path, text in answers(server, token).items():
        without_food = FOOD.sub("", text.replace(token, ""))
        assert (path, canaries_in(without_food)) == (path, [])
    assert set(FOOD.findall(answers(server, token)["/s/{}"])) >= {"Canary diet", "Canary allergy", "Canary course one"}


def test_link_for_helpers_reaches_no_secret_and_shows_names_as_guests_read_them(server: ServerProcess) -> None:
    _, token = make_shared(server, "door")
    found = answers(server, token)
    for path, text in found.items():
        assert (path, canaries_in(text.replace(token, ""))) == (path, [])
        assert "(2)" not in text
    assert all("Dan" in found[path] for path in ("/d/{}", "/d/{}/arrivals", "/d/{}?show=all"))
    log = server.log.read_text()
    assert (canaries_in_log(log), token in log) == ([], False)


@pytest.mark.parametrize("audience", ["guests", "venue"])
def test_change_of_ratings_alone_leaves_the_page_as_it_is(server: ServerProcess, audience: Audience) -> None:
    made, token = make_shared(server, audience)
    with transaction(server.sessions()) as session:
        group = str(session.scalars(select(models.Group.id).where(models.Group.event_id == made.event.id)).one())
    before = answers(server, token)
    one, other, third, _ = ids = [str(guest.id) for guest in made.guests]
    matrix = [[0 if row == column else -1 for column in range(4)] for row in range(4)]
    changes: list[tuple[str, str, dict[str, Any]]] = [
        ("PATCH", "ratings", {"ratings": [{"a": one, "b": other, "score": -2.0}]}),
        ("PUT", "groups/ratings", {"ratings": [{"a": group, "b": group, "score": 2.0}]}),
        ("PUT", "ratings/matrix", {"kind": "score", "guests": ids, "matrix": matrix}),
        ("POST", "rules", {"kind": "together", "guests": [one, other]}),
        ("POST", "wishes/accept", {"wishes": [{"guest": one, "other": third}]}),
        ("PATCH", f"guests/{one}", {"note": "Canary: came late"}),
    ]
    for method, path, body in changes:
        changed = server.api().request(method, f"events/{made.event.id}/{path}", json=body, headers=ANY_VERSION)
        assert (path, changed.is_success) == (path, True), changed.text
        after = answers(server, token)
        assert {path: after[path].replace(_date(after[path]), "") for path in PATHS} == {
            path: before[path].replace(_date(before[path]), "") for path in PATHS
        }
        assert "etag" in after["/s/{}"]


def _date(text: str) -> str:
    """Return the date in the headers, which is the time of the answer."""
    return text.partition("'date': '")[2].partition("'")[0] or "no date"


def test_closed_expired_and_mistyped_links_get_the_same_answer(server: ServerProcess) -> None:
    made, token = make_shared(server, "guests")
    owner = server.owner()
    with transaction(server.sessions()) as session:
        ctx = open_event(session, owner, made.event.id)
        closed, expired = create_link(ctx), create_link(ctx)
        closed.link.revoked_at = closed.link.created_at
        expired.link.expires_at = expired.link.created_at
    mistyped = f"{token[:-1]}{'A' if token[-1] != 'A' else 'B'}"
    found = [answers(server, one) for one in (closed.token, expired.token, mistyped)]
    pages = [{path: one[path].replace(_date(one[path]), "") for path in PATHS} for one in found]
    assert pages[0] == pages[1] == pages[2]
    assert "doesn't work or has expired" in pages[0]["/api/v1/shared/{}"]

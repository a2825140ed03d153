"""The page on which guests name people they would like to sit with, without JavaScript."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import delete, func, select, update

from app.accounts.actor import Actor
from app.clock import now
from app.db import models
from app.db.session import Sessions, transaction
from app.events.context import open_event
from app.wishes import form as wish_form
from app.wishes.links import make_links
from tests.canaries import canaries_in, make_plan_with_canaries
from tests.pages import faults_of, words_of
from tests.security.sqlite_only import database
from tests.security.test_secrets import everything_stored
from tests.wish_helpers import links_for, make_event, references, rows_of, wish

__all__ = ["database"]
GUESTS = "Aino Virtanen\nBo\nChloé Dubois\nDan O'Neil\nZoë\n李雷"


@pytest.fixture
def event(web: TestClient) -> str:
    """The address of an event with six guests."""
    return make_event(web, GUESTS)


@pytest.fixture
def link(web: TestClient, event: str) -> str:
    """The path of Aino's link."""
    return links_for(web, event)["Aino Virtanen"]


def found_by(client: TestClient, link: str, text: str) -> list[str]:
    return sorted(references(client.get(f"{link}/search", params={"q": text}).text))


def test_guest_is_greeted_and_finds_names_by_their_beginnings(client: TestClient, link: str) -> None:
    words = words_of(client.get(link).text)
    assert "Midsummer dinner" in words
    assert "Dear Aino Virtanen, who would you like to sit with?" in words
    assert "Bo" not in words
    assert found_by(client, link, "chloe") == ["Chloé Dubois"]
    assert found_by(client, link, "dub chl") == ["Chloé Dubois"]
    assert found_by(client, link, "李") == ["李雷"]
    assert found_by(client, link, "ain") == []  # themselves
    assert found_by(client, link, "ch") == []  # too short, and no whole name as Bo is
    assert "No matching guests." in client.get(f"{link}/search?q=hloe").text
    assert "Type at least 3 letters." in client.get(f"{link}/search?q=b").text
    assert client.get(f"{link}/search?q=bo", headers={"Accept": "application/json"}).json()["found"][0]["name"] == "Bo"


def test_wishes_are_added_and_taken_back(client: TestClient, link: str) -> None:
    wish(client, link, "Bo", "Zoë")
    assert list(references(client.get(link).text)) == ["Bo", "Zoë"]
    assert found_by(client, link, "bo") == ["Bo", "Zoë"]  # both with Remove: who is on the list is not found again
    bo = references(client.get(link).text)["Bo"]
    gone = client.post(f"{link}/remove", data={"guest": bo})
    page = client.get(gone.headers["location"]).text
    assert "Bo removed." in words_of(page)
    assert "Undo" in words_of(page)
    assert "Zoë" in references(page)
    client.post(f"{link}/add", data={"guest": bo})
    assert list(references(client.get(link).text)) == ["Zoë", "Bo"]


def test_opening_and_searching_change_no_wish_and_no_event(client: TestClient, link: str, sessions: Sessions) -> None:
    before = everything_stored(sessions)
    client.get(link)
    assert everything_stored(sessions) == before
    assert found_by(client, link, "zoe") == ["Zoë"]
    with transaction(sessions) as session:
        counted = session.scalars(select(models.Attempt.subject)).all()
        assert [key.partition(":")[0] for key in counted] == ["wish search"]
        session.execute(delete(models.Attempt))
        session.execute(update(models.WishLink).values(shown=[]))
    assert everything_stored(sessions) == before


def test_search_gives_a_few_names_and_not_the_whole_list(
    web: TestClient, client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    event = make_event(web, "\n".join(["Host", *(f"Anna {number}" for number in range(20))]))
    link = links_for(web, event)["Host"]
    assert found_by(client, link, "anna") == []
    assert "Many names begin like this." in client.get(f"{link}/search?q=anna").text
    assert found_by(client, link, "anna 1") == ["Anna 1"]
    monkeypatch.setattr(wish_form, "MOST_SEARCHES", 3)
    assert [client.get(f"{link}/search?q=ann").status_code for _ in range(2)] == [429, 429]
    as_values = client.get(f"{link}/search?q=ann", headers={"Accept": "application/json"})
    assert (as_values.status_code, "Too many attempts" in as_values.json()["detail"]) == (429, True)


def test_only_so_many_wishes_are_taken(web: TestClient, client: TestClient) -> None:
    names = [f"Guest {chr(65 + number) * 2}" for number in range(wish_form.MOST_WISHES + 2)]
    event = make_event(web, "\n".join(names))
    link = links_for(web, event)[names[0]]
    eleventh = references(client.get(f"{link}/search?q={names[-1][-2:]}").text)[names[-1]]
    for name in names[1:-1]:
        wish(client, link, name)
    refused = client.post(f"{link}/add", data={"guest": eleventh})
    assert refused.status_code == 422
    assert faults_of(refused.text) == ["Maximum 10 wishes. Remove someone from your list first."]
    assert "You have reached the maximum." in refused.text


def test_party_wishes_together(web: TestClient, client: TestClient, sessions: Sessions) -> None:
    event = make_event(web, GUESTS)
    for name in ("Aino Virtanen", "Bo"):
        guest = _guest_path(web, event, sessions, name)
        web.post(guest, data={"name": name, "party": "Virtanen"})
    links = links_for(web, event, "party")
    assert list(links) == ["Aino Virtanen and Bo", "Chloé Dubois", "Dan O'Neil", "Zoë", "李雷"]
    link = links["Aino Virtanen and Bo"]
    assert "Dear Aino Virtanen and Bo, who would you like to sit with?" in words_of(client.get(link).text)
    wish(client, link, "Zoë")
    with transaction(sessions) as session:
        assert session.scalar(select(func.count()).select_from(models.Wish)) == 2
    client.post(f"{link}/remove", data={"guest": references(client.get(link).text)["Zoë"]})
    with transaction(sessions) as session:
        assert session.scalar(select(func.count()).select_from(models.Wish)) == 0


def test_guest_cannot_list_the_names_by_trying_letters(web: TestClient, client: TestClient, sessions: Sessions) -> None:
    """Even somebody who knows which letters to try, and who waits for the limits to end."""
    syllables = ["ma", "ri", "no", "ta", "ke", "lu", "so"]
    names = [f"{a}{b}{c} {c}{a}{b}".title() for a in syllables for b in syllables for c in syllables][:200]
    event = make_event(web, "\n".join(["Host", *names]))
    link = links_for(web, event)["Host"]
    seen: set[str] = set()
    for start in sorted({word[:length].lower() for name in names for word in name.split() for length in (2, 3, 4, 6)}):
        with transaction(sessions) as session:
            session.execute(delete(models.Attempt))
        answer = client.get(f"{link}/search", params={"q": start}, headers={"Accept": "application/json"}).json()
        seen |= {one["name"] for one in answer["found"]}
    assert 0 < len(seen) <= wish_form.MOST_SHOWN
    shown = next(iter(seen))
    assert found_by(client, link, shown) == [shown]  # names that it has shown are still found
    hidden = next(name for name in names if name not in seen)
    assert "This link has shown as many names as it may." in client.get(f"{link}/search", params={"q": hidden}).text


def test_wish_through_a_link_of_ones_own_is_not_shown_to_the_household(
    web: TestClient, client: TestClient, sessions: Sessions
) -> None:
    event = make_event(web, GUESTS)
    for name in ("Aino Virtanen", "Bo"):
        web.post(_guest_path(web, event, sessions, name), data={"name": name, "party": "Virtanen"})
    own = links_for(web, event)["Aino Virtanen"]
    wish(client, own, "Zoë", "李雷")
    household = _replaced(web, event, "party")["Aino Virtanen and Bo"]
    assert references(client.get(household).text) == {}
    wish(client, household, "Zoë", "Chloé Dubois")
    assert list(references(client.get(household).text)) == ["Zoë", "Chloé Dubois"]
    chloe = references(client.get(household).text)["Chloé Dubois"]
    client.post(f"{household}/remove", data={"guest": chloe})
    own = _replaced(web, event, "guest")["Aino Virtanen"]
    assert sorted(references(client.get(own).text)) == ["Zoë", "李雷"]


def test_after_the_last_day_wishes_are_read_only(web: TestClient, client: TestClient, event: str, link: str) -> None:
    wish(client, link, "Bo")
    bo = references(client.get(link).text)["Bo"]
    day = (now() - timedelta(days=3)).date().isoformat()
    web.post(f"{event}/wishes/until", data={"until": day})
    words = words_of(client.get(link).text)
    assert "the deadline for changing your wishes has passed" in words
    assert "Bo" in words
    assert "Remove" not in words
    refused = client.post(f"{link}/remove", data={"guest": bo})
    assert refused.status_code == 409
    assert "Bo" in words_of(client.get(link).text)


@pytest.mark.parametrize("end", ["revoked_at", "expires_at"])
def test_closed_or_expired_link_leads_nowhere(client: TestClient, link: str, sessions: Sessions, end: str) -> None:
    bo = references(client.get(f"{link}/search?q=bo").text)["Bo"]
    with transaction(sessions) as session:
        session.execute(update(models.WishLink).values({end: now() - timedelta(seconds=1)}))
    answers = [
        client.get(link),
        client.get(f"{link}/search?q=bo"),
        client.post(f"{link}/add", data={"guest": bo}),
        client.post(f"{link}/remove", data={"guest": bo}),
        client.get("/w/unknown"),
    ]
    assert [answer.status_code for answer in answers] == [404] * 5


def test_references_mean_nothing_to_another_link_or_event(web: TestClient, client: TestClient, event: str) -> None:
    links = links_for(web, event)
    other = links_for(web, make_event(web, GUESTS))["Bo"]
    dan = references(client.get(f"{links['Bo']}/search?q=dan").text)["Dan O&#39;Neil"]
    for link in (links["Zoë"], other):
        assert client.post(f"{link}/add", data={"guest": dan}).status_code == 404
    assert client.post(f"{links['Bo']}/add", data={"guest": dan}).status_code == 303


def test_page_shows_names_and_nothing_else(client: TestClient, sessions: Sessions, owner: Actor) -> None:
    with transaction(sessions) as session:
        made = make_plan_with_canaries(session, owner)
        links = make_links(open_event(session, owner, made.event.id), per="guest", days=30)
        token = links[1].token
    wish(client, f"/w/{token}", "Aino")
    for answer in (client.get(f"/w/{token}"), client.get(f"/w/{token}/search?q=cleo"), client.get("/w/unknown")):
        known = (token, answer.headers["x-request-id"])
        assert canaries_in(answer.text.replace(known[0], "").replace(known[1], "")) == []
        assert (answer.headers["referrer-policy"], answer.headers["cache-control"]) == ("no-referrer", "no-store")
        assert answer.headers["x-robots-tag"] == "noindex, nofollow"
    assert token not in everything_stored(sessions)


def _replaced(web: TestClient, event: str, per: str) -> dict[str, str]:
    page = web.get(f"{event}/wishes").text
    newest = re.search(r'name="newest" value="([^"]+)"', page)
    assert newest
    made = web.post(f"{event}/wishes/links", data={"per": per, "replace": "on", "newest": newest.group(1)})
    assert made.status_code == 201, words_of(made.text)
    return {name: link.removeprefix("http://localhost") for name, _, link in rows_of(made.content)[1:]}


def _guest_path(web: TestClient, event: str, sessions: Sessions, name: str) -> str:
    with transaction(sessions) as session:
        found = session.scalars(select(models.Guest.id).where(models.Guest.name == name).order_by(models.Guest.id))
        return f"{event}/guests/{found.all()[-1]}"

"""Wishes as the planner sees them: accepted, declined, taken back; and the links in bulk."""

from __future__ import annotations

import re

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient
from sqlalchemy import select

from app.config import Settings
from app.db import models
from app.db.session import Sessions, transaction
from tests.pages import faults_of, fields_of, words_of
from tests.wish_helpers import links_for, make_event, references, rows_of, wish


@pytest.fixture
def event(web: TestClient) -> str:
    """The address of an event with four guests."""
    return make_event(web, "Aino\nBo\nCleo\n=Dan")


@pytest.fixture
def links(web: TestClient, event: str) -> dict[str, str]:
    """The guests' links."""
    return links_for(web, event)


def ticks_of(html: str, heading: str) -> list[str]:
    """Return what the boxes of a card stand for."""
    card = html.partition(f"<bdi>{heading}</bdi>")[2].partition("</form>")[0]
    return re.findall(r'name="wish" value="([^"]+)"', card)


def states(sessions: Sessions) -> list[str]:
    with transaction(sessions) as session:
        wishes = session.scalars(select(models.Wish)).all()
        return sorted("accepted" if w.accepted_at else "declined" if w.declined_at else "waits" for w in wishes)


def test_wishes_are_listed_and_decided(
    web: TestClient, client: TestClient, sessions: Sessions, event: str, links: dict[str, str]
) -> None:
    wish(client, links["Aino"], "Bo", "Cleo")
    wish(client, links["Bo"], "Aino")
    page = web.get(f"{event}/wishes").text
    words = words_of(page)
    assert "Aino wishes to sit with Bo mutual" in words
    assert "Aino wishes to sit with Cleo Bo" in words
    assert "Bo wishes to sit with Aino mutual" in words
    ticks = ticks_of(page, "Waiting for your decision")
    assert len(ticks) == 3
    accepted = web.post(f"{event}/wishes", data={"verdict": "accept", "wish": ticks[:2]})
    message = web.get(accepted.headers["location"]).text
    assert "2 wishes were accepted." in words_of(message)
    assert states(sessions) == ["accepted", "accepted", "waits"]
    web.post(f"{event}/wishes/undo", data={"at": fields_of(message)["at"][0]})
    assert states(sessions) == ["waits"] * 3
    declined = web.post(f"{event}/wishes", data={"verdict": "decline", "wish": ticks[2]})
    assert "1 wish was declined." in words_of(web.get(declined.headers["location"]).text)
    web.post(f"{event}/wishes/accept-all")
    assert states(sessions) == ["accepted", "accepted", "declined"]
    ticks = ticks_of(web.get(f"{event}/wishes").text, "Accepted")
    web.post(f"{event}/wishes", data={"verdict": "withdraw", "wish": ticks})
    assert states(sessions) == ["declined", "waits", "waits"]


def test_enter_accepts_what_is_ticked_and_undo_restores_what_was_declined(
    web: TestClient, client: TestClient, sessions: Sessions, event: str, links: dict[str, str]
) -> None:
    wish(client, links["Aino"], "Bo", "Cleo")
    page = web.get(f"{event}/wishes").text
    card = page.partition("<bdi>Waiting for your decision</bdi>")[2]
    assert card.index("Accept selected") < card.index("Accept all 2")
    ticks = ticks_of(page, "Waiting for your decision")
    web.post(f"{event}/wishes", data={"verdict": "decline", "wish": ticks[0]})
    accepted = web.post(f"{event}/wishes", data={"verdict": "accept", "wish": ticks})
    assert states(sessions) == ["accepted", "accepted"]
    at = fields_of(web.get(accepted.headers["location"]).text)["at"][0]
    web.post(f"{event}/wishes/undo", data={"at": at})
    assert states(sessions) == ["declined", "waits"]


def test_wish_that_is_gone_is_named_and_the_others_are_decided(
    web: TestClient, client: TestClient, sessions: Sessions, event: str, links: dict[str, str]
) -> None:
    wish(client, links["Aino"], "Bo", "Cleo")
    ticks = ticks_of(web.get(f"{event}/wishes").text, "Waiting for your decision")
    client.post(f"{links['Aino']}/remove", data={"guest": references(client.get(links["Aino"]).text)["Bo"]})
    for verdict in ("", "destroy"):
        assert web.post(f"{event}/wishes", data={"verdict": verdict, "wish": ticks}).status_code == 422
    assert states(sessions) == ["waits"]
    message = web.post(f"{event}/wishes", data={"verdict": "accept", "wish": ticks})
    assert faults_of(message.text) == [
        "Aino no longer wishes to sit with Bo, or one of them is not attending.",
        "The others were updated.",
    ]
    assert "1 wish was accepted." in words_of(message.text)
    assert states(sessions) == ["accepted"]


def test_what_speaks_against_a_wish_is_pointed_out_and_left_alone(
    web: TestClient, client: TestClient, sessions: Sessions, event: str, links: dict[str, str]
) -> None:
    wish(client, links["Aino"], "Bo", "Cleo")
    wish(client, links["Bo"], "Cleo")
    web.post(f"{event}/rules", data={"kind": "apart", "first": "Aino", "second": "Bo"})
    with transaction(sessions) as session:
        ids = {guest.name: guest.id for guest in session.scalars(select(models.Guest))}
    web.post(f"{event}/ratings/pairs", data={"a": ids["Bo"], "b": ids["Cleo"], "score": "-2"})
    words = words_of(web.get(f"{event}/wishes").text)
    assert "Aino wishes to sit with Bo A rule keeps them apart." in words
    assert "Bo wishes to sit with Cleo You rated this pair −2." in words
    web.post(f"{event}/wishes/accept-all")
    assert states(sessions) == ["accepted", "waits", "waits"]
    guest_sees = client.get(links["Aino"]).text
    assert "apart" not in guest_sees
    assert "accept" not in guest_sees


def test_nothing_ticked_is_told(web: TestClient, event: str) -> None:
    refused = web.post(f"{event}/wishes", data={"verdict": "accept"})
    assert (refused.status_code, faults_of(refused.text)) == (422, ["Select at least one wish."])


def test_links_come_as_a_file_for_a_mail_merge_once(web: TestClient, client: TestClient, event: str) -> None:
    made = web.post(f"{event}/wishes/links", data={"per": "guest"})
    assert (made.status_code, made.headers["content-type"]) == (201, "text/csv; charset=utf-8")
    assert made.headers["content-disposition"] == 'attachment; filename="wishes.csv"'
    rows = rows_of(made.content)
    assert rows[0] == ["name", "party", "link"]
    assert [row[0] for row in rows[1:]] == ["Aino", "Bo", "Cleo", "'=Dan"]
    assert all(row[2].startswith("http://localhost/w/") and len(row[2]) > 60 for row in rows[1:])
    assert len({row[2] for row in rows[1:]}) == 4
    again = web.post(f"{event}/wishes/links", data={"per": "guest"})
    assert again.status_code == 422
    assert "Everyone already has a link" in words_of(again.text)
    assert client.get(rows[1][2]).status_code == 200
    web.post(f"{event}/guests", data={"name": "Eve"})
    assert "1 guest has no link yet." in words_of(web.get(f"{event}/wishes").text)
    assert list(links_for(web, event)) == ["Eve"]


def test_links_that_open_on_this_computer_only_are_said_to_before_and_after(
    web: TestClient, app: FastAPI, settings: Settings, event: str
) -> None:
    before = words_of(web.get(f"{event}/wishes").text)
    assert "New links open on this computer only. To open them on phones in your network, stop Convive" in before
    assert "CONVIVE_HOST=0.0.0.0 CONVIVE_BASE_URL=http://" in before
    links_for(web, event)
    assert "on this computer only." in words_of(web.get(f"{event}/wishes").text)
    app.state.settings = settings.model_copy(update={"base_url": "http://192.168.1.20:8000"})
    assert "on this computer only" not in words_of(web.get(f"{event}/wishes").text)


def test_all_links_anew_closes_the_old_ones_and_not_those_made_meanwhile(
    web: TestClient, client: TestClient, event: str, links: dict[str, str]
) -> None:
    wish(client, links["Aino"], "Bo")
    page = web.get(f"{event}/wishes").text
    assert "This closes all 4 links that you may have already sent." in words_of(page)
    form = {"replace": "on", "newest": fields_of(page)["newest"][0], "per": "guest"}
    made = web.post(f"{event}/wishes/links", data=form)
    new = rows_of(made.content)[1][2]
    assert client.get(links["Aino"]).status_code == 404
    assert "Bo" in words_of(client.get(new).text)
    twice = web.post(f"{event}/wishes/links", data=form)
    assert twice.status_code == 422
    assert client.get(new).status_code == 200


def test_one_link_is_closed_or_made_anew(
    web: TestClient, client: TestClient, event: str, links: dict[str, str]
) -> None:
    page = web.get(f"{event}/wishes").text
    renew, revoke = (re.findall(rf'action="([^"]+/{verb})"', page) for verb in ("renew", "revoke"))
    made = web.post(renew[0])
    assert made.status_code == 201
    address = next(value for values in fields_of(made.text).values() for value in values if "/w/" in value)
    assert client.get(links["Aino"]).status_code == 404
    assert client.get(address).status_code == 200
    web.post(revoke[1])
    assert client.get(links["Bo"]).status_code == 404
    assert web.post(revoke[1]).status_code == 404
    web.post(f"{event}/wishes/links/revoke")
    assert [client.get(path).status_code for path in (address, links["Cleo"])] == [404, 404]


def test_last_day_is_kept_and_a_bad_one_is_told(web: TestClient, event: str) -> None:
    web.post(f"{event}/wishes/until", data={"until": "2031-05-01"})
    assert fields_of(web.get(f"{event}/wishes").text)["until"] == ["2031-05-01"]
    refused = web.post(f"{event}/wishes/until", data={"until": "May"})
    assert faults_of(refused.text) == ["Enter the date as 2026-12-05."]
    assert fields_of(refused.text)["until"] == ["May"]


def test_link_lasts_a_while_longer_than_the_last_day(
    web: TestClient, event: str, links: dict[str, str], sessions: Sessions
) -> None:
    web.post(f"{event}/wishes/until", data={"until": "2031-05-01"})
    with transaction(sessions) as session:
        ends = set(session.scalars(select(models.WishLink.expires_at)))
    assert {end.date().isoformat() for end in ends if end} == {"2031-06-01"}


def test_link_lasts_as_long_as_the_page_promises_without_a_last_day(
    web: TestClient, event: str, links: dict[str, str], sessions: Sessions
) -> None:
    web.post(f"{event}/settings", data={"name": "Party", "on": "2031-05-01"})
    web.post(f"{event}/guests", data={"name": "Eve"})
    links_for(web, event)
    with transaction(sessions) as session:
        ends = set(session.scalars(select(models.WishLink.expires_at)))
    assert {end.date().isoformat() for end in ends if end} == {"2031-06-01"}


def test_wishes_of_who_does_not_come_rest(
    web: TestClient, client: TestClient, event: str, links: dict[str, str], sessions: Sessions
) -> None:
    wish(client, links["Aino"], "Bo")
    with transaction(sessions) as session:
        bo = session.scalars(select(models.Guest).where(models.Guest.name == "Bo")).one()
        bo.reply = "no"
    assert "No wishes yet" in words_of(web.get(f"{event}/wishes").text)
    assert "No one yet." in words_of(client.get(links["Aino"]).text)
    assert client.get(links["Bo"]).status_code == 404

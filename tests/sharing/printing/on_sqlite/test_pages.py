"""Printing in the browser and over the REST API."""

from __future__ import annotations

import re
from datetime import date
from html import unescape
from typing import get_args

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import func, select

from app.accounts.actor import Actor
from app.db import models
from app.db.session import Sessions, transaction
from app.sharing.printing import pages
from app.sharing.printing.options import What
from tests.canaries import canaries_in, make_plan_with_canaries
from tests.conftest import api_client, signed_in_client
from tests.factories import Planned, make_member, make_plan
from tests.files.pdf.reading import read_pages, read_text
from tests.sharing.printing.plans import OF_PLANS

HOSTILE = '<b>"#import"&amp;</b>'


@pytest.fixture
def made(sessions: Sessions, owner: Actor) -> Planned:
    """A plan to print."""
    with transaction(sessions) as session:
        made = make_plan(session, owner, sizes=(2, 3), names=["Aino", "Bo", "Cleo", "Dan"])
        made.guests[0].diet = "vegan, no nuts"
        return made


@pytest.fixture
def viewer(client: TestClient, sessions: Sessions, made: Planned) -> TestClient:
    """Somebody who may look at the event, in a browser."""
    with transaction(sessions) as session:
        member = make_member(session, made.event.id, "viewer")
    return signed_in_client(client, sessions, member)


def address(made: Planned) -> str:
    return f"/events/{made.event.id}/plans/{made.plan.id}"


def test_plan_leads_to_printing(web: TestClient, made: Planned) -> None:
    assert f'href="{address(made)}/print"' in web.get(address(made)).text


def test_page_offers_everything_and_shows_the_first_page(web: TestClient, made: Planned) -> None:
    page = web.get(f"{address(made)}/print?wait=1").text
    assert set(re.findall(r'<option value="([a-z-]+)"', page)) >= {*get_args(What), "classic", "modern", "garden"}
    assert "4 cards on 1 sheet" in page
    picture = re.search(r'<img class="print-sheet" src="([^"]+)"', page)
    assert picture is not None
    shown = web.get(unescape(picture[1]))
    assert (shown.headers["content-type"], shown.content[:4]) == ("image/png", b"\x89PNG")


@pytest.mark.parametrize("what", OF_PLANS)
def test_editor_downloads_a_pdf_of_each_kind(web: TestClient, made: Planned, what: str) -> None:
    sent = web.post(f"{address(made)}/print", data={"what": what, "paper": "letter", "theme": "modern", "crop": "1"})
    pdf = web.get(sent.headers["location"])
    assert pdf.headers["content-type"] == "application/pdf"
    assert pdf.headers["content-disposition"].startswith("attachment; filename=")
    size = (279.4, 215.9) if what == "floor-plan" else (215.9, 279.4)  # two tables stand side by side
    assert {(page.width, page.height) for page in read_pages(pdf.content)} == {size}
    assert "Dinner".lower() in read_text(pdf.content).lower()


def test_page_of_a_long_document_says_so_and_goes_on_to_the_one_that_waits(
    web: TestClient, made: Planned, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pages, "SOON", 0.0)
    page = web.get(f"{address(made)}/print?theme=garden").text
    assert "Typesetting 4 cards…" in page
    assert "print-sheet" not in page
    refresh = re.search(r'http-equiv="refresh" content="0; url=([^"]+)"', page)
    assert refresh is not None
    whole = web.get(unescape(refresh[1])).text
    assert 'http-equiv="refresh"' not in whole
    assert re.search(r'<img class="print-sheet" src="[^"]*theme=garden', whole)


def test_unticked_boxes_are_off_in_a_form_and_on_in_a_bare_address(web: TestClient, made: Planned) -> None:
    bare = web.get(f"{address(made)}/print?wait=1").text
    sent = web.get(f"{address(made)}/print?what=place-cards&chosen=1&wait=1").text
    assert ('name="crop" value="1" checked' in bare, 'name="crop" value="1" checked' in sent) == (True, False)


def test_only_changed_cards_are_printed_again(web: TestClient, made: Planned, sessions: Sessions) -> None:
    web.post(f"{address(made)}/print", data={"what": "place-cards"})
    with transaction(sessions) as session:
        session.get_one(models.Guest, made.guests[1].id).name = "Bo Andersson"
        printed = session.scalars(select(models.Print)).one().id
    page = web.get(f"{address(made)}/print?wait=1").text
    assert "Only what changed since" in page
    assert "1 card<" in page
    sent = web.post(f"{address(made)}/print", data={"what": "place-cards", "since": str(printed)})
    text = read_pages(web.get(sent.headers["location"]).content)[0].text
    assert "BoAndersson" in text
    assert "Aino" not in text
    done = web.get(f"{address(made)}/print?wait=1").text
    assert "Nothing has changed." in done


def test_looking_and_downloading_store_nothing(web: TestClient, made: Planned, sessions: Sessions) -> None:
    for path in ("print", "print/preview.png", "print/view", "print/place-cards.pdf", "seating.csv"):
        assert web.get(f"{address(made)}/{path}").status_code == 200
    with transaction(sessions) as session:
        assert session.scalar(select(func.count()).select_from(models.Print)) == 0


def test_viewer_prints_names_and_tables_but_no_diets(viewer: TestClient, made: Planned) -> None:
    page = viewer.get(f"{address(made)}/print?wait=1").text
    assert ('value="caterer"' in page, 'name="marks"' in page) == (False, False)
    assert viewer.get(f"{address(made)}/print/place-cards.pdf").status_code == 200
    refused = ("print/caterer.pdf", "print/place-cards.pdf?marks=1", "print/view?what=caterer", "print?what=caterer")
    assert [viewer.get(f"{address(made)}/{path}").status_code for path in refused] == [403] * 4
    assert viewer.post(f"{address(made)}/print", data={"what": "place-cards"}).status_code == 403


def test_characters_that_no_font_has_name_the_guests(web: TestClient, made: Planned, sessions: Sessions) -> None:
    with transaction(sessions) as session:
        session.get_one(models.Guest, made.guests[2].id).name = "Nefer 𓀀"
    page = web.get(f"{address(made)}/print?wait=1").text
    assert "No installed font has this character" in page
    assert "<li><bdi>Nefer 𓀀</bdi></li>" in page
    assert f"{address(made)}/print/view?" in page
    refused = web.get(f"{address(made)}/print/place-cards.pdf")
    assert (refused.status_code, "Nefer 𓀀" in refused.text, "Aino" in refused.text) == (409, True, False)
    assert web.get(f"{address(made)}/print/place-cards.pdf?missing=boxes").status_code == 200


@pytest.mark.parametrize("what", OF_PLANS)
def test_browser_prints_the_same_with_its_own_fonts(
    web: TestClient, made: Planned, sessions: Sessions, what: str
) -> None:
    with transaction(sessions) as session:
        session.get_one(models.Guest, made.guests[2].id).name = HOSTILE
    page = web.get(f"{address(made)}/print/view?what={what}&layout=a4-tent-4").text
    names = {"Aino", "Bo", "Dan", HOSTILE} if what != "table-numbers" else {"Table 1", "Table 2"}
    texts = r"<title>([^<]*)</title>" if what == "floor-plan" else r"<bdi[^>]*>(.*?)</bdi>"
    assert names <= {unescape(name) for name in re.findall(texts, page)}
    assert "<script" not in page
    assert "style=" not in page


def test_plan_without_guests_says_so(web: TestClient, made: Planned, sessions: Sessions) -> None:
    with transaction(sessions) as session:
        for guest in made.guests:
            session.get_one(models.Guest, guest.id).reply = "no"
    assert "No guests in this plan" in web.get(f"{address(made)}/print?wait=1").text
    assert web.get(f"{address(made)}/print/place-cards.pdf").status_code == 200


def test_unknown_document_is_not_found(web: TestClient, made: Planned) -> None:
    assert web.get(f"{address(made)}/print/menus.pdf").status_code == 404


def test_no_secret_is_printed(web: TestClient, client: TestClient, sessions: Sessions, owner: Actor) -> None:
    with transaction(sessions) as session:
        made = make_plan_with_canaries(session, owner)
        member = make_member(session, made.event.id, "viewer")
    for what in OF_PLANS:
        if what != "caterer":
            pdf = web.get(f"{address(made)}/print/{what}.pdf")
            assert (what, canaries_in(read_text(pdf.content))) == (what, [])
    caterer = read_text(web.get(f"{address(made)}/print/caterer.pdf").content)
    assert set(canaries_in(caterer)) == {"Canary"}
    assert "Canary diet" in caterer
    assert "Canary note" not in caterer
    marked = read_text(web.get(f"{address(made)}/print/place-cards.pdf?marks=1").content)
    assert canaries_in(marked) == []
    floor = web.get(f"{address(made)}/floor.svg").text
    assert canaries_in(floor) == []
    own = web.get(f"{address(made)}/seating.csv").text
    assert canaries_in(own.replace("Canary diet", "").replace("Canary allergy", "")) == []  # editors choose dishes
    assert canaries_in(signed_in_client(client, sessions, member).get(f"{address(made)}/seating.csv").text) == []


def test_seating_is_a_table_for_mail_merge(web: TestClient, viewer: TestClient, made: Planned) -> None:
    full = web.get(f"{address(made)}/seating.csv")
    assert full.headers["content-type"] == "text/csv; charset=utf-8"
    assert full.content.decode("utf-8-sig").splitlines() == [
        "Guest,Table,Seat,Child,Diet",
        'Aino,Table 1,1,,"vegan, no nuts"',
        "Bo,Table 1,2,,",
        "Cleo,Table 2,1,,",
        "Dan,Table 2,2,,",
    ]
    seen = viewer.get(f"{address(made)}/seating.csv").content.decode("utf-8-sig")
    assert seen.splitlines()[:2] == ["Guest,Table,Seat,Child", "Aino,Table 1,1,"]


def test_households_are_in_the_seating_of_editors_who_ask(
    web: TestClient, api: TestClient, viewer: TestClient, made: Planned, sessions: Sessions
) -> None:
    with transaction(sessions) as session:
        party = models.Party(event_id=made.event.id, name="Lopez family", name_key="lopez family")
        session.add(party)
        session.flush()
        session.get_one(models.Guest, made.guests[1].id).party_id = party.id
    path = f"{address(made)}/seating.csv"
    assert "Lopez family" not in web.get(path).text
    assert f'href="{path}?households=yes"' in web.get(address(made)).text
    asked = web.get(f"{path}?households=yes")
    assert asked.content.decode("utf-8-sig").splitlines()[:3] == [
        "Guest,Table,Seat,Household,Child,Diet",
        'Aino,Table 1,1,,,"vegan, no nuts"',
        "Bo,Table 1,2,Lopez family,,",
    ]
    assert api.get(f"{path.removeprefix('/')}?households=yes").content == asked.content
    assert viewer.get(f"{path}?households=yes").status_code == 403
    assert "households=yes" not in viewer.get(address(made)).text


def test_calendar_file_needs_a_date(web: TestClient, made: Planned, sessions: Sessions) -> None:
    path = f"/events/{made.event.id}/event.ics"
    assert web.get(path).status_code == 409
    with transaction(sessions) as session:
        session.get_one(models.Event, made.event.id).date = date(2027, 6, 19)
    given = web.get(path)
    assert given.headers["content-type"] == "text/calendar; charset=utf-8"
    assert "DTSTART;VALUE=DATE:20270619\r\n" in given.text


def test_api_gives_a_pdf_with_the_chosen_layout(api: TestClient, made: Planned) -> None:
    pdf = api.get(f"events/{made.event.id}/plans/{made.plan.id}/print/place-cards.pdf?paper=letter&layout=avery-5302")
    assert pdf.headers["content-type"] == "application/pdf"
    page = read_pages(pdf.content)[0]
    assert (page.width, page.height) == (215.9, 279.4)
    assert page.text.count("Cleo") == 2  # on both sides of the folded card


@pytest.mark.parametrize(
    ("query", "where"),
    [("paper=a1", "paper"), ("layout=avery-5302", "layout"), ("layout=none", "layout")],
)
def test_api_refuses_what_does_not_go_together(api: TestClient, made: Planned, query: str, where: str) -> None:
    path = f"events/{made.event.id}/plans/{made.plan.id}/print/place-cards.pdf"
    refused = api.get(f"{path}?{query}")
    assert refused.status_code == 422
    assert where in refused.text


def test_api_keeps_diets_from_viewers(client: TestClient, made: Planned, sessions: Sessions) -> None:
    with transaction(sessions) as session:
        member = make_member(session, made.event.id, "viewer")
    own = api_client(client, sessions, member)
    path = f"events/{made.event.id}/plans/{made.plan.id}/print"
    answers = [
        own.get(f"{path}/{what}").status_code for what in ("caterer.pdf", "place-cards.pdf?marks=true", "check-in.pdf")
    ]
    assert answers == [403, 403, 200]

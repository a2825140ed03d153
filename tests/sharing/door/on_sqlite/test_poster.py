"""The poster at the door: one page with the code of a guests' link and no names."""

from __future__ import annotations

from dataclasses import replace
from typing import get_args

import pytest
from fastapi.testclient import TestClient

from app.accounts.actor import Actor
from app.config import Settings
from app.db.session import Sessions, transaction
from app.errors import Conflict
from app.events.context import open_event
from app.files.pdf.card_stock import PAPERS
from app.files.pdf.typesetting import typeset
from app.sharing.door.links import create_helper_link
from app.sharing.links import create_link
from app.sharing.printing.documents import build_document
from app.sharing.printing.options import DOOR_PAPERS, PaperKey, PrintOptions, ThemeKey, list_papers
from app.web.link_tokens import link_key
from tests.factories import Planned, make_plan
from tests.files.pdf.reading import read_pages
from tests.loops import in_a_loop
from tests.sharing.printing.plans import printed_plan

ADDRESS = "https://seating.example.org/s/" + "x" * 43
LONG = "The wedding of Maximiliane Alexandrine and Konstantinosalexandros at Villa Rosenbad"


@pytest.mark.parametrize("theme", get_args(ThemeKey))
@pytest.mark.parametrize("paper", list_papers("door-poster"))
def test_poster_is_one_page_within_its_margins(paper: PaperKey, theme: ThemeKey) -> None:
    plan = replace(printed_plan(["Aino"]), event_name=LONG)
    options = PrintOptions("door-poster", paper, theme=theme)
    made = in_a_loop(lambda: typeset(build_document(plan, options, seat_address=ADDRESS)))
    assert made.missing == ()  # then it is checked as PDF/UA-1
    (page,) = read_pages(made.content)
    sheet = PAPERS[paper]
    assert (page.width, page.height) == (round(sheet.width, 2), round(sheet.height, 2))
    assert LONG.replace(" ", "") in page.text
    assert "19June2027" in page.text
    assert "Aino" not in page.text
    inner = (sheet.width * 0.1, sheet.height * 0.08, sheet.width * 0.8, sheet.height * 0.84)
    frame, beyond = sheet.width * 0.05, 2  # the last pixel may be half outside
    edges = [
        (0, 0, sheet.width + beyond, frame),
        (0, sheet.height - frame, sheet.width + beyond, frame + beyond),
        (0, 0, frame, sheet.height + beyond),
        (sheet.width - frame, 0, frame + beyond, sheet.height + beyond),
    ]
    assert not page.has_ink_outside([inner, *edges])


def test_poster_is_printed_on_these_papers() -> None:
    assert tuple(list_papers("door-poster")) == DOOR_PAPERS


def test_poster_without_a_link_is_refused() -> None:
    with pytest.raises(Conflict, match="Create one under Share"):
        build_document(printed_plan(["Aino"]), PrintOptions("door-poster"))


@pytest.fixture
def made(sessions: Sessions, owner: Actor) -> Planned:
    with transaction(sessions) as session:
        return make_plan(session, owner, sizes=(2, 2), names=["Aino", "Bo", "Cleo", "Dan"])


def test_poster_has_the_guests_link_of_this_event_that_follows_the_plan_in_use(
    web: TestClient, api: TestClient, sessions: Sessions, owner: Actor, made: Planned, settings: Settings
) -> None:
    key = link_key(settings)
    with transaction(sessions) as session:
        other = make_plan(session, owner, sizes=(1,), names=["Eve"])
        ctx = open_event(session, owner, made.event.id)
        create_link(open_event(session, owner, other.event.id), key=key)
        create_link(ctx, audience="venue", key=key)
        create_link(ctx, made.plan.id, key=key)
        create_helper_link(ctx, days=9, key=key)
    plan = f"/events/{made.event.id}/plans/{made.plan.id}"
    path = f"{plan.removeprefix('/')}/print/door-poster.pdf"
    assert web.get(f"{plan}/print/door-poster.pdf").status_code == 409
    assert api.get(path).status_code == 409
    assert "Create link" in web.get(f"{plan}/print?what=door-poster").text
    with transaction(sessions) as session:
        create_link(open_event(session, owner, made.event.id), key=key)
    sent = web.post(f"{plan}/print", data={"what": "door-poster", "paper": "a3"})
    (sheet,) = read_pages(web.get(sent.headers["location"]).content)
    assert (sheet.width, sheet.height) == (297, 420)
    assert 'class="qr"' in web.get(f"{plan}/print/view?what=door-poster").text
    assert api.get(path).content.startswith(b"%PDF-")

"""The page of a plan."""

from __future__ import annotations

import re

import numpy as np
import pytest
from fastapi.testclient import TestClient

from app.accounts.actor import Actor
from app.db import models
from app.db.session import Sessions, transaction
from tests.conftest import signed_in_client
from tests.factories import Planned, make_member, make_plan
from tests.plans.on_sqlite.plan_pages import address, explanation, problems, rows, text_of


def test_page_leads_with_the_sentence_and_links_to_who_needs_a_look(web: TestClient, made: Planned) -> None:
    page = web.get(address(made))
    assert page.status_code == 200
    sentence = "2 of 5 sit with someone they like; 2 sit with someone they should avoid, 1 more needs attention."
    assert sentence in text_of(page.text)
    assert f'href="{address(made)}?tab=problems"' in page.text
    shown = problems(web, made)
    text = text_of(shown)
    assert text.count("Cleo and Dan are both at Table 2, though they should keep away from each other.") == 1
    assert "Eve at Table 2: nobody they like at this table." in text
    for guest in made.guests[2:]:
        link = f'<a href="{address(made)}?tab=guest&amp;guest={guest.id}" data-show-guest="{guest.id}">'
        assert f"{link}<bdi>{guest.name}</bdi></a>" in shown
        assert f'id="g-{guest.id}"' in page.text


def test_how_much_better_a_plan_could_be_is_said_where_it_was_found(
    web: TestClient, made: Planned, sessions: Sessions
) -> None:
    assert made.plan.mse == pytest.approx(8 / 15)
    assert "25%" not in text_of(web.get(address(made)).text)
    assert "No plan can be more than 25% better by the mean squared distance." in text_of(
        web.get(f"{address(made)}/found").text
    )
    with transaction(sessions) as session:
        session.get_one(models.Plan, made.plan.id).proven_optimal = True
    assert "needs attention. This is the best possible plan." in text_of(web.get(address(made)).text)


def test_list_tells_for_each_guest_how_they_sit(web: TestClient, made: Planned) -> None:
    page = web.get(address(made)).text
    assert rows(page) == [
        "Aino (move or lock) close to Bo⋯",
        "Bo (move or lock) close to Aino⋯",
        "Cleo (move or lock) should keep away from Dan⋯",
        "Dan (move or lock) should keep away from Cleo⋯",
        "Eve (move or lock) nobody they like at this table⋯",
    ]
    assert "2 of 3 seats" in page
    assert "on average" not in page


def test_event_of_distances_speaks_of_distances(web: TestClient, sessions: Sessions, owner: Actor) -> None:
    points = np.array([0.0, 0.1, 5.0, 5.1, 9.0])
    with transaction(sessions) as session:
        made = make_plan(session, owner, sizes=(2, 3), names=["Aino", "Bo", "Cleo", "Dan", "Eve"], kind="distance",
                         matrix=abs(points[:, None] - points[None, :]))  # fmt: skip
    text = text_of(web.get(address(made)).text)
    assert "All 5 sit close to their tablemates." in text
    assert "close to tablemates" in text
    assert "total score" not in text


def test_event_without_ratings_makes_no_claim(web: TestClient, sessions: Sessions, owner: Actor) -> None:
    with transaction(sessions) as session:
        made = make_plan(session, owner)
    text = text_of(web.get(address(made)).text)
    assert "22 guests at 5 tables. You have not rated any pairs yet." in text
    assert "attention" not in text


def test_figures_are_for_the_curious_and_say_why_fewer_starts_were_made(
    web: TestClient, made: Planned, sessions: Sessions
) -> None:
    def curious() -> str:
        for tab in ("table", "guest", "problems", "changes"):
            assert "mean squared" not in web.get(address(made), params={"tab": tab}).text
        page = explanation(web, made)
        assert "mean squared" in page
        return text_of(page)

    assert "1,000 attempts." in curious()
    with transaction(sessions) as session:
        plan = session.get_one(models.Plan, made.plan.id)
        plan.figures = {**plan.figures, "restarts": 48, "solved": {**plan.figures["solved"], "proven": True}}
    assert "48 of 1,000 attempts: the plan was proven to be the best after 48." in curious()
    with transaction(sessions) as session:
        plan = session.get_one(models.Plan, made.plan.id)
        plan.figures = {**plan.figures, "solved": {**plan.figures["solved"], "proven": False}}
    assert "48 of 1,000 attempts: the time limit was reached." in curious()


def test_plan_is_named_and_deleted(web: TestClient, made: Planned) -> None:
    web.post(f"{address(made)}/name", data={"name": "Without the band"})
    assert "Without the band ·" in text_of(web.get(address(made)).text)
    long = web.post(f"{address(made)}/name", data={"name": "x" * 300})
    assert long.status_code == 422
    assert f'value="{"x" * 300}"' in long.text
    deleted = web.post(f"{address(made)}/delete")
    assert (deleted.status_code, deleted.headers["location"]) == (
        303,
        f"/events/{made.event.id}/plans?deleted={made.plan.id}",
    )
    assert web.get(address(made)).status_code == 404


def test_other_plans_of_the_event_are_listed(web: TestClient, made: Planned, sessions: Sessions) -> None:
    with transaction(sessions) as session:
        session.add(models.Plan(event_id=made.event.id, name="Second", figures={}))
    page = web.get(address(made)).text
    assert f'href="/events/{made.event.id}/plans"' in page
    assert re.search(r'aria-current="page"><bdi>Version 1', page)
    assert "<bdi>Second</bdi>" in page


def test_viewer_sees_names_and_tables_only(client: TestClient, made: Planned, sessions: Sessions) -> None:
    with transaction(sessions) as session:
        viewer = make_member(session, made.event.id, "viewer")
    page = signed_in_client(client, sessions, viewer).get(address(made), params={"guest": str(made.guests[4].id)})
    assert page.status_code == 200
    assert rows(page.text) == ["Aino", "Bo", "Cleo", "Dan", "Eve"]
    text = text_of(page.text)
    assert "5 guests at 2 tables." in text
    assert re.findall(r'<li><a href="/events/[^/]+/(\w+)"', page.text) == ["guests", "tables", "plan"]
    for word in ("someone they like", "keep away", "mean squared", "attention", "better", "Plan again", "Undo"):
        assert word not in page.text
    assert 'class="map"' not in page.text
    assert not re.search(r'class="seat h\d', page.text)


def test_viewer_cannot_change_and_stranger_cannot_see(
    client: TestClient, stranger_web: TestClient, made: Planned, sessions: Sessions
) -> None:
    with transaction(sessions) as session:
        viewer = make_member(session, made.event.id, "viewer")
    viewer_web = signed_in_client(client, sessions, viewer)
    forms = {"moves": {"kind": "lock", "guest": str(made.guests[0].id)}, "name": {"name": "x"}, "delete": {}}
    for form, data in forms.items():
        assert viewer_web.post(f"{address(made)}/{form}", data=data).status_code == 403
        assert stranger_web.post(f"{address(made)}/{form}", data=data).status_code == 404
    assert stranger_web.get(address(made)).status_code == 404
    assert client.get(address(made)).headers["location"].startswith("/sign-in")


def test_form_without_its_token_is_refused(web: TestClient, made: Planned) -> None:
    del web.headers["X-Form-Token"]
    assert web.post(f"{address(made)}/delete").status_code == 403

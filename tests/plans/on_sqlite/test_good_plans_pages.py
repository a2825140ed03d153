"""What the page of a plan says of other good plans, of who is certain, and of the paper's method."""

from __future__ import annotations

from dataclasses import replace
from html import unescape

import pytest
from fastapi.testclient import TestClient

from app.accounts.actor import Actor
from app.db import models
from app.db.session import Sessions, transaction
from app.plans.figures import Figures
from app.plans.save import create_plan
from app.plans.views.certainty import compare
from tests.conftest import signed_in_client
from tests.factories import Planned, make_member, make_result
from tests.plans.on_sqlite.plan_pages import address, text_of
from tests.plans.test_good_plans import make_family, others_of


@pytest.fixture
def made(sessions: Sessions, owner: Actor) -> Planned:
    """A plan, and beside it one in which Cleo and Finn change places."""
    with transaction(sessions) as session:
        return make_family(session, owner)


@pytest.fixture
def other(sessions: Sessions, made: Planned) -> models.Plan:
    """The plan beside the main one."""
    with transaction(sessions) as session:
        return others_of(session, made.plan)[0]


def at(made: Planned, plan: models.Plan) -> str:
    return f"/events/{made.event.id}/plans/{plan.id}"


def test_page_lists_other_good_plans_with_how_they_differ(web: TestClient, made: Planned, other: models.Plan) -> None:
    page = web.get(address(made)).text
    message = text_of(page)
    assert "1 alternative" in message
    assert "2 guests sit at a different table, worse" in message
    assert f'href="{address(made)}/alternatives"' in page
    assert f'href="{at(made, other)}"' in page
    beside = text_of(web.get(at(made, other)).text)
    assert (
        "This is an alternative plan: 2 guests sit at a different table than in the current plan, and it is worse."
        in beside
    )
    assert "Moved: Cleo from Table 1 to Table 2 and Finn from Table 2 to Table 1." in beside
    assert "Current plan" in beside
    compared = text_of(web.get(f"{address(made)}/compare").text)  # there is no other version
    assert "2 guests sit at a different table" in compared
    assert "Compare Version 1 with Alternative 1" in compared


def test_page_says_who_is_certain_and_who_is_a_toss_up(web: TestClient, made: Planned) -> None:
    page = web.get(f"{address(made)}/found").text
    assert "Certain: 0 · Fairly certain: 4 · Easy to move: Cleo, Finn" in text_of(page)
    assert f'<a href="{address(made)}?tab=guest&amp;guest={made.guests[2].id}"><bdi>Cleo</bdi></a>' in page
    held = text_of(web.get(address(made), params={"guest": str(made.guests[2].id)}).text)
    assert "Easy to move: other good plans seat them with different guests." in held
    other = text_of(web.get(address(made), params={"guest": str(made.guests[0].id)}).text)
    assert "Fairly certain: most good plans agree on these tablemates." in other


def test_viewer_reads_nothing_of_certainty_or_other_plans(
    client: TestClient, sessions: Sessions, made: Planned, other: models.Plan
) -> None:
    with transaction(sessions) as session:
        viewer = make_member(session, made.event.id, "viewer")
    looking = signed_in_client(client, sessions, viewer)
    for page in (looking.get(address(made)).text, looking.get(at(made, other)).text):
        assert not any(
            words in page for words in ("Certain", "Toss-up", "Other good plans", "Use this plan", "sit else")
        )
    assert looking.post(f"{at(made, other)}/choose").status_code == 403


def test_other_plan_is_taken_into_use(web: TestClient, made: Planned, other: models.Plan) -> None:
    assert "Use this plan" in web.get(at(made, other)).text
    assert "Use this plan" not in web.get(address(made)).text
    chosen = web.post(f"{at(made, other)}/choose")
    assert (chosen.status_code, chosen.headers["location"]) == (303, at(made, other))
    assert web.get(f"/events/{made.event.id}/plan").headers["location"] == at(made, other)
    assert "Use this plan" in web.get(address(made)).text


def test_other_plan_can_be_shared(web: TestClient, made: Planned, other: models.Plan) -> None:
    plain = web.get(f"/events/{made.event.id}/share").text
    assert (f'value="{made.plan.id}"' in plain, f'value="{other.id}"' in plain) == (True, False)
    page = web.get(f"/events/{made.event.id}/share", params={"plan": str(other.id)}).text
    assert f'value="{other.id}" selected' in page
    assert "Alternative to version 1" in page
    shared = web.post(f"/events/{made.event.id}/share", data={"plan": str(other.id), "days": "30"})
    assert shared.status_code == 303


def test_stranger_cannot_choose_a_plan(stranger_web: TestClient, made: Planned, other: models.Plan) -> None:
    assert stranger_web.post(f"{at(made, other)}/choose").status_code == 404


def test_page_says_what_the_method_of_the_paper_alone_gives(web: TestClient, sessions: Sessions, owner: Actor) -> None:
    with transaction(sessions) as session:
        made = make_family(session, owner)
        worse = make_result(made.snapshot.problem, [0, 1, 0, 1, 0, 1])
        plan = create_plan(
            session,
            event_id=made.event.id,
            run_id=None,
            snapshot=made.snapshot,
            result=make_result(made.snapshot.problem, [0, 0, 1, 1, 1, 0]),
            paper=replace(worse, restarts=50),
        )
        figures = Figures.from_stored(plan.figures)
    assert figures.paper is not None
    assert plan.mse is not None
    text = unescape(text_of(web.get(f"{at(made, plan)}/found").text))
    share = 100 * (figures.paper.mse / plan.mse - 1)
    assert f"Paper method only, 50 attempts: MSE {figures.paper.mse:.3f}, {share:.0f}% worse." in text


@pytest.mark.parametrize(
    ("objective", "own", "other", "words"),
    [
        ("average", (1.0, 50.0), (1.12, 10.0), "much worse"),
        ("average", (1.0, 50.0), (0.992, 10.0), "slightly better"),
        ("average", (1.0, 50.0), (1.0001, 10.0), "just as good"),
        ("total", (1.0, 50.0), (0.5, 45.0), "much worse"),
        ("total", (1.0, -50.0), (0.5, -45.0), "much better"),
        ("total", (1.0, 0.0), (0.5, -2.0), "worse"),
        ("total", (1.0, None), (0.5, -2.0), ""),
    ],
)
def test_plans_are_compared_by_what_the_run_was_asked_for(
    objective: str, own: tuple[float, float | None], other: tuple[float, float | None], words: str
) -> None:
    assert compare(objective, own, other) == words
    exact = compare(objective, own, other, is_exact=True)
    assert "%" in exact or exact == words


def test_best_plan_with_locked_guests_says_so(web: TestClient, sessions: Sessions, owner: Actor) -> None:
    with transaction(sessions) as session:
        made = make_family(session, owner, proven=True)
    assert "This is the best possible plan." in text_of(web.get(address(made)).text)
    with transaction(sessions) as session:
        plan = session.get_one(models.Plan, made.plan.id)
        plan.figures = {**plan.figures, "locked": 2}
    assert "This is the best possible plan with 2 guests locked." in text_of(web.get(address(made)).text)


def test_useless_bound_is_not_told(web: TestClient, sessions: Sessions, made: Planned, other: models.Plan) -> None:
    with transaction(sessions) as session:
        session.get_one(models.Plan, other.id).bound = 0.0
    assert "No plan can" not in text_of(web.get(at(made, other)).text)

"""The pages of a run, as forms and links."""

from __future__ import annotations

import re
from dataclasses import replace
from html import unescape
from uuid import UUID, uuid4

import pytest
from fastapi.testclient import TestClient

from app.accounts.actor import Actor
from app.config import Settings
from app.db.session import Sessions, transaction
from app.events.context import open_event
from app.runs.leases import end_run, renew_lease, take_lease
from app.runs.options import RunOptions
from app.runs.progress import RunProgress, SeatedProgress
from app.runs.start import cancel_run
from app.runs.text import describe_run
from app.worker.execute import execute_run
from tests.conftest import signed_in_client
from tests.factories import make_member
from tests.run_helpers import read_run, stored_event, stored_run

REPORT = RunProgress("k-means", 250, 1000, 1.5, 2.0, 6.0, ((0.5, 3.0), (1.0, 1.5)))


def submission_of(page: str) -> str:
    found = re.search(r'name="submission" value="([^"]+)"', page)
    assert found
    return found[1]


def test_start_page_says_what_will_be_solved(web: TestClient, sessions: Sessions, owner: Actor) -> None:
    event_id = stored_event(sessions, owner)
    page = web.get(f"/events/{event_id}/plan")
    assert page.status_code == 200
    assert "4 of 28" in page.text
    assert "Find the best plan" in page.text


def test_start_page_leads_to_what_stands_in_the_way(web: TestClient, sessions: Sessions, owner: Actor) -> None:
    event_id = stored_event(sessions, owner, guests=22, sizes=(4, 4, 5, 5))
    page = web.get(f"/events/{event_id}/plan").text
    assert "18 seats for 22 guests: 4 more seats needed." in page
    assert f'href="/events/{event_id}/tables"' in page
    assert "Find the best plan" not in page
    refused = web.post(f"/events/{event_id}/runs")
    assert refused.status_code == 422
    assert "18 seats for 22 guests: 4 more seats needed." in refused.text


def test_button_starts_a_run_and_a_double_click_starts_one(web: TestClient, sessions: Sessions, owner: Actor) -> None:
    event_id = stored_event(sessions, owner)
    form = {"submission": submission_of(web.get(f"/events/{event_id}/plan").text)}
    first, second = (web.post(f"/events/{event_id}/runs", data=form) for _ in range(2))
    assert (first.status_code, first.headers["location"]) == (303, f"/events/{event_id}/runs/{form['submission']}")
    assert second.headers["location"] == first.headers["location"]
    assert "Waiting to start" in web.get(first.headers["location"]).text


def test_options_that_cannot_be_taken_stay_in_the_form(web: TestClient, sessions: Sessions, owner: Actor) -> None:
    event_id = stored_event(sessions, owner)
    form = {"method": "paper", "restarts": "many", "time_limit": "2,5", "seed": "-3"}
    refused = web.post(f"/events/{event_id}/runs", data=form)
    assert refused.status_code == 422
    assert "The number of attempts must be a whole number." in refused.text
    assert all(f'value="{value}"' in refused.text for value in ("many", "2,5", "-3"))
    assert re.search(r'value="paper" checked', refused.text)
    bounds = web.post(f"/events/{event_id}/runs", data={**form, "restarts": "5"})
    assert "The seed must be from 0 to" in bounds.text
    started = web.post(f"/events/{event_id}/runs", data={**form, "restarts": "5", "seed": "3"})
    run = read_run(sessions, UUID(started.headers["location"].rpartition("/")[2]))
    assert run.options == RunOptions(method="paper", restarts=5, time_limit=2.5, seed=3, use_plan=True)


@pytest.mark.parametrize("typed", ["2,5", "2.5", "1,00", "1,0000", ",100", "1_000", "1 000", "٣"])
def test_rounds_that_are_no_whole_number_are_refused(
    web: TestClient, sessions: Sessions, owner: Actor, typed: str
) -> None:
    refused = web.post(f"/events/{stored_event(sessions, owner)}/runs", data={"rounds": typed})
    assert refused.status_code == 422
    assert "The number of rounds must be a whole number." in refused.text


def test_thousands_may_have_commas(web: TestClient, sessions: Sessions, owner: Actor) -> None:
    form = {"restarts": "5", "seed": "1,234,567"}
    started = web.post(f"/events/{stored_event(sessions, owner)}/runs", data=form)
    assert read_run(sessions, UUID(started.headers["location"].rpartition("/")[2])).options.seed == 1_234_567


@pytest.mark.parametrize(
    ("form", "open_parts"),
    [
        (None, []),
        ({"rounds": "2", "hosts": "Nobody"}, ["Several rounds"]),
        ({"time_limit": "0"}, ["Options"]),
        ({"fairness": "some", "rounds": "99"}, ["Several rounds", "Options"]),
        ({"seed": "-3"}, ["Options", "How the plan is found"]),
    ],
)
def test_only_parts_with_faults_or_own_values_are_open(
    web: TestClient, sessions: Sessions, owner: Actor, form: dict[str, str] | None, open_parts: list[str]
) -> None:
    event = f"/events/{stored_event(sessions, owner)}"
    shown = web.post(f"{event}/runs", data=form) if form else web.get(f"{event}/plan")
    assert re.findall(r"<details[^>]* open>\s*<summary>(.*?)</summary>", shown.text) == open_parts


def test_form_with_a_field_for_each_of_many_tables_starts_a_run(
    web: TestClient, sessions: Sessions, owner: Actor
) -> None:
    event_id = stored_event(sessions, owner)
    form = {"rounds": "2"} | {f"rounds_of_{uuid4()}": "" for _ in range(1_500)}
    assert web.post(f"/events/{event_id}/runs", data=form).status_code == 303


def test_page_of_a_run_refreshes_itself_and_shows_how_far_it_is(
    web: TestClient, sessions: Sessions, owner: Actor
) -> None:
    event_id = stored_event(sessions, owner)
    run_id = stored_run(sessions, owner, event_id)
    with transaction(sessions) as session:
        lease = take_lease(session, run_id)
        assert lease is not None
        renew_lease(session, lease, REPORT)
    page = unescape(web.get(f"/events/{event_id}/runs/{run_id}").text)
    assert '<noscript><meta http-equiv="refresh" content="1"></noscript>' in page
    assert "Trying tables · 250 of 1,000 attempts · about 6 s left" in page
    assert 'value="25.0"' in page
    assert 'points="25.0,0.0 50.0,0.0 50.0,100.0 100.0,100.0 "' in page


def test_best_plan_so_far_is_on_the_page_and_in_the_stream(web: TestClient, sessions: Sessions, owner: Actor) -> None:
    event_id = stored_event(sessions, owner)
    address = f"/events/{event_id}/runs/{stored_run(sessions, owner, event_id)}"
    waiting = web.get(address).text
    assert (waiting.count("data-guest="), "data-live hidden" in waiting) == (8, True)
    assert "data-finish hidden" in waiting
    with transaction(sessions) as session:
        lease = take_lease(session, UUID(address.rpartition("/")[2]))
        assert lease is not None
        renew_lease(session, lease, SeatedProgress(**vars(REPORT), seating=(1, 1, 1, 1, 0, 0, 0, 0)))
    page = unescape(web.get(address).text)
    first, second = (re.findall(r"<bdi>(Guest \d)", table) for table in page.split("data-live-table")[1:3])
    assert (first, second) == ([f"Guest {n}" for n in range(4, 8)], [f"Guest {n}" for n in range(4)])
    words = describe_run(read_run(sessions, lease.run_id)).as_json()
    assert (words["seating"], "Guest" in str(words)) == ((1, 1, 1, 1, 0, 0, 0, 0), False)
    assert ("data-finish hidden" in page, words["can_finish"]) == (False, True)
    assert "so far" not in words["text"]  # nothing is known of whom they like
    assert web.post(f"{address}/finish").headers["location"] == address
    ending = web.get(address).text
    assert ("Ending with the best plan so far" in ending, "data-finish hidden" in ending) == (True, True)


def test_page_says_how_good_the_best_plan_so_far_is(web: TestClient, sessions: Sessions, owner: Actor) -> None:
    event_id = stored_event(sessions, owner)
    run_id = stored_run(sessions, owner, event_id)
    with transaction(sessions) as session:
        lease = take_lease(session, run_id)
        assert lease is not None
        seated = SeatedProgress(**vars(REPORT), seating=(1, 1, 1, 1, 0, 0, 0, 0), well_seated=6)
        renew_lease(session, lease, seated)
    page = unescape(web.get(f"/events/{event_id}/runs/{run_id}").text)
    assert "Trying tables · 6 of 8 sit with someone they like so far · 250 of 1,000 attempts · about 6 s left" in page
    assert "A better plan can have a lower number: how well everyone at a table gets along counts too." in page


def test_rounds_are_on_the_page_as_they_are_found(web: TestClient, sessions: Sessions, owner: Actor) -> None:
    event_id = stored_event(sessions, owner)
    run_id = stored_run(sessions, owner, event_id, rounds=2)
    address = f"/events/{event_id}/runs/{run_id}"
    waiting = unescape(web.get(address).text)
    assert (waiting.count("data-guest="), "data-live hidden" in waiting) == (16, True)
    assert "While you wait" not in waiting  # questions are about ratings, and new meetings are not
    with transaction(sessions) as session:
        lease = take_lease(session, run_id)
        assert lease is not None
        second = (0, 1, 0, 1, 0, 1, 0, 1)
        report = replace(REPORT, stage="search", best=24.0)
        renew_lease(session, lease, SeatedProgress(**vars(report), seating=(1, 1, 1, 1, 0, 0, 0, 0, *second)))
    page = unescape(web.get(address).text)
    assert "Swapping guests · 24 pairs meet so far · " in page
    assert "A better plan can have a lower number: who meets again and who should keep apart counts too." in page
    tables = [re.findall(r"<bdi>(Guest \d)", table) for table in page.split("data-live-table")[1:]]
    assert tables == [[f"Guest {n}" for n in at] for at in (range(4, 8), range(4), range(0, 8, 2), range(1, 8, 2))]


def test_large_event_shows_the_rounds_that_fit_on_the_page(web: TestClient, sessions: Sessions, owner: Actor) -> None:
    event_id = stored_event(sessions, owner, guests=200, sizes=(10,) * 20)
    page = web.get(f"/events/{event_id}/runs/{stored_run(sessions, owner, event_id, rounds=5)}").text
    assert (page.count("data-live-round"), "The plan will have 5 rounds." in page) == (2, True)


def test_run_that_is_done_leads_to_its_plan(web: TestClient, sessions: Sessions, owner: Actor) -> None:
    event_id = stored_event(sessions, owner)
    run_id = stored_run(sessions, owner, event_id, restarts=5)
    for address in (f"/events/{event_id}/plan", f"/events/{event_id}/plan?new=1"):
        assert web.get(address).headers["location"] == f"/events/{event_id}/runs/{run_id}"
    execute_run(sessions, run_id)
    plan = f"/events/{event_id}/plans/{read_run(sessions, run_id).plan_id}"
    assert web.get(f"/events/{event_id}/runs/{run_id}").headers["location"] == plan
    assert web.get(f"/events/{event_id}/plan").headers["location"] == plan
    again = web.get(f"/events/{event_id}/plan", params={"new": "1"})
    assert (again.status_code, f'href="{plan}"' in again.text) == (200, True)


def test_cancelled_run_offers_to_start_again(web: TestClient, sessions: Sessions, owner: Actor) -> None:
    event_id = stored_event(sessions, owner)
    run_id = stored_run(sessions, owner, event_id)
    cancelled = web.post(f"/events/{event_id}/runs/{run_id}/cancel")
    assert cancelled.headers["location"] == f"/events/{event_id}/runs/{run_id}"
    page = web.get(cancelled.headers["location"]).text
    assert "This run was cancelled" in page
    assert f'href="/events/{event_id}/plan?new=1&amp;again={run_id}"' in page
    assert "http-equiv" not in page


def test_failed_run_says_why(web: TestClient, sessions: Sessions, owner: Actor) -> None:
    event_id = stored_event(sessions, owner)
    run_id = stored_run(sessions, owner, event_id)
    with transaction(sessions) as session:
        lease = take_lease(session, run_id)
        assert lease is not None
        end_run(session, lease, "failed", error="The moon was in the way.")
    page = web.get(f"/events/{event_id}/runs/{run_id}").text
    assert "Run failed" in page
    assert "The moon was in the way." in page


def test_stream_for_the_page_says_what_the_page_says(web: TestClient, sessions: Sessions, owner: Actor) -> None:
    event_id = stored_event(sessions, owner)
    run_id = stored_run(sessions, owner, event_id)
    with transaction(sessions) as session:
        cancel_run(open_event(session, owner, event_id), run_id)
    stream = web.get(f"/events/{event_id}/runs/{run_id}/events").text
    assert stream.startswith("event: end\ndata: ")
    assert '"title":"Cancelled"' in stream.replace('": "', '":"')


def test_viewer_is_led_to_plans_but_cannot_start_one(
    client: TestClient, web: TestClient, sessions: Sessions, owner: Actor
) -> None:
    event_id = stored_event(sessions, owner)
    with transaction(sessions) as session:
        viewer = make_member(session, event_id, "viewer")
    looking = signed_in_client(client, sessions, viewer)
    assert "No plan yet" in looking.get(f"/events/{event_id}/plan").text
    assert looking.post(f"/events/{event_id}/runs").status_code == 403
    run_id = stored_run(sessions, owner, event_id, restarts=5)
    assert looking.get(f"/events/{event_id}/runs/{run_id}").status_code == 403
    execute_run(sessions, run_id)
    plan = f"/events/{event_id}/plans/{read_run(sessions, run_id).plan_id}"
    assert looking.get(f"/events/{event_id}/plan").headers["location"] == plan


def test_stranger_sees_no_page_of_a_run(stranger_web: TestClient, sessions: Sessions, owner: Actor) -> None:
    event_id = stored_event(sessions, owner)
    run = f"/events/{event_id}/runs/{stored_run(sessions, owner, event_id)}"
    answers = [
        stranger_web.get(f"/events/{event_id}/plan"),
        stranger_web.get(run),
        stranger_web.get(f"{run}/events"),
        stranger_web.post(f"{run}/cancel"),
        stranger_web.post(f"/events/{event_id}/runs", data={"submission": str(uuid4())}),
    ]
    assert [answer.status_code for answer in answers] == [404] * 5


def test_shards_are_asked_for_where_several_workers_can_solve_them(
    web: TestClient, sessions: Sessions, owner: Actor, settings: Settings
) -> None:
    event_id = stored_event(sessions, owner)
    asks = 'name="shards"' in web.get(f"/events/{event_id}/plan").text
    assert asks is not settings.is_sqlite
    refused = web.post(f"/events/{event_id}/runs", data={"shards": "65"})
    assert refused.status_code == 422
    assert "The number of shards must be from 1 to 64" in refused.text


def test_round_without_enough_seats_leads_to_the_rounds_of_tables(
    web: TestClient, sessions: Sessions, owner: Actor
) -> None:
    event_id = stored_event(sessions, owner, guests=12, sizes=(4, 4, 4))
    first = re.search(r'name="(rounds_of_[^"]+)"', web.get(f"/events/{event_id}/plan").text)
    assert first
    refused = web.post(f"/events/{event_id}/runs", data={"rounds": "2", first[1]: "1"}).text
    assert (
        '<a href="#f-round_tables">Round 2: 8 seats for 12 guests: 4 more seats needed. Add tables or seats.' in refused
    )
    assert 'id="f-round_tables" open' in refused
    assert re.search(r'<details class="disclose" id="rounds" open>', refused)

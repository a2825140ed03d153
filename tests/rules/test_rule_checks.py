"""Rules that take too long for a page are checked by a worker, and the page shows what it found."""

from __future__ import annotations

import re
from uuid import UUID

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import select

from app.accounts.actor import Actor
from app.db.models import Run
from app.db.session import Sessions, transaction
from app.errors import EventChanged
from app.events.context import open_event
from app.guests.edit import add_guest
from app.guests.entries import GuestEntry
from app.rules import conflicts
from app.rules.edit import RuleEntry, add_rule
from app.runs.leases import find_waiting, read_problem, take_lease
from app.runs.queue import NullQueue
from app.runs.rule_checks import prepare_check, start_check
from app.runs.start import list_runs
from app.tables.edit import add_table
from app.tables.entries import TableEntry
from app.worker.check_rules import check_rules
from app.worker.execute import execute_run
from tests.factories import Planned, make_plan
from tests.rating_helpers import stored_event

CHECKING = "Checking your rules…"


@pytest.fixture
def event_id(sessions: Sessions, owner: Actor) -> UUID:
    """An event of four guests at two tables, with rules that cannot all hold."""
    event_id, guests = stored_event(sessions, owner, "Aino Olli Sari Tuomas")
    ids = [UUID(str(guest)) for guest in guests]
    with transaction(sessions) as session:
        for _ in range(2):
            add_table(open_event(session, owner, UUID(str(event_id))), TableEntry(seats=2))
        for kind in ("together", "apart"):
            add_rule(open_event(session, owner, UUID(str(event_id))), RuleEntry(kind, tuple(ids[:2])))
    return UUID(str(event_id))


@pytest.fixture
def too_large(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every event is too large for the server's own check."""
    monkeypatch.setattr(conflicts, "MOST_PLACES", 0)


def checks(sessions: Sessions) -> list[tuple[UUID, str]]:
    with transaction(sessions, read_only=True) as session:
        rows = session.execute(select(Run.id, Run.status).where(Run.purpose == "check").order_by(Run.created_at))
        return [(row[0], row[1]) for row in rows]


def notice(page: str) -> str:
    return re.sub(r"\s+", " ", page.partition('aria-labelledby="rule-conflict"')[2].partition("</section>")[0])


def test_worker_finds_what_a_page_of_a_small_event_says_at_once(
    web: TestClient, sessions: Sessions, event_id: UUID, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = f"/events/{event_id}/rules"
    at_once = notice(web.get(page).text)
    assert "These rules conflict" in at_once
    monkeypatch.setattr(conflicts, "MOST_PLACES", 0)
    before = web.get(page).text
    assert CHECKING in before
    assert "These rules conflict" not in before
    assert web.post(f"{page}/check").status_code == 303
    assert CHECKING in web.get(f"{page}/check").text
    [(run_id, _)] = checks(sessions)
    assert execute_run(sessions, run_id) == "done"
    after = web.get(page).text
    assert CHECKING not in after
    assert notice(after) == at_once
    assert "These rules conflict" in web.get(f"{page}/check").text


@pytest.mark.usefixtures("too_large")
def test_rules_that_can_hold_are_told_by_silence(web: TestClient, sessions: Sessions, owner: Actor) -> None:
    event, guests = stored_event(sessions, owner, "Aino Olli")
    with transaction(sessions) as session:
        add_table(open_event(session, owner, UUID(str(event))), TableEntry(seats=2))
        add_rule(
            open_event(session, owner, UUID(str(event))), RuleEntry("together", tuple(UUID(str(g)) for g in guests))
        )
    page = f"/events/{event}/rules"
    web.post(f"{page}/check")
    [(run_id, _)] = checks(sessions)
    execute_run(sessions, run_id)
    text = web.get(page).text
    assert CHECKING not in text
    assert "These rules conflict" not in text
    assert web.get(f"{page}/check").text.strip() == ""


@pytest.mark.usefixtures("too_large")
def test_answer_about_an_earlier_state_is_not_shown(
    web: TestClient, sessions: Sessions, owner: Actor, event_id: UUID
) -> None:
    page = f"/events/{event_id}/rules"
    web.post(f"{page}/check")
    execute_run(sessions, checks(sessions)[0][0])
    for change in (
        lambda session: add_guest(open_event(session, owner, event_id), GuestEntry("Late Lauri")),
        lambda session: add_table(open_event(session, owner, event_id), TableEntry(seats=9)),
    ):
        with transaction(sessions) as session:
            change(session)
        assert CHECKING in web.get(page).text
        web.post(f"{page}/check")
        execute_run(sessions, checks(sessions)[-1][0])
        assert "These rules conflict" in web.get(page).text
    assert [status for _, status in checks(sessions)] == ["done"]  # earlier ones are forgotten


@pytest.mark.usefixtures("too_large")
def test_check_that_ends_late_takes_no_newer_answer_away(
    web: TestClient, sessions: Sessions, owner: Actor, event_id: UUID
) -> None:
    page = f"/events/{event_id}/rules"
    web.post(f"{page}/check")
    first = checks(sessions)[0][0]
    with transaction(sessions) as session:
        lease = take_lease(session, first)
        assert lease is not None
        add_guest(open_event(session, owner, event_id), GuestEntry("Late Lauri"))
        packed = read_problem(session, first)
        assert packed is not None
    web.post(f"{page}/check")
    execute_run(sessions, checks(sessions)[-1][0])
    assert "These rules conflict" in web.get(page).text
    with transaction(sessions) as session:
        assert check_rules(lease, packed, {})(session)
    assert "These rules conflict" in web.get(page).text


@pytest.mark.usefixtures("too_large")
def test_move_by_hand_does_not_ask_for_another_check(
    web: TestClient, sessions: Sessions, owner: Actor, event_id: UUID
) -> None:
    page = f"/events/{event_id}/rules"
    web.post(f"{page}/check")
    execute_run(sessions, checks(sessions)[0][0])
    with transaction(sessions) as session:
        open_event(session, owner, event_id).edit(only="plans")
    assert "These rules conflict" in web.get(page).text


@pytest.mark.usefixtures("too_large")
def test_one_check_of_an_event_waits_and_it_is_no_run_of_the_planner(
    web: TestClient, sessions: Sessions, owner: Actor, event_id: UUID
) -> None:
    page = f"/events/{event_id}/rules"
    for _ in range(2):
        web.post(f"{page}/check")
    [(first, status)] = checks(sessions)
    assert status == "queued"
    with transaction(sessions) as session:
        add_guest(open_event(session, owner, event_id), GuestEntry("Late Lauri"))
    web.post(f"{page}/check")
    [(second, status)] = checks(sessions)
    assert (second != first, status) == (True, "queued")
    with transaction(sessions, read_only=True) as session:
        assert list_runs(open_event(session, owner, event_id)) == []
        assert [lane for lane in ("short", "long") if find_waiting(session, lane)] == []
        waiting = find_waiting(session, "questions")
        assert waiting is not None
        assert waiting.run_id == second


def test_check_of_rules_that_changed_meanwhile_is_prepared_again(
    sessions: Sessions, owner: Actor, event_id: UUID
) -> None:
    with transaction(sessions, read_only=True) as session:
        prepared = prepare_check(open_event(session, owner, event_id))
    with transaction(sessions) as session:
        add_guest(open_event(session, owner, event_id), GuestEntry("Late Lauri"))
    with transaction(sessions) as session, pytest.raises(EventChanged):
        start_check(open_event(session, owner, event_id), NullQueue(), prepared)
    assert checks(sessions) == []


@pytest.mark.usefixtures("too_large")
def test_plan_page_of_unchecked_rules_is_not_kept(web: TestClient, sessions: Sessions, owner: Actor) -> None:
    with transaction(sessions) as session:
        made: Planned = make_plan(session, owner, sizes=(2, 2), names=["Aino", "Bo", "Cleo", "Dan"])
        pair = tuple(guest.id for guest in made.guests[:2])
        for kind in ("together", "apart"):
            add_rule(open_event(session, owner, made.event.id), RuleEntry(kind, pair))
    page = f"/events/{made.event.id}/plans/{made.plan.id}"
    before = web.get(page)
    assert (before.headers["cache-control"], "etag" in before.headers) == ("no-store", False)
    web.post(f"/events/{made.event.id}/rules/check")
    asked = web.get(page)
    execute_run(sessions, checks(sessions)[0][0])
    after = web.get(page)
    assert "Fix this before you plan again" not in asked.text
    assert "Fix this before you plan again" in after.text
    assert after.headers["cache-control"] == "private, no-cache"

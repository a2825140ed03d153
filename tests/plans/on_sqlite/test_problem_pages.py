"""A plan's page says what needs attention, and why."""

from __future__ import annotations

import re

import numpy as np
import pytest
from fastapi.testclient import TestClient
from sqlalchemy import select

from app.accounts.actor import Actor
from app.clock import now
from app.db import models
from app.db.session import Sessions, transaction
from app.events.context import open_event
from app.events.queries import count_revision
from app.ratings.change import Entry, put_ratings
from tests.factories import Planned, make_guests, make_plan
from tests.plans.on_sqlite.plan_pages import SCORES, add_rule, address, banners, problems, rows, text_of


def test_rules_made_later_and_guests_without_a_seat_are_told_in_one_banner(
    web: TestClient, made: Planned, sessions: Sessions
) -> None:
    with transaction(sessions) as session:
        add_rule(session, made, "apart", 2, 3)
        session.get_one(models.Plan, made.plan.id).proven_optimal = True
        make_guests(session, session.get_one(models.Event, made.event.id), ["Late Lauri"])
    page = web.get(address(made)).text
    [message] = banners(page)
    assert message.startswith(
        "In this plan Late Lauri has no seat, and your rule that Cleo and Dan sit apart is broken."
    )
    assert message.endswith("Plan again to seat everyone.Seat only the unseatedPlan againFix with the fewest moves")
    assert "best possible plan" not in page
    assert "2 of 6 sit with someone they like" in text_of(page)


def test_advice_for_a_stale_plan_is_what_helps(web: TestClient, made: Planned, sessions: Sessions) -> None:
    with transaction(sessions) as session:
        make_guests(session, session.get_one(models.Event, made.event.id), ["Late Lauri", "Later Leo"])
    page = web.get(address(made)).text
    [message] = banners(page)
    assert "6 seats for 7 guests: 1 more seat needed. Add tables or seats. Then plan again." in message
    assert f'href="/events/{made.event.id}/tables">Go to tables</a>' in page
    with transaction(sessions) as session:
        session.get_one(models.Table, made.tables[0].id).seats = 5
        add_rule(session, made, "apart", 2, 3)
        add_rule(session, made, "together", 2, 3)
        count_revision(session, made.event.id)
    [message] = banners(web.get(address(made)).text)
    assert "No plan can satisfy all of these: Cleo and Dan sit apart and Cleo and Dan sit together." in message


def test_guest_to_look_at_is_told_with_the_rule_or_lock_behind_it(
    web: TestClient, made: Planned, sessions: Sessions, owner: Actor
) -> None:
    with transaction(sessions) as session:
        add_rule(session, made, "together", 2, 3)
        session.get_one(models.Seat, (made.plan.id, made.guests[4].id)).locked = True
    page = web.get(address(made)).text
    why = "because of your rule that Cleo and Dan sit together"
    assert f"though they should keep away from each other, {why}." in text_of(problems(web, made))
    assert rows(page)[2:] == [
        f"Cleo (move or lock) should keep away from Dan, {why}⋯",
        f"Dan (move or lock) should keep away from Cleo, {why}⋯",
        "Eve (move or lock) nobody they like at this table, because of your lock at Table 2 locked at this table⋯",
    ]
    assert f"{address(made)}/apart" not in problems(web, made)  # that rule would contradict the one that is there
    with transaction(sessions) as session:
        put_ratings(open_event(session, owner, made.event.id), [Entry(made.guests[4].id, made.guests[0].id, 2.0)])
        add_rule(session, made, "apart", 0, 4)
    why = "Eve (move or lock) nobody they like at this table, because of your rule that Aino and Eve sit apart"
    assert rows(web.get(address(made)).text)[4].startswith(why)


def test_mild_aversion_is_told_in_the_words_of_its_level(web: TestClient, sessions: Sessions, owner: Actor) -> None:
    with transaction(sessions) as session:
        made = make_plan(session, owner, sizes=(2,), names=["Aino", "Bo"], matrix=[[0, -1], [-1, 0]])
    page = web.get(address(made)).text
    assert rows(page)[0] == "Aino (move or lock) should rather not sit with Bo⋯"
    shown = text_of(problems(web, made))
    assert "Aino and Bo are both at Table 1, though they should rather not sit together." in shown
    assert "keep away" not in page


def test_pair_is_kept_apart_by_a_rule_from_the_verdict(web: TestClient, made: Planned) -> None:
    page = problems(web, made)
    form = re.search(rf'<form[^>]*action="{address(made)}/apart".*?</form>', page, flags=re.S)
    assert form
    fields = dict(re.findall(r'name="(guest|other)" value="([^"]*)"', form[0]))
    assert fields == {"guest": str(made.guests[2].id), "other": str(made.guests[3].id)}
    for _ in range(2):  # pressed again after going back
        sent = web.post(f"{address(made)}/apart", data=fields)
        again = web.get(sent.headers["location"])
        assert "Rule added: Cleo and Dan sit apart." in text_of(again.text)
        assert "Find the best plan" in again.text
    rules = text_of(web.get(f"/events/{made.event.id}/rules").text)
    assert "1 rule" in rules
    assert "Cleo and Dan sit apart" in rules
    refused = web.post(f"{address(made)}/apart", data={"guest": fields["guest"], "other": "x"})
    assert (refused.status_code, "needs at least two guests" in refused.text) == (422, True)


@pytest.mark.parametrize("how", ["household", "rules", "places"])
def test_no_rule_is_offered_or_saved_that_cannot_hold(
    web: TestClient, made: Planned, sessions: Sessions, how: str
) -> None:
    with transaction(sessions) as session:
        if how == "household":
            party = models.Party(event_id=made.event.id, name="Reeds", name_key="reeds")
            session.add(party)
            session.flush()
            for number in (2, 3):
                session.get_one(models.Guest, made.guests[number].id).party_id = party.id
        elif how == "rules":  # by way of Eve
            add_rule(session, made, "together", 2, 4)
            add_rule(session, made, "together", 3, 4)
        else:
            add_rule(session, made, "pinned", 2, table=1)
            add_rule(session, made, "pinned", 3, table=1)
    page = problems(web, made)
    assert f"{address(made)}/apart" not in page
    is_home = how == "household"
    assert ("They are one household, so they always sit together." in text_of(page)) == is_home
    assert ("Let Cleo sit apart from their household" if is_home else "Go to rules") in text_of(page)
    pair = {"guest": str(made.guests[2].id), "other": str(made.guests[3].id)}
    refused = web.post(f"{address(made)}/apart", data=pair)
    assert refused.status_code == 422
    assert "Cleo and Dan are always seated together, so no plan could keep them apart." in text_of(refused.text)
    with transaction(sessions, read_only=True) as session:
        kinds = session.scalars(select(models.Rule.kind).where(models.Rule.event_id == made.event.id)).all()
    assert "apart" not in kinds


def test_rule_that_contradicts_others_together_is_not_saved(web: TestClient, made: Planned, sessions: Sessions) -> None:
    with transaction(sessions) as session:  # Cleo and Dan are locked at one table
        for number in (2, 3):
            session.get_one(models.Seat, (made.plan.id, made.guests[number].id)).locked = True
        session.get_one(models.Table, made.tables[0].id).removed_at = now()
    pair = {"guest": str(made.guests[2].id), "other": str(made.guests[3].id)}
    refused = web.post(f"{address(made)}/apart", data=pair)
    assert refused.status_code == 422
    assert "No rule was saved." in text_of(refused.text)
    with transaction(sessions, read_only=True) as session:
        assert session.scalars(select(models.Rule).where(models.Rule.event_id == made.event.id)).all() == []


def test_guests_who_should_avoid_each_other_are_counted_once(web: TestClient, sessions: Sessions, owner: Actor) -> None:
    names = ["Aino", "Bo", "Cleo", "Dan", "Eve"]
    with transaction(sessions) as session:
        apart = make_plan(session, owner, sizes=(3, 3), names=names, matrix=SCORES, assignment=[0, 0, 1, 0, 1])
        friends = np.abs(SCORES)
        friends[2, 3] = friends[3, 2] = -2.0
        friends[2, 4] = friends[4, 2] = friends[3, 4] = friends[4, 3] = 1.0
        quarrel = make_plan(session, owner, sizes=(3, 3), names=names, matrix=friends, assignment=[0, 0, 1, 1, 1])
        three = make_plan(session, owner, sizes=(3,), names=names[:3], matrix=2 * np.eye(3) - 2)
    # Nothing but a quarrel is known of Cleo and Dan: there is nobody they could miss.
    assert "2 of 5 sit with someone they like; 1 needs attention." in text_of(web.get(address(apart)).text)
    for planned, fit, avoiding in ((quarrel, "3 of 5", 2), (three, "0 of 3", 3)):
        sentence = f"{fit} sit with someone they like; {avoiding} sit with someone they should avoid."
        assert sentence in text_of(web.get(address(planned)).text)
    assert "Each guest is listed with the one they should avoid most." in text_of(problems(web, three))


def test_removed_guest_leaves_the_page(web: TestClient, made: Planned, sessions: Sessions) -> None:
    with transaction(sessions) as session:
        session.get_one(models.Guest, made.guests[3].id).removed_at = now()
    page = web.get(address(made)).text
    assert "Dan" not in text_of(page)
    assert "3 of 4 sit with someone they like" not in page
    assert "2 of 4 sit with someone they like; 1 needs attention." in text_of(page)


def test_problems_are_counted_as_in_the_sentence(web: TestClient, sessions: Sessions, owner: Actor) -> None:
    with transaction(sessions) as session:
        names = ["Aino", "Bo", "Cleo"]
        three = make_plan(session, owner, sizes=(3,), names=names, matrix=2 * np.eye(3) - 2)
    page = text_of(problems(web, three))
    assert "3 sit with someone they should avoid." in page
    assert "Problems 3 open" in page
    assert "3 guests sit with someone they should avoid." in page


def test_other_seats_are_listed_with_the_best_first(web: TestClient, made: Planned) -> None:
    page = web.get(address(made), params={"guest": str(made.guests[4].id)}).text
    menu = re.search(r'<select class="input" id="f-to".*?</select>', page, flags=re.S)
    assert menu
    words = re.findall(r"<option[^>]*>([^<]*)</option>", menu[0])[1:]
    assert words[0].startswith("Table 1, a free seat: much better")
    assert [one for one in words if "better" in one] == words[: sum("better" in one for one in words)]

"""Replies: who comes, and so who is seated."""

from __future__ import annotations

import re
from uuid import UUID

import pytest
from fastapi.testclient import TestClient
from sqlalchemy.orm import Session

from app.accounts.actor import Actor
from app.db.models import Party
from app.errors import Invalid
from app.events.context import EventContext, open_event
from app.events.edit import change_event
from app.guests.bulk import Done, set_column
from app.guests.queries.guests import seated_guests_of
from app.guests.queries.parties import parties_of
from app.plans.read import read_plan
from app.problem.snapshot import take_snapshot
from app.ratings.change import Entry, put_ratings
from app.rules.edit import RuleEntry, add_rule, list_rules
from app.runs.start import look_ahead
from tests.factories import make_event, make_guests, make_plan, make_tables
from tests.pages import actions_of, faults_of, words_of


def set_replies(ctx: EventContext, guests: list[UUID], reply: str) -> Done:
    return set_column(ctx, guests, "reply", reply)


def test_whoever_said_no_is_not_seated_and_the_undecided_as_the_event_says(session: Session, owner: Actor) -> None:
    event = make_event(session, owner)
    guests = make_guests(session, event, ["invited", "yes", "maybe", "no"])
    for guest in guests:
        guest.reply = guest.name
    session.flush()
    assert [guest.name for guest in seated_guests_of(session, event)] == ["invited", "yes", "maybe"]
    change_event(open_event(session, owner, event.id), seats_undecided=False)
    assert [guest.name for guest in seated_guests_of(session, event)] == ["yes"]


def test_run_leaves_out_whoever_does_not_come_with_their_rules_ratings_and_party(
    session: Session, owner: Actor
) -> None:
    planned = make_plan(session, owner, sizes=(2, 2), names=["Aino", "Bo", "Cleo", "Dan"])
    event, (aino, bo, cleo, dan) = planned.event, planned.guests
    put_ratings(open_event(session, owner, event.id), [Entry(aino.id, bo.id, 2.0), Entry(cleo.id, dan.id, 1.0)])
    add_rule(open_event(session, owner, event.id), RuleEntry("apart", (aino.id, bo.id)))
    add_rule(open_event(session, owner, event.id), RuleEntry("pinned", (bo.id, cleo.id), (planned.tables[0].id,)))
    assert set_replies(open_event(session, owner, event.id), [bo.id], "no").count == 1
    problem = take_snapshot(session, event, objective="average").problem
    assert (problem.names, problem.previous) == (("Aino", "Cleo", "Dan"), (0, 1, 1))
    assert [(rule.kind, rule.guests) for rule in problem.rules] == [("pinned", (1,))]
    assert len(list_rules(open_event(session, owner, event.id))) == 2
    outlook = look_ahead(open_event(session, owner, event.id))
    assert (outlook.guests, outlook.pairs_rated, outlook.pairs) == (3, 1, 3)


def test_party_counts_only_those_who_come(session: Session, owner: Actor) -> None:
    event = make_event(session, owner)
    guests = make_guests(session, event, ["Aino", "Bo"])
    party = Party(event_id=event.id, name="P", name_key="p")
    session.add(party)
    session.flush()
    for guest in guests:
        guest.party_id = party.id
    session.flush()
    assert parties_of(session, event.id) == [(guests[0].id, guests[1].id)]
    set_replies(open_event(session, owner, event.id), [guests[0].id], "no")
    assert parties_of(session, event.id) == []


def test_plan_drops_whoever_says_no_and_shows_them_again_when_they_come(session: Session, owner: Actor) -> None:
    planned = make_plan(session, owner, sizes=(2, 2), names=["Aino", "Bo", "Cleo", "Dan"])
    bo = planned.guests[1]

    def seated() -> list[list[str]]:
        view = read_plan(open_event(session, owner, planned.event.id), planned.plan.id)
        assert view.unseated == ()
        return [[guest.name for guest in table.guests] for table in view.tables]

    set_replies(open_event(session, owner, planned.event.id), [bo.id], "no")
    assert seated() == [["Aino"], ["Cleo", "Dan"]]
    set_replies(open_event(session, owner, planned.event.id), [bo.id], "yes")
    assert seated() == [["Aino", "Bo"], ["Cleo", "Dan"]]


def test_seats_are_counted_against_those_who_come(session: Session, owner: Actor) -> None:
    event = make_event(session, owner)
    guests = make_guests(session, event, ["Aino", "Bo", "Cleo"])
    make_tables(session, event, (2,))
    assert [fault.message for fault in look_ahead(open_event(session, owner, event.id)).obstacles] == [
        "2 seats for 3 guests: 1 more seat needed. Add tables or seats."
    ]
    set_replies(open_event(session, owner, event.id), [guests[0].id], "no")
    assert look_ahead(open_event(session, owner, event.id)).obstacles == ()


def test_unknown_reply_and_nobody_ticked_are_refused(session: Session, owner: Actor) -> None:
    event = make_event(session, owner)
    [aino] = make_guests(session, event, ["Aino"])
    with pytest.raises(Invalid, match="Reply: “nonsense” is not one of"):
        set_replies(open_event(session, owner, event.id), [aino.id], "nonsense")
    with pytest.raises(Invalid, match="Select some guests first"):
        set_replies(open_event(session, owner, event.id), [], "yes")


def test_replies_of_ticked_guests_are_set_on_the_page(web: TestClient) -> None:
    guests = web.post("/events", data={"name": "Party"}).headers["location"]
    web.post(f"{guests}/paste", data={"lines": "Aino\nBo\nCleo"})
    ids = re.findall(r'name="guest" value="(.*?)"', web.get(guests).text)
    sent = web.post(f"{guests}/bulk", data={"guest": ids[:2], "do": "reply=no", "lines": ""})
    page = words_of(web.get(sent.headers["location"]).text)
    assert "Reply changed to “Not attending” for 2 guests." in page
    assert "1 of 3 guests need a seat" in page
    nobody = web.post(f"{guests}/bulk", data={"do": "reply=no", "lines": "Dan"})
    assert (nobody.status_code, faults_of(nobody.text)) == (422, ["Select some guests first."])


def test_replies_set_at_once_are_taken_back_at_once_unless_somebody_changed_one(web: TestClient) -> None:
    guests = web.post("/events", data={"name": "Party"}).headers["location"]
    web.post(f"{guests}/paste", data={"lines": "Aino\nBo\nCleo"})
    ids = re.findall(r'name="guest" value="(.*?)"', web.get(guests).text)
    web.post(f"{guests}/bulk", data={"guest": ids[:1], "do": "reply=maybe"})

    def say_no() -> str:
        sent = web.post(f"{guests}/bulk", data={"guest": ids, "do": "reply=no"})
        listed = web.get(sent.headers["location"]).text
        return next(action for action in actions_of(listed) if "/undo/" in action)

    web.post(say_no())
    page = web.get(guests).text
    assert (page.count("tag-reply-maybe"), page.count("tag-reply-no")) == (1, 0)
    undo = say_no()
    web.post(f"{guests}/{ids[2]}", data={"name": "Cleo K.", "reply": "no"})
    refused = web.post(undo)
    assert (refused.status_code, "Cleo K. changed since then" in words_of(refused.text)) == (409, True)
    assert web.get(guests).text.count("tag-reply-no") == 3
    nothing = web.post(f"{guests}/bulk", data={"guest": ids, "do": "reply=no"})
    assert not [a for a in actions_of(web.get(nothing.headers["location"]).text) if "/undo/" in a]


def test_settings_say_whether_the_undecided_are_seated(web: TestClient) -> None:
    guests = web.post("/events", data={"name": "Party"}).headers["location"]
    settings = guests.replace("guests", "settings")
    web.post(f"{guests}/paste", data={"lines": "Aino\nBo"})
    assert "checked" in web.get(settings).text
    web.post(settings, data={"name": "Party"})
    assert "0 of 2 guests need a seat" in words_of(web.get(guests).text)
    web.post(settings, data={"name": "Party", "seats_undecided": "on"})
    assert "2 guests" in words_of(web.get(guests).text)


def test_reply_child_and_diet_go_through_the_api(api: TestClient) -> None:
    guests = f"events/{api.post('events', json={'name': 'Party'}).json()['id']}/guests"
    made = api.post(guests, json={"name": "Aino", "reply": "maybe", "child": True, "diet": " no  nuts "})
    assert [made.json()[key] for key in ("reply", "child", "diet")] == ["maybe", True, "no nuts"]
    address, match = f"{guests}/{made.json()['id']}", {"If-Match": made.headers["etag"]}
    changed = api.patch(address, json={"reply": "no"}, headers=match).json()
    assert [changed[key] for key in ("reply", "child", "diet")] == ["no", True, "no nuts"]
    assert api.post(guests, json={"name": "Bo", "reply": "perhaps"}).status_code == 422

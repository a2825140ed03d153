"""The pages of questions and of whom one guest likes, as somebody without JavaScript and as the script uses them."""

from __future__ import annotations

import re
from uuid import UUID, uuid4

from fastapi.testclient import TestClient
from sqlalchemy import select, update

from app.accounts.actor import Actor
from app.db import models
from app.db.session import Sessions, transaction
from app.events.context import open_event
from app.events.measuring import put_off
from app.events.progress import NEXT_TIME
from app.ratings.change import Entry, put_ratings
from app.ratings.known import pair_value
from tests.factories import make_tables
from tests.pages import faults_of, fields_of, words_of
from tests.questions.test_questions import choose
from tests.rating_helpers import give_role, stored_event

JSON = {"Accept": "application/json"}


def score_of(sessions: Sessions, event_id: str, a: str, b: str) -> float | None:
    with transaction(sessions) as session:
        return pair_value(session, UUID(event_id), UUID(a), UUID(b))


def test_card_is_answered_with_plain_forms_and_taken_back(web: TestClient, sessions: Sessions, owner: Actor) -> None:
    event_id, _ = stored_event(sessions, owner, "Aino Olli Sari")
    address = f"/events/{event_id}/ratings/questions"
    card = fields_of(web.get(address).text)
    a, b = card["a"][0], card["b"][0]
    form = {"a": a, "b": b, "responder": card["responder"][0], "submission": card["submission"][0], "answer": "2"}
    answered = web.post(address, data=form)
    assert answered.status_code == 303
    assert score_of(sessions, event_id, a, b) == 2.0
    page = web.get(answered.headers["location"])
    assert "Previous answer: close." in words_of(page.text)
    assert {fields_of(page.text)["a"][0], fields_of(page.text)["b"][0]} != {a, b}
    assert fields_of(page.text[page.text.index("data-given") :])["submission"] == [form["submission"]]
    undone = web.post(address, data={**form, "undo": "yes"})
    again = fields_of(web.get(undone.headers["location"]).text)
    assert {again["a"][0], again["b"][0]} == {a, b}
    assert score_of(sessions, event_id, a, b) is None


def test_list_is_answered_with_plain_forms_and_taken_back(web: TestClient, sessions: Sessions, owner: Actor) -> None:
    event_id, guests = stored_event(sessions, owner, " ".join(f"Guest{number}" for number in range(20)))
    with transaction(sessions) as session:
        rated = zip(guests[::2], guests[1::2], strict=True)
        put_ratings(open_event(session, owner, UUID(event_id)), [Entry(UUID(a), UUID(b), 1.0) for a, b in rated])
    choose(sessions, owner, UUID(event_id))
    address = f"/events/{event_id}/ratings/questions"
    first = web.get(address, headers=JSON).json()["cards"][0]
    page = web.get(address).text
    assert f"How does {first['guest']['name']} get along with these guests?" in words_of(page)
    guest, others = first["guest"]["id"], [row["id"] for row in first["rows"]]
    checked = re.findall(r'name="said/([^"]+)" value="([^"]+)" checked', page)
    assert checked == [(row["id"], row["guess"]) for row in first["rows"]]
    form = {"guest": guest, "responder": "one", "submission": str(uuid4()), "answer": "save"} | {
        f"said/{other}": "1" for other in others
    }
    answered = web.post(f"{address}/list", data=form)
    assert answered.status_code == 303
    assert {score_of(sessions, event_id, guest, other) for other in others} == {1.0}
    after = web.get(answered.headers["location"]).text
    assert f"Previous answer: list of {len(others)} guests." in words_of(after)
    assert set(re.findall(r'type="hidden" name="said/([^"]+)" value="1"', after)) == set(others)
    web.post(f"{address}/list", data={**form, "undo": "yes"})
    assert {score_of(sessions, event_id, guest, other) for other in others} == {None}
    skipped = web.post(f"{address}/list", data={**form, "answer": "skip"}, headers=JSON).json()
    assert skipped["kept"]
    assert first not in skipped["cards"]
    assert {score_of(sessions, event_id, guest, other) for other in others} == {None}


def test_list_that_cannot_be_is_refused(web: TestClient, sessions: Sessions, owner: Actor) -> None:
    event_id, (aino, olli) = stored_event(sessions, owner, "Aino Olli")
    address = f"/events/{event_id}/ratings/questions/list"
    refused = web.post(address, data={"guest": aino, f"said/{olli}": "9"})
    assert refused.status_code == 422
    assert "Choose an answer." in words_of(refused.text)
    for fields in ({"guest": "x", f"said/{olli}": "1"}, {"guest": aino, "said/x": "1"}, {"guest": aino}):
        assert web.post(address, data=fields, headers=JSON).status_code == 422
    assert score_of(sessions, event_id, aino, olli) is None


def test_script_gets_the_next_cards_with_each_answer(web: TestClient, sessions: Sessions, owner: Actor) -> None:
    event_id, _ = stored_event(sessions, owner, "Aino Olli Sari Tapio")
    address = f"/events/{event_id}/ratings/questions"
    prepared = web.post(f"{address}/prepare", data={"responder": "one"}).json()
    assert prepared["coming"]
    first = prepared["cards"][0]
    message = web.post(
        address, data={"a": first["a"]["id"], "b": first["b"]["id"], "answer": "-1", "responder": "one"}, headers=JSON
    ).json()
    assert message["kept"]
    assert message["rated"] == "1 of 6 pairs rated"
    assert first not in message["cards"]
    assert len(message["cards"]) == 5
    with transaction(sessions) as session:
        assert session.scalars(select(models.Run.purpose)).all() == ["questions"]


def test_page_asks_on_while_it_says_that_a_measurement_is_on_its_way(
    web: TestClient, sessions: Sessions, owner: Actor
) -> None:
    event_id, _ = stored_event(sessions, owner, "Aino Olli Sari Tapio")
    with transaction(sessions) as session:
        make_tables(session, open_event(session, owner, UUID(event_id)).event, [4])
    address = f"/events/{event_id}/ratings/questions"
    web.post(f"{address}/prepare")
    with transaction(sessions) as session:
        session.execute(update(models.Run).values(status="failed"))
    for answered in (web.post(f"{address}/progress").json(), web.post(f"{address}/prepare").json()):
        assert answered["progress"]["is_coming"]
        assert answered["coming"]
    with transaction(sessions) as session:
        put_off(session, UUID(event_id), None)
    answered = web.post(f"{address}/progress").json()
    assert answered["progress"]["text"] == NEXT_TIME
    assert not answered["coming"]


def test_no_card_is_left_when_every_pair_has_its_answer(web: TestClient, sessions: Sessions, owner: Actor) -> None:
    event_id, (a, b) = stored_event(sessions, owner, "Aino Olli")
    address = f"/events/{event_id}/ratings/questions"
    web.post(address, data={"a": a, "b": b, "answer": "skip"})
    page = web.get(address).text
    assert "No questions left" in words_of(page)
    assert "Ask the skipped pair again" in words_of(page)
    assert web.post(f"{address}/skipped").status_code == 303
    assert fields_of(web.get(address).text)["a"][0] in (a, b)


def test_answer_that_cannot_be_is_told(web: TestClient, sessions: Sessions, owner: Actor) -> None:
    event_id, (a, b) = stored_event(sessions, owner, "Aino Olli")
    address = f"/events/{event_id}/ratings/questions"
    refused = web.post(address, data={"a": a, "b": b, "answer": "9"})
    assert refused.status_code == 422
    assert "Choose an answer." in words_of(refused.text)
    assert web.post(address, data={"a": a, "b": "x", "answer": "1"}, headers=JSON).status_code == 422
    assert score_of(sessions, event_id, a, b) is None


def test_likes_are_ticked_and_unticked(web: TestClient, sessions: Sessions, owner: Actor) -> None:
    event_id, (aino, olli, sari, tapio) = stored_event(sessions, owner, "Aino Olli Sari Tapio")
    address = f"/events/{event_id}/guests/{aino}/likes"
    shown = {f"was/{guest}": "" for guest in (olli, sari, tapio)}
    saved = web.post(address, data={**shown, f"like/{olli}": "on", f"away/{sari}": "on"})
    assert saved.status_code == 303
    assert [score_of(sessions, event_id, aino, g) for g in (olli, sari, tapio)] == [1.0, -1.0, None]
    page = web.get(saved.headers["location"]).text
    assert fields_of(page)[f"was/{olli}"] == ["+"]
    web.post(address, data={**shown, f"was/{olli}": "+", f"was/{sari}": "-", f"away/{sari}": "on"})
    assert [score_of(sessions, event_id, aino, g) for g in (olli, sari)] == [None, -1.0]


def test_likes_leave_alone_what_somebody_else_rated_meanwhile(
    web: TestClient, sessions: Sessions, owner: Actor
) -> None:
    event_id, (aino, olli, sari) = stored_event(sessions, owner, "Aino Olli Sari")
    pairs, pair = f"/events/{event_id}/ratings/pairs", {"a": aino, "b": olli}
    web.post(pairs, data={**pair, "score": "-2"})
    shown = {f"was/{olli}": "", f"was/{sari}": "", f"like/{olli}": "on", f"like/{sari}": "on"}
    left = web.post(f"/events/{event_id}/guests/{aino}/likes", data=shown)
    assert faults_of(left.text) == ["Someone else just rated Olli. Their ratings were kept, and the rest was saved."]
    assert [score_of(sessions, event_id, aino, g) for g in (olli, sari)] == [-2.0, 1.0]
    tapped = web.post(pairs, data={**pair, "score": "1", "was": "none"}, headers=JSON)
    assert (tapped.status_code, [one["score"] for one in tapped.json()["conflicts"]]) == (409, [-2.0])
    again = web.post(pairs, data={**pair, "score": "1", "was": "-2"}, headers=JSON)
    assert (again.status_code, score_of(sessions, event_id, aino, olli)) == (200, 1.0)


def test_likely_candidates_come_first_and_the_own_party_is_left_out(
    web: TestClient, sessions: Sessions, owner: Actor
) -> None:
    event_id, (aino, olli, sari, tapio) = stored_event(sessions, owner, "Aino Olli Sari Tapio")
    with transaction(sessions) as session:
        party = models.Party(event_id=UUID(event_id), name="P", name_key="p")
        group = models.Group(event_id=UUID(event_id), name="Choir", name_key="choir")
        session.add_all([party, group])
        session.flush()
        for guest in (aino, olli):
            session.get_one(models.Guest, UUID(guest)).party_id = party.id
        session.add_all(models.GroupGuest(group_id=group.id, guest_id=UUID(guest)) for guest in (aino, tapio))
    page = web.get(f"/events/{event_id}/guests/{aino}/likes").text
    assert [name.removeprefix("was/") for name in fields_of(page) if name.startswith("was/")] == [tapio, sari]
    found = web.get(f"/events/{event_id}/guests/{aino}/likes", params={"q": "sar"}).text
    assert [name for name in fields_of(found) if name.startswith("was/")] == [f"was/{sari}"]


def test_viewer_and_stranger_see_neither(
    web: TestClient, stranger_web: TestClient, sessions: Sessions, owner: Actor, stranger: Actor
) -> None:
    event_id, (aino, _) = stored_event(sessions, owner, "Aino Olli")
    for path in ("ratings/questions", f"guests/{aino}/likes"):
        assert stranger_web.get(f"/events/{event_id}/{path}").status_code == 404
    give_role(sessions, event_id, stranger, "viewer")
    for path in ("ratings/questions", f"guests/{aino}/likes"):
        assert stranger_web.get(f"/events/{event_id}/{path}").status_code == 403

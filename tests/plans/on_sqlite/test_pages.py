"""The page of a plan."""

from __future__ import annotations

import re

import numpy as np
import pytest
from fastapi.testclient import TestClient
from sqlalchemy.orm import Session

from app.accounts.actor import Actor
from app.clock import now
from app.db import models
from app.db.session import Sessions, transaction
from app.events.context import open_event
from app.events.queries import count_revision
from app.files.images import EncodedImage
from app.ratings.change import Entry, put_ratings
from app.solver import Kind
from app.tables.room_items import RoomItem
from app.tables.rooms import RoomEntry, change_room, set_background
from tests.conftest import signed_in_client
from tests.factories import NAMES, Planned, make_guests, make_member, make_plan

# Aino and Bo are close; Cleo and Dan should keep away; Eve likes the two who sit elsewhere.
SCORES = np.array(
    [[0, 2, 0, 0, 2], [2, 0, 0, 0, 2], [0, 0, 0, -2, 0], [0, 0, -2, 0, 0], [2, 2, 0, 0, 0]],
    dtype=float,
)


@pytest.fixture
def made(sessions: Sessions, owner: Actor) -> Planned:
    """Aino and Bo at the first table of 3; Cleo, Dan and Eve fill the second."""
    with transaction(sessions) as session:
        return make_plan(
            session,
            owner,
            sizes=(3, 3),
            names=["Aino", "Bo", "Cleo", "Dan", "Eve"],
            matrix=SCORES,
            assignment=[0, 0, 1, 1, 1],
            bound=0.4,
        )


def address(made: Planned) -> str:
    return f"/events/{made.event.id}/plans/{made.plan.id}"


def text_of(page: str) -> str:
    without = re.sub(r"<(title|svg|style|script).*?</\1>", " ", page, flags=re.S)
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", "", without))


def problems(web: TestClient, made: Planned) -> str:
    return web.get(address(made), params={"tab": "problems"}).text


def explanation(web: TestClient, made: Planned) -> str:
    return web.get(f"{address(made)}/found").text


def rows(page: str) -> list[str]:
    return [text_of(row).strip() for row in re.findall(r'<li class="guest-row.*?</li>', page, flags=re.S)]


def test_page_leads_with_the_sentence_and_links_to_who_needs_a_look(web: TestClient, made: Planned) -> None:
    page = web.get(address(made))
    assert page.status_code == 200
    assert "2 of 5 sit with someone they like; 1 pair and 1 guest need attention." in text_of(page.text)
    assert f'href="{address(made)}?tab=problems"' in page.text
    shown = problems(web, made)
    text = text_of(shown)
    assert text.count("Cleo and Dan are both at Table 2, though they should keep away from each other.") == 1
    assert "Eve at Table 2: nobody they like at this table." in text
    for guest in made.guests[2:]:
        link = f'<a href="{address(made)}?tab=guest&amp;guest={guest.id}" data-show-guest="{guest.id}">'
        assert f"{link}<bdi>{guest.name}</bdi></a>" in shown
        assert f'id="g-{guest.id}"' in page.text


def test_guests_alone_and_pairs_alone_are_counted_as_such(web: TestClient, sessions: Sessions, owner: Actor) -> None:
    names = ["Aino", "Bo", "Cleo", "Dan", "Eve"]
    with transaction(sessions) as session:
        apart = make_plan(session, owner, sizes=(3, 3), names=names, matrix=SCORES, assignment=[0, 0, 1, 0, 1])
        friends = np.abs(SCORES)
        friends[2, 3] = friends[3, 2] = -2.0
        friends[2, 4] = friends[4, 2] = friends[3, 4] = friends[4, 3] = 1.0
        quarrel = make_plan(session, owner, sizes=(3, 3), names=names, matrix=friends, assignment=[0, 0, 1, 1, 1])
    # Nothing but a quarrel is known of Cleo and Dan: there is nobody they could miss.
    assert "2 of 5 sit with someone they like; 1 needs attention." in text_of(web.get(address(apart)).text)
    assert "All 5 sit with someone they like; 1 pair needs attention." in text_of(web.get(address(quarrel)).text)


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


def test_page_says_how_much_better_a_plan_could_be(web: TestClient, made: Planned, sessions: Sessions) -> None:
    assert made.plan.mse == pytest.approx(8 / 15)
    assert "No plan can be more than 25% better." in text_of(web.get(address(made)).text)
    with transaction(sessions) as session:
        session.get_one(models.Plan, made.plan.id).proven_optimal = True
    assert "need attention. This is the best possible plan." in text_of(web.get(address(made)).text)


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


def test_legend_tells_of_the_grey_ring_only_where_there_is_one(
    web: TestClient, made: Planned, sessions: Sessions, owner: Actor
) -> None:
    with transaction(sessions) as session:
        unknown = make_plan(session, owner, sizes=(3, 3), names=["Aino", "Bo", "Cleo", "Dan", "Eve"], matrix=SCORES,
                            assignment=[0, 0, 1, 0, 1])  # fmt: skip
    marks = [
        re.findall(r'class="seat( h\d)?"><circle r="13"/></g></svg>([^<]+)</button></li>', web.get(address(plan)).text)
        for plan in (made, unknown)
    ]
    known = [(" h2", "with a close friend"), (" h1", "gets along"), (" h0", "needs attention")]
    assert marks == [known, [*known, ("", "likes not known yet")]]


def test_floor_and_map_are_drawn_with_every_name(web: TestClient, made: Planned) -> None:
    page = web.get(address(made)).text
    floor = re.search(r'<svg class="floor-picture".*?</svg>', page, flags=re.S)
    explained = explanation(web, made)
    marks = re.search(r'<svg class="map".*?</svg>', explained, flags=re.S)
    assert floor
    assert marks
    for name in ("Aino", "Bo", "Cleo", "Dan", "Eve"):
        assert f">{name}</text>" in floor[0]
        assert f">{name}</text>" in marks[0]
    assert floor[0].count('class="seat ') == 6
    assert floor[0].count('class="seat empty"') == 1
    assert "data-chart-line" in explained


def test_floor_carries_what_scripts_need_to_move_tables_and_guests(
    web: TestClient, made: Planned, sessions: Sessions, owner: Actor
) -> None:
    with transaction(sessions) as session:
        table = session.get_one(models.Table, made.tables[0].id)
        table.x, table.y, table.rotation, table.shape = 120.0, 60.5, 45.0, "head"
    page = web.get(address(made)).text
    key, guest = made.tables[0].id, made.guests[0].id
    assert (
        f'<g class="table" id="t-{key}" data-table="{key}" data-x="120.0" data-y="60.5" data-rotation="45.0" '
        'data-placed transform="translate(120.0 60.5)">'
    ) in page
    assert f'data-table="{key}" data-seat-number="1" data-seat="{guest}"' in page
    assert 'transform="rotate(45.0)"' in page
    other = re.search(rf'<g class="table" id="t-{made.tables[1].id}"[^>]*>', page)
    assert other
    assert "data-placed" not in other[0]


def test_room_is_drawn_under_the_tables(web: TestClient, made: Planned, sessions: Sessions, owner: Actor) -> None:
    event = made.event.id
    with transaction(sessions) as session:
        ctx = open_event(session, owner, event)
        bar = RoomItem("bar", 30.0, 40.0, 60.0, 20.0, 0.0, "Bar & <grill>", "bar-1")
        change_room(ctx, RoomEntry(width=1200.0, height=900.0, items=[bar], background_width=10.0))
        view = set_background(ctx, EncodedImage("image/png", 4, 2, b"picture")).background
    page = web.get(address(made)).text
    assert view is not None
    assert view.address.startswith(f"/events/{event}/room/background?v=")
    picture = f'<image class="room-picture" href="{view.address}" width="600.0" height="300.0" opacity="0.5"'
    outline = '<rect class="room-outline" x="0.0" y="0.0" width="1200.0" height="900.0"'
    item = '<g class="room-item room-bar" data-item="bar-1" transform="translate(30.0 40.0)">'
    places = [
        page.index(part) for part in (picture, outline, item, "Bar &amp; &lt;grill&gt;</text>", '<g class="table"')
    ]
    assert places == sorted(places)


@pytest.mark.parametrize("kind", ["score", "distance"])
def test_guests_without_ratings_stand_beside_the_map(
    web: TestClient, sessions: Sessions, owner: Actor, kind: Kind
) -> None:
    unrated = 0.0 if kind == "score" else 2.0
    values = np.full((5, 5), unrated)
    values[:3, :3] = [[0, 2, 1], [2, 0, 3], [1, 3, 0]]
    with transaction(sessions) as session:
        made = make_plan(session, owner, sizes=(3, 2), names=["Aino", "Bo", "Cleo", "Dan", "<Eve>"], kind=kind,
                         matrix=values)  # fmt: skip
    page = explanation(web, made)
    marks = re.search(r'<svg class="map".*?</svg>', page, flags=re.S)
    assert marks
    assert re.findall(r">(\w+)</text>", marks[0]) == ["Aino", "Bo", "Cleo"]
    assert "Not on the map, because they have no ratings yet: Dan &lt;Eve&gt;" in text_of(page)


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


def test_guest_is_swapped_by_form_and_undone(web: TestClient, made: Planned) -> None:
    eve, bo = made.guests[4].id, made.guests[1].id
    sent = web.post(f"{address(made)}/moves", data={"kind": "place", "guest": str(eve), "to": f"guest:{bo}"})
    assert (sent.status_code, sent.headers["location"]) == (
        303,
        f"{address(made)}?tab=table&done=swap&guest={eve}#g-{eve}",
    )
    swapped = web.get(address(made)).text
    assert [row.split(" (")[0] for row in rows(swapped)] == ["Aino", "Eve", "Cleo", "Dan", "Bo"]
    assert re.search(r'<button type="submit" class="btn" name="kind" value="undo" title="[^"]*">Undo</button>', swapped)
    web.post(f"{address(made)}/moves", data={"kind": "undo"})
    undone = web.get(address(made)).text
    assert [row.split(" (")[0] for row in rows(undone)] == ["Aino", "Bo", "Cleo", "Dan", "Eve"]
    assert re.search(r'<button type="submit" class="btn" name="kind" value="redo" title="[^"]*">Redo</button>', undone)


def test_guest_moves_to_a_free_seat_and_is_locked(web: TestClient, made: Planned) -> None:
    eve = str(made.guests[4].id)
    web.post(f"{address(made)}/moves", data={"kind": "place", "guest": eve, "to": f"table:{made.tables[0].id}"})
    web.post(f"{address(made)}/moves", data={"kind": "lock", "guest": eve})
    assert [row.split(" (")[0] for row in rows(web.get(address(made)).text)] == ["Aino", "Bo", "Eve", "Cleo", "Dan"]
    page = web.get(address(made), params={"guest": eve}).text
    assert "Unlock" in page
    assert not re.search(r"[−+]\d[\d.]*%", page)  # there is nowhere to go
    assert "(locked at this table)</title>" in page
    assert "Locked at this table. New plans keep them here, though perhaps in another seat" in page


def test_what_was_done_is_told_and_whom_it_moved_is_marked(web: TestClient, made: Planned) -> None:
    def message(form: dict[str, str]) -> tuple[str, list[str]]:
        page = web.get(web.post(f"{address(made)}/moves", data=form).headers["location"]).text
        found = re.search(r'role="status" data-message>([^<]*)<', page)
        assert found
        return found[1], re.findall(r"<title>(\w+)[^<]* \(just moved\)</title>", page)

    eve, bo = str(made.guests[4].id), str(made.guests[1].id)
    swap = {"kind": "place", "guest": eve, "to": f"guest:{bo}"}
    assert message(swap) == ("Eve moved to Table 1 and Bo moved to Table 2.", ["Eve", "Bo"])
    assert message({"kind": "undo"}) == ("Undone: Eve is back at Table 2 and Bo is back at Table 1.", ["Bo", "Eve"])
    assert message({"kind": "redo"})[0] == "Redone: Eve moved to Table 1 and Bo moved to Table 2."
    assert message({"kind": "lock", "guest": bo}) == ("Bo is locked at Table 2.", [])
    assert message({"kind": "unlock", "guest": bo}) == ("Bo is no longer locked at Table 2.", [])
    assert "data-message></p>" in web.get(f"{address(made)}?done=nonsense").text


def test_held_guest_sees_what_each_place_would_do(web: TestClient, made: Planned) -> None:
    eve = made.guests[4].id
    page = web.get(address(made), params={"guest": str(eve)}).text
    assert f'<option value="guest:{made.guests[1].id}">Table 1, swap with Bo: no change</option>' in page
    assert "Seat at Table 1: 25% better" in page
    assert 'class="seat h0 held"' in page
    assert re.search(r'class="mono effect effect-good"[^>]*>\+25%<', page)


def test_refused_move_says_why_and_keeps_the_guest_in_hand(web: TestClient, made: Planned, sessions: Sessions) -> None:
    with transaction(sessions) as session:
        rule = models.Rule(event_id=made.event.id, kind="together")
        session.add(rule)
        session.flush()
        session.add_all(models.RuleGuest(rule_id=rule.id, guest_id=made.guests[n].id) for n in (2, 4))
    move = {"kind": "place", "guest": str(made.guests[4].id), "to": f"table:{made.tables[0].id}"}
    refused = web.post(f"{address(made)}/moves", data=move)
    assert refused.status_code == 422
    assert "That would break the rule “Cleo and Eve sit together”. Nothing was changed." in refused.text
    assert 'id="held"' in refused.text
    offered = web.get(address(made), params={"guest": str(made.guests[4].id)}).text
    assert re.search(r'<option value="table:[^"]+">[^,<]+, a free seat: That would break the rule', offered)


def test_move_that_breaks_a_promise_is_made_anyway_and_taken_back(
    web: TestClient, made: Planned, sessions: Sessions
) -> None:
    with transaction(sessions) as session:
        add_rule(session, made, "together", 2, 4)
    move = {"kind": "place", "guest": str(made.guests[4].id), "to": f"table:{made.tables[0].id}"}
    refused = web.post(f"{address(made)}/moves", data=move).text
    form = re.search(r"<form[^>]*>(?:(?!</form>).)*Move anyway", refused, flags=re.S)
    assert form
    fields = dict(re.findall(r'name="(\w+)" value="([^"]*)"', form[0]))
    assert web.post(f"{address(made)}/moves", data={**fields, "form_token": ""}).status_code == 303
    shown = problems(web, made)
    assert "Exceptions you made The rule “Cleo and Eve sit together” is broken." in text_of(shown)
    key = re.search(r'name="exception" value="([^"]*)"', shown)
    assert key
    web.post(f"{address(made)}/moves", data={"kind": "undo_exception", "exception": key[1]})
    assert "Exceptions you made" not in problems(web, made)


def test_move_of_several_is_made_anyway_with_all_its_fields(web: TestClient, made: Planned) -> None:
    aino, bo = (str(made.guests[n].id) for n in (0, 1))
    fields = {"table": str(made.tables[1].id), "version": str(made.plan.version)}
    refused = web.post(f"{address(made)}/moves", data={"kind": "move", "guests": [aino, bo], **fields}).text
    form = re.search(r"<form[^>]*>(?:(?!</form>).)*Move anyway", refused, flags=re.S)
    assert form
    sent = re.findall(r'name="(\w+)" value="([^"]*)"', form[0])
    assert [value for name, value in sent if name == "guests"] == [aino, bo]
    assert {*fields.items()} <= {*sent}
    again = dict(sent) | {"guests": [aino, bo], "form_token": ""}
    assert web.post(f"{address(made)}/moves", data=again).status_code == 303
    assert "5 of 3" in text_of(web.get(address(made)).text)


def test_guest_unseated_by_hand_is_in_the_tray_and_not_in_a_banner(web: TestClient, made: Planned) -> None:
    web.post(f"{address(made)}/moves", data={"guest": str(made.guests[1].id), "to": "tray:"})
    page = web.get(address(made)).text
    assert str(made.guests[1].id) in page.split('id="tray"')[1].split("</div>")[0]
    assert banners(page) == []


def test_guest_is_unseated_and_seated_again(web: TestClient, made: Planned) -> None:
    bo = str(made.guests[1].id)
    web.post(f"{address(made)}/moves", data={"guest": bo, "to": "tray:"})
    page = web.get(address(made), params={"tab": "guest", "guest": bo}).text
    assert "Unseated Bo" in text_of(page)
    assert re.search(r'<button type="submit" class="btn" name="to" value="table:[^"]+">Seat at Table 1', page)
    web.post(f"{address(made)}/moves", data={"guest": bo, "to": f"table:{made.tables[0].id}"})
    assert "Unseated Everyone has a seat." in text_of(web.get(address(made)).text)


def test_changes_are_listed_and_undone_to_any_point(web: TestClient, made: Planned) -> None:
    for guest in (0, 1, 2):
        web.post(f"{address(made)}/moves", data={"kind": "lock", "guest": str(made.guests[guest].id)})
    page = web.get(address(made), params={"tab": "changes"}).text
    [last, first, start] = re.findall(r'name="number" value="(\d+)"', page)
    assert (last, first, start) == ("2", "1", "0")
    web.post(f"{address(made)}/moves", data={"kind": "undo", "number": "1"})
    shown = web.get(address(made)).text
    assert [("locked" in row) for row in rows(shown)] == [True, False, False, False, False]


def test_script_gets_the_parts_that_a_move_touched(web: TestClient, made: Planned) -> None:
    eve, bo = str(made.guests[4].id), str(made.guests[1].id)
    form = {"kind": "swap", "guest": eve, "other": bo, "version": str(made.plan.version), "tab": "problems"}
    answer = web.post(f"{address(made)}/moves", data=form, headers={"Accept": "application/json"}).json()
    assert answer["message"] == "Eve moved to Table 1 and Bo moved to Table 2."
    assert answer["version"] == made.plan.version + 1
    tables = {f"#t-{table.id}" for table in made.tables}
    assert answer["fragments"].keys() == {"#bar", "#notices", "#history", "#tray", "#panel", *tables}
    assert f'data-seat="{eve}"' in answer["fragments"][f"#t-{made.tables[0].id}"]
    form = {"kind": "lock", "guest": eve, "version": str(answer["version"]), "tab": "table"}
    locked = web.post(f"{address(made)}/moves", data=form, headers={"Accept": "application/json"}).json()
    first = made.tables[0].id
    own = {f"#t-{first}", f'[data-table-card="{first}"]', "#tabs"}  # the list keeps what is open in it
    assert locked["fragments"].keys() == {"#bar", "#notices", "#history", "#tray", *own}


def test_script_is_told_what_a_move_would_break(web: TestClient, made: Planned, sessions: Sessions) -> None:
    with transaction(sessions) as session:
        add_rule(session, made, "together", 2, 4)
    move = {"kind": "move", "guests": str(made.guests[4].id), "table": str(made.tables[0].id), "seat": "3"}
    refused = web.post(f"{address(made)}/moves", data=move, headers={"Accept": "application/json"})
    assert refused.status_code == 422
    assert refused.json()["breaks"] == ["That would break the rule “Cleo and Eve sit together”."]
    assert refused.json()["can_force"] is True


def test_effects_of_all_seats_are_sent_with_signs_and_words(web: TestClient, made: Planned) -> None:
    sent = web.get(f"{address(made)}/effects", params={"guest": str(made.guests[4].id)}).json()
    assert sent["text"] == "Eve picked up. Best places: Seat 3 at Table 1: 25% better."
    assert len(sent["seats"]) == 6
    free = next(one for one in sent["seats"] if (one["table"], one["seat"]) == (str(made.tables[0].id), 3))
    assert (free["sign"], free["tone"], free["text"]) == ("+25%", "better", "Seat 3 at Table 1: 25% better")


def test_form_that_says_nothing_is_refused(web: TestClient, made: Planned) -> None:
    refused = web.post(f"{address(made)}/moves", data={"kind": "place", "guest": str(made.guests[0].id), "to": ""})
    assert refused.status_code == 422
    assert "Choose a seat." in refused.text
    assert web.post(f"{address(made)}/moves", data={"kind": "undo"}).status_code == 422
    assert web.post(f"{address(made)}/moves", data={"guest": "x", "to": "guest:y"}).status_code == 422


def add_rule(session: Session, made: Planned, kind: str, *guests: int, table: int | None = None) -> None:
    rule = models.Rule(event_id=made.event.id, kind=kind)
    session.add(rule)
    session.flush()
    session.add_all(models.RuleGuest(rule_id=rule.id, guest_id=made.guests[n].id) for n in guests)
    if table is not None:
        session.add(models.RuleTable(rule_id=rule.id, table_id=made.tables[table].id))
    session.flush()


def banners(page: str) -> list[str]:
    return [text_of(one).strip() for one in re.findall(r'<div class="banner.*?</div>', page, flags=re.S)]


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
    assert message.endswith("Plan again to seat everyone.Plan againFix with the fewest moves")
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
    assert rows(page)[0] == "Aino (move or lock) would rather not sit with Bo⋯"
    shown = text_of(problems(web, made))
    assert "Aino and Bo are both at Table 1, though they would rather not sit together." in shown
    assert "keep away" not in page


def test_figures_are_for_the_curious_and_say_why_fewer_starts_were_made(
    web: TestClient, made: Planned, sessions: Sessions
) -> None:
    def curious() -> str:
        for tab in ("table", "guest", "problems", "changes"):
            assert "mean squared" not in web.get(address(made), params={"tab": tab}).text
        page = explanation(web, made)
        assert "mean squared" in page
        return text_of(page)

    assert "1,000 restarts." in curious()
    with transaction(sessions) as session:
        plan = session.get_one(models.Plan, made.plan.id)
        plan.figures = {**plan.figures, "restarts": 48, "solved": {**plan.figures["solved"], "proven": True}}
    assert "48 of 1,000 restarts: the plan was proven to be the best after 48." in curious()
    with transaction(sessions) as session:
        plan = session.get_one(models.Plan, made.plan.id)
        plan.figures = {**plan.figures, "solved": {**plan.figures["solved"], "proven": False}}
    assert "48 of 1,000 restarts: the time limit was reached." in curious()


def test_removed_guest_leaves_the_page(web: TestClient, made: Planned, sessions: Sessions) -> None:
    with transaction(sessions) as session:
        session.get_one(models.Guest, made.guests[3].id).removed_at = now()
    page = web.get(address(made)).text
    assert "Dan" not in text_of(page)
    assert "3 of 4 sit with someone they like" not in page
    assert "2 of 4 sit with someone they like; 1 needs attention." in text_of(page)


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


def test_names_are_escaped_and_emoji_and_right_to_left_work(web: TestClient, sessions: Sessions, owner: Actor) -> None:
    names = ["<b>Bobby</b>", "נועה", "👩‍👩‍👧 Family", "W" * 200]
    with transaction(sessions) as session:
        made = make_plan(session, owner, sizes=(4,), names=names)
    page = web.get(address(made)).text
    assert "<b>Bobby" not in page
    for name in ("&lt;b&gt;Bobby", "<bdi>נועה</bdi>", "👩‍👩‍👧 Family", "W" * 200, "W" * 15 + "…"):
        assert name in page


def test_big_plan_comes_in_pages_without_the_floor(web: TestClient, sessions: Sessions, owner: Actor) -> None:
    scores = np.zeros((700, 700))
    scores[0, 699] = scores[699, 0] = 2
    with transaction(sessions) as session:
        made = make_plan(session, owner, sizes=[10] * 70, names=[f"Guest {n}" for n in range(700)], matrix=scores)
    first = web.get(address(made))
    assert len(first.content) < 400_000
    assert "floor-picture" not in first.text
    assert "The floor plan is not shown for this many guests" in first.text
    assert (len(rows(first.text)), "Page 1 of 3" in first.text) == (240, True)
    last = made.guests[699].id
    assert f'href="{address(made)}?tab=guest&amp;guest={last}"' in problems(web, made)
    assert f'id="g-{last}"' in web.get(address(made), params={"page": 3}).text


def test_twenty_two_guests_fit_a_small_page(web: TestClient, sessions: Sessions, owner: Actor) -> None:
    rng = np.random.default_rng(2)
    with transaction(sessions) as session:
        made = make_plan(session, owner, matrix=rng.uniform(-2, 2, (22, 22)))
    page = web.get(address(made))
    assert len(page.content) < 60_000
    assert [row.split(" (")[0] for row in rows(page.text)] == list(NAMES)


def test_table_is_locked_and_seat_kept_empty_by_plain_forms(web: TestClient, made: Planned) -> None:
    table = made.tables[0].id
    page = web.get(address(made)).text
    assert f'href="{address(made)}?tab=table&amp;table={table}"' in page
    opened = web.get(address(made), params={"tab": "table", "table": str(table)}).text
    assert "Lock this table" in text_of(opened)
    assert re.findall(r'aria-label="Keep seat (\d) empty"', opened) == ["3"]
    assert "Seat 3 is free." in text_of(web.get(f"{address(made)}?tab=table&table={table}&seat=3").text)
    sent = web.post(f"{address(made)}/moves", data={"kind": "block_seat", "table": str(table), "seat": "3"})
    assert sent.headers["location"] == f"{address(made)}?tab=table&done=block_seat&table={table}#table-menu"
    kept = web.get(sent.headers["location"]).text
    assert "Seat 3 at Table 1 stays empty." in text_of(kept)
    assert re.findall(r'class="seat empty kept-empty" data-table="([^"]+)" data-seat-number="(\d)"', kept) == [
        (str(table), "3")
    ]
    assert "Free seat 3" in text_of(kept)
    web.post(f"{address(made)}/moves", data={"kind": "free_seat", "table": str(table), "seat": "3"})
    sent = web.post(f"{address(made)}/moves", data={"kind": "lock_table", "table": str(table)})
    locked = web.get(sent.headers["location"]).text
    assert "Table 1 is locked." in text_of(locked)
    assert (locked.count("table-lock"), locked.count("kept-empty"), "Unlock this table" in locked) == (1, 0, True)
    assert "Undone: table 1" not in text_of(locked)
    refused = web.post(f"{address(made)}/moves", data={"kind": "block_seat", "table": str(table), "seat": "1"})
    assert (refused.status_code, "Aino sits there. Move them first." in text_of(refused.text)) == (422, True)


def test_script_that_locks_a_table_gets_its_menu_and_drawing(web: TestClient, made: Planned) -> None:
    table = str(made.tables[0].id)
    data = {"kind": "lock_table", "table": table, "open_table": table, "tab": "table", "version": "1"}
    answer = web.post(f"{address(made)}/moves", data=data, headers={"Accept": "application/json"}).json()
    assert answer["message"] == "Table 1 is locked."
    assert "Unlock this table" in answer["fragments"]["#table-menu"]
    assert "table-lock" in answer["fragments"][f"#t-{table}"]


def test_table_is_reserved_for_a_group_in_the_workspace(web: TestClient, made: Planned, sessions: Sessions) -> None:
    with transaction(sessions) as session:
        group = models.Group(event_id=made.event.id, name="Choir", name_key="choir")
        session.add(group)
        session.flush()
        choir = str(group.id)
    table = made.tables[0].id
    opened = f"{address(made)}?tab=table&table={table}"
    assert f'<option value="{choir}">Choir</option>' in web.get(opened).text
    form = {"name": "Table 1", "seats": "3", "shape": "round"}
    assert web.post(f"{address(made)}/tables/{table}", data=form | {"reserved_for": choir}).status_code == 303
    web.post(f"{address(made)}/tables/{table}", data=form)  # says nothing of the group, so it stays
    page = web.get(opened).text
    assert f'<option value="{choir}" selected>Choir</option>' in page
    assert "2 of 3 seats, for Choir" in text_of(page)
    assert "2 of 3 · for Choir</text>" in page
    web.post(f"{address(made)}/tables/{table}", data=form | {"reserved_for": "nobody"})
    assert "for Choir" not in web.get(opened).text
    refused = web.post(f"{address(made)}/tables/{table}", data=form | {"reserved_for": "x"})
    assert (refused.status_code, "Group not found in this event." in refused.text) == (422, True)


def test_viewer_sees_no_reservations(client: TestClient, made: Planned, sessions: Sessions) -> None:
    with transaction(sessions) as session:
        group = models.Group(event_id=made.event.id, name="Choir", name_key="choir")
        session.add(group)
        session.flush()
        session.get_one(models.Table, made.tables[0].id).reserved_for = group.id
        viewer = make_member(session, made.event.id, "viewer")
    assert "Choir" not in signed_in_client(client, sessions, viewer).get(address(made)).text

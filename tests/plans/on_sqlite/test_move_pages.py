"""Guests are moved, locked and reserved for on a plan's pages."""

from __future__ import annotations

import re

from fastapi.testclient import TestClient
from sqlalchemy import update

from app.db import models
from app.db.session import Sessions, transaction
from tests.conftest import signed_in_client
from tests.factories import Planned, make_member
from tests.plans.on_sqlite.plan_pages import add_rule, address, banners, problems, rows, text_of


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
    assert not re.search("effect-(good|warn)", page)  # there is nowhere to go
    assert "(locked at this table)</title>" in page
    assert "Locked at this table. New plans keep the table, and the seat unless a rule" in page


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
    assert (
        f'<option value="guest:{made.guests[1].id}">Table 1, swap with Bo: no change, with Aino, whom they like' in page
    )
    assert "Seat at Table 1: much better, with Aino and 1 more they like" in page
    assert 'class="seat h0 held"' in page
    assert re.search(r'class="mono effect effect-good"[^>]*>\+\+<', page)


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
    link = f'href="{address(made)}?tab=problems" data-tab="problems">'
    assert re.search(rf"{re.escape(link)}[^<]* avoid, 1 rule broken by hand</a>", shown)
    versions = f"/events/{made.event.id}/plans"
    assert ", 1 rule broken by hand." in text_of(web.get(versions).text)
    web.post(f"{address(made)}/duplicate")
    assert "Version 1: 1 rule broken by hand." in text_of(web.get(f"{address(made)}/compare").text)
    key = re.search(r'name="exception" value="([^"]*)"', shown)
    assert key
    web.post(f"{address(made)}/moves", data={"kind": "undo_exception", "exception": key[1]})
    assert "Exceptions you made" not in problems(web, made)
    assert "by hand" not in text_of(problems(web, made)) + text_of(web.get(versions).text)


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
    assert "1 is not seated yet" in page
    assert "5 guests · " in page
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
    assert sent["text"] == "Eve picked up. Best places: Seat 3 at Table 1: much better, with Aino and 1 more they like."
    assert len(sent["seats"]) == 6
    free = next(one for one in sent["seats"] if (one["table"], one["seat"]) == (str(made.tables[0].id), 3))
    assert (free["sign"], free["tone"], free["text"]) == (
        *("++", "better", "Seat 3 at Table 1: much better, with Aino and 1 more they like"),
    )


def test_form_that_says_nothing_is_refused(web: TestClient, made: Planned) -> None:
    refused = web.post(f"{address(made)}/moves", data={"kind": "place", "guest": str(made.guests[0].id), "to": ""})
    assert refused.status_code == 422
    assert "Choose a seat." in refused.text
    assert web.post(f"{address(made)}/moves", data={"kind": "undo"}).status_code == 422
    assert web.post(f"{address(made)}/moves", data={"guest": "x", "to": "guest:y"}).status_code == 422


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


def test_change_of_somebody_else_is_undone_only_when_wanted(web: TestClient, made: Planned, sessions: Sessions) -> None:
    web.post(f"{address(made)}/moves", data={"guest": str(made.guests[1].id), "to": "tray:"})
    with transaction(sessions) as session:
        tom = session.get_one(models.User, make_member(session, made.event.id, "editor").user_id)
        tom.name = "Tom"
        session.execute(update(models.Move).values(user_id=tom.id))
    asked = web.post(f"{address(made)}/moves", data={"kind": "undo"})
    assert asked.status_code == 422
    assert "Tom moved Bo to the unseated tray. Undo this change of theirs?" in asked.text
    assert '<input type="hidden" name="anyway" value="1">' in asked.text
    assert "1 is not seated yet" in web.get(address(made)).text
    web.post(f"{address(made)}/moves", data={"kind": "undo", "anyway": "1"})
    assert "not seated yet" not in web.get(address(made)).text

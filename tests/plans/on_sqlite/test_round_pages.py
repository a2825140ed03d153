"""Several rounds in pages, links, files and print."""

from __future__ import annotations

import csv
import io
import json
import re
from dataclasses import replace
from datetime import date
from html import unescape
from urllib.parse import unquote
from uuid import UUID

import pytest
from fastapi.testclient import TestClient
from hypothesis import given
from hypothesis import strategies as st
from openpyxl import load_workbook
from sqlalchemy import delete, select, update

from app.accounts.actor import Actor
from app.db.models import Guest, Plan, Seat, Table
from app.db.session import Sessions, transaction
from app.events.context import open_event
from app.plans.queries.rounds import rounds_of
from app.plans.read import read_plan
from app.plans.rounds import routes_of
from app.rules.edit import RuleEntry, add_rule
from app.runs.rounds.planned_before import write_numbers
from app.runs.rounds.tables import read_numbers
from app.sharing.floor.read import read_floor
from app.sharing.printing.documents import build_cards, build_document
from app.sharing.printing.options import NAMES, OF_GUESTS, PrintOptions
from app.sharing.printing.seating import read_seating
from app.solver import Goal
from app.worker.execute import execute_run
from tests.factories import add_rounds, make_plan
from tests.files.pdf.reading import read_pages
from tests.plans.on_sqlite.plan_pages import text_of
from tests.run_helpers import read_run, stored_event, stored_run

XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
CHOSEN = {"rounds": "3", "restarts": "8", "hosts": "Guest 0\nguest 5\n"}


@pytest.fixture
def event_id(sessions: Sessions, owner: Actor) -> UUID:
    return stored_event(sessions, owner, guests=12, sizes=(3, 3, 3, 3))


@pytest.fixture
def plan_id(web: TestClient, sessions: Sessions, event_id: UUID) -> UUID:
    """Plan three rounds as somebody does in the form."""
    started = web.post(f"/events/{event_id}/runs", data=CHOSEN)
    assert started.status_code == 303, unescape(started.text)
    run_id = UUID(started.headers["location"].rpartition("/")[2])
    assert execute_run(sessions, run_id) == "done"
    plan_id = read_run(sessions, run_id).plan_id
    assert plan_id is not None
    return plan_id


def routes(sessions: Sessions, owner: Actor, event_id: UUID, plan_id: UUID) -> dict[str, list[str]]:
    with transaction(sessions, read_only=True) as session:
        view = read_plan(open_event(session, owner, event_id), plan_id)
        names = {guest.id: guest.name for table in view.tables for guest in table.guests}
        return {names[key]: [table for _, table in route] for key, route in routes_of(session, view.plan).items()}


def lines_of(tables: list[str]) -> str:
    """Return the lines of a guest as pages for guests have them: one where they keep their table."""
    if len(set(tables)) == 1:
        return f"<bdi>{tables[0]} in all rounds</bdi>"
    return " ".join(f"<bdi>Round {n}: {table}</bdi>" for n, table in enumerate(tables, 1))


def test_form_keeps_what_was_chosen_and_names_hosts_who_are_no_guests(web: TestClient, event_id: UUID) -> None:
    page = unescape(web.get(f"/events/{event_id}/plan").text)
    assert "How many rounds?" in page
    assert "Answer questions" in page
    refused = web.post(f"/events/{event_id}/runs", data={"rounds": "3", "hosts": "Nobody\nGuest 1"})
    text = unescape(refused.text)
    assert refused.status_code == 422
    assert "Hosts, line 1: “Nobody” isn't a guest to be seated. Check the spelling." in text
    assert "Nobody\nGuest 1</textarea>" in text
    absurd = web.post(f"/events/{event_id}/runs", data={"rounds": "500"})
    assert "The number of rounds must be from 1 to 60." in unescape(absurd.text)


def test_tables_with_minimums_for_other_rounds_can_be_planned(
    web: TestClient, sessions: Sessions, owner: Actor
) -> None:
    event_id = stored_event(sessions, owner, guests=12, sizes=(3, 3, 3, 3, 6, 6))
    with transaction(sessions) as session:
        tables = session.scalars(select(Table).where(Table.event_id == event_id).order_by(Table.position)).all()
        for table in tables:
            table.min_seats = table.seats
        fields = [f"rounds_of_{table.id}" for table in tables]
    page = unescape(web.get(f"/events/{event_id}/plan").text)
    assert "The tables need at least 24 guests; you have 12." in page
    assert "say in which rounds each table is used" in page
    asked = {"rounds": "2", "restarts": "2", **dict.fromkeys(fields[:4], "1"), **dict.fromkeys(fields[4:], "2")}
    for text, message in (
        ("1, x", "Table 5: write rounds as numbers, such as 1, 3-4."),
        ("3", "Table 5: the rounds are 1 to 2."),
        ("3-1", "Table 5: the rounds are 1 to 2."),
        ("2-1", "Table 5: write the smaller round first, such as 1-2."),
    ):
        refused = web.post(f"/events/{event_id}/runs", data=asked | {fields[4]: text})
        assert refused.status_code == 422
        assert message in unescape(refused.text)
        assert f'value="{text}"' in refused.text
    empty = web.post(f"/events/{event_id}/runs", data=asked | dict.fromkeys(fields[4:], "1"))
    assert "Round 2 has no table." in unescape(empty.text)
    started = web.post(f"/events/{event_id}/runs", data=asked)
    assert started.status_code == 303, unescape(started.text)
    run_id = UUID(started.headers["location"].rpartition("/")[2])
    assert execute_run(sessions, run_id) == "done"
    plan = unescape(web.get(f"/events/{event_id}/plans/{read_run(sessions, run_id).plan_id}").text)
    assert plan.count(">not used<") == 4  # two tables, in the list and in the room
    assert "exception" not in plan
    again = web.get(f"/events/{event_id}/plan?new=1").text
    for field, rounds in (*((field, 1) for field in fields[:4]), *((field, 2) for field in fields[4:])):
        assert re.search(rf'name="{field}"[^>]* value="{rounds}"', again)


def test_planning_again_begins_with_what_was_chosen(
    web: TestClient, sessions: Sessions, event_id: UUID, plan_id: UUID
) -> None:
    again = unescape(web.get(f"/events/{event_id}/plan?new=1").text)
    assert re.search(r'name="rounds"[^>]* value="3"', again)
    assert "Guest 0\nGuest 5</textarea>" in again
    assert "Answer questions" not in again  # ratings do not matter for new meetings
    with transaction(sessions) as session:  # as of rounds that were imported
        session.execute(update(Plan).where(Plan.event_id == event_id).values(run_id=None))
    imported = unescape(web.get(f"/events/{event_id}/plan?new=1").text)
    assert re.search(r'name="rounds"[^>]* value="3"', imported)
    assert "Guest 5</textarea>" not in imported


@given(st.sets(st.integers(1, 60), min_size=1))
def test_rounds_of_a_table_are_read_as_they_are_written(numbers: set[int]) -> None:
    assert read_numbers(write_numbers(sorted(numbers)), 60) == sorted(numbers)
    assert write_numbers([1, 3, 4, 5, 7, 8]) == "1, 3-5, 7-8"


def test_plan_shows_a_tab_for_each_round_and_one_sentence(
    web: TestClient, sessions: Sessions, owner: Actor, event_id: UUID, plan_id: UUID
) -> None:
    page = unescape(web.get(f"/events/{event_id}/plans/{plan_id}").text)
    assert "Everyone meets 6 different people in 3 rounds; no pair meets twice" in page
    assert ">Round 1</a>" in page
    assert ">Round 3</a>" in page
    assert "Plan the rest" not in page
    found = unescape(web.get(f"/events/{event_id}/plans/{plan_id}/found").text)
    assert "pairs meet" in found
    assert "no plan with tables filled this evenly can have better meetings" in found
    assert "mean squared distance" not in found
    assert "time limit" not in found
    assert "Fix with the fewest moves" not in page
    with transaction(sessions, read_only=True) as session:
        view = read_plan(open_event(session, owner, event_id), plan_id)
        assert view.rounds is not None
        third = view.rounds.rounds[2].plan_id
        guest = view.tables[0].guests[0]
    shown = unescape(web.get(f"/events/{event_id}/plans/{third}?tab=guest&guest={guest.id}").text)
    own = routes(sessions, owner, event_id, plan_id)[guest.name]
    lines = [f"Round {n}: {table}" for n, table in enumerate(own, 1)]
    assert (f"{own[0]} in all rounds" if len(set(own)) == 1 else " · ".join(lines)) in shown
    assert "in use" in shown
    versions = unescape(web.get(f"/events/{event_id}/plans").text)
    assert "Everyone meets 6 different people in 3 rounds" in versions
    refused = web.post(f"/events/{event_id}/plans/{third}/rest", data={})
    assert refused.status_code == 409
    assert "A plan with several rounds is planned again as a whole." in unescape(refused.text)


def test_guests_of_one_name_see_their_own_tables_and_late_ones_their_rounds(
    web: TestClient, api: TestClient, sessions: Sessions, owner: Actor, event_id: UUID, plan_id: UUID
) -> None:
    own = routes(sessions, owner, event_id, plan_id)
    with transaction(sessions) as session:
        named = {guest.name: guest for guest in session.scalars(select(Guest).where(Guest.event_id == event_id))}
        for name in ("Guest 0", "Guest 1"):
            named[name].public_name = "Anna"
        late = delete(Seat).where(Seat.plan_id == plan_id, Seat.guest_id == named["Guest 2"].id)
        session.execute(late)
    link = api.post(f"events/{event_id}/links", json={"audience": "guests"}).json()
    page = unescape(web.get("/s/" + link["url"].rpartition("/")[2]).text)
    for name in ("Guest 0", "Guest 1"):
        where = lines_of(own[name])
        assert page.count(f"<bdi>Anna</bdi> <b>{where}</b>") == 1
    later = " ".join(f"<bdi>Round {n}: {table}</bdi>" for n, table in enumerate(own["Guest 2"], 1) if n > 1)
    assert f"<bdi>Guest 2</bdi> <b>{later}</b>" in page


def test_no_run_starts_from_one_round(api: TestClient, event_id: UUID, plan_id: UUID) -> None:
    """Its plan would replace all rounds."""
    for asked in ({"repair": True}, {"move_cost": 1.0}, {"from_plan": str(plan_id)}):
        refused = api.post(f"events/{event_id}/runs", json=asked)
        assert (refused.status_code, refused.json()["errors"][0]["pointer"]) == (422, "#/from_plan")
        assert "planned again as a whole" in refused.json()["detail"]


def test_guests_see_their_table_in_each_round(
    web: TestClient, api: TestClient, sessions: Sessions, owner: Actor, event_id: UUID, plan_id: UUID
) -> None:
    link = api.post(f"events/{event_id}/links", json={"audience": "guests"}).json()
    address = "/s/" + link["url"].rpartition("/")[2]
    page = unescape(web.get(address).text)
    for name, tables in routes(sessions, owner, event_id, plan_id).items():
        assert f"<bdi>{name}</bdi> <b>{lines_of(tables)}</b>" in page
    shared = web.get(f"/api/v1/shared/{address[3:]}").json()
    assert [one["number"] for one in shared["rounds"]] == [1, 2, 3]
    for audience in ("venue", "planner"):
        other = api.post(f"events/{event_id}/links", json={"audience": audience}).json()["token"]
        assert "ound 1 of 3" in web.get(f"/s/{other}").text
    assert shared["rounds"][0]["tables"] == shared["tables"]


@pytest.mark.parametrize(
    ("sizes", "rounds", "words"),
    [
        ((4, 4, 4), 6, r"No better plan is likely: stopped after \d+\.\d of 60 s\."),
        ((4, 4), 2, r"(attempts|needed): no plan with tables filled this evenly can have better meetings\."),
    ],
)
def test_rounds_that_ended_before_their_time_say_why(
    web: TestClient, sessions: Sessions, owner: Actor, sizes: tuple[int, ...], rounds: int, words: str
) -> None:
    event_id = stored_event(sessions, owner, guests=sum(sizes), sizes=sizes)
    run_id = stored_run(sessions, owner, event_id, rounds=rounds, time_limit=60.0)
    assert execute_run(sessions, run_id) == "done"
    found = unescape(web.get(f"/events/{event_id}/plans/{read_run(sessions, run_id).plan_id}/found").text)
    assert re.search(words, found)


def test_guests_see_the_tables_of_each_round_by_links(
    web: TestClient, api: TestClient, sessions: Sessions, owner: Actor, event_id: UUID, plan_id: UUID
) -> None:
    own = routes(sessions, owner, event_id, plan_id)
    with transaction(sessions) as session:  # one of two namesakes sits in later rounds only
        named = {guest.name: guest for guest in session.scalars(select(Guest).where(Guest.event_id == event_id))}
        for name in ("Guest 1", "Guest 2"):
            named[name].public_name = "Anna"
            own[f"Anna of {name}"] = own.pop(name)
        session.execute(delete(Seat).where(Seat.plan_id == plan_id, Seat.guest_id == named["Guest 2"].id))
    address = f"/s/{shared_link(api, event_id, 'guests')}/tables"
    tags = set()
    for number in (1, 2, 3):
        answer = web.get(address, params={"round": number})
        page = unescape(answer.text)
        tags.add(answer.headers["etag"])
        assert f"Round {number} of 3" in page
        assert re.findall(r'href="([^"]*)\?round=(\d)" aria-current="page"', page) == [(address, str(number))]
        assert [f'href="{address}?round={other}"' in page for other in (1, 2, 3)] == [True] * 3
        shown = {
            re.findall(r"<h2><bdi>(.*?)</bdi>", table)[0]: sorted(re.findall(r"<li><bdi>(.*?)</bdi>", table))
            for table in page.split('<section class="table">')[1:]
        }
        expected: dict[str, list[str]] = {}
        for name, tables in own.items():
            if number > 1 or name != "Anna of Guest 2":
                expected.setdefault(tables[number - 1], []).append(name.partition(" of ")[0])
        assert shown == {table: sorted(names) for table, names in expected.items()}
    assert len(tags) == 3
    for other in ("", "4", "0", "-1", "x"):
        assert "Round 1 of 3" in web.get(address, params={"round": other}).text
    venue = shared_link(api, event_id, "venue")
    assert web.get(f"/s/{venue}/tables?round=2").status_code == 404


def shared_link(api: TestClient, event_id: UUID, audience: str) -> str:
    return str(api.post(f"events/{event_id}/links", json={"audience": audience}).json()["token"])


@pytest.mark.parametrize("audience", ["venue", "planner"])
def test_venue_and_co_planners_choose_a_round(
    web: TestClient, api: TestClient, event_id: UUID, plan_id: UUID, audience: str
) -> None:
    token = shared_link(api, event_id, audience)
    rounds = api.get(f"events/{event_id}/plans/{plan_id}").json()["rounds"]
    for number in (1, 2, 3):
        plan = api.get(f"events/{event_id}/plans/{rounds[number - 1]['plan_id']}").json()
        tables = [[guest["name"] for guest in table["guests"]] for table in plan["tables"]]
        page = unescape(web.get(f"/s/{token}?round={number}").text)
        assert re.findall(r'\?round=(\d)" aria-current="page"', page) == [str(number)]
        shown = [re.findall(r"<bdi>(Guest \d+)", table) for table in page.split('<section class="table">')[1:]]
        assert shown == tables
        assert re.search(rf">(Version 1 · r|R)ound {number} of 3</", page)
        answer = api.get(f"shared/{token}?round={number}").json()
        assert (answer["round"], answer["rounds"]) == (number, [1, 2, 3])
        seats = [table.get("seats" if audience == "venue" else "guests") for table in answer["tables"]]
        assert [[one["name"] for one in seated] for seated in seats] == tables
    for other in ("", "4", "0", "-1", "x", "٣"):
        assert 'round=1" aria-current="page"' in web.get(f"/s/{token}", params={"round": other}).text


def test_big_screen_and_check_in_show_each_round(
    web: TestClient, api: TestClient, sessions: Sessions, owner: Actor, event_id: UUID, plan_id: UUID
) -> None:
    token = shared_link(api, event_id, "guests")
    own = routes(sessions, owner, event_id, plan_id)
    for address in (f"/events/{event_id}/door/screen", f"/s/{token}/screen"):
        for number in (1, 2, 3):
            page = unescape(web.get(f"{address}?round={number}&look=dark").text)
            assert f"Round {number} of 3" in page
            assert f'?round=2&look=dark"{" aria-current" if number == 2 else ">"}' in page
            at = {
                name: re.findall(r"<h2><bdi>(.*?)</bdi>", table)[0]
                for table in page.split('<section class="screen-table">')[1:]
                for name in re.findall(r"<li><bdi>(.*?)</bdi>", table)
            }
            assert at == {name: route[number - 1] for name, route in own.items()}
    values = web.get(f"/events/{event_id}/door/check-in/arrivals").json()["guests"]
    texts = {name: [f"Round {n}: {table}" for n, table in enumerate(route, 1)] for name, route in own.items()}
    assert {guest["name"]: guest["route"] for guest in values} == texts
    page = unescape(web.get(f"/events/{event_id}/door/check-in?show=all").text)
    for name, lines in texts.items():
        pieces = " ".join(f'<span class="door-round">{line}</span>' for line in lines)
        assert f'<bdi class="door-name">{name}</bdi><bdi class="door-table">{pieces}</bdi>' in page
    assert "It shows the first round" in web.get(f"/events/{event_id}/door").text


def test_files_and_cards_have_each_round(
    web: TestClient, api: TestClient, sessions: Sessions, owner: Actor, event_id: UUID, plan_id: UUID
) -> None:
    expected = routes(sessions, owner, event_id, plan_id)
    text = web.get(f"/events/{event_id}/plans/{plan_id}/seating.csv").content.decode("utf-8-sig")
    rows = list(csv.DictReader(io.StringIO(text)))
    assert {row["Guest"]: [row[f"Round {n}"] for n in (1, 2, 3)] for row in rows} == expected
    assert not {"Table", "Seat"} & rows[0].keys()
    book = load_workbook(io.BytesIO(api.get(f"events/{event_id}/event.xlsx").content))
    head, *lines = book["Rounds"].values
    assert head == ("Guest", "Round 1", "Round 2", "Round 3")
    assert {str(line[0]): list(line[1:]) for line in lines} == expected
    with transaction(sessions, read_only=True) as session:
        printed = read_seating(open_event(session, owner, event_id), plan_id)
    cards = build_cards(printed, PrintOptions(what="escort-cards"))
    assert {card["name"]: card["rounds"] for card in cards.values()} == {
        name: [f"Round {n}: {table}" for n, table in enumerate(tables, 1)] for name, tables in expected.items()
    }


def test_what_is_printed_of_one_round_says_which(
    api: TestClient, sessions: Sessions, owner: Actor, event_id: UUID, plan_id: UUID
) -> None:
    second = UUID(api.get(f"events/{event_id}/plans/{plan_id}").json()["rounds"][1]["plan_id"])
    with transaction(sessions, read_only=True) as session:
        ctx = open_event(session, owner, event_id)
        printed = replace(read_seating(ctx, second), floor=read_floor(ctx, second))
    for what in ("chart-names", "chart-tables"):
        assert build_document(printed, PrintOptions(what)).values["subtitle"] == "Round 2"
    floor = build_document(replace(printed, event_date=date(2026, 6, 7)), PrintOptions("floor-plan")).values
    assert floor["date"] == "Round 2 · 7 June 2026"
    names = [card["name"] for card in build_cards(printed, PrintOptions("table-cards")).values()]
    assert names == [f"Table {n}, round 2" for n in (1, 2, 3, 4)]
    numbers = [card["name"] for card in build_cards(printed, PrintOptions("table-numbers")).values()]
    assert numbers == [f"Table {n}" for n in (1, 2, 3, 4)]


def test_every_print_names_its_round_in_heading_and_file(
    web: TestClient, api: TestClient, event_id: UUID, plan_id: UUID
) -> None:
    second = api.get(f"events/{event_id}/plans/{plan_id}").json()["rounds"][1]["plan_id"]
    api.post(f"events/{event_id}/links", json={"audience": "guests"})
    address = f"/events/{event_id}/plans/{second}/print"
    for what, name in NAMES.items():
        which = "" if what == "door-poster" else ", all rounds" if what in OF_GUESTS else ", round 2"
        page = unescape(web.get(address, params={"what": what, "wait": "1"}).text)
        assert f">{name}{which}</h2>" in page
        tabs = re.findall(
            rf'href="/events/{event_id}/plans/([^/]*)/print\?what={what}&[^"]*"( aria-current="page")?>', page
        )
        assert len(tabs) == (3 if which == ", round 2" else 0)
        assert [plan for plan, current in tabs if current] == [second] * bool(tabs)
        assert ("one card for all rounds" in page) == (what in OF_GUESTS)
        view = unescape(web.get(f"{address}/view", params={"what": what}).text)
        assert f"<title>{name}{which} · " in view
        for got in (web.get(f"{address}/{what}.pdf"), api.get(f"events/{event_id}/plans/{second}/print/{what}.pdf")):
            stem = got.headers["content-disposition"].partition('filename="')[2]
            assert ("round-2-" in stem, "all-rounds-" in stem) == (which == ", round 2", what in OF_GUESTS)
    for what in ("check-in", "caterer"):
        text = read_pages(web.get(f"{address}/{what}.pdf").content)[0].text.casefold()
        assert text.count("round2") == 2, "in the heading and at the foot"
    for ending in ("svg", "png"):
        got = web.get(f"/events/{event_id}/plans/{second}/floor.{ending}")
        assert "Floor-plan-round-2-" in got.headers["content-disposition"]
        assert "·" not in unquote(got.headers["content-disposition"])
    name = api.get(f"events/{event_id}").json()["name"]
    assert (
        f"<title>Floor plan, round 2 · {name}</title>" in web.get(f"/events/{event_id}/plans/{second}/floor.svg").text
    )


def test_guests_of_other_rounds_have_cards_too_and_are_printed_once(
    web: TestClient, sessions: Sessions, owner: Actor, event_id: UUID, plan_id: UUID
) -> None:
    own = routes(sessions, owner, event_id, plan_id)
    with transaction(sessions) as session:
        late = session.scalars(select(Guest).where(Guest.event_id == event_id, Guest.name == "Guest 2")).one()
        session.execute(delete(Seat).where(Seat.plan_id == plan_id, Seat.guest_id == late.id))
        rounds = rounds_of(session, plan_id)
    lines = [f"Round {n}: {table}" for n, table in enumerate(own["Guest 2"], 1) if n > 1]
    for one in rounds:
        address = f"/events/{event_id}/plans/{one.plan_id}/print"
        for what in OF_GUESTS:
            view = unescape(web.get(f"{address}/view", params={"what": what}).text)
            cards = view.split('<article class="card')[1:]
            assert len(cards) == 12
            [card] = [card for card in cards if ">Guest 2<" in card]
            assert re.findall(r"<p><bdi>(.*?)</bdi></p>", card) == lines
    without = web.get(f"{address}/view", params={"what": "place-cards", "table": "0"}).text
    assert "Round 1" not in without
    text = web.get(f"/events/{event_id}/plans/{plan_id}/seating.csv").content.decode("utf-8-sig")
    rows = csv.DictReader(io.StringIO(text))
    assert [row["Round 1"] for row in rows if row["Guest"] == "Guest 2"] == [""]
    assert web.post(address, data={"what": "place-cards"}).status_code == 303  # printed from the third round
    first = unescape(web.get(f"/events/{event_id}/plans/{plan_id}/print", params={"wait": "1"}).text)
    assert "Only what changed since" in first
    assert "Nothing has changed." in first


def test_rounds_come_along_in_the_file_of_the_event(api: TestClient, event_id: UUID, plan_id: UUID) -> None:
    file = api.get(f"events/{event_id}/event.json").json()
    assert [(plan["round"], plan["alternative_of"]) for plan in file["plans"]] == [(1, None), (2, "p1"), (3, "p1")]
    made = api.post("import", content=json.dumps(file), headers={"Content-Type": "application/json"})
    assert made.status_code == 201, made.text
    other = made.json()["id"]
    current = api.get(f"events/{other}/plans").json()["current"]
    assert len(api.get(f"events/{other}/plans/{current}").json()["rounds"]) == 3
    file["plans"][1]["round"] = 3
    refused = api.post("import", content=json.dumps(file), headers={"Content-Type": "application/json"})
    assert "plans/2/round: duplicate." in refused.text


def test_rounds_come_back_from_the_workbook(
    api: TestClient, sessions: Sessions, owner: Actor, event_id: UUID, plan_id: UUID
) -> None:
    plan = api.get(f"events/{event_id}/plans/{plan_id}").json()
    second = plan["rounds"][1]["plan_id"]
    tables = api.get(f"events/{event_id}/plans/{second}").json()["tables"]
    guest, moves = tables[0]["guests"][0]["id"], f"events/{event_id}/plans/{second}/moves"
    for move in ({"kind": "lock", "guest": guest}, {"kind": "lock_table", "table": tables[1]["id"]}):
        assert api.post(moves, json=move, headers={"If-Match": "*"}).status_code == 200
    with transaction(sessions) as session:
        session.execute(update(Plan).where(Plan.event_id == event_id).values(split_households=True))

    def read(event: str) -> list[list[tuple[str, bool, list[tuple[str, bool]]]]]:
        current = api.get(f"events/{event}/plans").json()["current"]
        found = api.get(f"events/{event}/plans/{current}").json()["rounds"]
        rounds = [api.get(f"events/{event}/plans/{one['plan_id']}").json()["tables"] for one in found]
        return [
            [(one["name"], one["locked"], [(who["name"], who["locked"]) for who in one["guests"]]) for one in tables]
            for tables in rounds
        ]

    book = api.get(f"events/{event_id}/event.xlsx").content
    made = api.post("import", content=book, headers={"Content-Type": XLSX})
    assert made.status_code == 201, made.text
    assert read(made.json()["id"]) == read(str(event_id))
    with transaction(sessions, read_only=True) as session:
        copies = session.scalars(select(Plan).where(Plan.event_id == UUID(made.json()["id"]))).all()
        assert sorted((one.round, one.split_households) for one in copies) == [(1, True), (2, True), (3, True)]


def test_every_round_says_who_has_no_seat_in_which_rounds(
    web: TestClient, sessions: Sessions, event_id: UUID, plan_id: UUID
) -> None:
    with transaction(sessions) as session:
        rounds = [one.plan_id for one in rounds_of(session, plan_id)]
        guest = session.scalars(select(Guest).where(Guest.event_id == event_id, Guest.name == "Guest 3")).one().id
        session.execute(delete(Seat).where(Seat.plan_id.in_(rounds[1:]), Seat.guest_id == guest))
    page = web.get(f"/events/{event_id}/plans/{plan_id}", params={"tab": "problems"}).text
    assert "1 is not seated in rounds 2 and 3" in text_of(page)
    assert "Guest 3 has no seat in rounds 2 and 3." in text_of(page)
    tabs = re.search(r'<nav class="ws-rounds.*?</nav>', page, flags=re.S)
    assert tabs
    assert re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", tabs[0])).split() == (
        ["Round", "1", "Round", "2", "1", "not", "seated", "Round", "3", "1", "not", "seated"]
    )
    sent = web.post(f"/events/{event_id}/plans/{plan_id}/moves", data={"kind": "seat_unseated", "tab": "problems"})
    after = web.get(sent.headers["location"]).text
    assert "not seated" not in text_of(after)
    assert "Nothing needs attention." in text_of(after)


@pytest.mark.parametrize(("goal", "is_offered"), [("new", True), ("spread", False)])
def test_plan_where_pairs_meet_in_most_rounds_leads_to_the_other_goal(
    web: TestClient, sessions: Sessions, owner: Actor, goal: Goal, *, is_offered: bool
) -> None:
    event_id = stored_event(sessions, owner, guests=24, sizes=(6, 6, 6, 6))
    run_id = stored_run(sessions, owner, event_id, rounds=3, restarts=8, goal=goal)
    assert execute_run(sessions, run_id) == "done"
    page = unescape(web.get(f"/events/{event_id}/plans/{read_run(sessions, run_id).plan_id}").text)
    assert ("in all 3 rounds" in page) == is_offered
    address = f"/events/{event_id}/plan?new=1&goal=spread"
    assert (f'href="{address}#rounds">Plan again so that nobody meets again and again<' in page) == is_offered
    form = web.get(address).text
    assert re.search(r'<input[^>]*name="goal"[^>]*value="spread"[^>]* checked', form)
    assert re.search(r'<details class="disclose" id="rounds" open>', form)


def test_hosts_and_households_who_always_meet_are_no_reason_for_another_goal(sessions: Sessions, owner: Actor) -> None:
    names = ["Ann", "Bo", "Cy", "Di", "Ed", "Flo"]
    with transaction(sessions) as session:
        made = make_plan(session, owner, sizes=(3, 3), names=names, assignment=[0, 0, 0, 1, 1, 1])
        add_rounds(session, made, [(0, 0, 1, 0, 1, 1), (0, 0, 1, 1, 0, 1), (1, 1, 0, 0, 0, 1)])
        ctx = open_event(session, owner, made.event.id)

        def meets_too_often() -> bool:
            rounds = read_plan(ctx, made.plan.id).rounds
            return rounds is not None and rounds.meet_too_often

        session.flush()
        assert meets_too_often()  # Ann and Bo, in all four
        add_rule(ctx, RuleEntry("together", (made.guests[0].id, made.guests[1].id)))
        assert not meets_too_often()

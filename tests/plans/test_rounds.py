"""Several rounds: from a run to its plans, and what people do with them."""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from typing import Any
from uuid import UUID

import pytest
from fastapi.testclient import TestClient

from app.accounts.actor import Actor
from app.db import models
from app.db.session import Sessions, transaction
from app.events.context import open_event
from app.guests.edit import list_guests
from app.plans.moves.promises import broken_rules
from app.plans.read import read_plan
from app.web.bulk import MAX_FAULTS
from app.worker.execute import execute_run
from tests.run_helpers import stored_event, stored_run

MANY: dict[str, Any] = {"guests": 12, "sizes": (3, 3, 3, 3)}


def in_rounds(api: TestClient, sessions: Sessions, event_id: UUID, **options: Any) -> dict[str, Any]:
    """Plan rounds as a program does, and return the plan."""
    started = api.post(f"events/{event_id}/runs", json={"rounds": 3, "restarts": 8, **options})
    assert started.status_code == 202, started.text
    assert execute_run(sessions, UUID(started.json()["id"])) == "done"
    run = api.get(f"events/{event_id}/runs/{started.json()['id']}").json()
    return show(api, event_id, run["plan_id"])


def show(api: TestClient, event_id: UUID, plan_id: str) -> dict[str, Any]:
    plan: dict[str, Any] = api.get(f"events/{event_id}/plans/{plan_id}").json()
    return plan


def all_rounds(api: TestClient, event_id: UUID, plan: dict[str, Any]) -> list[dict[str, Any]]:
    return [show(api, event_id, one["plan_id"]) for one in plan["rounds"]]


def pairs_in(*plans: dict[str, Any]) -> Counter[tuple[str, ...]]:
    tables = [[guest["name"] for guest in table["guests"]] for plan in plans for table in plan["tables"]]
    return Counter(pair for table in tables for pair in combinations(sorted(table), 2))


def test_program_gets_each_round_as_a_plan_and_who_meets_whom(
    api: TestClient, sessions: Sessions, owner: Actor
) -> None:
    event_id = stored_event(sessions, owner, **MANY)
    plan = in_rounds(api, sessions, event_id)
    rounds = all_rounds(api, event_id, plan)
    assert [one["round"] for one in rounds] == [1, 2, 3]
    assert [one["alternative_of"] for one in rounds] == [None, plan["id"], plan["id"]]
    assert all(sum(len(table["guests"]) for table in one["tables"]) == 12 for one in rounds)
    assert all(one["in_use"] and one["alternatives"] == [] for one in rounds)
    met = pairs_in(*rounds)
    assert (max(met.values()), len(met)) == (1, 36)
    assert plan["meetings"] == {
        "sentence": "Everyone meets 6 different people in 3 rounds; no pair meets twice.",
        "fewest": 6,
        "most": 6,
        "new": 36,
        "met_before": 0,
        "earlier": 0,
        "again": 0,
        "pairs": 66,
        "share": 0.545455,
    }
    listed = api.get(f"events/{event_id}/plans").json()["plans"]
    assert [(one["id"], one["round"]) for one in listed] == [(plan["id"], 1)]
    progress = api.get(f"events/{event_id}/runs/{plan['run_id']}").json()["progress"]
    assert (progress["best"], progress["history"][-1][1]) == (36, 36)  # pairs that meet


@pytest.mark.parametrize(
    ("goal", "new", "often"),
    [("new", 164, "8 pairs meet in all 3 rounds"), ("spread", 156, "24 pairs meet twice")],
)
def test_goal_says_whether_the_same_pairs_may_always_meet(
    api: TestClient, sessions: Sessions, owner: Actor, goal: str, new: int, often: str
) -> None:
    event_id = stored_event(sessions, owner, guests=24, sizes=(6, 6, 6, 6))
    plan = in_rounds(api, sessions, event_id, rounds=3, goal=goal)
    assert plan["meetings"]["new"] == new
    assert f"; {often}." in plan["meetings"]["sentence"]


def test_hosts_stay_and_those_who_met_meet_others(api: TestClient, sessions: Sessions, owner: Actor) -> None:
    event_id = stored_event(sessions, owner, **MANY)
    guests = [guest["id"] for guest in api.get(f"events/{event_id}/guests").json()["guests"]]
    first = in_rounds(api, sessions, event_id, rounds=2, hosts=guests[:2])
    at = [
        {guest["id"]: table["id"] for table in one["tables"] for guest in table["guests"]}
        for one in all_rounds(api, event_id, first)
    ]
    assert [(at[0][host], at[0][host] != at[0][guests[0]]) for host in guests[:2]] == [
        (at[1][guests[0]], False),
        (at[1][guests[1]], True),
    ]
    met = pairs_in(*all_rounds(api, event_id, first))
    second = in_rounds(api, sessions, event_id, rounds=2, met_at=str(event_id))
    again = [pair for pair in pairs_in(*all_rounds(api, event_id, second)) if pair in met]
    assert second["meetings"]["met_before"] == len(again)
    assert second["meetings"]["earlier"] == len(met) == 24
    who = f"; {len(again) or 'none'} of the 24 pairs who sat together before meet"
    assert who in second["meetings"]["sentence"]


def test_guests_who_sat_together_elsewhere_meet_others(api: TestClient, sessions: Sessions, owner: Actor) -> None:
    event_id = stored_event(sessions, owner, guests=9, sizes=(3, 3, 3))
    guests = [guest["id"] for guest in api.get(f"events/{event_id}/guests").json()["guests"]]
    before = [guests[:3], guests[3:6], guests[6:], guests[:2]]
    plan = in_rounds(api, sessions, event_id, rounds=3, met_tables=before)
    assert plan["meetings"]["met_before"] == 0  # nine people in threes can sit apart from all earlier ones
    assert (plan["meetings"]["new"], plan["meetings"]["earlier"]) == (27, 9)
    assert plan["meetings"]["sentence"].endswith("; none of the 9 pairs who sat together before meets again.")
    run = api.get(f"events/{event_id}/runs/{plan['run_id']}").json()
    assert run.pop("met_tables") == before
    assert api.get(f"events/{event_id}/runs").json()["runs"] == [run]  # a list of runs leaves them out


def test_households_stay_together_unless_they_may_be_separated(
    api: TestClient, sessions: Sessions, owner: Actor
) -> None:
    event_id = stored_event(sessions, owner, **MANY)
    with transaction(sessions) as session:
        guests = list_guests(open_event(session, owner, event_id))
        party = models.Party(event_id=event_id, name="Family", name_key="family")
        session.add(party)
        session.flush()
        for guest in guests[:2]:
            session.get_one(models.Guest, guest.id).party_id = party.id
    family = ("Guest 0", "Guest 1")
    assert pairs_in(*all_rounds(api, event_id, in_rounds(api, sessions, event_id)))[family] == 3
    split = in_rounds(api, sessions, event_id, split_households=True)
    rounds = all_rounds(api, event_id, split)
    assert pairs_in(*rounds)[family] == 0
    assert [one["exceptions"] for one in rounds] == [[], [], []]
    assert split["meetings"]["pairs"] == 65
    with transaction(sessions, read_only=True) as session:
        ctx = open_event(session, owner, event_id)
        assert not broken_rules(session, read_plan(ctx, UUID(split["id"])).plan)


def test_rounds_are_used_copied_renamed_and_deleted_together(api: TestClient, sessions: Sessions, owner: Actor) -> None:
    event_id = stored_event(sessions, owner, **MANY)
    plan = in_rounds(api, sessions, event_id)
    third = plan["rounds"][2]["plan_id"]
    plans = f"events/{event_id}/plans"
    copy = show(api, event_id, api.post(f"{plans}/{third}/duplicate").json()["id"])
    assert [one["number"] for one in copy["rounds"]] == [1, 2, 3]
    assert pairs_in(*all_rounds(api, event_id, copy)) == pairs_in(*all_rounds(api, event_id, plan))
    assert api.post(f"{plans}/{copy['rounds'][1]['plan_id']}/use").status_code == 200
    assert api.get(plans).json()["current"] == copy["id"]
    renamed = api.patch(f"{plans}/{third}", json={"name": "Day one"}, headers={"If-Match": "*"})
    assert renamed.json()["title"] == "Day one, round 3"
    assert show(api, event_id, plan["id"])["title"] == "Day one"
    assert api.delete(f"{plans}/{third}", headers={"If-Match": "*"}).status_code == 204
    assert [one["id"] for one in api.get(plans).json()["plans"]] == [copy["id"]]
    assert api.post(f"{plans}/{plan['id']}/restore").status_code == 200
    assert len(show(api, event_id, third)["rounds"]) == 3


def test_move_by_hand_changes_one_round_and_the_sentence(api: TestClient, sessions: Sessions, owner: Actor) -> None:
    event_id = stored_event(sessions, owner, **MANY)
    plan = in_rounds(api, sessions, event_id)
    one, other = all_rounds(api, event_id, plan)[1]["tables"][:2]
    move = {"kind": "swap", "guest": one["guests"][0]["id"], "other": other["guests"][0]["id"]}
    second = plan["rounds"][1]["plan_id"]
    moved = api.post(f"events/{event_id}/plans/{second}/moves", json=move, headers={"If-Match": "*"})
    assert moved.status_code == 200, moved.text
    now = show(api, event_id, plan["id"])
    assert pairs_in(now) == pairs_in(plan)
    met = pairs_in(*all_rounds(api, event_id, now))
    assert now["meetings"]["again"] == sum(times > 1 for times in met.values())
    assert now["meetings"]["new"] == len(met)


def test_seats_of_a_round_say_how_many_pairs_would_meet(api: TestClient, sessions: Sessions, owner: Actor) -> None:
    event_id = stored_event(sessions, owner, guests=12, sizes=(4, 4, 4))
    plan = in_rounds(api, sessions, event_id, rounds=2)
    second, before = plan["rounds"][1]["plan_id"], len(pairs_in(*all_rounds(api, event_id, plan)))
    address = f"events/{event_id}/plans/{second}"
    guest = show(api, event_id, second)["tables"][0]["guests"][0]["id"]
    swaps = [one for one in api.get(f"{address}/effects", params={"guest": guest}).json()["seats"] if one["other"]]
    assert {one["tone"] for one in swaps} <= {"same", "worse"}  # two rounds of three tables cannot be better
    for one in swaps[:5]:
        move = {"kind": "swap", "guest": guest, "other": one["other"]}
        dry = api.post(f"{address}/moves", json=move | {"dry_run": True}, headers={"If-Match": "*"}).json()
        moved = api.post(f"{address}/moves", json=move, headers={"If-Match": "*"})
        assert moved.status_code == 200, moved.text
        after = len(pairs_in(*all_rounds(api, event_id, plan)))
        assert one["gain"] == dry["gain"] == after - before
        words = {0: "as many pairs meet", -1: "1 fewer pair meets"}.get(after - before)
        assert (words or f"{before - after} fewer pairs meet") in one["text"]
        assert "nobody they like" not in one["text"]
        api.post(f"{address}/moves", json={"kind": "undo"}, headers={"If-Match": "*"})


def tables_used(plan: dict[str, Any]) -> dict[str, int]:
    return {table["name"]: len(table["guests"]) for table in plan["tables"] if table["guests"]}


def test_each_round_uses_the_tables_that_are_named_for_it(api: TestClient, sessions: Sessions, owner: Actor) -> None:
    event_id = stored_event(sessions, owner, guests=12, sizes=(3, 3, 3, 3, 6, 6))
    tables = {table["name"]: table["id"] for table in api.get(f"events/{event_id}/tables").json()["tables"]}
    names = list(tables)
    small, large = [tables[name] for name in names[:4]], [tables[name] for name in names[4:]]
    plan = in_rounds(api, sessions, event_id, round_tables=[small, large, []], rounds=3, hosts=[])
    first, second, third = all_rounds(api, event_id, plan)
    assert tables_used(first) == dict.fromkeys(names[:4], 3)
    assert tables_used(second) == dict.fromkeys(names[4:], 6)
    assert sum(tables_used(third).values()) == 12
    assert {table["name"] for table in second["tables"] if table["locked"]} == set(names[:4])
    assert not any(table["locked"] for table in third["tables"])
    again = in_rounds(api, sessions, event_id)  # tables that an earlier run left out are there again
    assert not any(table["locked"] for one in all_rounds(api, event_id, again) for table in one["tables"])


@pytest.mark.parametrize(
    ("used", "where", "message"),
    [
        ([[0, 1, 2, 3]], "", "List the tables of each of the 2 rounds, or leave them out to use all tables."),
        ([[], [0, 1, 2]], "/1", "Round 2: 9 seats for 12 guests: 3 more seats needed. Add tables or seats."),
        ([[], [0, 9]], "/1", "Round 2 names a table that isn't in this event."),
    ],
)
def test_rounds_without_room_are_refused_by_their_number(
    api: TestClient, sessions: Sessions, owner: Actor, used: list[list[int]], where: str, message: str
) -> None:
    event_id = stored_event(sessions, owner, **MANY)
    ids = [table["id"] for table in api.get(f"events/{event_id}/tables").json()["tables"]]
    asked = [[ids[place] if place < len(ids) else str(event_id) for place in one] for one in used]
    refused = api.post(f"events/{event_id}/runs", json={"rounds": 2, "round_tables": asked})
    assert refused.status_code == 422
    assert refused.json()["errors"] == [{"pointer": f"#/round_tables{where}", "detail": message}]


def test_rule_about_a_table_that_a_round_leaves_out_is_refused(
    api: TestClient, sessions: Sessions, owner: Actor
) -> None:
    event_id = stored_event(sessions, owner, guests=12, sizes=(4, 4, 4, 4))
    tables = api.get(f"events/{event_id}/tables").json()["tables"]
    guest = api.get(f"events/{event_id}/guests").json()["guests"][0]["id"]
    rule = {"kind": "pinned", "guests": [guest], "tables": [tables[0]["id"]]}
    assert api.post(f"events/{event_id}/rules", json=rule).status_code == 201
    used = [[], [table["id"] for table in tables[1:]]]
    refused = api.post(f"events/{event_id}/runs", json={"rounds": 2, "round_tables": used})
    text = f"Round 2: a rule seats guests at {tables[0]['name']}. Use this table, or remove the rule."
    assert (refused.status_code, refused.json()["errors"][0]["detail"]) == (422, text)


def test_lock_by_hand_concerns_the_round_in_which_it_was_set(api: TestClient, sessions: Sessions, owner: Actor) -> None:
    event_id = stored_event(sessions, owner, **MANY)
    plan = in_rounds(api, sessions, event_id, rounds=4)
    second = all_rounds(api, event_id, plan)[1]
    table = second["tables"][0]
    guest = table["guests"][0]["id"]
    locked = api.post(
        f"events/{event_id}/plans/{second['id']}/moves",
        json={"kind": "lock", "guest": guest},
        headers={"If-Match": "*"},
    )
    assert locked.status_code == 200, locked.text
    rounds = all_rounds(api, event_id, in_rounds(api, sessions, event_id, rounds=4, seed=7))
    tables = [one for r in rounds for one in r["tables"]]
    at = [(one["id"], who["locked"]) for one in tables for who in one["guests"] if who["id"] == guest]
    assert at[1] == (table["id"], True)
    assert [is_locked for _, is_locked in at] == [False, True, False, False]
    assert len({key for key, _ in at}) > 2


def test_lock_in_a_plan_without_rounds_concerns_the_first(api: TestClient, sessions: Sessions, owner: Actor) -> None:
    event_id = stored_event(sessions, owner, **MANY)
    plan = in_rounds(api, sessions, event_id, rounds=1)
    table, guest = plan["tables"][0]["id"], plan["tables"][0]["guests"][0]["id"]
    lock = {"kind": "lock", "guest": guest}
    locked = api.post(f"events/{event_id}/plans/{plan['id']}/moves", json=lock, headers={"If-Match": "*"})
    assert locked.status_code == 200, locked.text
    rounds = all_rounds(api, event_id, in_rounds(api, sessions, event_id, rounds=4))
    at = [one["id"] for r in rounds for one in r["tables"] for who in one["guests"] if who["id"] == guest]
    assert at[0] == table
    assert len(set(at)) > 2


@pytest.mark.parametrize(
    ("asked", "pointer", "detail"),
    [
        ({"rounds": 61}, "rounds", "The number of rounds must be from 1 to 60."),
        ({"rounds": 0}, "rounds", "The number of rounds must be from 1 to 60."),
        ({"rounds": 2, "method": "paper"}, "method", "Several rounds don't support the paper method. Leave it out."),
        ({"rounds": 2, "shards": 2}, "shards", "Several rounds don't support shards. Leave it out."),
        (
            {"goal": "wanted"},
            "rounds",
            "Hosts, earlier meetings, tables of rounds and the goal are for several rounds. Choose 2 or more.",
        ),
        (
            {"rounds": 2, "hosts": ["0190a000-0000-7000-8000-000000000000"]},
            "hosts",
            "A host isn't a guest who is to be seated. Choose the hosts again.",
        ),
        (
            {
                "rounds": 2,
                "met_tables": [["0190a000-0000-7000-8000-000000000000", "0190a000-0000-7000-8000-000000000001"]],
            },
            "met_tables/0",
            "Somebody who met before isn't a guest who is to be seated. Leave them out.",
        ),
        (
            {
                "rounds": 2,
                "met_tables": [
                    ["0190a000-0000-7000-8000-000000000000", "0190a000-0000-7000-8000-000000000001"],
                    ["0190a000-0000-7000-8000-000000000000"] * 2,
                ],
            },
            "met_tables/1",
            "Guests who met before: at least two are needed for each table.",
        ),
        (
            {"met_tables": [["0190a000-0000-7000-8000-000000000000"] * 2]},
            "rounds",
            "Hosts, earlier meetings, tables of rounds and the goal are for several rounds. Choose 2 or more.",
        ),
        (
            {"rounds": 2, "met_at": "0190a000-0000-7000-8000-000000000000"},
            "met_at",
            "You have no access to the earlier event, or it was deleted.",
        ),
    ],
)
def test_what_rounds_do_not_support_is_refused(
    api: TestClient, sessions: Sessions, owner: Actor, asked: dict[str, Any], pointer: str, detail: str
) -> None:
    refused = api.post(f"events/{stored_event(sessions, owner)}/runs", json=asked)
    assert refused.status_code == 422
    assert {"pointer": f"#/{pointer}", "detail": detail} in refused.json()["errors"]


@pytest.mark.parametrize("guests", [0, 2])
def test_answer_about_many_wrong_tables_is_short(
    api: TestClient, sessions: Sessions, owner: Actor, guests: int
) -> None:
    table = [f"0190a000-0000-7000-8000-00000000000{number}" for number in range(guests)]
    asked = {"rounds": 2, "met_tables": [table] * 2000}
    refused = api.post(f"events/{stored_event(sessions, owner)}/runs", json=asked)
    assert [one["pointer"] for one in refused.json()["errors"]] == [f"#/met_tables/{n}" for n in range(MAX_FAULTS)]


def test_somebody_elses_event_is_no_earlier_event(
    api: TestClient, sessions: Sessions, owner: Actor, stranger: Actor
) -> None:
    theirs = stored_event(sessions, stranger)
    execute_run(sessions, stored_run(sessions, stranger, theirs, restarts=1))
    refused = api.post(f"events/{stored_event(sessions, owner)}/runs", json={"rounds": 2, "met_at": str(theirs)})
    assert refused.json()["errors"][0]["detail"] == "You have no access to the earlier event, or it was deleted."


def test_rule_about_a_table_does_not_count_in_rounds_that_leave_it_out(
    api: TestClient, sessions: Sessions, owner: Actor
) -> None:
    event_id = stored_event(sessions, owner, guests=8, sizes=(4, 4, 4))
    guests, tables = (
        [one["id"] for one in api.get(f"events/{event_id}/{what}").json()[what]] for what in ("guests", "tables")
    )
    group = api.post(f"events/{event_id}/groups", json={"name": "Hosts", "guests": guests[:4]}).json()["id"]
    values = [{"field": "group", "value": group}]
    rule = {"kind": "at_least", "values": values, "limit": 2, "tables": tables[:1]}
    assert api.post(f"events/{event_id}/rules", json=rule).status_code == 201
    plan = in_rounds(api, sessions, event_id, rounds=2, round_tables=[tables[:2], tables[1:]])
    first, second = all_rounds(api, event_id, plan)
    assert len({guest["id"] for guest in first["tables"][0]["guests"]}.intersection(guests[:4])) >= 2
    assert (second["tables"][0]["guests"], first["exceptions"], second["exceptions"]) == ([], [], [])


def add_guest(api: TestClient, event_id: UUID, name: str) -> str:
    made = api.post(f"events/{event_id}/guests", json={"name": name})
    assert made.status_code == 201, made.text
    return str(made.json()["id"])


def rounds_with(api: TestClient, event_id: UUID, plan: dict[str, Any], guest: str) -> list[int]:
    return [one["round"] for one in all_rounds(api, event_id, plan) if guest not in [g["id"] for g in one["tray"]]]


def make_move(api: TestClient, event_id: UUID, plan_id: str, **move: Any) -> dict[str, Any]:
    answer = api.post(f"events/{event_id}/plans/{plan_id}/moves", json=move, headers={"If-Match": "*"})
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


def test_seating_the_unseated_seats_them_in_all_rounds_and_one_undo_takes_it_back(
    api: TestClient, sessions: Sessions, owner: Actor
) -> None:
    event_id = stored_event(sessions, owner, guests=12, sizes=(5, 5, 5))
    plan = in_rounds(api, sessions, event_id, rounds=4)
    met = set(pairs_in(*all_rounds(api, event_id, plan)))
    late = add_guest(api, event_id, "Late Larry")
    assert rounds_with(api, event_id, plan, late) == []
    second = plan["rounds"][1]["plan_id"]
    make_move(api, event_id, second, kind="seat_unseated")
    assert rounds_with(api, event_id, plan, late) == [1, 2, 3, 4]
    after = set(pairs_in(*all_rounds(api, event_id, plan)))
    assert met < after
    assert len(after - met) >= 8  # seated where they meet the most people, not at one table throughout
    last = plan["rounds"][3]["plan_id"]
    make_move(api, event_id, last, kind="undo")
    assert rounds_with(api, event_id, plan, late) == []
    make_move(api, event_id, plan["id"], kind="redo")
    assert rounds_with(api, event_id, plan, late) == [1, 2, 3, 4]


def test_undo_leaves_a_round_in_which_somebody_was_moved_since(
    api: TestClient, sessions: Sessions, owner: Actor
) -> None:
    event_id = stored_event(sessions, owner, guests=12, sizes=(5, 5, 5))
    plan = in_rounds(api, sessions, event_id, rounds=3)
    late = add_guest(api, event_id, "Late Larry")
    make_move(api, event_id, plan["id"], kind="seat_unseated")
    make_move(api, event_id, plan["rounds"][1]["plan_id"], kind="lock", guest=late)
    make_move(api, event_id, plan["id"], kind="undo")
    assert rounds_with(api, event_id, plan, late) == [2]
    make_move(api, event_id, plan["rounds"][1]["plan_id"], kind="seat_unseated")  # those who lack a seat elsewhere
    assert rounds_with(api, event_id, plan, late) == [1, 2, 3]


def test_seats_for_a_newcomer_say_how_many_pairs_would_meet(api: TestClient, sessions: Sessions, owner: Actor) -> None:
    event_id = stored_event(sessions, owner, guests=12, sizes=(5, 5, 5))
    plan = in_rounds(api, sessions, event_id, rounds=2)
    late = add_guest(api, event_id, "Late Larry")
    effects = api.get(f"events/{event_id}/plans/{plan['id']}/effects", params={"guest": late}).json()
    assert [one["text"] for one in effects["best"]] == [
        f"Seat 5 at Table {number}: 4 more pairs meet" for number in (1, 2, 3)
    ]

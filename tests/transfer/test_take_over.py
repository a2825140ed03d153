"""Guests, groups and ratings from another event: what comes, what stays as it was, who may, and the way back."""

from __future__ import annotations

from typing import Any
from uuid import UUID

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import select

from app.accounts.actor import Actor
from app.accounts.api_keys import create_api_key
from app.db import models
from app.db.models import AuditEntry, Event
from app.db.session import Sessions, transaction
from tests.conftest import signed_in_client
from tests.factories import make_member
from tests.pages import actions_of, fields_of, words_of

Guest = dict[str, Any]


def make(api: TestClient, name: str, guests: list[Guest], fields: list[dict[str, Any]] | None = None) -> str:
    event = f"events/{api.post('events', json={'name': name}).json()['id']}"
    for field in fields or ():
        assert api.post(f"{event}/fields", json=field).is_success
    answer = api.put(f"{event}/guests", json={"guests": guests})
    assert answer.is_success, answer.text
    return event


def ids(api: TestClient, event: str) -> dict[str, str]:
    return {guest["name"]: guest["id"] for guest in api.get(f"{event}/guests").json()["guests"]}


def rate(api: TestClient, event: str, pairs: dict[tuple[str, str], float]) -> None:
    known = ids(api, event)
    ratings = [{"a": known[a], "b": known[b], "score": score} for (a, b), score in pairs.items()]
    assert api.patch(f"{event}/ratings", json={"ratings": ratings}).is_success


def ratings(api: TestClient, event: str) -> dict[frozenset[str], float]:
    names = {key: name for name, key in ids(api, event).items()}
    found = api.get(f"{event}/ratings").json()["ratings"]
    return {frozenset((names[one["a"]], names[one["b"]])): one["score"] for one in found}


def content(api: TestClient, event: str) -> dict[str, Any]:
    found: dict[str, Any] = api.get(f"{event}/event.json").json()
    return found


def take(api: TestClient, source: str, target: str, query: str = "", **wanted: Any) -> dict[str, Any]:
    body = {"source": source.removeprefix("events/"), **wanted}
    answer = api.post(f"{target}/take-over{query}", json=body)
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


@pytest.fixture
def wedding(api: TestClient) -> str:
    fields: list[dict[str, Any]] = [
        {"kind": "side", "options": [{"name": "Bride", "colour": "pink"}, {"name": "Groom"}]},
        {"kind": "course", "name": "Main", "options": [{"name": "Fish"}, {"name": "Tofu"}]},
        {"kind": "text", "name": "Hotel"},
    ]
    guests: list[Guest] = [
        {
            "name": "Aino Mäkelä",
            "party": "Mäkelä",
            "groups": ["Family"],
            "side": "Bride",
            "diet": "vegan",
            "reply": "yes",
        },
        {"name": "Bo Mäkelä", "party": "Mäkelä", "groups": ["Family"], "side": "Bride", "reply": "no"},
        {"name": "Cleo Park", "groups": ["Work"], "side": "Groom", "meals": {"Main": "Tofu"}, "reply": "yes"},
        {"name": "James Smith", "party": "Smith", "groups": ["Work"], "email": "js@example.com", "reply": "maybe"},
        {"name": "Dan Ruiz", "groups": ["Work", "Choir"], "fields": {"Hotel": "Astoria 12"}, "reply": "yes"},
    ]
    event = make(api, "Wedding", guests, fields)
    rate(api, event, {("Aino Mäkelä", "Cleo Park"): -2, ("Cleo Park", "Dan Ruiz"): 2, ("Aino Mäkelä", "Dan Ruiz"): 1})
    groups = {group["name"]: group["id"] for group in api.get(f"{event}/groups").json()["groups"]}
    cells = [{"a": groups["Family"], "b": groups["Work"], "score": 1.0}]
    assert api.put(f"{event}/groups/ratings", json={"ratings": cells}).is_success
    return event


@pytest.fixture
def brunch(api: TestClient) -> str:
    guests: list[Guest] = [
        {"name": "Makela Aino", "note": "brings cake", "diet": ""},
        {"name": "Cleo Park", "diet": "vegetarian", "groups": ["Neighbours"]},
        {"name": "James Smith", "party": "Lopez"},
    ]
    event = make(api, "Brunch", guests)
    rate(api, event, {("Makela Aino", "Cleo Park"): 1})
    return event


def test_everything_comes_along_and_nothing_here_is_overwritten(api: TestClient, wedding: str, brunch: str) -> None:
    before, there = content(api, brunch), content(api, wedding)
    tried = take(api, wedding, brunch, "?dry_run=true")
    assert (tried["id"], tried["done"], content(api, brunch)) == (None, False, before)
    done = take(api, wedding, brunch)
    figures = {key: done[key] for key in ("added", "changed", "kept", "skipped")}
    assert figures == {"added": 3, "changed": 0, "kept": 2, "skipped": 0} == {key: tried[key] for key in figures}
    assert (done["new_ratings"], done["differing_ratings"], done["new_group_ratings"]) == (2, 1, 1)
    after = content(api, brunch)
    assert [guest["name"] for guest in after["guests"]] == [
        *("Makela Aino", "Cleo Park", "James Smith", "Bo Mäkelä", "James Smith (Work)", "Dan Ruiz")
    ]
    assert [{**guest, "id": ""} for guest in after["guests"][:3]] == [{**one, "id": ""} for one in before["guests"]]
    bo, james, dan = after["guests"][3:]
    assert (bo["household"], bo["side"], bo["groups"]) == ("Mäkelä", "Bride", ["Family"])
    assert (james["email"], james["public_name"], dan["fields"]) == (
        "js@example.com",
        "James Smith",
        {"Hotel": "Astoria 12"},
    )
    assert {guest["reply"] for guest in after["guests"][3:]} == {"invited"}
    found = ratings(api, brunch)
    assert found[frozenset(("Makela Aino", "Cleo Park"))] == 1
    assert (found[frozenset(("Cleo Park", "Dan Ruiz"))], found[frozenset(("Makela Aino", "Dan Ruiz"))]) == (2, 1)
    assert content(api, wedding) == there


def test_undo_brings_everything_back(api: TestClient, wedding: str, brunch: str) -> None:
    before = content(api, brunch)
    done = take(api, wedding, brunch, already_here="replace", rated="replace", same_name="same", keep_replies=True)
    assert content(api, brunch) != before
    other = f"{brunch}/guests/import/{done['id']}/undo"
    assert api.post(other).status_code == 409, "the undo of imports would leave the ratings behind"
    for _ in range(2):
        assert api.post(f"{brunch}/take-over/{done['id']}/undo").status_code == 204
    assert content(api, brunch) == before


def test_undo_keeps_what_was_changed_since(api: TestClient, wedding: str, brunch: str) -> None:
    done = take(api, wedding, brunch, parts=["ratings"], rated="replace")
    rate(api, brunch, {("Makela Aino", "Cleo Park"): 0})
    assert api.post(f"{brunch}/take-over/{done['id']}/undo").status_code == 204
    assert ratings(api, brunch)[frozenset(("Makela Aino", "Cleo Park"))] == 0
    taken = take(api, wedding, brunch)
    guest = ids(api, brunch)["Dan Ruiz"]
    changed = api.patch(f"{brunch}/guests/{guest}", json={"diet": "halal"}, headers={"If-Match": "*"})
    assert changed.is_success
    refused = api.post(f"{brunch}/take-over/{taken['id']}/undo")
    assert (refused.status_code, "Dan Ruiz changed" in refused.text) == (409, True)


@pytest.mark.parametrize(
    ("already_here", "diets", "changed"),
    [("keep", ["", "vegetarian"], 0), ("fill", ["vegan", "vegetarian"], 2), ("replace", ["vegan", "vegetarian"], 2)],
)
def test_guests_who_are_here_change_only_as_asked(
    api: TestClient, wedding: str, brunch: str, already_here: str, diets: list[str], changed: int
) -> None:
    done = take(api, wedding, brunch, already_here=already_here)
    guests = api.get(f"{brunch}/guests").json()["guests"]
    assert (done["changed"], [guest["diet"] for guest in guests[:2]]) == (changed, diets)
    assert guests[0]["note"] == "brings cake"
    assert guests[1]["groups"] == (["Neighbours", "Work"] if changed else ["Neighbours"])
    assert guests[1]["meals"] == ({"Main": "Tofu"} if changed else {})


def test_what_differs_is_shown_side_by_side_and_replaced_if_asked(api: TestClient, wedding: str, brunch: str) -> None:
    known = ids(api, wedding)["Cleo Park"]
    assert api.patch(f"{wedding}/guests/{known}", json={"diet": "kosher"}, headers={"If-Match": "*"}).is_success
    tried = take(api, wedding, brunch, "?dry_run=true", already_here="replace")
    cleo = next(one for one in tried["guests"] if one["name"] == "Cleo Park")
    diet = {"field": "Diet", "here": "vegetarian", "there": "kosher", "taken": True}
    assert (cleo["what"], diet in cleo["differs"]) == ("change", True)
    take(api, wedding, brunch, already_here="replace", rated="replace")
    assert api.get(f"{brunch}/guests").json()["guests"][1]["diet"] == "kosher"
    assert ratings(api, brunch)[frozenset(("Makela Aino", "Cleo Park"))] == -2


def test_guests_are_chosen_by_what_they_share(api: TestClient, wedding: str, brunch: str) -> None:
    groups = {group["name"]: group["id"] for group in api.get(f"{wedding}/groups").json()["groups"]}
    sides = api.get(f"{wedding}/fields").json()["fields"][0]["options"]

    def chosen(*values: tuple[str, str], **more: Any) -> list[str]:
        wanted = [{"field": field, "value": value} for field, value in values]
        tried = take(api, wedding, brunch, "?dry_run=true", values=wanted, **more)
        return [one["name"] for one in tried["guests"] if one["what"] != "skip"]

    assert chosen(("group", groups["Family"])) == ["Aino Mäkelä", "Bo Mäkelä"]
    assert chosen(("group", groups["Family"]), ("reply", "yes")) == ["Aino Mäkelä"]
    assert chosen(("group", groups["Family"]), ("group", groups["Choir"])) == ["Aino Mäkelä", "Bo Mäkelä", "Dan Ruiz"]
    assert chosen(("side", sides[1]["id"])) == ["Cleo Park"]
    assert chosen(leave_out=[ids(api, wedding)["Dan Ruiz"]]) == ["Aino Mäkelä", "Bo Mäkelä", "Cleo Park", "James Smith"]
    strange = {"source": wedding.removeprefix("events/"), "values": [{"field": "group", "value": "nobody"}]}
    refused = api.post(f"{brunch}/take-over", json=strange)
    assert (refused.status_code, "Expected the id of a group." in refused.text) == (422, True)


def test_only_the_parts_asked_for_come(api: TestClient, wedding: str) -> None:
    empty = make(api, "Dinner", [])
    take(api, wedding, empty, parts=["guests"])
    after = content(api, empty)
    assert (after["groups"], after["fields"], after["ratings"], after["group_ratings"]) == ([], [], [], [])
    assert not any({"household", "groups", "diet", "email", "side", "fields"} & set(guest) for guest in after["guests"])
    again = api.post(f"{empty}/take-over", json={"source": wedding.removeprefix("events/"), "parts": ["guests"]})
    assert (again.status_code, "Nothing would change" in again.text) == (422, True)
    take(api, wedding, empty, parts=["ratings"])
    assert len(ratings(api, empty)) == 3


def test_a_matrix_comes_whole_into_an_event_without_one_and_by_pairs_into_one_with(api: TestClient) -> None:
    names = ["Ana", "Ben", "Cid"]
    source = make(api, "Gala", [{"name": name} for name in names])
    known = ids(api, source)
    matrix = [[None, 5.0, 1.0], [5.0, None, None], [1.0, None, None]]
    put = {"guests": [known[name] for name in names], "matrix": matrix, "kind": "distance"}
    assert api.put(f"{source}/ratings/matrix", json=put).is_success
    target = make(api, "Next gala", [{"name": "Cid"}, {"name": "Ana"}])
    before = content(api, target)
    done = take(api, source, target)
    after = content(api, target)
    assert (after["event"]["kind"], done["new_ratings"], len(after["matrix"]["guests"])) == ("distance", 2, 3)
    assert api.post(f"{target}/take-over/{done['id']}/undo").status_code == 204
    assert content(api, target) == before
    take(api, source, target)
    third = make(api, "Third gala", [{"name": "Ben"}, {"name": "Cid"}])
    own = ids(api, third)
    small = {"guests": [own["Ben"], own["Cid"]], "matrix": [[None, 7.0], [7.0, None]], "kind": "distance"}
    assert api.put(f"{third}/ratings/matrix", json=small).is_success
    merged = take(api, source, third)
    assert (merged["new_ratings"], ratings(api, third)) == (
        2,
        {frozenset(("Ana", "Ben")): 5.0, frozenset(("Ana", "Cid")): 1.0},
    )


def test_ratings_of_another_kind_stay_behind_and_say_so(api: TestClient, wedding: str) -> None:
    names = ["Cleo Park", "Dan Ruiz"]
    target = make(api, "Dinner", [{"name": name} for name in names])
    known = ids(api, target)
    put = {"guests": [known[name] for name in names], "matrix": [[None, 7.0], [7.0, None]], "kind": "distance"}
    assert api.put(f"{target}/ratings/matrix", json=put).is_success
    done = take(api, wedding, target)
    assert (done["new_ratings"], len(done["problems"])) == (0, 1)
    assert "distances" in done["problems"][0]


def test_values_that_do_not_fit_are_named(api: TestClient) -> None:
    full = [{"name": f"Side {number}"} for number in range(10)]
    source = make(
        api,
        "There",
        [{"name": "Ann", "side": "Left", "fields": {"Coach": "7:30"}}],
        [{"kind": "side", "options": [{"name": "Left"}]}, {"kind": "text", "name": "Coach"}],
    )
    choice = {"kind": "choice", "name": "Coach", "options": [{"name": "9:00"}]}
    target = make(api, "Here", [], [{"kind": "side", "options": full}, choice])
    done = take(api, source, target)
    assert [problem.partition(":")[0] for problem in done["problems"]] == ["“Side”", "“Coach”"]
    guest = api.get(f"{target}/guests").json()["guests"][0]
    assert (guest["name"], guest["side"], guest["fields"]) == ("Ann", None, {})


def test_only_editors_of_both_events_take_over_and_both_logs_say_so(
    client: TestClient, api: TestClient, wedding: str, brunch: str, sessions: Sessions, owner: Actor
) -> None:
    with transaction(sessions) as session:
        events = {event.name: event.id for event in session.scalars(select(Event))}
        helper = make_member(session, events["Brunch"], "editor")
    browser = signed_in_client(client, sessions, helper)
    body = {"source": str(events["Wedding"])}
    address = f"/events/{events['Brunch']}/take-over"
    page = browser.get(address)
    assert "Wedding" not in words_of(page.text)
    for answer in (
        browser.get(address, params={"from": body["source"]}),
        browser.get(f"{address}/preview", params={"from": body["source"]}),
        browser.post(address, data={"from": body["source"], "part": ["guests"]}),
    ):
        assert (answer.status_code, "Aino" in answer.text) == (404, False)
    assert api.post(f"{brunch}/take-over", json={"source": brunch.removeprefix("events/")}).status_code == 422
    take(api, wedding, brunch)
    with transaction(sessions) as session:
        actions = {
            name: session.scalars(select(AuditEntry.action).where(AuditEntry.event_id == key)).all()
            for name, key in events.items()
        }
    assert actions["Brunch"].count("guests-taken-over") == actions["Wedding"].count("guests-copied") == 1


def test_key_for_one_event_reaches_no_other(
    client: TestClient, wedding: str, brunch: str, sessions: Sessions, owner: Actor
) -> None:
    with transaction(sessions) as session:
        own = session.scalars(select(Event.id).where(Event.name == "Brunch")).one()
        key = create_api_key(session, owner, "brunch", event_id=own)
    headers = {"Authorization": f"Bearer {key}"}
    body = {"source": wedding.removeprefix("events/")}
    refused = client.post(f"/api/v1/{brunch}/take-over", json=body, headers=headers)
    assert (refused.status_code, "one event" in refused.text) == (403, True)


def test_pages_lead_from_the_choice_to_the_undo(
    client: TestClient, api: TestClient, wedding: str, brunch: str, sessions: Sessions, owner: Actor
) -> None:
    source = wedding.removeprefix("events/")
    browser = signed_in_client(client, sessions, owner)
    assert "Wedding" in words_of(browser.get(f"/{brunch}/take-over").text)
    choice = browser.get(f"/{brunch}/take-over", params={"from": source})
    assert "Only some by group" in words_of(choice.text)
    assert "Everyone who has not declined (4)" in words_of(choice.text)
    assert "Everyone, with the 1 who declined (5)" in words_of(choice.text)
    assert fields_of(choice.text)["reply"] == ["expected"]
    nothing = browser.get(f"/{brunch}/take-over/preview", params={"from": source, "part": ""})
    assert (nothing.status_code, "Choose what comes along" in nothing.text) == (422, True)
    parts = ["guests", "details", "groups", "fields", "ratings"]
    preview = browser.get(f"/{brunch}/take-over/preview", params={"from": source, "part": parts, "reply": "expected"})
    words = words_of(preview.text)
    assert "1 guest is not here yet" in words
    assert "2 guests are here already" in words
    sent = fields_of(preview.text)
    assert sent["take"] == sent["offered"]
    old = browser.post(f"/{brunch}/take-over", data={**sent, "seen": "1-1"})
    assert (old.status_code, "has changed since" in words_of(old.text)) == (200, True)
    done = browser.post(f"/{brunch}/take-over", data=sent)
    assert done.status_code == 303
    listed = browser.get(done.headers["location"])
    assert "2 guests added and 3 ratings taken over." in words_of(listed.text)
    undo = next(address for address in actions_of(listed.text) if address.endswith("/undo") and "take-over" in address)
    assert browser.post(undo, data={"form_token": sent["form_token"][0]}).status_code == 303
    assert "Dan Ruiz" not in ids(api, brunch)


def test_circles_stay_circles(api: TestClient, sessions: Sessions, wedding: str, brunch: str) -> None:
    groups = {group["name"]: UUID(group["id"]) for group in api.get(f"{wedding}/groups").json()["groups"]}
    with transaction(sessions) as session:
        session.get_one(models.Group, groups["Choir"]).circle_of = groups["Work"]
    take(api, wedding, brunch)
    circles = {group["name"]: group.get("circle_of") for group in content(api, brunch)["groups"]}
    assert circles == {"Neighbours": None, "Family": None, "Work": None, "Choir": "Work"}

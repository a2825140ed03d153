"""The pages of events, without JavaScript."""

from __future__ import annotations

import re

from fastapi.testclient import TestClient

from app.accounts.actor import Actor
from app.db.session import Sessions
from tests.conftest import signed_in_client
from tests.pages import actions_of, faults_of, fields_of, words_of
from tests.rating_helpers import give_role


def make_event(web: TestClient, name: str = "Party", on: str = "") -> str:
    """Return the address of a new event."""
    return str(web.post("/events", data={"name": name, "on": on}).headers["location"]).removesuffix("/guests")


def test_newcomer_is_told_what_it_is_and_starts_with_one_form(web: TestClient) -> None:
    page = web.get("/").text
    assert "Who sits next to whom?" in words_of(page)
    assert actions_of(page).count("/events") == 1


def test_event_is_made_and_leads_to_its_guests(web: TestClient) -> None:
    made = web.post("/events", data={"name": "Midsummer dinner", "on": "2027-06-19"})
    assert made.status_code == 303
    assert re.fullmatch(r"/events/[0-9a-f-]{36}/guests", made.headers["location"])
    assert "Midsummer dinner Saturday 19 June 2027 guests 0" in words_of(web.get("/").text)


def test_form_with_a_fault_keeps_what_was_entered(web: TestClient) -> None:
    nameless = web.post("/events", data={"name": " ", "on": "2027-06-19"})
    assert (nameless.status_code, faults_of(nameless.text)) == (422, ["The event name is empty."])
    assert fields_of(nameless.text)["on"] == ["2027-06-19"]
    dateless = web.post("/events", data={"name": "Gala", "on": "the 5th"})
    assert faults_of(dateless.text) == ["Enter the date as 2026-12-05."]
    assert (fields_of(dateless.text)["name"], fields_of(dateless.text)["on"]) == (["Gala"], ["the 5th"])


def test_card_counts_what_is_there_and_leads_to_the_next_step(web: TestClient) -> None:
    event = make_event(web)
    assert f'href="{event}/guests"' in web.get("/").text
    web.post(f"{event}/guests/paste", data={"lines": "Aino\nEero"})
    assert f'href="{event}/tables"' in web.get("/").text
    web.post(f"{event}/tables/sizes", data={"sizes": "2 3"})
    page = web.get("/").text
    assert "guests 2 tables 2 seats 5 plans 0 Convive is working out how settled your plan is" in words_of(page)
    assert "Create plan" in words_of(page)
    assert f'href="{event}/plan"' in page


def test_event_is_renamed_and_moved_to_another_day(web: TestClient) -> None:
    event = make_event(web, on="2027-06-19")
    form = fields_of(web.get(f"{event}/settings").text)
    assert (form["name"], form["on"]) == (["Party"], ["2027-06-19"])
    changed = web.post(f"{event}/settings", data={"name": "Gala", "on": "", "version": form["version"][0]})
    assert (changed.status_code, changed.headers["location"]) == (303, f"{event}/settings?saved=1")
    assert "Settings saved." in words_of(web.get(changed.headers["location"]).text)
    assert "Gala No date yet" in words_of(web.get("/").text)


def test_days_until_the_erasure_are_a_number_of_few_digits(web: TestClient) -> None:
    for days in ("0", "-3", "3651", "9" * 5000, "²"):
        refused = web.post("/events", data={"name": "Gala", "on": "2027-06-19", "erase_after_days": days})
        assert (refused.status_code, faults_of(refused.text)) == (422, ["Choose from 1 to 3,650 days."])


def test_settings_with_a_fault_or_an_old_version_change_nothing(web: TestClient) -> None:
    event = make_event(web)
    refused = web.post(f"{event}/settings", data={"name": "", "on": "2027-06-19"})
    assert (refused.status_code, fields_of(refused.text)["on"]) == (422, ["2027-06-19"])
    crossed = web.post(f"{event}/settings", data={"name": "Gala", "version": 7})
    assert (crossed.status_code, fields_of(crossed.text)["name"]) == (422, ["Gala"])
    assert "Party" in words_of(web.get("/").text)


def test_deletion_asks_first_and_takes_everything(web: TestClient) -> None:
    event = make_event(web)
    web.post(f"{event}/guests/paste", data={"lines": "Aino\nEero"})
    settings = web.get(f"{event}/settings").text
    assert "This deletes 2 guests, 0 tables" in words_of(settings)
    assert re.search(rf'<details class="confirm">.*?action="{event}/delete"', settings, re.DOTALL)
    deleted = web.post(f"{event}/delete")
    assert "Event deleted" in words_of(web.get(deleted.headers["location"]).text)
    assert web.get(f"{event}/guests").status_code == 404


def test_more_than_a_hundred_events_come_in_pages(web: TestClient) -> None:
    for number in range(101):
        make_event(web, f"Party {number:03}")
    first = web.get("/").text
    assert ("Party 100" in first, "Party 000" in first) == (True, False)
    following = re.search(r'href="(/\?after=[0-9a-f-]+)"', first)
    assert following is not None
    assert "Party 000" in web.get(following[1]).text


def test_event_leads_to_where_it_stands(web: TestClient) -> None:
    event = make_event(web)
    assert web.get(event).headers["location"] == f"{event}/guests"


def test_settings_are_reached_from_every_page_of_an_event(web: TestClient) -> None:
    event = make_event(web)
    for page in ("guests", "ratings", "tables", "plan", "share"):
        assert f'href="{event}/settings"' in web.get(f"{event}/{page}").text
    assert re.search(rf'href="{event}/settings" aria-current="page"', web.get(f"{event}/settings").text)


def test_shortened_address_leads_to_the_events(web: TestClient) -> None:
    assert web.get("/events").headers["location"] == "/"


def test_stranger_sees_and_changes_no_event(web: TestClient, stranger_web: TestClient) -> None:
    event = make_event(web, "Secret supper")
    assert "Secret supper" not in stranger_web.get("/").text
    assert [stranger_web.get(path).status_code for path in (event, f"{event}/settings")] == [404, 404]
    assert stranger_web.post(f"{event}/settings", data={"name": "x"}).status_code == 404
    assert stranger_web.post(f"{event}/delete").status_code == 404
    assert "Secret supper" in web.get("/").text


def test_editor_changes_the_event_but_does_not_delete_it(
    web: TestClient, client: TestClient, sessions: Sessions, stranger: Actor
) -> None:
    event = make_event(web)
    give_role(sessions, event.removeprefix("/events/"), stranger, "editor")
    editor = signed_in_client(client, sessions, stranger)
    assert f"{event}/delete" not in actions_of(editor.get(f"{event}/settings").text)
    assert editor.post(f"{event}/delete").status_code == 403
    assert editor.post(f"{event}/settings", data={"name": "Gala"}).status_code == 303

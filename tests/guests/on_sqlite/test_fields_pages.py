"""The pages of an event's fields, and the form of one guest."""

from __future__ import annotations

import re
from typing import Any

import pytest
from fastapi.testclient import TestClient

from tests.pages import faults_of, words_of


@pytest.fixture
def event(api: TestClient) -> str:
    """The address of an event."""
    return f"/events/{api.post('events', json={'name': 'Party'}).json()['id']}"


def fields_of_event(api: TestClient, event: str) -> list[dict[str, Any]]:
    return list(api.get(f"{event[1:]}/fields").json()["fields"])


def names_of(field: dict[str, Any]) -> list[str]:
    return [option["name"] for option in field["options"]]


def test_each_field_of_the_three_forms_has_a_label_of_its_own(web: TestClient, event: str) -> None:
    for page in (web.get(f"{event}/fields"), web.post(f"{event}/fields", data={"kind": "course", "name": ""})):
        ids = re.findall(r'<(?:input|textarea)[^>]* id="([^"]+)"', page.text)
        labels = re.findall(r'<label[^>]* for="([^"]+)"', page.text)
        assert len(ids) == len(set(ids)) == 5
        assert set(ids) <= set(labels)
    assert 'href="#f-name"' in page.text  # the message about the refused course leads to its field


def test_sides_menu_and_own_fields_are_added_changed_and_deleted(web: TestClient, api: TestClient, event: str) -> None:
    page = f"{event}/fields"
    for kind, name, options in (
        ("side", "", "Bride\r\nGroom\n\n"),
        ("course", "Main course", "Fish\nBeef"),
        ("choice", "Hotel", "Ritz"),
        ("text", "Song", "ignored"),
    ):
        assert web.post(page, data={"kind": kind, "name": name, "options": options}).status_code == 303
    side, menu, hotel, song = fields_of_event(api, event)
    assert [names_of(side), names_of(menu), names_of(song)] == [["Bride", "Groom"], ["Fish", "Beef"], []]
    assert "Main course" in words_of(web.get(page).text)
    fish, beef = (option["id"] for option in menu["options"])
    form = {"name": "Mains", f"name-{fish}": "Cod", f"mark-{fish}": "C", f"name-{beef}": "", "more": "Leek\n"}
    assert web.post(f"{page}/{menu['id']}", data=form).status_code == 303
    changed = fields_of_event(api, event)[1]
    assert (changed["name"], names_of(changed), changed["options"][0]["mark"]) == (
        "Mains",
        ["Cod", "Beef", "Leek"],
        "C",
    )
    api.post(f"{event[1:]}/guests", json={"name": "Aino", "meals": {"Mains": "Cod"}})
    assert "1 guest has “ Cod ”." in words_of(web.get(f"{page}/{menu['id']}").text)
    assert web.post(f"{page}/{menu['id']}/options/{fish}/delete", data={"instead": beef}).status_code == 303
    assert api.get(f"{event[1:]}/guests").json()["guests"][0]["meals"] == {"Mains": "Beef"}
    assert web.post(f"{page}/{song['id']}/move", data={"to": "up"}).status_code == 303
    assert [field["name"] for field in fields_of_event(api, event)] == ["Side", "Mains", "Song", "Hotel"]
    assert web.post(f"{page}/{hotel['id']}/delete").status_code == 303
    assert len(fields_of_event(api, event)) == 3


def test_wrong_entries_stay_in_the_form(web: TestClient, api: TestClient, event: str) -> None:
    page = f"{event}/fields"
    refused = web.post(page, data={"kind": "course", "name": "Diet", "options": "=Fish"})
    assert (refused.status_code, "=Fish" in refused.text) == (422, True)
    assert faults_of(refused.text) == ["Every event has a field “Diet” already. Choose another name."]
    web.post(page, data={"kind": "choice", "name": "Hotel", "options": "Ritz\nGrand"})
    [hotel] = fields_of_event(api, event)
    ritz, grand = (option["id"] for option in hotel["options"])
    form = {f"name-{ritz}": "Same", f"name-{grand}": "same", "more": "x" * 101}
    refused = web.post(f"{page}/{hotel['id']}", data=form)
    assert refused.status_code == 422
    assert len(faults_of(refused.text)) == 2
    assert names_of(fields_of_event(api, event)[0]) == ["Ritz", "Grand"]


def test_form_of_a_guest_has_everything_and_keeps_what_is_wrong(web: TestClient, api: TestClient, event: str) -> None:
    for kind, name, options in (("side", "", "Bride"), ("course", "Main", "Fish"), ("text", "Song", "")):
        web.post(f"{event}/fields", data={"kind": kind, "name": name, "options": options})
    side, menu, song = (f"field-{field['id']}" for field in fields_of_event(api, event))
    guest = api.post(f"{event[1:]}/guests", json={"name": "Aino"}).json()["id"]
    form = {
        "name": "Aino",
        "title": "Dr",
        "email": "aino@example.org",
        "age_group": "baby",
        "allergy": ["milk", "nuts"],
        "other_allergies": "kiwi",
        "wheelchair": "on",
        side: "Bride",
        menu: "Fish",
        song: "<b>Waterloo</b>",
    }
    assert web.post(f"{event}/guests/{guest}", data=form).status_code == 303
    stored = api.get(f"{event[1:]}/guests/{guest}").json()
    assert (stored["side"], stored["meals"], stored["fields"]) == (
        "Bride",
        {"Main": "Fish"},
        {"Song": "<b>Waterloo</b>"},
    )
    assert (stored["age_group"], stored["allergies"], stored["wheelchair"]) == ("baby", ["milk", "nuts"], True)
    shown = web.get(f"{event}/guests/{guest}").text
    assert "&lt;b&gt;Waterloo" in shown
    assert '<option value="Fish" selected>' in shown
    wrong = web.post(f"{event}/guests/{guest}", data=form | {"phone": "none", menu: "Gone", "allergy": ["cats"]})
    assert wrong.status_code == 422
    assert f'id="f-{menu}-error"' in wrong.text
    assert '<option value="Gone" selected>' in wrong.text
    assert len(faults_of(wrong.text)) == 3
    web.post(f"{event}/guests/{guest}", data={"name": "Aino"})  # a form without the fields keeps them
    assert api.get(f"{event[1:]}/guests/{guest}").json()["meals"] == {"Main": "Fish"}

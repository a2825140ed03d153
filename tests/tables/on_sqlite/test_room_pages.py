"""The page of a room: everything by plain forms."""

from __future__ import annotations

import io
import re

import pytest
from fastapi.testclient import TestClient
from PIL import Image

from tests.pages import faults_of, fields_of, words_of


@pytest.fixture
def event(web: TestClient) -> str:
    """The address of an event with two tables."""
    address = str(web.post("/events", data={"name": "Party"}).headers["location"]).removesuffix("/guests")
    web.post(f"{address}/tables/sizes", data={"sizes": "8 6"})
    return address


def table_of(web: TestClient, event: str, number: int = 0) -> str:
    return str(re.findall(r'id="table-([0-9a-f-]{36})"', web.get(f"{event}/tables").text)[number])


def test_size_of_the_room_is_typed_in_metres(web: TestClient, event: str) -> None:
    form = {"width": "20,5", "height": "12", "background_width": "", "background_opacity": "40", "version": "0"}
    saved = web.post(f"{event}/room", data=form)
    assert saved.headers["location"] == f"{event}/room?done=saved"
    page = web.get(saved.headers["location"]).text
    assert "Room saved." in words_of(page)
    fields = fields_of(page)
    assert (fields["width"], fields["height"], fields["background_opacity"]) == (["20.5"], ["12"], ["40"])


def test_room_that_someone_else_changed_is_not_overwritten_at_once(web: TestClient, event: str) -> None:
    web.post(f"{event}/room", data={"width": "20", "version": "0"})
    refused = web.post(f"{event}/room", data={"width": "30", "version": "0"})
    assert refused.status_code == 422
    assert "Someone else changed this after you opened it." in words_of(refused.text)
    assert fields_of(refused.text)["width"] == ["30"]
    assert fields_of(web.get(f"{event}/room").text)["width"] == ["20"]


@pytest.mark.parametrize(
    ("form", "message"),
    [
        ({"width": "wide"}, "The width must be a number, not “wide”."),
        ({"width": "0.2"}, "The room's width must be between 1 and 500 metres."),
        ({"background_opacity": "400"}, "The opacity must be between 0 and 1."),
    ],
)
def test_bad_sizes_are_told(web: TestClient, event: str, form: dict[str, str], message: str) -> None:
    refused = web.post(f"{event}/room", data=form)
    assert (refused.status_code, faults_of(refused.text)) == (422, [message])


def test_items_are_added_changed_and_removed(web: TestClient, event: str) -> None:
    web.post(f"{event}/room/items", data={"kind": "dance_floor", "x": "5", "y": "4,5"})
    page = web.get(f"{event}/room").text
    assert "Dance floor Dance floor, 5 × 4 m, at 5 / 4.5 m" in words_of(page)
    found = re.search(r"/room\?item=(\w+)#item", page)
    assert found
    edited = fields_of(web.get(f"{event}/room?item={found[1]}").text)
    assert (edited["id"], edited["item_width"], edited["rotation"]) == ([found[1]], ["5"], ["0"])
    web.post(f"{event}/room/items", data={"id": found[1], "kind": "stage", "text": "Band", "rotation": "90"})
    assert "Band Stage, 6 × 3 m, at 3 / 1.5 m" in words_of(web.get(f"{event}/room").text)
    web.post(f"{event}/room/items/{found[1]}/remove")
    assert "Nothing yet." in words_of(web.get(f"{event}/room").text)
    assert web.post(f"{event}/room/items/{found[1]}/remove").status_code == 404


def test_bad_item_is_told_and_what_was_typed_stays(web: TestClient, event: str) -> None:
    refused = web.post(f"{event}/room/items", data={"kind": "label", "text": " ", "item_width": "1000"})
    assert faults_of(refused.text) == ["The width must be between 1 and 30,000 floor units.", "A label needs a text."]
    assert fields_of(refused.text)["item_width"] == ["1000"]


def test_picture_is_uploaded_shown_and_deleted(web: TestClient, event: str) -> None:
    file = io.BytesIO()
    Image.new("RGB", (8, 4)).save(file, "PNG")
    saved = web.post(f"{event}/room/background", files={"file": ("plan.png", file.getvalue())})
    assert saved.headers["location"] == f"{event}/room?done=picture"
    sent = web.get(f"{event}/room/background")
    assert (sent.headers["content-type"], sent.headers["x-content-type-options"]) == ("image/png", "nosniff")
    assert Image.open(io.BytesIO(sent.content)).size == (8, 4)
    web.post(f"{event}/room/background/remove")
    assert web.get(f"{event}/room/background").status_code == 404


@pytest.mark.parametrize("data", [b"", b"no picture"])
def test_file_that_is_no_picture_is_told(web: TestClient, event: str, data: bytes) -> None:
    refused = web.post(f"{event}/room/background", files={"file": ("plan.png", data)})
    assert refused.status_code == 422
    assert "PNG or JPEG image" in faults_of(refused.text)[0]


def test_place_rotation_and_ends_of_a_table_are_typed(web: TestClient, event: str) -> None:
    table = f"{event}/tables/{table_of(web, event)}"
    form = {"name": "Oak", "seats": "8", "shape": "long", "end_seats": "true", "rotation": "-90", "x": "2,5", "y": "3"}
    assert web.post(table, data=form).status_code == 303
    fields = fields_of(web.get(table).text)
    assert {name: fields[name] for name in ("shape", "end_seats", "rotation", "x", "y")} == {
        "shape": ["long"],
        "end_seats": ["true"],
        "rotation": ["270"],
        "x": ["2.5"],
        "y": ["3"],
    }
    web.post(table, data=form | {"end_seats": "false", "x": "", "y": ""})
    assert (fields_of(web.get(table).text)["x"], fields_of(web.get(table).text).get("end_seats")) == ([""], None)


@pytest.mark.parametrize(
    ("form", "message"),
    [
        ({"x": "1"}, "Enter both distances, or leave both empty."),
        ({"x": "1e999", "y": "1"}, "The distance from the left must be a number, not “1e999”."),
        ({"rotation": "half"}, "The rotation must be a number, not “half”."),
    ],
)
def test_bad_places_are_told(web: TestClient, event: str, form: dict[str, str], message: str) -> None:
    refused = web.post(f"{event}/tables/{table_of(web, event)}", data={"name": "Oak", "seats": "8"} | form)
    assert (refused.status_code, faults_of(refused.text)) == (422, [message])


def test_table_is_duplicated_from_its_page(web: TestClient, event: str) -> None:
    web.post(f"{event}/tables/{table_of(web, event)}/duplicate")
    assert "Table 3" in words_of(web.get(f"{event}/tables").text)


def test_room_is_drawn_with_its_tables_and_items(web: TestClient, event: str) -> None:
    web.post(f"{event}/room", data={"width": "20", "height": "10", "version": "0"})
    web.post(f"{event}/room/items", data={"kind": "bar", "text": "Bar <1>", "x": "1", "y": "1"})
    page = web.get(f"{event}/room").text
    drawing = re.search(r'<div class="floor room-preview">.*?</svg>', page, flags=re.S)
    assert drawing
    assert 'aria-label="The room from above: 2 tables, 1 item."' in drawing[0]
    assert drawing[0].count('class="cloth"') == 2
    assert drawing[0].count('class="seat empty"') == 14
    assert "Bar &lt;1&gt;</text>" in drawing[0]
    assert 'class="room-outline" x="0.0" y="0.0" width="1200.0" height="600.0"' in drawing[0]


def test_tables_are_arranged_again(web: TestClient, event: str) -> None:
    done = web.post(f"{event}/room/arrange")
    assert "Tables arranged again." in words_of(web.get(done.headers["location"]).text)
    assert fields_of(web.get(f"{event}/tables/{table_of(web, event)}").text)["x"] != [""]


def test_table_is_reserved_for_a_group_on_its_page(web: TestClient, api: TestClient, event: str) -> None:
    table = table_of(web, event)
    assert "Reserved for" not in web.get(f"{event}/tables/{table}").text  # there is no group yet
    group = api.post(f"{event[1:]}/groups", json={"name": "Choir"}).json()["id"]
    form = fields_of(web.get(f"{event}/tables/{table}").text)
    data = {name: form[name][0] for name in ("name", "seats", "version")}
    assert web.post(f"{event}/tables/{table}", data=data | {"reserved_for": group}).status_code == 303
    page = web.get(f"{event}/tables/{table}").text
    assert f'<option value="{group}" selected>Choir</option>' in page
    version = fields_of(page)["version"][0]
    refused = web.post(f"{event}/tables/{table}", data=data | {"reserved_for": "x", "version": version})
    assert faults_of(refused.text) == ["Group not found in this event."]

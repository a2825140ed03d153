"""The room of an event: size, items, places of tables, picture; and nobody's change is lost."""

from __future__ import annotations

import io
import json
import subprocess
import sys
import zlib
from typing import Any

import pytest
from fastapi.testclient import TestClient
from PIL import Image, PngImagePlugin

from app.files.images import (
    DAMAGED,
    LONGEST_SIDE,
    MOST_PIXELS,
    NO_IMAGE,
    TOO_LARGE,
    TOO_STRETCHED,
    ImageError,
    encode_again,
)

DANCE = {"kind": "dance_floor", "x": 600, "y": 400, "width": 300, "height": 200, "text": "Dance floor"}
EMPTY: dict[str, Any] = {
    "width": None,
    "height": None,
    "items": [],
    "background_width": None,
    "background_opacity": 0.5,
    "background": None,
}


@pytest.fixture
def event(api: TestClient) -> str:
    """The address of an event with three tables."""
    root = f"events/{api.post('events', json={'name': 'Party'}).json()['id']}"
    tables = [{"seats": 8}, {"seats": 6, "shape": "long"}, {"name": "Top", "seats": 10, "shape": "head"}]
    api.put(f"{root}/tables", json={"tables": tables})
    return root


def picture(kind: str = "PNG", size: tuple[int, int] = (40, 20), **more: Any) -> bytes:
    file = io.BytesIO()
    Image.new("RGB", size, (200, 30, 30)).save(file, kind, **more)
    return file.getvalue()


def errors_of(answer: Any) -> list[dict[str, str]]:
    assert answer.status_code == 422
    return list(answer.json()["errors"])


def test_event_has_an_empty_room_from_the_start(api: TestClient, event: str) -> None:
    room = api.get(f"{event}/room")
    assert (room.json(), room.headers["etag"]) == (EMPTY, '"0"')


def test_room_is_changed_and_read_back(api: TestClient, event: str) -> None:
    changed = api.patch(f"{event}/room", json={"width": 1200, "items": [DANCE]}, headers={"If-Match": '"0"'})
    item = DANCE | {"id": changed.json()["items"][0]["id"], "rotation": 0}
    assert changed.json() == EMPTY | {"width": 1200, "items": [item]}
    again = api.get(f"{event}/room")
    assert (again.json(), again.headers["etag"]) == (changed.json(), '"1"')
    turned = item | {"rotation": -90, "text": "  Dance   here "}
    body = {"items": [turned, DANCE], "height": 900}
    second = api.patch(f"{event}/room", json=body, headers={"If-Match": '"1"'}).json()
    assert second["items"][0] == item | {"rotation": 270, "text": "Dance here"}
    assert (second["width"], second["height"], len(second["items"])) == (1200, 900, 2)
    assert api.patch(f"{event}/room", json={"width": None}, headers={"If-Match": "*"}).json()["width"] is None


def test_stale_and_blind_changes_of_the_room_are_refused(api: TestClient, event: str) -> None:
    api.patch(f"{event}/room", json={"width": 1200}, headers={"If-Match": '"0"'})
    assert api.patch(f"{event}/room", json={"width": 60}, headers={"If-Match": '"0"'}).status_code == 412
    assert api.patch(f"{event}/room", json={"width": 60}).status_code == 428
    assert api.get(f"{event}/room").json()["width"] == 1200


@pytest.mark.parametrize(
    ("body", "pointer", "detail"),
    [
        ({"width": 3}, "#/width", "The room's width must be between 1 and 500 metres."),
        ({"height": 1e9}, "#/height", "The room's height must be between 1 and 500 metres."),
        ({"background_width": 0}, "#/background_width", "The picture must show between 0.5 and 500 metres."),
        ({"background_opacity": 2}, "#/background_opacity", "The opacity must be between 0 and 1."),
        ({"items": [DANCE, DANCE | {"width": 0}]}, "#/items/1/width",
         "The width must be between 1 and 30,000 floor units."),
        ({"items": [DANCE | {"x": 1e9}]}, "#/items/0/x", "This must be between −1,000,000 and 1,000,000."),
        ({"items": [DANCE | {"kind": "label", "text": " "}]}, "#/items/0/text", "A label needs a text."),
        ({"items": [DANCE | {"id": "a"}, DANCE | {"id": "a"}]}, "#/items/1/id", "Duplicate id."),
        ({"items": [DANCE | {"id": "<b>"}]}, "#/items/0/id", "An id has up to 40 letters, digits, _ and -."),
    ],
)  # fmt: skip
def test_bad_rooms_are_refused_with_a_pointer(
    api: TestClient, event: str, body: dict[str, Any], pointer: str, detail: str
) -> None:
    refused = api.patch(f"{event}/room", json=body, headers={"If-Match": "*"})
    assert errors_of(refused) == [{"pointer": pointer, "detail": detail}]
    assert api.get(f"{event}/room").json() == EMPTY


@pytest.mark.parametrize("body", [{"items": [DANCE | {"kind": "pool"}]}, {"walls": 4}, {"items": None}, {"width": "4"}])
def test_rooms_of_another_form_are_refused(api: TestClient, event: str, body: dict[str, Any]) -> None:
    assert api.patch(f"{event}/room", json=body, headers={"If-Match": "*"}).status_code == 422


def test_tables_are_moved_and_turned_in_one_go(api: TestClient, event: str) -> None:
    listed = api.get(f"{event}/tables")
    first, second, third = listed.json()["tables"]
    moves = [{"id": first["id"], "x": 10, "y": 20.5, "rotation": 370}, {"id": third["id"], "x": -5, "y": 0}]
    moved = api.patch(f"{event}/room/layout", json={"tables": moves}, headers={"If-Match": listed.headers["etag"]})
    assert moved.json()["tables"] == [
        first | {"x": 10, "y": 20.5, "rotation": 10},
        second,
        third | {"x": -5, "y": 0},
    ]
    assert api.get(f"{event}/tables").headers["etag"] == moved.headers["etag"]
    stale = api.patch(f"{event}/room/layout", json={"tables": []}, headers={"If-Match": listed.headers["etag"]})
    assert stale.status_code == 412


def test_bad_layout_changes_nothing(api: TestClient, event: str) -> None:
    tables = api.get(f"{event}/tables").json()["tables"]
    other = api.post("events", json={"name": "Other"}).json()["id"]
    stranger = api.post(f"events/{other}/tables", json={"seats": 4}).json()["id"]
    moves = [
        {"id": tables[0]["id"], "x": 1, "y": 1},
        {"id": stranger, "x": 1, "y": 1},
        {"id": tables[0]["id"], "x": 1, "y": 1e9},
    ]
    refused = api.patch(f"{event}/room/layout", json={"tables": moves}, headers={"If-Match": "*"})
    assert errors_of(refused) == [
        {"pointer": "#/tables/1/id", "detail": "Table not found in this event."},
        {"pointer": "#/tables/2/y", "detail": "This must be between −1,000,000 and 1,000,000."},
        {"pointer": "#/tables/2/id", "detail": "Duplicate table."},
    ]
    assert api.get(f"{event}/tables").json()["tables"] == tables


def test_arranging_places_all_tables_with_the_head_table_on_top(api: TestClient, event: str) -> None:
    one, other, head = api.post(f"{event}/room/arrange").json()["tables"]
    assert one["y"] == other["y"] > head["y"]
    assert one["x"] < head["x"] < other["x"]
    wide = api.post(f"{event}/room/arrange", json={"proportion": 4}).json()["tables"]
    assert wide[1]["x"] - wide[0]["x"] > other["x"] - one["x"]


def test_arranging_uses_the_size_of_the_room(api: TestClient, event: str) -> None:
    api.patch(f"{event}/room", json={"width": 3000, "height": 2000}, headers={"If-Match": "*"})
    tables = api.post(f"{event}/room/arrange").json()["tables"]
    assert all(0 < table["x"] < 3000 and 0 < table["y"] < 2000 for table in tables)
    assert max(t["x"] for t in tables) - min(t["x"] for t in tables) > 800
    assert api.post(f"{event}/room/arrange").json()["tables"] == tables


def test_duplicate_stands_beside_its_original(api: TestClient, event: str) -> None:
    body = {"name": "Birch", "seats": 7, "min_seats": 3, "shape": "oval", "x": 100, "y": 50, "rotation": 30}
    made = api.post(f"{event}/tables", json=body).json()
    copied = api.post(f"{event}/tables/{made['id']}/duplicate")
    copy = copied.json()
    assert (copied.status_code, copied.headers["location"]) == (201, f"/api/v1/{event}/tables/{copy['id']}")
    assert copy == made | {"id": copy["id"], "name": "Birch 2", "x": copy["x"]}
    assert copy["x"] > made["x"] + 100
    assert api.post(f"{event}/tables/{made['id']}/duplicate").json()["name"] == "Birch 3"
    assert api.post(f"{event}/tables/{copy['id']}/duplicate").json()["name"] == "Birch 4"


@pytest.mark.parametrize(("kind", "media_type"), [("PNG", "image/png"), ("JPEG", "image/jpeg")])
def test_picture_is_stored_read_and_removed(api: TestClient, event: str, kind: str, media_type: str) -> None:
    headers = {"If-Match": '"0"', "Content-Type": media_type}
    put = api.put(f"{event}/room/background", content=picture(kind), headers=headers)
    assert put.json()["background"] == {
        "media_type": media_type,
        "pixel_width": 40,
        "pixel_height": 20,
        "width": 1200,
        "height": 600,
    }
    scaled = api.patch(f"{event}/room", json={"background_width": 30}, headers={"If-Match": put.headers["etag"]})
    assert (scaled.json()["background"]["width"], scaled.json()["background"]["height"]) == (1800, 900)
    got = api.get(f"{event}/room/background")
    assert got.headers["content-type"] == media_type
    assert Image.open(io.BytesIO(got.content)).size == (40, 20)
    unchanged = api.get(f"{event}/room/background", headers={"If-None-Match": got.headers["etag"]})
    assert (unchanged.status_code, unchanged.content) == (304, b"")
    assert api.delete(f"{event}/room/background", headers={"If-Match": '"1"'}).status_code == 412
    assert api.delete(f"{event}/room/background", headers={"If-Match": scaled.headers["etag"]}).status_code == 204
    assert api.get(f"{event}/room/background").status_code == 404
    assert api.get(f"{event}/room").json()["background"] is None


def test_picture_can_be_sent_as_a_form_and_replaced(api: TestClient, event: str) -> None:
    for size in ((40, 20), (10, 30)):
        files = {"file": ("plan.png", picture(size=size), "image/png")}
        put = api.put(f"{event}/room/background", files=files, headers={"If-Match": "*"})
        assert (put.json()["background"]["pixel_width"], put.json()["background"]["pixel_height"]) == size
    assert put.headers["etag"] == '"2"'


def test_file_that_is_no_picture_is_refused_and_the_old_one_stays(api: TestClient, event: str) -> None:
    address, headers = f"{event}/room/background", {"If-Match": "*", "Content-Type": "image/png"}
    kept = api.put(address, content=picture(), headers=headers)
    for data in (b"", b"<svg/>", picture("GIF"), picture()[:60]):
        refused = api.put(address, content=data, headers=headers)
        assert errors_of(refused)[0]["pointer"] == "#/file"
    assert api.put(address, content=b"x", headers=headers | {"Content-Type": "image/svg+xml"}).status_code == 415
    assert api.get(f"{event}/room").headers["etag"] == kept.headers["etag"]


def test_nothing_but_pixels_is_kept_of_a_picture() -> None:
    words = PngImagePlugin.PngInfo()
    words.add_text("Comment", "secret place")
    exif = Image.Exif()
    exif[0x010E] = "secret place"
    for data in (
        picture("PNG", pnginfo=words, exif=exif, icc_profile=b"secret place"),
        picture("JPEG", exif=exif, comment=b"secret place", icc_profile=b"secret place" * 20),
    ):
        assert b"secret place" in data
        kept = encode_again(data)
        assert b"secret place" not in kept.data
        again = Image.open(io.BytesIO(kept.data))
        again.load()
        assert not again.getexif()
        assert set(again.info) <= {"jfif", "jfif_version", "jfif_unit", "jfif_density"}


def test_photo_that_lies_on_its_side_is_turned_upright() -> None:
    exif = Image.Exif()
    exif[0x0112] = 6
    kept = encode_again(picture("JPEG", (40, 20), exif=exif))
    assert (kept.width, kept.height) == (20, 40)


def test_large_picture_is_made_smaller_with_its_proportions() -> None:
    kept = encode_again(picture("PNG", (4800, 1200)))
    assert (kept.width, kept.height) == (LONGEST_SIDE, LONGEST_SIDE // 4)


def test_transparent_plan_stays_transparent() -> None:
    file = io.BytesIO()
    Image.new("RGBA", (10, 10), (0, 0, 0, 0)).save(file, "PNG")
    kept = encode_again(file.getvalue())
    assert Image.open(io.BytesIO(kept.data)).getpixel((5, 5)) == (0, 0, 0, 0)


def test_sixteen_bits_of_grey_stay_grey() -> None:
    file = io.BytesIO()
    Image.new("I;16", (10, 10), 128 * 256).save(file, "PNG")
    kept = encode_again(file.getvalue())
    assert Image.open(io.BytesIO(kept.data)).getpixel((5, 5)) == (128, 128, 128, 255)


def bomb(width: int, height: int) -> bytes:
    """Return a small PNG whose head says that it is huge."""
    data = bytearray(picture("PNG", (1, 1)))
    data[16:24] = width.to_bytes(4, "big") + height.to_bytes(4, "big")
    data[29:33] = zlib.crc32(bytes(data[12:29])).to_bytes(4, "big")
    return bytes(data)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (bomb(60_000, 60_000), TOO_LARGE),
        (bomb(6_000, MOST_PIXELS // 6_000 + 1), TOO_LARGE),
        (picture("PNG", (210, 10)), TOO_STRETCHED),
        (picture("JPEG", (1, 21)), TOO_STRETCHED),
        (picture("BMP"), NO_IMAGE),
        (picture("TIFF"), NO_IMAGE),
        (b"\x89PNG\r\n\x1a\n" + b"x" * 50, DAMAGED),
        (picture("JPEG", (400, 300))[:300], DAMAGED),
    ],
)
def test_hostile_pictures_are_refused(data: bytes, message: str) -> None:
    with pytest.raises(ImageError) as refused:
        encode_again(data)
    assert str(refused.value) == message


def test_picture_that_takes_too_much_memory_is_too_large() -> None:
    code = "import app.files.parse_image as parse; parse.MOST_MEMORY = 160 << 20; parse.main()"
    done = subprocess.run(
        [sys.executable, "-c", code], input=picture("PNG", (4000, 6000)), capture_output=True, check=True
    )
    assert json.loads(done.stdout) == {"error": TOO_LARGE}


def test_texts_of_items_have_no_control_characters(api: TestClient, event: str) -> None:
    label = DANCE | {"kind": "label", "text": "Way\x00out\x1b\u2028"}
    changed = api.patch(f"{event}/room", json={"items": [label]}, headers={"If-Match": "*"})
    assert changed.json()["items"][0]["text"] == "Way out"
    empty = api.patch(f"{event}/room", json={"items": [label | {"text": "\x00"}]}, headers={"If-Match": "*"})
    assert errors_of(empty) == [{"pointer": "#/items/0/text", "detail": "A label needs a text."}]

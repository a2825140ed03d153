"""The Download menu of a plan and its files: all of it comes, and nothing in it tells about ratings."""

from __future__ import annotations

import io
from datetime import date
from xml.etree import ElementTree as ET

import pytest
from fastapi.testclient import TestClient
from PIL import Image
from sqlalchemy.orm import Session

from app.accounts.actor import Actor
from app.db import models
from app.db.session import Sessions, transaction
from app.sharing.floor import read
from tests.factories import Planned, make_plan
from tests.files.pdf.reading import read_text

SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture
def made(session: Session, owner: Actor) -> Planned:
    names = ["Aino", "<b>&Bo", "王小明 Wang", "=1+1"]
    planned = make_plan(session, owner, sizes=(3, 3), names=names)
    planned.event.date = date(2027, 6, 19)
    for guest in planned.guests:
        guest.note, guest.diet = "SECRET-NOTE", "SECRET-DIET"
    session.add(
        models.Rating(event_id=planned.event.id, guest_a=planned.guests[0].id, guest_b=planned.guests[1].id, score=-2)
    )
    session.commit()
    return planned


def test_menu_offers_what_the_api_lists(web: TestClient, api: TestClient, made: Planned) -> None:
    event, plan = f"events/{made.event.id}", f"events/{made.event.id}/plans/{made.plan.id}"
    page = web.get(f"/{plan}").text
    assert "door-poster" not in api.get(f"{plan}/downloads").text  # its code needs a link
    assert api.post(f"{event}/links", json={"audience": "guests"}).status_code == 201
    listed = api.get(f"{plan}/downloads").json()["downloads"]
    assert f"/api/v1/{plan}/print/door-poster.pdf" in [file["address"] for file in listed]
    for file in listed:
        answer = api.get(
            file["address"].removeprefix("/api/v1/"), params={"missing": "boxes"} if "print" in file["address"] else {}
        )
        assert (answer.status_code, answer.headers["content-type"].partition(";")[0]) == (200, file["media_type"])
        if not file["whole_event"]:
            assert b"SECRET-NOTE" not in answer.content
        if "/print/" not in file["address"]:
            assert f'href="{file["address"].removeprefix("/api/v1")}"' in page
    assert [file["address"].rpartition("/")[2].partition("?")[0] for file in listed if file["whole_event"]] == [
        "event.xlsx",
        "event.json",
    ]
    assert f'href="/{plan}/print?what=floor-plan"' in page
    assert api.get(f"{event}/event.ics").text.count("20270619") == 1


def test_svg_stands_alone_and_names_everybody(web: TestClient, made: Planned) -> None:
    answer = web.get(f"/events/{made.event.id}/plans/{made.plan.id}/floor.svg")
    assert answer.headers["content-disposition"].startswith("attachment; filename=")
    root = ET.fromstring(answer.text)  # noqa: S314  our own file
    texts = [one.text for one in root.iter() if one.tag in (f"{SVG}title", f"{SVG}text")]
    assert {"Aino", "<b>&Bo", "王小明 Wang", "=1+1"} <= set(texts)
    attributes = [name for one in root.iter() for name in one.attrib]
    assert not [name for name in attributes if "href" in name or name.startswith("on")]
    assert "url(" not in answer.text
    assert "SECRET" not in answer.text


def svg_of(web: TestClient, made: Planned) -> ET.Element:
    text = web.get(f"/events/{made.event.id}/plans/{made.plan.id}/floor.svg").text
    return ET.fromstring(text)  # noqa: S314  our own file


def texts_of(root: ET.Element) -> set[str | None]:
    return {one.text for one in root.iter() if one.tag in (f"{SVG}title", f"{SVG}text")}


def test_floor_shows_public_names(web: TestClient, api: TestClient, made: Planned, sessions: Sessions) -> None:
    with transaction(sessions) as session:
        session.get_one(models.Guest, made.guests[0].id).public_name = "Aunt Nono"
    texts = texts_of(svg_of(web, made))
    assert "Aunt Nono" in texts
    assert "Aino" not in texts
    pdf = api.get(f"events/{made.event.id}/plans/{made.plan.id}/print/floor-plan.pdf?missing=boxes")
    assert "Nono" in read_text(pdf.content)
    assert "Aino" not in read_text(pdf.content)


def test_svg_is_well_formed_whatever_the_names(web: TestClient, made: Planned, sessions: Sessions) -> None:
    with transaction(sessions) as session:
        session.get_one(models.Guest, made.guests[0].id).name = "Ai\ufffe\uffffno"
    root = svg_of(web, made)
    assert "Aino" in texts_of(root)
    assert [one.get("id") for one in root.iter() if one.get("class") == "table"] == ["t-1", "t-2"]


def test_floor_of_many_guests_has_tables_and_numbers(
    web: TestClient, made: Planned, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(read, "MOST_NAMED", 2)
    texts = texts_of(svg_of(web, made))
    assert "Aino" not in texts
    assert {"Table 1", "3 guests", "Table 2", "1 guest"} <= texts


def test_png_shows_the_floor(web: TestClient, made: Planned) -> None:
    answer = web.get(f"/events/{made.event.id}/plans/{made.plan.id}/floor.png")
    picture = Image.open(io.BytesIO(answer.content)).convert("L")
    assert picture.width > picture.height > 200
    assert min(picture.tobytes()) < 100


def test_room_is_on_the_floor_plan(web: TestClient, api: TestClient, made: Planned) -> None:
    items = [{"kind": "dance_floor", "x": 300, "y": 600, "width": 240, "height": 180, "text": "Dancing"}]
    room = {"width": 900, "height": 1200, "items": items}
    api.patch(f"events/{made.event.id}/room", json=room, headers={"If-Match": "*"})
    pdf = api.get(f"events/{made.event.id}/plans/{made.plan.id}/print/floor-plan.pdf?missing=boxes&paper=a3")
    assert {"Dancing", "Aino", "Table"} <= set(read_text(pdf.content).split())


def test_viewer_gets_no_whole_event(api: TestClient, web: TestClient, made: Planned, sessions: Sessions) -> None:
    assert api.post(f"events/{made.event.id}/links", json={"audience": "guests"}).status_code == 201
    plan = f"events/{made.event.id}/plans/{made.plan.id}"
    posters = [(api, f"{plan}/print/door-poster.pdf"), (web, f"/{plan}/print/door-poster.pdf")]
    posters += [(web, f"/{plan}/print{part}?what=door-poster") for part in ("", "/preview.png", "/view")]
    assert posters[0][0].get(posters[0][1]).status_code == 200
    with transaction(sessions) as session:
        session.query(models.Member).filter_by(event_id=made.event.id).update({"role": "viewer"})
    listed = api.get(f"events/{made.event.id}/plans/{made.plan.id}/downloads").json()["downloads"]
    assert not [file for file in listed if file["whole_event"] or "caterer" in file["address"]]
    assert not [file for file in listed if "door-poster" in file["address"]]
    assert api.get(f"events/{made.event.id}/event.json").status_code == 403
    assert "Diet" not in api.get(f"events/{made.event.id}/plans/{made.plan.id}/seating.csv").text
    # The poster has the code of the guests' link, and links are for editors.
    assert [who.get(address).status_code for who, address in posters] == [403] * 5


def test_prints_and_seatings_are_recorded_and_previews_are_not(web: TestClient, api: TestClient, made: Planned) -> None:
    plan = f"events/{made.event.id}/plans/{made.plan.id}"
    assert web.get(f"/{plan}/print/preview.png").status_code == 200
    for answer in (web.get(f"/{plan}/seating.csv"), web.get(f"/{plan}/print/caterer.pdf?missing=boxes")):
        assert answer.status_code == 200
    assert api.get(f"{plan}/print/check-in.pdf", params={"missing": "boxes"}).status_code == 200
    assert [
        one.get(f"{to}{plan}/floor.{end}").status_code for one, to, end in ((web, "/", "svg"), (api, "", "png"))
    ] == [
        200,
        200,
    ]
    assert api.post(f"{plan}/use").status_code == 200
    found = api.get(f"events/{made.event.id}/audit").json()["entries"]
    recorded = [one["details"] for one in found if one["action"] == "exported"]
    assert recorded == [
        {"content": "floor-plan", "format": "png"},
        {"content": "floor-plan", "format": "svg"},
        {"content": "check-in", "format": "pdf"},
        {"content": "caterer", "format": "pdf"},
        {"content": "seating", "format": "csv"},
    ]
    assert (found[0]["action"], found[0]["details"]) == ("plan-used", {"version": made.plan.number})

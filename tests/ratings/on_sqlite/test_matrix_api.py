"""/api/v1/events/{event}/ratings/matrix."""

from __future__ import annotations

import pytest
from fastapi.testclient import TestClient

from app.accounts.actor import Actor
from app.db.session import Sessions
from tests.factories import ANY_VERSION
from tests.rating_helpers import give_role, stored_event

CSV = {"Content-Type": "text/csv", **ANY_VERSION}
MATRIX = [[0, 1.5, 2], [1.5, 0, 3.25], [2, 3.25, 0]]


def test_matrix_is_put_and_read_back(api: TestClient, sessions: Sessions, owner: Actor) -> None:
    event, guests = stored_event(sessions, owner, "Aino Olli Sari")
    address = f"events/{event}/ratings/matrix"
    put = api.put(address, json={"kind": "distance", "guests": guests, "matrix": MATRIX}, headers=ANY_VERSION)
    assert (put.status_code, put.json()) == (
        200,
        {"kind": "distance", "guests": guests, "asymmetric": False, "left_out": []},
    )
    read = api.get(address)
    assert read.headers["content-type"] == "application/json"
    assert read.json() == {"kind": "distance", "guests": guests, "matrix": MATRIX}
    assert api.get(f"events/{event}").json()["kind"] == "distance"
    assert api.put(address, json=read.json(), headers=ANY_VERSION).status_code == 200


def test_asymmetric_and_incomplete_matrix_is_taken_and_told(api: TestClient, sessions: Sessions, owner: Actor) -> None:
    event, (aino, olli, sari) = stored_event(sessions, owner, "Aino Olli Sari")
    address = f"events/{event}/ratings/matrix"
    put = api.put(address, json={"guests": [olli, aino], "matrix": [[0, 2], [-1, 0]]})
    assert put.json() == {"kind": "score", "guests": [olli, aino], "asymmetric": True, "left_out": ["Sari"]}
    api.patch(f"events/{event}/ratings", json={"ratings": [{"a": sari, "b": aino, "score": 1}]})
    expected = [[0, -1, 1], [2, 0, None], [1, None, 0]]
    assert api.get(address).json() == {"kind": "score", "guests": [aino, olli, sari], "matrix": expected}


def test_csv_names_its_guests_in_any_order(api: TestClient, sessions: Sessions, owner: Actor) -> None:
    event, guests = stored_event(sessions, owner, "Aino Olli Sari")
    address = f"events/{event}/ratings/matrix"
    text = ";sari;Aino;Olli\nsari;0;1,5;2\nAino;1,5;0;3\nOlli;2;3;0\n"
    put = api.put(address, params={"kind": "distance"}, content=text, headers=CSV)
    assert (put.status_code, put.json()["guests"]) == (200, [guests[2], guests[0], guests[1]])
    assert api.get(address).json()["matrix"] == [[0, 3, 1.5], [3, 0, 2], [1.5, 2, 0]]


def test_csv_goes_out_and_comes_back(api: TestClient, sessions: Sessions, owner: Actor) -> None:
    event, guests = stored_event(sessions, owner, "=Aino Ol,li 👩‍👩‍👧 ليلى")
    rows = [[0, -2, 1.1, None], [-1, 0, 2, None], [1.1, 2, 0, None], [None, None, None, 0]]
    address = f"events/{event}/ratings/matrix"
    api.put(address, json={"guests": guests, "matrix": rows}, headers=ANY_VERSION)
    out = api.get(address, headers={"Accept": "text/csv"})
    assert out.headers["content-type"] == "text/csv; charset=utf-8"
    assert out.text.splitlines()[:2] == [""",'=Aino,"Ol,li",👩‍👩‍👧,ليلى""", "'=Aino,0,-2,1.1,"]
    back = api.put(address, content=out.content, headers=CSV)
    assert (back.status_code, back.json()["asymmetric"]) == (200, True)
    assert api.get(address).json()["matrix"] == rows


def test_event_without_guests_gets_those_of_the_csv(api: TestClient, sessions: Sessions, owner: Actor) -> None:
    event, _ = stored_event(sessions, owner, "")
    put = api.put(f"events/{event}/ratings/matrix", content="\tAino\tOlli\nAino\t0\t2\nOlli\t2\t0\n", headers=CSV)
    assert put.status_code == 200
    listed = api.get(f"events/{event}/guests").json()["guests"]
    assert [guest["name"] for guest in listed] == ["Aino", "Olli"]
    assert put.json()["guests"] == [guest["id"] for guest in listed]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("0,1,2\n1,0,3\n", "not square"),
        (",Aino,Olli,Sari\nAino,0,1,2\nOlli,1,0\nSari,2,3,0\n", "Olli"),
        (",Aino,Olli,Sari\nAino,0,x,2\nOlli,1,0,3\nSari,2,3,0\n", "“x” is not a number"),
        (",Aino,Olli,Sari\nAino,0,NaN,2\nOlli,1,0,3\nSari,2,3,0\n", "“NaN” is not a number"),
        (
            ",Aino,Olli,Sari\nAino,0,-1,2\nOlli,1,0,3\nSari,2,3,0\n",
            "Row 2 (Aino), column 3 (Olli): “-1” is negative; a distance must be 0 or more.",
        ),
        (",Aino,Oli,Zaid\nAino,0,1,2\nOli,1,0,3\nZaid,2,3,0\n", "“Oli” and “Zaid” aren't guests of this event"),
        (",Aino,Aino,Sari\nAino,0,1,2\nAino,1,0,3\nSari,2,3,0\n", "Aino"),
        ("0,1\n1,0\n", "2 rows without names, but the event has 3 guests"),
        ("", "The file is empty"),
    ],
)
def test_bad_csv_says_where_and_what(
    api: TestClient, sessions: Sessions, owner: Actor, text: str, message: str
) -> None:
    event, guests = stored_event(sessions, owner, "Aino Olli Sari")
    address = f"events/{event}/ratings/matrix"
    api.put(address, json={"guests": guests, "matrix": MATRIX}, headers=ANY_VERSION)
    refused = api.put(address, params={"kind": "distance"}, content=text, headers=CSV)
    assert (refused.status_code, refused.headers["content-type"]) == (422, "application/problem+json")
    assert message in refused.json()["detail"]
    assert api.get(address).json() == {"kind": "score", "guests": guests, "matrix": MATRIX}


def test_bad_json_points_to_the_cell_and_tells_no_number(api: TestClient, sessions: Sessions, owner: Actor) -> None:
    event, guests = stored_event(sessions, owner, "Aino Olli Sari")
    address = f"events/{event}/ratings/matrix"
    rows = "[[0, 7.654321, 7.654321], [7.654321, 0, NaN], [7.654321, -7.654321, 0]]"
    body = f'{{"kind": "distance", "guests": ["{guests[0]}", "{guests[1]}", "{guests[2]}"], "matrix": {rows}}}'
    nan = api.put(address, content=body, headers={"Content-Type": "application/json"})
    assert nan.json()["errors"] == [
        {"pointer": "#/matrix/1/2", "detail": "Row 2 (Olli), column 3 (Sari): not a number."}
    ]
    negative = api.put(address, content=body.replace("NaN", "1"), headers={"Content-Type": "application/json"})
    assert negative.json()["errors"] == [
        {"pointer": "#/matrix/2/1", "detail": "Row 3 (Sari), column 2 (Olli): a distance must be 0 or more."}
    ]
    unknown = api.put(address, json={"guests": guests, "matrix": MATRIX, "scale": 7.654321})
    assert unknown.json()["errors"] == [{"pointer": "#/scale", "detail": "Unknown field “scale”."}]
    for answer in (nan, negative, unknown):
        assert answer.status_code == 422
        assert "7.654321" not in answer.text
    broken = api.put(address, content="{", headers={"Content-Type": "application/json"})
    assert (broken.status_code, broken.json()["detail"]) == (422, "The body is not valid JSON: line 1, column 2.")
    picture = api.put(address, content=b"x", headers={"Content-Type": "image/png"})
    assert picture.status_code == 415
    assert "application/json, text/csv" in picture.json()["detail"]


def test_matrix_is_read_from_a_file_in_a_form(api: TestClient, sessions: Sessions, owner: Actor) -> None:
    event, guests = stored_event(sessions, owner, "Aino Olli")
    address = f"events/{event}/ratings/matrix"
    put = api.put(address, files={"file": ("ratings.csv", b",Aino,Olli\nAino,0,2\nOlli,2,0\n", "text/csv")})
    assert (put.status_code, put.json()["guests"]) == (200, guests)
    assert api.get(address).json()["matrix"] == [[0.0, 2.0], [2.0, 0.0]]


def test_stranger_and_viewer_get_no_matrix(
    client: TestClient,
    api: TestClient,
    stranger_api: TestClient,
    sessions: Sessions,
    owner: Actor,
    stranger: Actor,
) -> None:
    event, guests = stored_event(sessions, owner, "Aino Olli Sari")
    address = f"events/{event}/ratings/matrix"
    body = {"guests": guests, "matrix": MATRIX}
    api.put(address, json=body)
    for expected in (404, 403):
        assert stranger_api.get(address).status_code == expected
        assert stranger_api.put(address, json=body).status_code == expected
        assert stranger_api.put(address, content=",Aino\nAino,0\n", headers=CSV).status_code == expected
        if expected == 404:
            give_role(sessions, event, stranger, "viewer")
    assert client.put(f"/api/v1/{address}", content=b"{", headers=CSV).status_code == 401

"""/api/v1/events/{event}/ratings."""

from __future__ import annotations

from uuid import uuid4

from fastapi.testclient import TestClient

from app.accounts.actor import Actor
from app.db.session import Sessions
from tests.factories import ANY_VERSION
from tests.rating_helpers import give_role, stored_event


def test_ratings_are_put_patched_and_read_back(api: TestClient, sessions: Sessions, owner: Actor) -> None:
    event, (aino, olli, sari) = stored_event(sessions, owner, "Aino Olli Sari")
    address = f"events/{event}/ratings"
    put = api.put(
        address,
        json={"ratings": [{"a": aino, "b": olli, "score": 1.5}, {"a": olli, "b": sari, "score": -2}]},
        headers=ANY_VERSION,
    )
    assert (put.status_code, put.json()) == (200, {"rated": 2, "pairs": 3})
    patched = api.patch(
        address, json={"ratings": [{"a": olli, "b": sari, "score": None}, {"a": sari, "b": aino, "score": 0}]}
    )
    assert (patched.status_code, patched.json()) == (200, {"rated": 2, "pairs": 3})
    read = api.get(address).json()
    assert read == {
        "ratings": [{"a": aino, "b": olli, "score": 1.5}, {"a": sari, "b": aino, "score": 0}],
        "next": None,
    }
    assert api.put(address, json={"ratings": []}, headers=ANY_VERSION).json() == {"rated": 0, "pairs": 3}
    assert api.get(address).json() == {"ratings": [], "next": None}


def test_null_removes_both_directions_of_a_pair(api: TestClient, sessions: Sessions, owner: Actor) -> None:
    event, (aino, olli) = stored_event(sessions, owner, "Aino Olli")
    address = f"events/{event}/ratings"
    both = [{"a": aino, "b": olli, "score": 1}, {"a": olli, "b": aino, "score": -1}]
    assert api.patch(address, json={"ratings": both}).json() == {"rated": 1, "pairs": 1}
    assert api.get(address).json()["ratings"] == both
    removed = api.patch(address, json={"ratings": [{"a": aino, "b": olli, "score": None}]})
    assert removed.json() == {"rated": 0, "pairs": 1}
    assert api.get(address).json()["ratings"] == []
    api.patch(address, json={"ratings": both})
    api.patch(address, json={"ratings": [{"a": aino, "b": olli, "score": None}, both[1]]})
    assert api.get(address).json()["ratings"] == [both[1]]


def test_list_comes_in_pages_without_removed_guests(api: TestClient, sessions: Sessions, owner: Actor) -> None:
    event, guests = stored_event(sessions, owner, "A B C D E")
    address = f"events/{event}/ratings"
    pairs = [(a, b) for a in guests for b in guests if a != b]
    api.put(address, json={"ratings": [{"a": a, "b": b, "score": 1} for a, b in pairs]})
    assert api.delete(f"events/{event}/guests/{guests[4]}", headers={"If-Match": "*"}).status_code == 204
    seen, after = [], None
    while True:
        page = api.get(address, params={"limit": 5, **({"after": after} if after else {})}).json()
        seen += [(rating["a"], rating["b"]) for rating in page["ratings"]]
        after = page["next"]
        if after is None:
            break
    assert seen == sorted((a, b) for a, b in pairs if guests[4] not in (a, b))
    bad = api.get(address, params={"after": "not a cursor"})
    assert (bad.status_code, bad.json()["errors"][0]["pointer"]) == (422, "#/after")


def test_faults_point_to_the_rating_and_tell_no_score(api: TestClient, sessions: Sessions, owner: Actor) -> None:
    event, (aino, olli) = stored_event(sessions, owner, "Aino Olli")
    address = f"events/{event}/ratings"
    sent = [{"a": aino, "b": olli, "score": 1.234567}, {"a": aino, "b": str(uuid4()), "score": 1.234567}]
    refused = api.put(address, json={"ratings": [*sent, {"a": olli, "b": aino, "score": 7.654321}]})
    assert refused.status_code == 422
    assert refused.json()["errors"] == [
        {"pointer": "#/ratings/1", "detail": "“b” isn't a guest of this event."},
        {"pointer": "#/ratings/2", "detail": "A score must be from −2 to 2."},
    ]
    letters = api.patch(address, json={"ratings": [{"a": aino, "b": olli, "score": "canary 7.654321"}]})
    assert [error["pointer"] for error in letters.json()["errors"]] == ["#/ratings/0/score"]
    nan = api.patch(
        address,
        content=f'{{"ratings": [{{"a": "{aino}", "b": "{olli}", "score": NaN}}]}}',
        headers={"Content-Type": "application/json"},
    )
    assert (nan.status_code, nan.json()["errors"][0]["pointer"]) == (422, "#/ratings/0/score")
    for answer in (refused, letters, nan):
        assert "7.654321" not in answer.text
        assert "1.234567" not in answer.text
    assert api.get(address).json()["ratings"] == []


def test_stranger_and_viewer_read_and_write_no_rating(
    api: TestClient, stranger_api: TestClient, sessions: Sessions, owner: Actor, stranger: Actor
) -> None:
    event, (aino, olli) = stored_event(sessions, owner, "Aino Olli")
    address = f"events/{event}/ratings"
    body = {"ratings": [{"a": aino, "b": olli, "score": 1}]}
    api.put(address, json=body)
    for expected in (404, 403):
        assert stranger_api.get(address).status_code == expected
        assert stranger_api.put(address, json=body).status_code == expected
        assert stranger_api.patch(address, json=body).status_code == expected
        if expected == 404:
            give_role(sessions, event, stranger, "viewer")


def test_editor_may_rate(stranger_api: TestClient, sessions: Sessions, owner: Actor, stranger: Actor) -> None:
    event, (aino, olli) = stored_event(sessions, owner, "Aino Olli")
    give_role(sessions, event, stranger, "editor")
    body = {"ratings": [{"a": aino, "b": olli, "score": 1}]}
    assert stranger_api.patch(f"events/{event}/ratings", json=body).json() == {"rated": 1, "pairs": 1}

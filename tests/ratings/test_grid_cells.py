"""The cells of the big grid: what its script reads, and batches that overwrite nobody."""

from __future__ import annotations

import json
import tracemalloc
from base64 import b64decode
from collections.abc import Callable
from typing import Any
from uuid import UUID, uuid4

import numpy as np
import pytest
from fastapi.testclient import TestClient

from app.db.session import Sessions, transaction
from app.ratings.known import known_pairs, known_values
from app.solver import order_by_similarity

NAMES = ("Dan", "aino", "Cleo", "Bo")


@pytest.fixture
def event(web: TestClient, api: TestClient) -> str:
    """The address of an event: Dan and Cleo are colleagues who get along, aino and Bo friends."""
    address = str(web.post("/events", data={"name": "Party"}).headers["location"]).removesuffix("/guests")
    guests = [{"name": name, "groups": ["Work"] if name in ("Dan", "Cleo") else []} for name in NAMES]
    _, aino, _, bo = (g["id"] for g in api.put(f"{address[1:]}/guests", json={"guests": guests}).json()["guests"])
    work = api.get(f"{address[1:]}/groups").json()["groups"][0]["id"]
    api.put(f"{address[1:]}/groups/ratings", json={"ratings": [{"a": work, "b": work, "score": 1.0}]})
    api.put(f"{address[1:]}/ratings", json={"ratings": [{"a": aino, "b": bo, "score": 1.5}]})
    return address


def read(web: TestClient, event: str, order: str = "entered") -> dict[str, Any]:
    return dict(web.get(f"{event}/ratings/cells?order={order}").json())


def send(web: TestClient, event: str, guests: list[str], cells: list[list[float | None]]) -> Any:
    return web.post(f"{event}/ratings/cells", data={"batch": json.dumps({"guests": guests, "cells": cells})})


def test_cells_have_values_sources_and_groups(web: TestClient, event: str) -> None:
    cells = read(web, event)
    assert [guest["name"] for guest in cells["rows"]] == list(NAMES)
    assert [guest["group"] for guest in cells["rows"]] == ["Work", "", "Work", ""]
    values = np.frombuffer(b64decode(cells["values"]), dtype="<f4").reshape(4, 4)
    source = np.frombuffer(b64decode(cells["source"]), dtype=np.uint8).reshape(4, 4)
    assert (values[0, 2], source[0, 2], values[1, 3], source[1, 3]) == (1.0, 5, 1.5, 1)
    assert source[0, 1] == 6


@pytest.mark.parametrize(
    ("order", "names"),
    [("name", "aino Bo Cleo Dan"), ("group", "Dan Cleo aino Bo"), ("anything", "Dan aino Cleo Bo")],
)
def test_guests_stand_in_the_order_asked_for(web: TestClient, event: str, order: str, names: str) -> None:
    assert " ".join(guest["name"] for guest in read(web, event, order)["rows"]) == names


def test_similar_guests_stand_side_by_side(web: TestClient, event: str) -> None:
    names = [guest["name"] for guest in read(web, event, "similarity")["rows"]]
    assert {frozenset(names[:2]), frozenset(names[2:])} == {frozenset(("Dan", "Cleo")), frozenset(("aino", "Bo"))}
    blocks = np.kron(np.eye(2), np.ones((3, 3))).astype(float)[[0, 3, 1, 4, 2, 5]][:, [0, 3, 1, 4, 2, 5]]
    order = order_by_similarity(blocks)
    assert [guest % 2 for guest in order] in ([0, 0, 0, 1, 1, 1], [1, 1, 1, 0, 0, 0])


def test_batch_is_written_as_a_whole_or_not_at_all(web: TestClient, api: TestClient, event: str) -> None:
    ids = [guest["id"] for guest in read(web, event)["rows"]]
    saved = send(web, event, ids, [[0, 1, None, -1], [0, 2, None, 2], [1, 3, 1.5, None]])
    assert saved.json()["rated"] == 2
    stale = send(web, event, ids, [[0, 3, None, 1], [0, 1, None, 2], [1, 3, 1.5, 0]])
    assert stale.status_code == 409
    assert [(one["a"], one["b"], one["score"]) for one in stale.json()["conflicts"]] == [
        (ids[0], ids[1], -1.0),
        (ids[1], ids[3], None),
    ]
    assert len(api.get(f"{event[1:]}/ratings").json()["ratings"]) == 2


def test_who_sets_the_same_as_somebody_else_meets_no_conflict(web: TestClient, event: str) -> None:
    ids = [guest["id"] for guest in read(web, event)["rows"]]
    assert send(web, event, ids, [[1, 3, None, 1.5]]).status_code == 200


@pytest.mark.parametrize(
    "batch", ["", "[]", "[" * 100_000, '{"guests": [], "cells": [[0, 1, null, 1]]}', '{"guests": [], "cells": [[-1]]}']
)
def test_what_is_no_batch_is_refused(web: TestClient, event: str, batch: str) -> None:
    assert web.post(f"{event}/ratings/cells", data={"batch": batch}).status_code == 422


def test_faults_of_a_batch_are_told_and_nothing_is_written(web: TestClient, api: TestClient, event: str) -> None:
    ids = [guest["id"] for guest in read(web, event)["rows"]]
    refused = send(web, event, ids, [[0, 1, None, 1], [0, 2, None, 7]])
    assert (refused.status_code, refused.json()["detail"]) == (422, "A score must be from −2 to 2.")
    assert len(api.get(f"{event[1:]}/ratings").json()["ratings"]) == 1


def test_form_of_a_guest_tells_what_unrated_pairs_count_as(web: TestClient, event: str) -> None:
    dan = read(web, event)["rows"][0]["id"]
    assert "+1 · from groups (Work × Work)" in web.get(f"{event}/ratings/guests/{dan}").text
    assert 'class="lv-p1 from from-group"' in web.get(f"{event}/ratings/all").text


def peak_bytes(do: Callable[[], object]) -> int:
    """Return how much memory was taken at once, numpy's arrays included."""
    tracemalloc.start()
    try:
        do()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_batch_of_unknown_guests_is_refused_before_anything_large_is_made(web: TestClient, event: str) -> None:
    ids = [str(uuid4()) for _ in range(12_000)]
    answers: list[Any] = []
    peak = peak_bytes(lambda: answers.append(send(web, event, ids, [[i, i + 1, None, 1.0] for i in range(11_999)])))
    assert answers[0].status_code == 422
    assert peak < 100 << 20  # 12,000 squared are more than a gigabyte


def test_form_with_thousands_of_unknown_guests_makes_nothing_large(web: TestClient, event: str) -> None:
    guest = read(web, event)["rows"][0]["id"]
    fields = {f"score/{uuid4()}": "1" for _ in range(10_000)}
    answers: list[Any] = []
    peak = peak_bytes(lambda: answers.append(web.post(f"{event}/ratings/guests/{guest}", data=fields)))
    assert answers[0].status_code in (400, 422)
    assert peak < 150 << 20


@pytest.mark.parametrize("symmetric", [True, False])
def test_pairs_are_known_as_they_are_in_the_whole(
    api: TestClient, sessions: Sessions, event: str, symmetric: bool
) -> None:
    guests = [guest["id"] for guest in api.get(f"{event[1:]}/guests").json()["guests"]]
    rng = np.random.default_rng(3)
    matrix = rng.normal(size=(4, 4)).round(1)
    if symmetric:
        matrix = matrix + matrix.T
    rows = [[None if i == 1 and j == 3 else float(matrix[i, j]) for j in range(4)] for i in range(4)]
    api.put(f"{event[1:]}/ratings/matrix", json={"guests": guests, "matrix": rows})
    single = [{"a": guests[0], "b": guests[2], "score": 1.5}, {"a": guests[2], "b": guests[0], "score": -1.0}]
    api.patch(f"{event[1:]}/ratings", json={"ratings": [*single, {"a": guests[3], "b": guests[0], "score": 0.5}]})
    event_id, ids = UUID(event.removeprefix("/events/")), [UUID(guest) for guest in guests]
    with transaction(sessions, read_only=True) as session:
        whole = known_values(session, event_id, ids)
        cells = known_pairs(session, event_id, [(a, b) for a in ids for b in ids]).reshape(4, 4)
    np.testing.assert_array_equal(cells, whole)
    assert np.isnan(cells.diagonal()).all()

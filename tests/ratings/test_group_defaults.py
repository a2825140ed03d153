"""The grid of groups: through the page and through the API."""

from __future__ import annotations

import re

import pytest
from fastapi.testclient import TestClient

from tests.factories import ANY_VERSION
from tests.pages import faults_of, fields_of, words_of


@pytest.fixture
def event(web: TestClient, api: TestClient) -> str:
    """The address of an event: Aino and Bo are family, Cleo and Dan colleagues, Bo both; Aino and Cleo are rated."""
    address = str(web.post("/events", data={"name": "Party"}).headers["location"]).removesuffix("/guests")
    guests = [
        {"name": "Aino", "groups": ["Family"]},
        {"name": "Bo", "groups": ["Family", "Work"]},
        {"name": "Cleo", "groups": ["Work"]},
        {"name": "Dan", "groups": ["Work"]},
    ]
    aino, _, cleo, _ = api.put(f"{address[1:]}/guests", json={"guests": guests}).json()["guests"]
    api.put(f"{address[1:]}/ratings", json={"ratings": [{"a": aino["id"], "b": cleo["id"], "score": -1.0}]})
    return address


def groups_of(api: TestClient, event: str) -> list[str]:
    return [group["id"] for group in api.get(f"{event[1:]}/groups").json()["groups"]]


def test_page_tells_what_each_cell_sets(web: TestClient, api: TestClient, event: str) -> None:
    family, work = groups_of(api, event)
    page = web.get(f"{event}/ratings/groups")
    fields = fields_of(page.text)
    assert fields[f"score/{family}/{work}"] == [""]
    words = words_of(page.text)
    for text in ("Family among themselves", "Family with Work", "1 pair", "5 pairs", "3 pairs"):
        assert text in words
    form = {name: values[0] for name, values in fields.items() if name != "form_token"}
    form[f"score/{family}/{work}"] = "1"
    assert web.post(f"{event}/ratings/groups", data=form).status_code == 303
    after = web.get(f"{event}/ratings/groups").text
    assert fields_of(after)[f"score/{family}/{work}"] == ["1"]
    assert "applies to 4 of 5 pairs; 1 has its own rating, wish or household" in words_of(after)


def test_script_saves_one_cell_and_hears_what_all_do(web: TestClient, api: TestClient, event: str) -> None:
    family, work = groups_of(api, event)
    one = {f"was/{work}/{work}": "", f"score/{work}/{work}": "2"}
    answer = web.post(f"{event}/ratings/groups", data=one, headers={"Accept": "application/json"}).json()
    assert answer["notes"][f"score/{work}/{work}"] == "applies to 3 pairs."
    assert answer["notes"][f"score/{family}/{work}"] == "5 pairs of guests."
    assert api.get(f"{event[1:]}/groups/ratings").json() == {"ratings": [{"a": work, "b": work, "score": 2.0}]}


def test_cell_can_be_taken_back_and_bad_ones_are_refused(web: TestClient, api: TestClient, event: str) -> None:
    family, work = groups_of(api, event)
    cells = [{"a": work, "b": family, "score": -0.5}, {"a": work, "b": work, "score": 1.0}]
    put = api.put(f"{event[1:]}/groups/ratings", json={"ratings": cells}, headers=ANY_VERSION)
    assert [(c["a"], c["b"], c["score"]) for c in put.json()["ratings"]] == [(family, work, -0.5), (work, work, 1.0)]
    assert fields_of(web.get(f"{event}/ratings/groups").text)[f"score/{family}/{work}"] == ["-0.5"]
    web.post(f"{event}/ratings/groups", data={f"was/{work}/{work}": "1", f"score/{work}/{work}": ""})
    assert api.get(f"{event[1:]}/groups/ratings").json()["ratings"] == [{"a": family, "b": work, "score": -0.5}]
    refused = web.post(f"{event}/ratings/groups", data={f"score/{work}/{work}": "7"})
    assert (refused.status_code, faults_of(refused.text)) == (422, ["A score must be from −2 to 2."])
    twice = [cells[1], cells[1]]
    assert api.put(f"{event[1:]}/groups/ratings", json={"ratings": twice}, headers=ANY_VERSION).status_code == 422


def grid_in(web: TestClient, event: str) -> bytes:
    return web.get(f"{event}/ratings/groups.csv").content


def test_grid_goes_out_as_a_file_and_comes_back_without_loss(web: TestClient, api: TestClient, event: str) -> None:
    family, work = groups_of(api, event)
    api.patch(
        f"{event[1:]}/groups/{family}", json={"name": "=Family"}, headers={"If-Match": etag_of(api, event, family)}
    )
    cells = [{"a": family, "b": family, "score": 1 / 3}, {"a": family, "b": work, "score": -0.5}]
    api.put(f"{event[1:]}/groups/ratings", json={"ratings": cells}, headers=ANY_VERSION)
    out = grid_in(web, event)
    api.put(f"{event[1:]}/groups/ratings", json={"ratings": [{"a": work, "b": work, "score": 2}]}, headers=ANY_VERSION)
    page = web.post(f"{event}/ratings/groups/file", files={"file": ("groups.csv", out)}).text
    assert "2 cells updated." in words_of(page)
    kept = [*cells, {"a": work, "b": work, "score": 2}]
    assert api.get(f"{event[1:]}/groups/ratings").json()["ratings"] == kept
    undo = {name: values[0] for name, values in fields_of(page.split("</main>")[0].split("<h1")[0]).items()}
    web.post(f"{event}/ratings/groups", data=undo)
    assert api.get(f"{event[1:]}/groups/ratings").json()["ratings"] == kept[2:]


def etag_of(api: TestClient, event: str, group: str) -> str:
    return str(api.get(f"{event[1:]}/groups/{group}").headers["etag"])


def test_grid_is_pasted_as_a_square_or_as_a_list(web: TestClient, api: TestClient, event: str) -> None:
    web.post(f"{event}/ratings/groups/file", data={"text": "\twork\tFAMILY\nWork\t2\t−1,5\n"})
    assert grid_in(web, event).decode("utf-8-sig").splitlines() == [",Family,Work", "Family,,-1.5", "Work,-1.5,2"]
    web.post(f"{event}/ratings/groups/file", data={"text": "Group;Other group;Score\nFamily;Family;1\nWork;Work;0\n"})
    assert grid_in(web, event).decode("utf-8-sig").splitlines()[1:] == ["Family,1,-1.5", "Work,-1.5,0"]


def test_file_of_groups_is_refused_with_its_places_and_nothing_is_lost(web: TestClient, event: str) -> None:
    before, text = grid_in(web, event), ",Family,Work,Choir\nFamily,1,2,0\nWork,1,x,\n"
    refused = web.post(f"{event}/ratings/groups/file", data={"text": text})
    assert (refused.status_code, faults_of(refused.text)) == (422, ["Row 3, column 3: “x” is not a number."])
    assert fields_of(refused.text)["text"] == [text]
    refused = web.post(f"{event}/ratings/groups/file", data={"text": text.replace("x", "3")})
    assert faults_of(refused.text) == [
        "Row 2, column 4: “Choir” isn't a group of this event.",
        "Row 3, column 2 and row 2, column 3 have different values for the same two groups.",
        "Row 3, column 3: a score must be from −2 to 2.",
    ]
    assert faults_of(web.post(f"{event}/ratings/groups/file", data={"text": ",Family\nFamily\n"}).text) == [
        "There are no numbers. Put the group names in the first row and column."
    ]
    assert grid_in(web, event) == before


def test_event_of_distances_has_no_grid_of_groups(web: TestClient, api: TestClient, event: str) -> None:
    web.post(f"{event}/ratings/start-over", data={"kind": "distance"})
    assert "Group ratings need scores" in words_of(web.get(f"{event}/ratings/groups").text)
    assert not re.findall("<select", web.get(f"{event}/ratings/groups").text)
    family, _ = groups_of(api, event)
    cell = {"ratings": [{"a": family, "b": family, "score": 1.0}]}
    assert api.put(f"{event[1:]}/groups/ratings", json=cell).status_code == 422

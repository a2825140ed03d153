"""The first page of ratings: groups in sentences, without JavaScript and as the script uses them."""

from __future__ import annotations

from typing import Any

import pytest
from fastapi.testclient import TestClient

from tests.pages import fields_of, words_of

JSON = {"Accept": "application/json"}
LONG = "<b>Godparents & their very long-winded relatives from abroad</b>"


@pytest.fixture
def event(web: TestClient, api: TestClient) -> str:
    """The address of an event whose guests are in two groups."""
    return make_event(web, api, {"Aino": LONG, "Bo": LONG, "Cleo": "Work", "Dan": "Work", "Eve": ""})


def make_event(web: TestClient, api: TestClient, groups: dict[str, str], **more: Any) -> str:
    event = api.post("events", json={"name": "Party", **more}).json()["id"]
    guests = [{"name": name, "groups": [group] if group else []} for name, group in groups.items()]
    assert api.put(f"events/{event}/guests", json={"guests": guests}).is_success
    return f"/events/{event}"


def rated(api: TestClient, event: str) -> list[float]:
    return [row["score"] for row in api.get(f"{event[1:]}/groups/ratings").json()["ratings"]]


def test_groups_are_asked_about_in_sentences_with_plain_forms(web: TestClient, api: TestClient, event: str) -> None:
    page = web.get(f"{event}/ratings").text
    words = words_of(page)
    assert f"How do {LONG} and Work get along?" in words
    assert "Your answer covers 4 pairs of guests." in words
    assert "0 of 3 questions about groups answered" in words
    assert "1 guest is in no group" in words
    card = fields_of(page)
    pair = {"a": card["a"][0], "b": card["b"][0], "submission": card["submission"][0]}
    answered = web.post(f"{event}/ratings", data={**pair, "answer": "-1"})
    assert (answered.status_code, rated(api, event)) == (303, [-1.0])
    following = words_of(web.get(answered.headers["location"]).text)
    assert "Previous answer: rather not." in following
    assert f"Within {LONG} : do they know each other?" in following
    undone = web.post(f"{event}/ratings", data={**pair, "answer": "-1", "undo": "yes"})
    assert f"How do {LONG} and Work get along?" in words_of(web.get(undone.headers["location"]).text)
    assert rated(api, event) == []


def test_all_questions_can_be_skipped_and_asked_again(web: TestClient, event: str) -> None:
    for _ in range(3):
        card = fields_of(web.get(f"{event}/ratings").text)
        web.post(f"{event}/ratings", data={"a": card["a"][0], "b": card["b"][0], "answer": "skip"})
    words = words_of(web.get(f"{event}/ratings").text)
    assert "No questions about groups left" in words
    assert "Ask the 3 skipped questions again" in words
    web.post(f"{event}/ratings/skipped")
    assert fields_of(web.get(f"{event}/ratings").text)["a"] != [""]


def test_script_gets_the_next_questions_with_each_answer(web: TestClient, event: str) -> None:
    card = fields_of(web.get(f"{event}/ratings").text)
    pair = {"a": card["a"][0], "b": card["b"][0]}
    answer = web.post(f"{event}/ratings", data={**pair, "answer": "2"}, headers=JSON).json()
    assert (answer["kept"], answer["rated"]) == (True, "1 of 3 questions about groups answered")
    assert [card["within"] for card in answer["cards"]] == [True, True]
    assert answer["progress"]["text"] == "Progress appears once you have added tables."
    assert not web.post(f"{event}/ratings", data={**pair, "answer": "-2"}, headers=JSON).json()["kept"]
    refused = web.post(f"{event}/ratings", data={"a": "x", "b": "y", "answer": "2"}, headers=JSON)
    assert (refused.status_code, refused.json()) == (422, {"detail": "Choose groups of this event."})


def test_answers_about_groups_are_counted_beside_rated_pairs(web: TestClient, event: str) -> None:
    card = fields_of(web.get(f"{event}/ratings").text)
    assert "answer about groups" not in words_of(web.get(f"{event}/ratings/questions").text)
    web.post(f"{event}/ratings", data={"a": card["a"][0], "b": card["b"][0], "answer": "1"})
    for page in ("ratings/questions", "ratings/all"):
        assert "1 answer about groups and 0 of" in words_of(web.get(f"{event}/{page}").text)


def test_page_loads_again_without_scripts_while_the_plan_is_measured(web: TestClient, event: str) -> None:
    refresh = '<noscript><meta http-equiv="refresh" content="5"></noscript>'
    assert refresh not in web.get(f"{event}/ratings").text  # there are no tables, so nothing will come
    web.post(f"{event}/tables/sizes", data={"sizes": "4"})
    page = web.get(f"{event}/ratings").text
    assert "Convive is working out how settled your plan is." in words_of(page)
    assert refresh in page
    assert refresh not in web.get(f"{event}/ratings/groups").text  # somebody may be filling in its fields


def test_without_groups_the_page_offers_both_ways_on(web: TestClient, api: TestClient) -> None:
    event = make_event(web, api, {"Aino": "", "Bo": ""})
    page = web.get(f"{event}/ratings").text
    assert "No groups yet" in words_of(page)
    assert f'href="{event}/groups"' in page
    assert f'href="{event}/ratings/questions"' in page
    alone = make_event(web, api, {"Aino": ""})
    assert "Add at least two guests" in words_of(web.get(f"{alone}/ratings").text)


def test_event_of_distances_goes_to_all_pairs(web: TestClient, api: TestClient) -> None:
    event = make_event(web, api, {"Aino": "Work", "Bo": "Work"}, kind="distance")
    answer = web.get(f"{event}/ratings")
    assert (answer.status_code, answer.headers["location"]) == (303, f"{event}/ratings/all")
    assert "Group table" not in words_of(web.get(f"{event}/ratings/all").text)


def test_matrix_of_another_scale_leaves_no_questions_about_groups(web: TestClient, api: TestClient) -> None:
    event = make_event(web, api, {"Aino": "Work", "Bo": "Work"})
    web.post(f"{event}/ratings/matrix", data={"kind": "score", "text": "0 50\n50 0"})
    words = words_of(web.get(f"{event}/ratings").text)
    assert "The uploaded matrix says how the guests of this event get along" in words

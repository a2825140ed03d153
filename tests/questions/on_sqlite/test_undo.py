"""Two people answer the same questions: undo takes back only what the same press of a button has written."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from uuid import UUID, uuid4

import pytest
from fastapi.testclient import TestClient

from app.accounts.actor import Actor
from app.db.session import Sessions, transaction
from app.questions.queries import asked_pairs
from app.ratings.known import pair_value
from tests.pages import fields_of, words_of
from tests.rating_helpers import stored_event

JSON = {"Accept": "application/json"}
Fields = Mapping[str, Any]


class Party:
    """An event with guests A to D, two of them in each of two groups, and its ratings."""

    def __init__(self, web: TestClient, sessions: Sessions, owner: Actor, api: TestClient) -> None:
        self.web, self.sessions, self.api = web, sessions, api
        self.id, self.guests = stored_event(sessions, owner, "Aino Olli Sari Tapio")
        self.questions = f"/events/{self.id}/ratings/questions"
        for name, members in (("Choir", self.guests[:2]), ("Work", self.guests[2:])):
            assert api.post(f"events/{self.id}/groups", json={"name": name, "guests": members}).is_success

    def pair(self, answer: str, **more: str) -> dict[str, str]:
        return {"a": self.guests[0], "b": self.guests[1], "answer": answer, "submission": str(uuid4()), **more}

    def rows(self, answers: str) -> dict[str, str]:
        said = {f"said/{other}": said for other, said in zip(self.guests[1:], answers.split(), strict=True)}
        return {"guest": self.guests[0], "answer": "save", "submission": str(uuid4()), **said}

    def send(self, fields: Fields, path: str = "") -> dict[str, Any]:
        answer: dict[str, Any] = self.web.post(f"{self.questions}{path}", data=fields, headers=JSON).json()
        return answer

    def undo(self, fields: Fields, path: str = "") -> dict[str, Any]:
        return self.send({**fields, "undo": "yes"}, path)

    def ratings(self) -> list[float | None]:
        """Return how the first guest gets along with each of the others."""
        with transaction(self.sessions) as session:
            first, *others = map(UUID, self.guests)
            return [pair_value(session, UUID(self.id), first, other) for other in others]

    def notes(self) -> list[str]:
        with transaction(self.sessions) as session:
            return list(asked_pairs(session, UUID(self.id)).values())

    def between(self, answer: str, **more: str) -> dict[str, str]:
        a, b = (group["id"] for group in self.api.get(f"events/{self.id}/groups").json()["groups"])
        return {"a": a, "b": b, "answer": answer, "submission": str(uuid4()), **more}

    def send_group(self, fields: Fields) -> dict[str, Any]:
        answer: dict[str, Any] = self.web.post(f"/events/{self.id}/ratings", data=fields, headers=JSON).json()
        return answer

    def group_scores(self) -> list[float]:
        return [row["score"] for row in self.api.get(f"events/{self.id}/groups/ratings").json()["ratings"]]


@pytest.fixture
def party(web: TestClient, sessions: Sessions, owner: Actor, api: TestClient) -> Party:
    return Party(web, sessions, owner, api)


def test_undo_of_a_list_leaves_what_somebody_else_saved_before(party: Party) -> None:
    theirs, own = party.rows("1 1 unknown"), party.rows("1 2 unknown")
    assert party.send(theirs, "/list")["written"] == party.guests[1:]
    told = party.send(own, "/list")
    assert (told["kept"], told["written"]) == (False, [])
    assert told["theirs"] == {party.guests[2]: {"value": "1", "words": "get along"}}
    assert party.undo(own, "/list")["undone"] == []
    assert (party.ratings(), party.notes()) == ([1.0, 1.0, None], ["unknown"])
    assert party.undo(theirs, "/list")["undone"] == party.guests[1:]
    assert (party.ratings(), party.notes()) == ([None, None, None], [])


def test_undo_of_a_list_takes_back_the_rows_that_it_wrote(party: Party) -> None:
    party.send(party.pair("2"))
    own = party.rows("2 1 0")
    assert party.send(own, "/list")["written"] == party.guests[2:]
    assert party.undo(own, "/list")["undone"] == party.guests[2:]
    assert party.ratings() == [2.0, None, None]


@pytest.mark.parametrize("said", ["1", "-2", "unknown"])
def test_undo_of_a_pair_leaves_what_somebody_else_saved_before(party: Party, said: str) -> None:
    party.send(party.pair("1"))
    own = party.pair(said)
    assert party.send(own)["written"] == []
    assert party.undo(own)["undone"] == []
    assert party.ratings()[0] == 1.0


def test_undo_of_groups_leaves_what_somebody_else_saved_before(party: Party) -> None:
    for said in ("1", "-2", "skip"):
        party.send_group(party.between("1"))
        own = party.between(said)
        party.send_group(own)
        assert party.send_group({**own, "undo": "yes"})["undone"] == []
        assert party.group_scores() == [1]


def test_what_is_sent_again_still_counts_as_written(party: Party) -> None:
    own = party.pair("1")
    assert len(party.send(own)["written"]) == 1
    assert len(party.send(own)["written"]) == 1
    for _ in range(2):
        assert len(party.undo(own)["undone"]) == 1
        assert party.ratings()[0] is None
    assert len(party.send(own)["written"]) == 1  # such as from a page that the browser shows again
    assert party.ratings()[0] == 1.0


def test_answer_that_arrives_after_its_undo_writes_nothing(party: Party) -> None:
    own = party.pair("1")
    assert party.undo(own)["undone"] == []
    assert party.send(own)["written"] == []
    assert party.ratings()[0] is None


def test_undo_without_the_id_of_an_answer_takes_nothing_back(party: Party) -> None:
    party.send(party.pair("1"))
    party.undo({**party.pair("1"), "submission": ""})
    party.undo(party.pair("1"))
    assert party.ratings()[0] == 1.0


def test_undo_leaves_what_somebody_has_changed_since(party: Party) -> None:
    own = party.pair("1")
    party.send(own)
    party.send(party.pair("-2", was="1"))
    told = party.undo(own)
    assert (len(told["written"]), told["undone"]) == (1, [])
    assert party.ratings()[0] == -2.0


def test_kept_answer_is_told_and_can_be_replaced_and_comes_back_with_undo(party: Party) -> None:
    party.send(party.pair("unknown"))
    party.send(party.pair("-1"))
    told = party.send(party.pair("2"))
    assert list(told["theirs"].values()) == [{"value": "-1", "words": "rather not"}]
    own = party.pair("2", was="-1")
    assert party.send(own)["kept"]
    assert party.ratings()[0] == 2.0
    party.undo(own)
    assert party.ratings()[0] == -1.0
    party.send_group(party.between("-1"))
    told = party.send_group(party.between("2"))
    assert list(told["theirs"].values()) == [{"value": "-1", "words": "rather not"}]
    group = party.between("2", was="-1")
    assert party.send_group(group)["kept"]
    assert party.group_scores() == [2]
    party.send_group({**group, "undo": "yes"})
    assert party.group_scores() == [-1]


def test_note_of_somebody_else_comes_back_with_undo(party: Party) -> None:
    party.send(party.pair("unknown"))
    for said in ("1", "skip"):
        own = party.pair(said)
        party.send(own)
        party.undo(own)
        assert (party.ratings()[0], party.notes()) == (None, ["unknown"])
    party.send_group(party.between("skip"))
    own = party.between("1")
    party.send_group(own)
    party.send_group({**own, "undo": "yes"})
    assert (party.group_scores(), party.send_group(party.between("skip"))["written"]) == ([], [])


def test_plain_page_names_the_answer_that_was_kept_and_offers_to_change_it(party: Party) -> None:
    address = f"/events/{party.id}/ratings"
    party.send_group(party.between("-1"))
    own = party.between("2")
    page = party.web.get(party.web.post(address, data=own).headers["location"]).text
    assert "Someone else had already answered “rather not” to the question before." in words_of(page)
    assert 'name="undo"' not in page
    again = party.web.get(f"{address}?pair={own['a']}.{own['b']}").text
    assert "The answer so far is “rather not”. Yours replaces it." in words_of(again)
    assert fields_of(again)["was"] == ["-1"]
    party.web.post(address, data={**own, "was": "-1"})
    assert party.group_scores() == [-1], "an answer that is sent again is not another one"
    changed = party.web.post(address, data=party.between("2", was=fields_of(again)["was"][0]))
    assert party.group_scores() == [2]
    assert 'name="undo"' in party.web.get(changed.headers["location"]).text


def test_plain_page_names_whose_answers_were_kept_in_a_list(party: Party) -> None:
    party.send(party.pair("-1"))
    answered = party.web.post(f"{party.questions}/list", data=party.rows("2 1 1"))
    words = words_of(party.web.get(answered.headers["location"]).text)
    assert "Someone else had already answered for Olli (rather not). Their answers were kept." in words


def test_plain_page_says_that_nothing_was_undone(party: Party) -> None:
    party.send(party.pair("1"))
    undone = party.web.post(party.questions, data=party.pair("1", undo="yes"))
    assert "Nothing to undo: you saved no answer there" in words_of(party.web.get(undone.headers["location"]).text)


def test_answers_of_others_are_not_undone_with_their_id(party: Party, stranger_web: TestClient) -> None:
    own = party.pair("1")
    party.send(own)
    assert stranger_web.post(party.questions, data={**own, "undo": "yes"}).status_code == 404
    assert party.ratings()[0] == 1.0

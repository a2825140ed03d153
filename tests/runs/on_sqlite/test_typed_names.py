"""Hosts and earlier tables of several rounds, as somebody types or pastes their names."""

from __future__ import annotations

from collections.abc import Container, Sequence
from difflib import get_close_matches
from html import unescape
from uuid import UUID

import pytest
from fastapi.testclient import TestClient
from httpx2 import Response
from hypothesis import given
from hypothesis import strategies as st

from app.accounts.actor import Actor
from app.db.session import Sessions
from app.errors import Invalid
from app.guests.queries.guests import SeatedName
from app.runs.rounds import met_tables, typed_names
from app.runs.rounds.met_tables import write_met_tables
from app.runs.rounds.names_on_a_line import split_names
from app.runs.rounds.typed_names import TypedNames
from app.web.names import clean_name
from app.worker.execute import execute_run
from tests.pages import faults_of, fields_of
from tests.run_helpers import stored_event

ALONE = "is alone. Write all names of a table on one line, with commas between them."


@pytest.fixture
def event_id(sessions: Sessions, owner: Actor) -> UUID:
    return stored_event(sessions, owner, guests=12, sizes=(3, 3, 3, 3))


def start(web: TestClient, event_id: UUID | str, **fields: str) -> Response:
    return web.post(f"/events/{event_id}/runs", data={"rounds": "2", "restarts": "2", **fields})


def stored_options(web: TestClient, api: TestClient, started: Response) -> tuple[list[list[str]], list[str]]:
    """Return the earlier tables and the hosts of the run, by name."""
    assert started.status_code == 303, faults_of(started.text)
    run = api.get(started.headers["location"][1:]).json()
    event = started.headers["location"].split("/")[2]
    names = {guest["id"]: guest["name"] for guest in api.get(f"events/{event}/guests").json()["guests"]}
    return [[names[one] for one in table] for table in run["met_tables"]], [names[one] for one in run["hosts"]]


@pytest.mark.parametrize(
    ("lines", "tables"),
    [
        ("Guest 1; Guest 2\nGuest 3, Guest 4", [[1, 2], [3, 4]]),
        ("Guest 1\tGuest 2\r\n\r\nGuest 3; Guest 4, guest 5", [[1, 2], [3, 4, 5]]),
        ("Guest  1,Guest\u00a02\x00", [[1, 2]]),
        ("\ufeffGuest 1, \u202dGuest\u200b 2\u202c, Guest 1", [[1, 2]]),
        ('"Guest 1", Guest 2\n,;', [[1, 2]]),
        ("", []),
    ],
)
def test_lines_are_read_with_any_separator(
    web: TestClient, api: TestClient, event_id: UUID, lines: str, tables: list[list[int]]
) -> None:
    started = start(web, event_id, met_tables=lines)
    assert stored_options(web, api, started)[0] == [[f"Guest {number}" for number in table] for table in tables]


@pytest.mark.parametrize(
    ("field", "lines", "messages"),
    [
        (
            "met_tables",
            "Guest 0\nGuest 1",
            [f"Sat together before, line 1: “Guest 0” {ALONE}", f"Sat together before, line 2: “Guest 1” {ALONE}"],
        ),
        ("met_tables", "Guest 1, Guest 2\nguest 0, Guest 0", [f"Sat together before, line 2: “guest 0” {ALONE}"]),
        (
            "met_tables",
            "Gest 7, Aunt Rose\nGuest 1, Aunt Rose",
            [
                "Sat together before, line 1: “Gest 7” isn't a guest to be seated. Did you mean Guest 7?",
                "Sat together before, line 1: “Aunt Rose” isn't a guest to be seated. Check the spelling.",
            ],
        ),
        (
            "met_tables",
            ",".join(f"Person {number}" for number in range(300)),
            [
                f"Sat together before, line 1: “Person {number}” isn't a guest to be seated. Check the spelling."
                for number in range(4)
            ]
            + ["There are more problems further down."],
        ),
        (
            "met_tables",
            f"Guest 1, {'x' * 6000}",
            [f"Sat together before, line 1: “{'x' * 80}…” isn't a guest to be seated. Check the spelling."],
        ),
        ("met_tables", "Guest 1, Guest 2\n" * 2501, ["The lines have 5,002 names; maximum 5,000."]),
        ("hosts", "Guest 1\n" * 2001, ["The lines have 2,001 hosts; maximum 2,000."]),
        ("met_tables", "x" * 500_001, ["The text has 500,001 characters; maximum 500,000."]),
        (
            "hosts",
            "Guest 1\nGest 7, Nobody",
            [
                "Hosts, line 2: “Gest 7” isn't a guest to be seated. Did you mean Guest 7?",
                "Hosts, line 2: “Nobody” isn't a guest to be seated. Check the spelling.",
            ],
        ),
    ],
)
def test_first_problems_of_a_field_are_said_at_once(
    web: TestClient, event_id: UUID, field: str, lines: str, messages: list[str]
) -> None:
    refused = start(web, event_id, **{field: lines})
    assert (refused.status_code, faults_of(refused.text)) == (422, messages)
    assert fields_of(refused.text)[field] == [lines]


@pytest.mark.parametrize(("field", "most"), [("met_tables", "5,000"), ("hosts", "2,000")])
@pytest.mark.parametrize("lines", ["é," * 249_000, "a\n" * 249_000], ids=["one line", "many lines"])
def test_far_too_many_names_are_refused_before_any_is_looked_up(
    web: TestClient, event_id: UUID, monkeypatch: pytest.MonkeyPatch, field: str, most: str, lines: str
) -> None:
    looked_up: list[str] = []

    def note(_known: TypedNames, name: str) -> Sequence[SeatedName]:
        looked_up.append(name)
        return ()

    monkeypatch.setattr(TypedNames, "_guests", note)
    refused = start(web, event_id, **{field: lines})
    assert faults_of(refused.text) == [f"The lines have more than {most} names. Leave some of them out."]
    assert looked_up == []


def test_as_many_names_as_allowed_may_have_commas_of_their_own(web: TestClient, api: TestClient) -> None:
    event = api.post("events", json={"name": "Party"}).json()["id"]
    names = ["Lee, Anna", "Smith, Jo", "Poe, Cleo", "Roe, Dan"]
    api.put(f"events/{event}/guests", json={"guests": [{"name": name} for name in names]})
    api.put(f"events/{event}/tables", json={"tables": [{"seats": 2}, {"seats": 2}]})
    started = start(web, event, met_tables="Lee, Anna, Smith, Jo\n" * 2500, hosts="Lee, Anna; Roe, Dan")
    tables, hosts = stored_options(web, api, started)
    assert (len(tables), tables[0], hosts) == (2500, ["Lee, Anna", "Smith, Jo"], ["Lee, Anna", "Roe, Dan"])


def test_names_are_read_once_for_the_answer_and_the_form(
    web: TestClient, event_id: UUID, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[str] = []

    def note(line: str, known: Container[str]) -> list[str]:
        read.append(line)
        return split_names(line, known)

    monkeypatch.setattr(met_tables, "split_names", note)
    refused = start(web, event_id, met_tables="Guest 1, Nobody\nGuest 2, Stranger")
    assert "Skip these 2 names" in unescape(refused.text)
    assert read == ["Guest 1, Nobody", "Guest 2, Stranger"]


def test_similar_names_are_looked_for_only_where_they_are_shown(
    web: TestClient, sessions: Sessions, owner: Actor, monkeypatch: pytest.MonkeyPatch
) -> None:
    event_id = stored_event(sessions, owner, guests=2001, sizes=(1001, 1000))
    among: list[int] = []

    def note(name: str, names: list[str], n: int, cutoff: float) -> list[str]:
        among.append(len(names))
        return get_close_matches(name, names, n=n, cutoff=cutoff)

    monkeypatch.setattr(typed_names, "get_close_matches", note)
    near = [f"Gest {number}" for number in range(100, 110)]
    refused = start(web, event_id, met_tables=", ".join(near), hosts="\n".join(near))
    assert "Hosts, line 4: “Gest 103” isn't a guest to be seated. Did you mean Guest 103?" in faults_of(refused.text)
    assert among == [2000] * 8


def test_problems_of_all_fields_are_said_at_once(web: TestClient, event_id: UUID) -> None:
    refused = start(web, event_id, hosts="Nobody", met_tables="Guest 1")
    assert faults_of(refused.text) == [
        "Hosts, line 1: “Nobody” isn't a guest to be seated. Check the spelling.",
        f"Sat together before, line 1: “Guest 1” {ALONE}",
    ]


def test_more_than_a_hundred_guests_at_a_table_are_refused(web: TestClient, sessions: Sessions, owner: Actor) -> None:
    event_id = stored_event(sessions, owner, guests=101, sizes=(60, 60))
    lines = "\n" + ", ".join(f"Guest {number}" for number in range(101))
    assert faults_of(start(web, event_id, met_tables=lines).text) == [
        "Sat together before, line 2 has 101 guests; maximum 100."
    ]


def test_names_are_skipped_only_once_they_were_shown(web: TestClient, api: TestClient, event_id: UUID) -> None:
    lines = "Guest 0, Gest 7, Guest 1, Nobody\nGuest 2, Nobody"
    refused = start(web, event_id, met_tables=lines)
    page = unescape(refused.text)
    assert "Skip these 2 names" in page
    assert "Gest 7 and Nobody." in page
    assert "skip_names" not in fields_of(refused.text)  # not ticked
    skipped = {"skip_names": "Gest 7\r\nNobody"}
    other = start(web, event_id, met_tables=f"{lines}\nGuest 3, Stranger", **skipped)
    assert faults_of(other.text) == [
        "Sat together before, line 3: “Stranger” isn't a guest to be seated. Check the spelling."
    ]
    assert "skip_names" not in fields_of(other.text)
    wrong = start(web, event_id, met_tables=lines, hosts="Nobody", **skipped)
    assert fields_of(wrong.text)["skip_names"] == ["Gest 7\nNobody"]
    started = start(web, event_id, met_tables=lines, **skipped)
    assert stored_options(web, api, started)[0] == [["Guest 0", "Guest 1"]]
    none = start(web, event_id, met_tables="Guest 2, Nobody", **skipped)
    assert faults_of(none.text) == ["No two guests to be seated are on one line."]


def test_names_are_not_offered_to_skip_before_they_were_explained(web: TestClient, event_id: UUID) -> None:
    refused = start(web, event_id, met_tables="Guest 0, Gest 7, Guest 1, Nobody", time_limit="0")
    assert faults_of(refused.text) == ["The time limit must be from 0.1 to 3,600 seconds."]
    assert "Skip these" not in refused.text


def test_form_begins_with_names_that_it_reads_back(web: TestClient, api: TestClient, sessions: Sessions) -> None:
    event = api.post("events", json={"name": "Party"}).json()["id"]
    names = ["Smith; Jo", "Lee, Anna", "Lee", "Anna", 'Bo "the | bear"', "Cleo"]
    api.put(f"events/{event}/guests", json={"guests": [{"name": name} for name in names]})
    api.put(f"events/{event}/tables", json={"tables": [{"seats": 3}, {"seats": 3}]})
    typed = 'Smith; Jo, Bo "the | bear"; Cleo\nLee, Anna\n"Lee, Anna"; Cleo'
    started = start(web, event, met_tables=typed, hosts="Lee, Anna\nSmith; Jo, Cleo")
    tables = [["Smith; Jo", 'Bo "the | bear"', "Cleo"], ["Lee", "Anna"], ["Lee, Anna", "Cleo"]]
    asked = tables, ["Lee, Anna", "Smith; Jo", "Cleo"]
    assert stored_options(web, api, started) == asked
    assert execute_run(sessions, UUID(started.headers["location"].rpartition("/")[2])) == "done"
    begun = {name: fields_of(web.get(f"/events/{event}/plan?new=1").text)[name][0] for name in ("met_tables", "hosts")}
    assert stored_options(web, api, start(web, event, **begun)) == asked


def legal(text: str) -> str | None:
    try:
        return clean_name(text)
    except Invalid:
        return None


LEGAL = st.text(st.one_of(st.sampled_from(" ,;\"|'=\ufeff"), st.characters()), max_size=12).map(legal).filter(bool)


@given(st.lists(LEGAL, min_size=2, max_size=6, unique=True), st.sets(LEGAL))
def test_every_name_is_read_as_it_is_written(names: list[str], others: set[str]) -> None:
    ids = [UUID(int=number) for number in range(len(names))]
    written = write_met_tables((tuple(ids),), dict(zip(ids, names, strict=True)))
    (line,) = written.splitlines()
    assert split_names(line, {*names, *others}) == names

"""The pages of tables, without JavaScript."""

from __future__ import annotations

import re

import pytest
from fastapi.testclient import TestClient

from app.accounts.actor import Actor
from app.db.session import Sessions
from tests.conftest import signed_in_client
from tests.pages import actions_of, faults_of, fields_of, kept_of, words_of
from tests.rating_helpers import give_role


@pytest.fixture
def event(web: TestClient) -> str:
    """The address of an event with four guests."""
    address = str(web.post("/events", data={"name": "Party"}).headers["location"]).removesuffix("/guests")
    web.post(f"{address}/guests/paste", data={"lines": "Aino\nEero\nOlli\nSari"})
    return address


@pytest.fixture
def tables(event: str) -> str:
    """The address of its tables."""
    return f"{event}/tables"


def set_sizes(web: TestClient, tables: str, sizes: str) -> str:
    """Set the sizes and return the page that follows."""
    taken = web.post(f"{tables}/sizes", data={"sizes": sizes})
    assert taken.status_code == 303
    return str(web.get(taken.headers["location"]).text)


def sizes_on(web: TestClient, tables: str) -> str:
    return fields_of(web.get(tables).text)["sizes"][0]


def names_on(web: TestClient, tables: str) -> list[str]:
    return re.findall(r'<h2 class="card-title"><bdi>(.*?)</bdi>', web.get(tables).text)


def ids_on(web: TestClient, tables: str) -> list[str]:
    return re.findall(r'<li class="card table-card" id="table-([0-9a-f-]+)">', web.get(tables).text)


def test_sizes_in_one_line_make_the_tables(web: TestClient, tables: str) -> None:
    set_sizes(web, tables, "4, 4 5;6\n3")
    assert names_on(web, tables) == ["Table 1", "Table 2", "Table 3", "Table 4", "Table 5"]
    assert sizes_on(web, tables) == "4 4 5 6 3"


def test_counts_and_ranges_are_taken_and_shown_as_they_are(web: TestClient, tables: str) -> None:
    page = set_sizes(web, tables, "10x8 4-6 0-3 2-2")
    assert fields_of(page)["sizes"] == ["10x8 4-6 0-3 2-2"]
    words = words_of(page)
    assert "Round, 4 to 6 seats" in words
    assert "Round, 3 seats, may stay empty" in words
    assert "Round, exactly 2 guests" in words


@pytest.mark.parametrize(
    ("sizes", "understood"),
    [
        ("4 x 3", "4 tables of 3"),
        ("4 4 5 6 3", "2 tables of 4, 1 of 5, 1 of 6 and 1 of 3"),
        ("8 2x4-6 0-3 2-2", "1 table of 8, 2 of 4 to 6, 1 of 0 to 3 and 1 of 2"),
        ("8 4-6x2 0-3 2-2", "1 table of 8, 2 of 4 to 6, 1 of 0 to 3 and 1 of 2"),
        ("1 2 3 4 5 6 7 8 9", "9 tables"),
    ],
)
def test_page_says_how_the_sizes_were_understood(web: TestClient, tables: str, sizes: str, understood: str) -> None:
    assert f"Tables updated: {understood}." in words_of(set_sizes(web, tables, sizes))
    later = web.get(tables).text
    assert f'<p class="sub">{understood}</p>' in later
    assert "Tables updated" not in later


@pytest.mark.parametrize(
    ("sizes", "sentence"),
    [
        ("2 2", "4 guests, 4 seats: exactly enough."),
        ("3", "3 seats for 4 guests: 1 more seat needed."),
        ("1", "1 seat for 4 guests: 3 more seats needed."),
        ("2 3", "5 seats for 4 guests: 1 seat to spare."),
        ("3-3 3-3", "The tables need at least 6 guests; you have 4."),
    ],
)
def test_a_sentence_compares_seats_with_guests(web: TestClient, tables: str, sizes: str, sentence: str) -> None:
    assert sentence in words_of(set_sizes(web, tables, sizes))


def test_without_tables_the_missing_seats_are_told(web: TestClient, tables: str) -> None:
    assert "0 seats for 4 guests: 4 more seats needed." in words_of(web.get(tables).text)


@pytest.mark.parametrize(
    ("sizes", "fault"),
    [
        ("4 0 5", "Table 2, “0”: a table needs at least 1 seat."),
        ("4 five", "“five” is not a table size."),
        ("", "Enter at least one table size."),
        ("4 501", "Table 2: maximum 500 seats per table, not 501."),
        ("2001x2", "That would be 2,001 tables; maximum 2,000 per event."),
        ("6-4", "Table 1, “6-4”: put the smaller number first, as in “4-6”."),
    ],
)
def test_sizes_with_a_fault_stay_in_the_field_and_change_nothing(
    web: TestClient, tables: str, sizes: str, fault: str
) -> None:
    set_sizes(web, tables, "2 2")
    refused = web.post(f"{tables}/sizes", data={"sizes": sizes})
    assert refused.status_code == 422
    assert faults_of(refused.text)[0].startswith(fault)
    assert fields_of(refused.text)["sizes"] == [sizes]
    assert sizes_on(web, tables) == "2 2"


def test_new_sizes_keep_names_and_shapes_where_the_position_matches(web: TestClient, tables: str) -> None:
    set_sizes(web, tables, "4 4 5")
    second = ids_on(web, tables)[1]
    web.post(f"{tables}/{second}", data={"name": "Birch", "seats": "4", "shape": "long"})
    words = words_of(set_sizes(web, tables, "3 6 5 2"))
    assert names_on(web, tables) == ["Table 1", "Birch", "Table 3", "Table 4"]
    assert "Birch Long, 6 seats" in words
    assert ids_on(web, tables)[1] == second


def test_new_sizes_can_be_undone_with_the_tables_they_removed(web: TestClient, tables: str) -> None:
    set_sizes(web, tables, "4 4-6 5 2x3")
    before = ids_on(web, tables)
    page = set_sizes(web, tables, "7")
    assert "Tables updated: 1 table of 7; 4 tables deleted." in words_of(page)
    form = fields_of(page)
    undone = web.post(f"{tables}/undo", data={"before": form["before"][0], "removed": form["removed"][0]})
    assert undone.status_code == 303
    assert (sizes_on(web, tables), ids_on(web, tables)) == ("4 4-6 5 3 3", before)


def test_the_first_sizes_can_be_undone_too(web: TestClient, tables: str) -> None:
    form = fields_of(set_sizes(web, tables, "4 4"))
    web.post(f"{tables}/undo", data={"before": form["before"][0], "removed": form["removed"][0]})
    assert names_on(web, tables) == []


@pytest.mark.parametrize("form", [{"before": "x"}, {"before": "4", "removed": "y"}])
def test_an_undo_that_cannot_be_done_changes_nothing(web: TestClient, tables: str, form: dict[str, str]) -> None:
    set_sizes(web, tables, "2 2")
    refused = web.post(f"{tables}/undo", data=form)
    assert (refused.status_code, sizes_on(web, tables)) == (422, "2 2")


def test_undo_that_fails_half_way_changes_nothing(web: TestClient, tables: str) -> None:
    set_sizes(web, tables, "2 2 2")
    form = fields_of(set_sizes(web, tables, "2"))
    web.post(tables, data={"name": "Table 3", "seats": "9"})
    refused = web.post(f"{tables}/undo", data={"before": form["before"][0], "removed": form["removed"][0]})
    assert (refused.status_code, faults_of(refused.text)) == (422, ["There is already a table called “Table 3”."])
    assert names_on(web, tables) == ["Table 1", "Table 3"]


def test_one_table_is_added_with_name_and_shape(web: TestClient, tables: str) -> None:
    added = web.post(tables, data={"name": "Head table", "seats": "12", "min_seats": "0", "shape": "long"})
    assert added.headers["location"] == f"{tables}#table-{ids_on(web, tables)[0]}"
    assert "Head table Long, 12 seats, may stay empty" in words_of(web.get(tables).text)
    web.post(tables, data={"name": "", "seats": " 6 ", "shape": "round"})
    assert names_on(web, tables) == ["Head table", "Table 2"]


@pytest.mark.parametrize(
    ("form", "fault"),
    [
        ({"seats": "0"}, "A table needs at least 1 seat."),
        ({"seats": "four"}, "Seats must be a whole number, not “four”."),
        ({"seats": "4.5"}, "Seats must be a whole number, not “4.5”."),
        ({"seats": ""}, "Seats: enter a number."),
        ({"seats": "501"}, "Maximum 500 seats per table; this one has 501."),
        ({"seats": "4", "min_seats": "5"}, "The fewest guests (5) cannot be more than the 4 seats."),
        ({"seats": "4", "min_seats": "x"}, "At least must be a whole number, not “x”."),
        ({"seats": "4", "shape": "star"}, "The shape must be round, square, long, head or oval."),
    ],
)
def test_table_form_with_a_fault_keeps_everything_that_was_entered(
    web: TestClient, tables: str, form: dict[str, str], fault: str
) -> None:
    sent = {"name": "Birch", "seats": "", "min_seats": "", "shape": "long"} | form
    refused = web.post(tables, data=sent)
    assert (refused.status_code, faults_of(refused.text)) == (422, [fault])
    kept = fields_of(refused.text)
    assert [kept[key] for key in ("name", "seats", "min_seats")] == [
        [sent["name"]],
        [sent["seats"]],
        [sent["min_seats"]],
    ]
    assert kept.get("shape", []) == ([sent["shape"]] if sent["shape"] == "long" else [])
    assert ids_on(web, tables) == []


def test_table_is_edited_and_a_crossed_edit_is_shown_again(web: TestClient, tables: str) -> None:
    set_sizes(web, tables, "4 4")
    address = f"{tables}/{ids_on(web, tables)[0]}"
    form = {key: values[0] for key, values in fields_of(web.get(address).text).items()}
    assert (form["name"], form["seats"], form["min_seats"], form["shape"]) == ("Table 1", "4", "1", "round")
    assert web.post(address, data=form | {"name": "Birch", "seats": "6"}).status_code == 303
    assert names_on(web, tables) == ["Birch", "Table 2"]
    crossed = web.post(address, data=form | {"name": "Oak"})
    assert (crossed.status_code, fields_of(crossed.text)["name"]) == (422, ["Oak"])
    twice = web.post(address, data={"name": "table 2", "seats": "4"})
    assert faults_of(twice.text) == ["“table 2” already exists as “Table 2”."]


def test_removal_can_be_undone_from_the_page(web: TestClient, tables: str) -> None:
    set_sizes(web, tables, "4 5 6")
    before = ids_on(web, tables)
    removed = web.post(f"{tables}/{before[1]}/remove")
    page = web.get(removed.headers["location"]).text
    assert "Table 2 deleted." in words_of(page)
    [undo] = [action for action in actions_of(page) if action.endswith("/restore")]
    assert web.post(undo).status_code == 303
    assert ids_on(web, tables) == before


def test_stranger_sees_and_changes_no_table(web: TestClient, stranger_web: TestClient, tables: str) -> None:
    set_sizes(web, tables, "4")
    address = f"{tables}/{ids_on(web, tables)[0]}"
    assert [stranger_web.get(path).status_code for path in (tables, address)] == [404, 404]
    posts = (tables, f"{tables}/sizes", f"{tables}/undo", address, f"{address}/remove", f"{address}/restore")
    form = {"name": "x", "seats": "1", "sizes": "1", "before": "1"}
    assert [stranger_web.post(path, data=form).status_code for path in posts] == [404] * 6
    assert sizes_on(web, tables) == "4"


def test_viewer_sees_tables_without_forms(
    web: TestClient, client: TestClient, sessions: Sessions, stranger: Actor, tables: str
) -> None:
    set_sizes(web, tables, "4")
    give_role(sessions, tables.split("/")[2], stranger, "viewer")
    viewer = signed_in_client(client, sessions, stranger)
    page = viewer.get(tables).text
    assert "Table 1" in page
    assert actions_of(page) == ["/sign-out"]
    assert viewer.post(tables, data={"seats": "none"}).status_code == 403
    assert viewer.post(f"{tables}/sizes", data={"sizes": "1"}).status_code == 403


def test_neither_form_loses_what_stands_in_the_other(web: TestClient, tables: str) -> None:
    set_sizes(web, tables, "4 4")
    typed = {"name": "Birch", "seats": "six", "min_seats": "", "shape": "long"}
    refused = web.post(f"{tables}/sizes", data={"sizes": "4 x", **typed})
    assert (fields_of(refused.text)["name"], fields_of(refused.text)["shape"]) == (["Birch"], ["long"])
    assert kept_of(refused.text) == {**typed, "sizes": "4 x"}
    added = web.post(tables, data={**typed, "seats": "6", "sizes": "4 x"})
    assert ("Birch" in words_of(added.text), fields_of(added.text)["sizes"]) == (True, ["4 x"])
    assert fields_of(added.text)["name"] == [""]
    [first, *_] = ids_on(web, tables)
    removed = web.post(f"{tables}/{first}/remove", data={"sizes": "4 x", **typed})
    assert "Table 1 deleted." in words_of(removed.text)
    assert (fields_of(removed.text)["sizes"], fields_of(removed.text)["name"]) == (["4 x"], ["Birch"])
    taken = web.post(f"{tables}/sizes", data={"sizes": "5 5 5", **typed})
    assert "Tables updated: 3 tables of 5." in words_of(taken.text)
    assert (fields_of(taken.text)["sizes"], fields_of(taken.text)["seats"]) == (["5 5 5"], ["six"])
    undone = web.post(f"{tables}/undo", data={**typed, "before": "4 6", "sizes": "5 5 5"})
    assert (fields_of(undone.text)["sizes"], fields_of(undone.text)["name"]) == (["4 6"], ["Birch"])


def test_sizes_that_were_not_touched_are_read_anew_after_a_change(web: TestClient, tables: str) -> None:
    set_sizes(web, tables, "4 4")
    added = web.post(tables, data={"name": "Birch", "seats": "6", "sizes": "4 4"})
    assert (added.status_code, sizes_on(web, tables)) == (303, "4 4 6")

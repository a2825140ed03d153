"""The guest table: filters, sorting, cells that are typed in place, and changes of the selected guests."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from fastapi.testclient import TestClient

from app.accounts.actor import Actor
from app.db.session import Sessions
from tests.conftest import signed_in_client
from tests.pages import actions_of, fields_of, words_of
from tests.rating_helpers import give_role

PEOPLE = [
    {"name": "Aino Virtanen", "party": "Virtanen", "groups": "Family, Choir", "reply": "yes", "diet": "vegan"},
    {"name": "Bo Åberg", "groups": "Choir", "reply": "maybe"},
    {"name": "Cleo Zorn", "party": "Zorn", "reply": "invited", "note": "sings"},
    {"name": "Eero Virtanen", "party": "Virtanen", "groups": "Family", "reply": "invited", "child": "on"},
]
NAMES = [person["name"] for person in PEOPLE]


@pytest.fixture
def guests(web: TestClient) -> str:
    """The address of the guests of an event with four of them."""
    address = str(web.post("/events", data={"name": "Party"}).headers["location"])
    for person in PEOPLE:
        web.post(address, data=person)
    return address


def rows_on(web: TestClient, address: str, query: str = "") -> dict[str, Any]:
    answer: dict[str, Any] = web.get(f"{address}/rows?head=1&{query}").json()
    return answer


def names_on(web: TestClient, address: str, query: str = "") -> list[str]:
    """Return the names in the table; the page and the rows for its script must agree."""
    listed = re.findall(r'<bdi class="guest-name">(.*?)</bdi>', web.get(f"{address}?{query}").text)
    assert [row[1] for row in rows_on(web, address, query)["rows"]] == listed
    return listed


def ids_on(web: TestClient, address: str, *names: str) -> list[str]:
    found = {row[1]: row[0] for row in rows_on(web, address)["rows"]}
    return [found[name] for name in names]


def value_on(web: TestClient, address: str, name: str, column: str) -> Any:
    answer = rows_on(web, address)
    keys = [one["key"] for one in answer["columns"]]
    return next(row for row in answer["rows"] if row[1] == name)[1 + keys.index(column)]


def type_cell(web: TestClient, address: str, *cells: tuple[str, str, Any, Any]) -> Any:
    """Type into cells: the guest's name, the column, the value that was shown, the new value."""
    sent = [
        {"guest": ids_on(web, address, name)[0], "column": column, "was": was, "value": value}
        for name, column, was, value in cells
    ]
    return web.post(f"{address}/cells", data={"batch": json.dumps({"cells": sent})})


def do_with(web: TestClient, address: str, do: str, *names: str, **fields: str) -> str:
    """Change the selected guests, and return the page that follows."""
    sent = web.post(f"{address}/bulk", data={"guest": ids_on(web, address, *names), "do": do, **fields})
    assert sent.status_code == 303
    return web.get(sent.headers["location"]).text


@pytest.mark.parametrize(
    ("query", "shown"),
    [
        ("q=virta", [0, 3]),
        ("q=CHOIR", [0, 1]),
        ("q=aberg", [1]),
        ("q=sings", [2]),
        ("reply=invited", [2, 3]),
        ("reply=invited&reply=maybe", [1, 2, 3]),
        ("reply=invited&party=Virtanen", [3]),
        ("party=", [1]),
        ("groups=Family", [0, 3]),
        ("age_group=child", [3]),
        ("diet=vegan&q=aino", [0]),
        ("reply=nonsense", []),
        ("sort=last", [1, 0, 3, 2]),
        ("sort=last&desc=1", [2, 3, 0, 1]),
        ("sort=name&desc=1", [3, 2, 1, 0]),
        ("sort=party", [0, 3, 2, 1]),
        ("sort=party&desc=1", [2, 0, 3, 1]),
        ("sort=reply", [0, 1, 2, 3]),
        ("sort=age_group&desc=1", [3, 0, 1, 2]),
        ("sort=nonsense&unknown=1", [0, 1, 2, 3]),
    ],
)
def test_address_says_which_guests_are_shown_in_which_order(
    web: TestClient, guests: str, query: str, shown: list[int]
) -> None:
    assert names_on(web, guests, query) == [NAMES[place] for place in shown]


def test_names_are_sorted_as_the_reader_expects(web: TestClient, guests: str) -> None:
    rows = web.get(f"{guests}/rows?sort=last", headers={"Accept-Language": "sv"}).json()["rows"]
    assert [row[1] for row in rows] == ["Aino Virtanen", "Eero Virtanen", "Cleo Zorn", "Bo Åberg"]


def test_filters_count_what_the_others_leave_and_chips_take_them_away(web: TestClient, guests: str) -> None:
    page = web.get(f"{guests}?reply=invited&reply=maybe&groups=Choir&q=b").text
    words = words_of(page)
    assert "1 of 4 guests" in words
    assert "Attending 0" not in words
    assert re.findall(r'aria-label="Remove the filter (.*?)"', page) == [
        "“b”",
        "Groups: Choir",
        "Reply: No reply yet",
        "Reply: Maybe",
    ]
    without = re.findall(r'class="chip" href="[^"?]*\?([^"]*)"', page)
    assert without[1] == "q=b&amp;reply=invited&amp;reply=maybe"
    counted = words_of(web.get(f"{guests}/rows?head=1&groups=Family").json()["parts"]["facets"])
    assert "Reply Attending 1 No reply yet 1" in counted
    assert "Groups No group 1 Choir 2 Family 2" in counted


def test_sort_links_go_from_up_to_down_to_the_order_of_entry(web: TestClient, guests: str) -> None:
    def link(query: str) -> str:
        found = re.search(r'data-key="party"><a href="[^"?]*\??([^"]*)"', web.get(f"{guests}?{query}").text)
        assert found is not None
        return found[1].replace("&amp;", "&")

    assert [link(""), link("sort=party"), link("sort=party&desc=1&q=a")] == ["sort=party", "sort=party&desc=1", "q=a"]


def test_list_is_as_it_was_left_after_an_edit(web: TestClient, guests: str) -> None:
    state = "sort=last&reply=invited&reply=maybe"
    page = web.get(f"{guests}?{state}").text
    cleo = ids_on(web, guests, "Cleo Zorn")[0]
    own = re.search(rf'href="({guests}/{cleo}[^"]*)"', page)
    assert own is not None
    form = fields_of(web.get(own[1].replace("&amp;", "&")).text)
    saved = web.post(f"{guests}/{cleo}", data={"name": "Cleo Zorn", "reply": "maybe", "back": form["back"][0]})
    location = saved.headers["location"]
    assert location == f"{guests}?sort=last&reply=invited&reply=maybe&guest={cleo}#guest-{cleo}"
    assert names_on(web, guests, location.partition("?")[2].partition("#")[0]) == [NAMES[1], NAMES[3], NAMES[2]]


def test_nothing_but_the_state_of_the_list_gets_into_the_address_back(web: TestClient, guests: str) -> None:
    aino = ids_on(web, guests, "Aino Virtanen")[0]
    hostile = "//evil.example/?q=a&page=2&next=javascript:1&sort=<b>"
    removed = web.post(f"{guests}/{aino}/remove", data={"back": hostile})
    assert removed.headers["location"] == f"{guests}?page=2&removed={aino}"


def test_cell_is_typed_in_place(web: TestClient, guests: str) -> None:
    typed = type_cell(
        web,
        guests,
        ("Bo Åberg", "party", "", "Åberg"),
        ("Bo Åberg", "groups", ["Choir"], "Work, Choir"),
        ("Cleo Zorn", "reply", "invited", "Attending"),
        ("Cleo Zorn", "wheelchair", False, True),
        ("Cleo Zorn", "name", "Cleo Zorn", "Cleo  Z."),
    )
    assert typed.status_code == 200
    assert [row[1] for row in typed.json()["rows"]] == ["Bo Åberg", "Cleo Z."]
    assert value_on(web, guests, "Bo Åberg", "party") == "Åberg"
    assert value_on(web, guests, "Bo Åberg", "groups") == ["Choir", "Work"]
    assert [value_on(web, guests, "Cleo Z.", key) for key in ("reply", "wheelchair")] == ["yes", True]


def test_cell_that_somebody_else_changed_is_not_overwritten(web: TestClient, guests: str) -> None:
    type_cell(web, guests, ("Bo Åberg", "diet", "", "vegan"), ("Bo Åberg", "note", "", "late"))
    crossed = type_cell(web, guests, ("Bo Åberg", "diet", "", "no nuts"), ("Cleo Zorn", "diet", "", "no nuts"))
    bo = ids_on(web, guests, "Bo Åberg")[0]
    assert (crossed.status_code, crossed.json()) == (
        409,
        {"conflicts": [{"guest": bo, "column": "diet", "now": "vegan"}]},
    )
    assert value_on(web, guests, "Cleo Zorn", "diet") == ""
    again = type_cell(web, guests, ("Bo Åberg", "diet", "vegan", "no nuts"))
    assert (again.status_code, value_on(web, guests, "Bo Åberg", "note")) == (200, "late")


def test_refused_cells_say_why_and_change_nothing(web: TestClient, guests: str) -> None:
    refused = type_cell(
        web,
        guests,
        ("Aino Virtanen", "name", "Aino Virtanen", "bo åberg"),
        ("Bo Åberg", "note", "", "late"),
    )
    assert refused.status_code == 422
    assert [(one["where"], one["message"][:30]) for one in refused.json()["faults"]] == [
        ("cells/0", "“bo åberg” already exists as “")
    ]
    for column, value in (("reply", "perhaps so"), ("wheelchair", "sometimes"), ("name", " "), ("nonsense", "x")):
        was = value_on(web, guests, "Bo Åberg", column) if column != "nonsense" else ""
        assert type_cell(web, guests, ("Bo Åberg", column, was, value)).status_code == 422
    assert web.post(f"{guests}/cells", data={"batch": "{"}).status_code == 422
    assert value_on(web, guests, "Bo Åberg", "note") == ""


def test_sides_meals_and_own_fields_are_columns(web: TestClient, api: TestClient, guests: str) -> None:
    fields = f"{guests.removeprefix('/').removesuffix('/guests')}/fields"
    for kind, name, options in (("side", "", ["Bride", "Groom"]), ("course", "Main", ["Fish"]), ("text", "Hotel", [])):
        made = api.post(fields, json={"kind": kind, "name": name, "options": [{"name": one} for one in options]})
        assert made.status_code == 201, made.text
    keys = {column["label"]: column["key"] for column in rows_on(web, guests)["columns"]}
    typed = [("Side", "bride"), ("Main", "Fish"), ("Hotel", "Astoria")]
    saved = type_cell(web, guests, *(("Bo Åberg", keys[label], "", value) for label, value in typed))
    assert saved.status_code == 200, saved.text
    assert [value_on(web, guests, "Bo Åberg", keys[label]) for label, _ in typed] == ["Bride", "Fish", "Astoria"]
    assert names_on(web, guests, f"{keys['Side']}=Bride") == ["Bo Åberg"]
    assert type_cell(web, guests, ("Bo Åberg", keys["Side"], "Bride", "Family")).status_code == 422
    page = do_with(web, guests, f"{keys['Side']}=Groom", "Aino Virtanen", "Bo Åberg")
    [undo] = [action for action in actions_of(page) if "/undo/" in action]
    assert [value_on(web, guests, name, keys["Side"]) for name in NAMES[:2]] == ["Groom", "Groom"]
    web.post(undo)
    assert [value_on(web, guests, name, keys["Side"]) for name in NAMES[:2]] == ["", "Bride"]


def test_a_new_last_name_changes_the_name_that_it_made(web: TestClient, guests: str) -> None:
    assert type_cell(
        web, guests, ("Bo Åberg", "first_name", "", "Bo"), ("Bo Åberg", "last_name", "", "Åberg")
    ).is_success
    assert type_cell(web, guests, ("Bo Åberg", "last_name", "Åberg", "Falk")).json()["rows"][0][1] == "Bo Falk"


def test_names_can_be_exchanged_in_one_step(web: TestClient, guests: str) -> None:
    swapped = type_cell(web, guests, (NAMES[0], "name", NAMES[0], NAMES[1]), (NAMES[1], "name", NAMES[1], NAMES[0]))
    assert (swapped.status_code, names_on(web, guests)) == (200, [NAMES[1], NAMES[0], *NAMES[2:]])


@pytest.mark.parametrize(
    ("do", "fields", "message", "column", "after"),
    [
        ("reply=yes", {}, "Reply changed to “Attending” for 1 guest.", "reply", ["yes", "yes"]),
        ("high_chair=yes", {}, "High chair changed to “Yes” for 2 guests.", "high_chair", [True, True]),
        ("age_group=baby", {}, "Age changed to “Baby” for 2 guests.", "age_group", ["baby", "baby"]),
        ("diet=", {}, "Diet cleared for 1 guest.", "diet", ["", ""]),
        (
            "join",
            {"to_group": "Work"},
            "2 guests added to the group “Work”.",
            "groups",
            [["Family", "Choir", "Work"], ["Work"]],
        ),
        ("leave", {"to_group": "choir"}, "1 guest removed from the group “choir”.", "groups", [["Family"], []]),
        ("household", {"to_party": "Zorn"}, "1 guest added to the household “Zorn”.", "party", ["Zorn", "Zorn"]),
        ("household", {}, "2 guests added to the household “Aino Virtanen”.", "party", ["Aino Virtanen"] * 2),
        ("apart", {}, "2 guests left their households.", "party", ["", ""]),
    ],
)
def test_selected_guests_are_changed_in_one_step_with_one_undo(
    web: TestClient, guests: str, do: str, fields: dict[str, str], message: str, column: str, after: list[Any]
) -> None:
    chosen = ("Aino Virtanen", "Cleo Zorn")
    before = rows_on(web, guests)["rows"]
    page = do_with(web, guests, do, *chosen, **fields)
    assert message in words_of(page)
    assert [value_on(web, guests, name, column) for name in chosen] == after
    [undo] = [action for action in actions_of(page) if "/undo/" in action]
    assert web.post(undo, data={"back": "sort=last"}).headers["location"] == f"{guests}?sort=last"
    assert rows_on(web, guests)["rows"] == before
    assert "Work" not in words_of(web.get(guests.replace("guests", "groups")).text)


def test_removed_guests_come_back_together_unless_a_name_was_taken(web: TestClient, guests: str) -> None:
    page = do_with(web, guests, "remove", "Aino Virtanen", "Cleo Zorn")
    assert ("2 guests removed." in words_of(page), names_on(web, guests)) == (True, [NAMES[1], NAMES[3]])
    [undo] = [action for action in actions_of(page) if "/undo/" in action]
    web.post(guests, data={"name": "cleo zorn"})
    refused = web.post(undo, headers={"Accept": "application/json"})
    assert (refused.status_code, "There is a guest called Cleo Zorn by now" in refused.json()["detail"]) == (409, True)
    web.post(f"{guests}/{ids_on(web, guests, 'cleo zorn')[0]}/remove")
    assert web.post(undo, headers={"Accept": "application/json"}).json() == {"message": "Undone."}
    assert names_on(web, guests) == NAMES


def test_what_changes_nothing_says_so_and_offers_no_undo(web: TestClient, guests: str) -> None:
    page = do_with(web, guests, "reply=yes", "Aino Virtanen")
    assert "the selected guests have that already" in words_of(page)
    assert not [action for action in actions_of(page) if "/undo/" in action]
    for do in ("", "nonsense", "name=x", "join", "reply=nonsense"):
        sent = {"guest": ids_on(web, guests, "Aino Virtanen"), "do": do}
        assert web.post(f"{guests}/bulk", data=sent).status_code == 422


def test_rows_come_in_pieces_and_a_guest_is_found_among_them(web: TestClient, guests: str) -> None:
    web.post(f"{guests}/paste", data={"lines": "\n".join(f"Guest {number:03}" for number in range(250))})
    answer = web.get(f"{guests}/rows?first=200&limit=10").json()
    assert (answer["matching"], answer["first"], len(answer["rows"])) == (254, 200, 10)
    wanted = answer["rows"][3][0]
    found = web.get(f"{guests}/rows?guest={wanted}&limit=20&ids=1").json()
    assert (found["place"], found["first"], found["ids"][203]) == (203, 193, wanted)
    assert web.get(f"{guests}/rows?limit=501").status_code == 422


def test_viewer_reads_the_table_without_what_is_for_editors(
    web: TestClient, client: TestClient, sessions: Sessions, stranger: Actor, guests: str
) -> None:
    give_role(sessions, guests.split("/")[2], stranger, "viewer")
    viewer = signed_in_client(client, sessions, stranger)
    answer = rows_on(viewer, guests)
    assert {"diet", "note"}.isdisjoint(column["key"] for column in answer["columns"])
    assert "vegan" not in json.dumps(answer) + viewer.get(guests).text
    assert [rows_on(viewer, guests, query)["matching"] for query in ("q=sings", "diet=vegan")] == [0, 4]
    for path in ("cells", "bulk"):
        assert viewer.post(f"{guests}/{path}").status_code == 403
    everyone = [row[0] for row in answer["rows"]]
    done = web.post(f"{guests}/bulk", data={"guest": everyone, "do": "diet=halal"}).headers["location"]
    gone = web.post(f"{guests}/{everyone[0]}/remove").headers["location"]
    assert ("halal" in web.get(f"/{done.lstrip('/')}").text, "removed." in web.get(gone).text) == (True, True)
    for address in (done, gone):
        assert not {"halal", "removed."} & set(viewer.get(address).text.split())


def test_last_change_can_be_undone_after_the_page_was_left_by_whoever_made_it(
    web: TestClient, client: TestClient, sessions: Sessions, stranger: Actor, guests: str
) -> None:
    give_role(sessions, guests.split("/")[2], stranger, "editor")
    other = signed_in_client(client, sessions, stranger)
    ids = ids_on(web, guests, *NAMES[:2])
    assert "Last change" not in words_of(web.get(guests).text)
    web.post(f"{guests}/bulk", data={"guest": ids, "do": "reply=no"})
    page = web.get(guests).text
    assert "Last change: Reply changed to “Not attending” for 2 guests." in words_of(page)
    assert "Last change" not in words_of(other.get(guests).text)
    [undo] = [action for action in actions_of(page) if "/guests/undo/" in action]
    web.post(undo)
    assert [value_on(web, guests, name, "reply") for name in NAMES[:2]] == ["yes", "maybe"]
    assert "Last change" not in words_of(web.get(guests).text)


def test_list_that_was_confirmed_later_is_the_last_change(web: TestClient, guests: str) -> None:
    waiting = web.post(f"{guests}/import", data={"text": "Name\nZoe Zander\n"}).headers["location"]
    web.post(f"{guests}/bulk", data={"guest": ids_on(web, guests, *NAMES[:2]), "do": "reply=no"})
    assert "Last change" in words_of(web.get(guests).text)
    web.post(waiting, data={"action": "confirm"})
    assert "Last change" not in words_of(web.get(guests).text)

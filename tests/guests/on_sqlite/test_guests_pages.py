"""The pages of guests, without JavaScript."""

from __future__ import annotations

import re

import pytest
from fastapi.testclient import TestClient

from app.accounts.actor import Actor
from app.db.session import Sessions
from tests.conftest import signed_in_client
from tests.pages import actions_of, faults_of, fields_of, words_of
from tests.rating_helpers import give_role


@pytest.fixture
def guests(web: TestClient) -> str:
    """The address of the guests of a new event."""
    made = web.post("/events", data={"name": "Party"})
    return str(made.headers["location"])


def names_on(web: TestClient, address: str) -> list[str]:
    return re.findall(r'<bdi class="guest-name">(.*?)</bdi>', web.get(address).text)


def id_of(web: TestClient, address: str, name: str) -> str:
    found = re.search(
        rf'<tr id="guest-([0-9a-f-]+)">(?:(?!</tr>).)*?<bdi class="guest-name">{name}<',
        web.get(address).text,
        re.DOTALL,
    )
    assert found is not None
    return found[1]


def test_a_new_event_asks_who_is_coming(web: TestClient, guests: str) -> None:
    page = web.get(guests)
    assert (page.status_code, "Who is coming?" in page.text) == (200, True)


def test_guest_is_added_by_the_form(web: TestClient, guests: str) -> None:
    form = {"name": "Aino", "party": "Mäkelä", "groups": "Family, , Choir", "note": "sings"}
    added = web.post(guests, data=form)
    assert (added.status_code, added.headers["location"]) == (303, f"{guests}?added=1")
    words = words_of(web.get(added.headers["location"]).text)
    assert "1 guest added." in words
    assert "Aino Mäkelä · Family, Choir Mäkelä Family Choir No reply yet Adult sings" in words


def test_form_with_a_fault_keeps_everything_that_was_entered(web: TestClient, guests: str) -> None:
    web.post(guests, data={"name": "Aino"})
    form = {"name": "aino ", "party": "Mäkelä", "groups": "Family", "note": "two\r\nlines"}
    refused = web.post(guests, data=form)
    assert refused.status_code == 422
    assert faults_of(refused.text) == [
        "“aino ” already exists as “Aino”. Add something to tell them apart, such as “aino K.”."
    ]
    same = web.post(guests, data={"name": "Aino"})
    assert faults_of(same.text)[0].startswith(
        "There is already a guest called “Aino”. Add something to tell them apart"
    )
    kept = fields_of(refused.text)
    assert (kept["name"], kept["party"], kept["groups"]) == (["aino "], ["Mäkelä"], ["Family"])
    assert kept["note"][0].splitlines() == ["two", "lines"]
    assert names_on(web, guests) == ["Aino"]


def test_many_lines_are_pasted_without_bullets_and_numbers(web: TestClient, guests: str) -> None:
    lines = "- Aino\r\n\r\n* Eero  Virtanen\r\n3. Olli\r\n• محمد\r\n  12) 👩‍👩‍👧 Ines \r\n50 Cent\r\n"
    added = web.post(f"{guests}/paste", data={"lines": lines})
    assert added.headers["location"] == f"{guests}?added=6"
    assert names_on(web, guests) == ["Aino", "Eero Virtanen", "Olli", "محمد", "👩‍👩‍👧 Ines", "50 Cent"]


def test_pasted_list_may_be_larger_than_a_usual_field(web: TestClient, guests: str) -> None:
    lines = "\n".join(f"{'ليلى ' * 20}{number}" for number in range(2500))
    added = web.post(f"{guests}/paste", data={"lines": lines})
    assert (added.status_code, added.headers["location"]) == (303, f"{guests}?added=2500")


def test_pasted_faults_name_their_lines_and_nothing_is_lost_or_taken(web: TestClient, guests: str) -> None:
    web.post(guests, data={"name": "Olli"})
    lines = f"Eero\n\nAino\n{'x' * 10_000}\nolli\neero\n"
    refused = web.post(f"{guests}/paste", data={"lines": lines})
    assert refused.status_code == 422
    assert faults_of(refused.text) == [
        f"Line 4: the name “{'x' * 20}…” has 10,000 characters; maximum 200.",
        "Line 5: “olli” already exists as “Olli”.",
        "Line 6: “eero” is a duplicate (also line 1 as “Eero”).",
    ]
    assert fields_of(refused.text)["lines"] == [lines]
    assert names_on(web, guests) == ["Olli"]


def test_an_empty_paste_says_so(web: TestClient, guests: str) -> None:
    refused = web.post(f"{guests}/paste", data={"lines": " \n\n- \n"})
    assert faults_of(refused.text) == ["Enter at least one name."]


def test_a_paste_full_of_faults_is_summed_up(web: TestClient, guests: str) -> None:
    refused = web.post(f"{guests}/paste", data={"lines": "Aino\n" * 101})
    found = faults_of(refused.text)
    assert (len(found), found[-1]) == (21, "And 80 more lines cannot be added.")


def test_guest_is_edited_on_their_page(web: TestClient, guests: str) -> None:
    web.post(guests, data={"name": "Aino", "party": "Mäkelä", "groups": "Choir", "note": "sings"})
    address = f"{guests}/{id_of(web, guests, 'Aino')}"
    form = fields_of(web.get(address).text)
    assert [form[key] for key in ("name", "party", "groups", "note")] == [["Aino"], ["Mäkelä"], ["Choir"], ["sings"]]
    saved = web.post(address, data={"name": "Aino M.", "party": "", "groups": "", "version": form["version"][0]})
    assert saved.headers["location"].startswith(f"{guests}?guest=")
    assert names_on(web, guests) == ["Aino M."]
    assert "Mäkelä" not in words_of(web.get(guests).text)


def test_an_edit_that_crossed_another_is_shown_again_and_saved_the_second_time(web: TestClient, guests: str) -> None:
    web.post(guests, data={"name": "Aino"})
    address = f"{guests}/{id_of(web, guests, 'Aino')}"
    version = fields_of(web.get(address).text)["version"][0]
    web.post(address, data={"name": "Eero", "version": version})
    crossed = web.post(address, data={"name": "Olli", "note": "mine", "version": version})
    assert crossed.status_code == 422
    kept = fields_of(crossed.text)
    assert (kept["name"], kept["note"]) == (["Olli"], ["mine"])
    assert names_on(web, guests) == ["Eero"]
    again = web.post(address, data={"name": "Olli", "note": "mine", "version": kept["version"][0]})
    assert (again.status_code, names_on(web, guests)) == (303, ["Olli"])


def test_edit_with_a_fault_keeps_what_was_entered(web: TestClient, guests: str) -> None:
    web.post(f"{guests}/paste", data={"lines": "Aino\nEero"})
    refused = web.post(f"{guests}/{id_of(web, guests, 'Aino')}", data={"name": "eero", "groups": "a, b"})
    assert refused.status_code == 422
    assert (fields_of(refused.text)["name"], fields_of(refused.text)["groups"]) == (["eero"], ["a, b"])


def test_removal_can_be_undone_from_the_page(web: TestClient, guests: str) -> None:
    web.post(f"{guests}/paste", data={"lines": "Aino\nEero\nOlli"})
    removed = web.post(f"{guests}/{id_of(web, guests, 'Eero')}/remove", data={"page": 1})
    page = web.get(removed.headers["location"]).text
    assert "Eero removed." in words_of(page)
    assert names_on(web, guests) == ["Aino", "Olli"]
    [undo] = [action for action in actions_of(page) if action.endswith("/restore")]
    assert web.post(undo).status_code == 303
    assert names_on(web, guests) == ["Aino", "Eero", "Olli"]
    assert web.post(undo).status_code == 303


def test_undo_is_refused_when_the_name_was_taken_meanwhile(web: TestClient, guests: str) -> None:
    web.post(guests, data={"name": "Aino"})
    address = f"{guests}/{id_of(web, guests, 'Aino')}"
    web.post(f"{address}/remove")
    web.post(guests, data={"name": "AINO"})
    refused = web.post(f"{address}/restore")
    assert (refused.status_code, faults_of(refused.text)[0][:38]) == (422, "“Aino” already exists as “AINO”. Add s")
    assert names_on(web, guests) == ["AINO"]


def test_guests_are_found_by_a_part_of_the_name(web: TestClient, guests: str) -> None:
    web.post(f"{guests}/paste", data={"lines": "Aino Mäkelä\nEero MÄKELÄ\nOlli\n100%\nA_b"})
    assert names_on(web, f"{guests}?q=mäkelä") == ["Aino Mäkelä", "Eero MÄKELÄ"]
    assert names_on(web, f"{guests}?q=%25") == ["100%"]
    assert names_on(web, f"{guests}?q=_") == ["A_b"]
    assert "No guest matches." in words_of(web.get(f"{guests}?q=zzz").text)


def test_guests_are_counted_and_found_by_their_reply(web: TestClient, guests: str) -> None:
    assert "no reply yet" not in words_of(web.get(guests).text)
    replies = {"Aino": "yes", "Eero": "yes", "Olli": "no", "Noel Maybelle": "invited", "Bo": "maybe"}
    for name, reply in replies.items():
        web.post(guests, data={"name": name, "reply": reply})
    page = web.get(guests).text
    assert "2 attending · 1 maybe · 1 no reply yet · 1 not attending" in words_of(page)
    links = re.findall(rf'href="{guests}\?(reply=[^"]+)"', page)
    assert [names_on(web, f"{guests}?{query}") for query in links] == [
        ["Aino", "Eero"],
        ["Bo"],
        ["Noel Maybelle"],
        ["Olli"],
    ]
    assert names_on(web, f"{guests}?q=No+reply&sort=name") == ["Noel Maybelle"]
    assert names_on(web, f"{guests}?q=no") == ["Aino", "Noel Maybelle"]


def test_very_many_guests_come_in_pages(web: TestClient, guests: str) -> None:
    web.post(f"{guests}/paste", data={"lines": "\n".join(f"Guest {number:04}" for number in range(1001))})
    assert len(names_on(web, guests)) == 100
    assert names_on(web, f"{guests}?page=11") == ["Guest 1000"]
    assert names_on(web, f"{guests}?page=11&q=Guest+0") == []
    assert names_on(web, f"{guests}?row=1000") == ["Guest 1000"]
    assert 'href="' + guests + '?page=2"' in web.get(guests).text


def test_hostile_names_are_shown_as_text(web: TestClient, guests: str) -> None:
    web.post(
        guests, data={"name": "<script>alert(1)</script>", "note": '"><img src=x>', "party": "<b>", "groups": "<i>"}
    )
    page = web.get(guests).text
    assert "<script>alert" not in page
    assert "<img" not in page
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page


def test_form_without_its_token_changes_nothing(web: TestClient, guests: str) -> None:
    refused = web.post(guests, data={"name": "Aino"}, headers={"X-Form-Token": "wrong"})
    assert refused.status_code == 403
    assert names_on(web, guests) == []


def test_stranger_sees_and_changes_no_guest(web: TestClient, stranger_web: TestClient, guests: str) -> None:
    web.post(guests, data={"name": "Aino"})
    address = f"{guests}/{id_of(web, guests, 'Aino')}"
    assert [stranger_web.get(path).status_code for path in (guests, address)] == [404, 404]
    posts = (guests, f"{guests}/paste", address, f"{address}/remove", f"{address}/restore")
    form = {"name": "x", "lines": "x"}
    assert [stranger_web.post(path, data=form).status_code for path in posts] == [404] * 5
    assert names_on(web, guests) == ["Aino"]


def test_viewer_sees_names_without_notes_or_forms(
    web: TestClient, client: TestClient, sessions: Sessions, stranger: Actor, guests: str
) -> None:
    web.post(guests, data={"name": "Aino", "note": "owes money"})
    address = f"{guests}/{id_of(web, guests, 'Aino')}"
    give_role(sessions, guests.split("/")[2], stranger, "viewer")
    viewer = signed_in_client(client, sessions, stranger)
    page = viewer.get(guests).text
    assert ("Aino" in page, "owes money" in page) == (True, False)
    assert actions_of(page) == ["/sign-out", guests]  # the search
    assert viewer.get(address).status_code == 403
    assert viewer.post(f"{address}/remove").status_code == 403
    assert viewer.post(guests, data={"name": ""}).status_code == 403


def test_no_button_of_the_page_loses_what_stands_in_the_other_fields(web: TestClient, guests: str) -> None:
    web.post(guests, data={"name": "Olli"})
    lines = "Eero\nolli\n"
    refused = web.post(f"{guests}/paste", data={"lines": lines, "name": "Aino", "note": "sings"})
    assert fields_of(refused.text)["name"] == ["Aino"]
    added = web.post(guests, data={"lines": lines, "name": "Aino", "note": "sings"})
    assert (added.status_code, "1 guest added." in words_of(added.text)) == (200, True)
    assert [fields_of(added.text)[key] for key in ("lines", "name", "note")] == [[lines], [""], [""]]
    olli = f"{guests}/{id_of(web, guests, 'Olli')}"
    removed = web.post(f"{olli}/remove", data={"lines": lines})
    assert "Olli removed." in words_of(removed.text)
    assert fields_of(removed.text)["lines"] == [lines]
    assert fields_of(web.post(f"{olli}/restore", data={"lines": lines}).text)["lines"] == [lines]
    web.post(f"{olli}/remove")
    pasted = web.post(f"{guests}/paste", data={"lines": lines, "name": "Un"})
    assert ("2 guests added." in words_of(pasted.text), fields_of(pasted.text)["name"]) == (True, ["Un"])
    assert fields_of(pasted.text)["lines"] == [""]
    assert names_on(web, guests) == ["Aino", "Eero", "olli"]

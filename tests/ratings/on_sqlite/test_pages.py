"""The pages about how guests get along."""

from __future__ import annotations

import re
from uuid import UUID

import pytest
from fastapi.testclient import TestClient

from app.accounts.actor import Actor
from app.db.models import Guest
from app.db.session import Sessions, transaction
from app.events.context import open_event
from app.ratings.matrix import put_matrix
from tests.pages import words_of
from tests.rating_helpers import give_role, set_pair, stored_event

JSON = {"Accept": "application/json"}


def saved(web: TestClient, event: str) -> str:
    """Return the cells of the grid, row by row, as the page shows them."""
    page = web.get(f"/events/{event}/ratings/all").text
    body = page[page.index("<tbody>") : page.index("</tbody>")]
    return "\n".join(",".join(re.findall(r"<td[^>]*>([^<]*)</td>", row)) for row in body.split("</tr>")[:-1])


def test_event_without_guests_leads_to_them(web: TestClient, sessions: Sessions, owner: Actor) -> None:
    event, _ = stored_event(sessions, owner, "")
    page = web.get(f"/events/{event}/ratings/all")
    assert page.status_code == 200
    assert "Add at least two guests" in page.text
    assert f'href="/events/{event}/guests"' in page.text


def test_overview_counts_pairs_and_shows_the_grid(web: TestClient, sessions: Sessions, owner: Actor) -> None:
    event, (aino, olli, sari) = stored_event(sessions, owner, "Aino Olli Sari")
    with transaction(sessions) as session:
        set_pair(open_event(session, owner, UUID(event)), UUID(aino), UUID(olli), 2)
        set_pair(open_event(session, owner, UUID(event)), UUID(sari), UUID(olli), -1.256)
    page = web.get(f"/events/{event}/ratings/all").text
    assert "2 of 3 pairs rated" in page
    assert f'<span data-count-of="{olli}">2</span> of 2' in page
    assert f'<span data-count-of="{aino}">1</span> of 2' in page
    assert saved(web, event) == ",+2,\n+2,,−1.26\n,−1.26,"
    assert 'title="−1.256"' in page


def test_pairs_are_counted_alike_everywhere_and_without_those_who_do_not_come(
    web: TestClient, sessions: Sessions, owner: Actor
) -> None:
    event, (aino, olli, sari, pia) = stored_event(sessions, owner, "Aino Olli Sari Pia")
    with transaction(sessions) as session:
        for other in (olli, pia):
            set_pair(open_event(session, owner, UUID(event)), UUID(aino), UUID(other), 1)
        session.get_one(Guest, UUID(pia)).reply = "no"
    page = words_of(web.get(f"/events/{event}/ratings/all").text)
    assert "1 of 3 pairs rated" in page
    assert "1 guest is not attending and not shown here: Pia" in page
    assert "This deletes 2 rated pairs and any uploaded matrix." in page
    assert len(saved(web, event).splitlines()) == 3
    assert "1 of 3 pairs rated" in web.get(f"/events/{event}/ratings/questions").text
    assert "1 of 3" in words_of(web.get(f"/events/{event}/plan").text)
    answer = web.post(f"/events/{event}/ratings/pairs", data={"a": pia, "b": sari, "score": "2"}, headers=JSON).json()
    assert answer == {"score": 2.0, "rated": 1, "pairs": 3, "counts": {pia: 0, sari: 0}}
    form = words_of(web.get(f"/events/{event}/ratings/guests/{aino}").text)
    assert "1 of 2 rated." in form
    assert form.count("is not attending") == 1
    assert "Pia is not attending, so these ratings do not count yet." in words_of(
        web.get(f"/events/{event}/ratings/guests/{pia}").text
    )
    assert "is not attending" in web.get(f"/events/{event}/guests/{aino}/likes").text


def test_pair_is_saved_as_you_go(web: TestClient, sessions: Sessions, owner: Actor) -> None:
    event, (aino, olli, sari) = stored_event(sessions, owner, "Aino Olli Sari")
    address = f"/events/{event}/ratings/pairs"
    answer = web.post(address, data={"a": olli, "b": aino, "score": "−1,5"}, headers=JSON)
    expected = {"score": -1.5, "rated": 1, "pairs": 3, "counts": {olli: 1, aino: 1}}
    assert (answer.status_code, answer.json()) == (200, expected)
    web.post(address, data={"a": olli, "b": sari, "score": "2"}, headers=JSON)
    cleared = web.post(address, data={"a": aino, "b": olli, "score": ""}, headers=JSON)
    assert cleared.json() == {"score": None, "rated": 1, "pairs": 3, "counts": {olli: 1, aino: 0}}
    assert saved(web, event) == ",,\n,,+2\n,+2,"


def test_pair_without_javascript_leads_back_to_the_overview(web: TestClient, sessions: Sessions, owner: Actor) -> None:
    event, (aino, olli) = stored_event(sessions, owner, "Aino Olli")
    answer = web.post(f"/events/{event}/ratings/pairs", data={"a": aino, "b": olli, "score": "1"})
    assert (answer.status_code, answer.headers["location"]) == (303, f"/events/{event}/ratings/all")


@pytest.mark.parametrize(
    ("score", "detail"),
    [("2.5", "A score must be from −2 to 2."), ("close", "Enter a number."), ("NaN", "Enter a number.")],
)
def test_pair_that_cannot_be_saved_says_why(
    web: TestClient, sessions: Sessions, owner: Actor, score: str, detail: str
) -> None:
    event, (aino, olli) = stored_event(sessions, owner, "Aino Olli")
    answer = web.post(f"/events/{event}/ratings/pairs", data={"a": aino, "b": olli, "score": score}, headers=JSON)
    assert (answer.status_code, answer.json()) == (422, {"detail": detail})


def test_form_offers_five_levels_and_not_rated(web: TestClient, sessions: Sessions, owner: Actor) -> None:
    event, (aino, olli, sari) = stored_event(sessions, owner, "Aino Olli Sari")
    with transaction(sessions) as session:
        set_pair(open_event(session, owner, UUID(event)), UUID(aino), UUID(olli), 1)
        set_pair(open_event(session, owner, UUID(event)), UUID(olli), UUID(sari), 1.5)
    page = web.get(f"/events/{event}/ratings/guests/{olli}").text
    assert re.findall(rf'name="score/{aino}" value="([^"]*)"', page) == ["-2", "-1", "0", "1", "2", ""]
    assert re.findall(rf'name="score/{aino}" value="([^"]*)" checked', page) == ["1"]
    assert re.findall(rf'name="score/{sari}" value="([^"]*)" checked', page) == []
    assert "now +1.5" in page
    assert f'rel="prev" href="/events/{event}/ratings/guests/{aino}"' in page
    assert f'rel="next" href="/events/{event}/ratings/guests/{sari}"' in page


def test_whole_form_saves_what_was_changed_and_nothing_else(web: TestClient, sessions: Sessions, owner: Actor) -> None:
    event, (aino, olli, sari, mei) = stored_event(sessions, owner, "Aino Olli Sari Mei")
    with transaction(sessions) as session:
        set_pair(open_event(session, owner, UUID(event)), UUID(aino), UUID(sari), 2)
        set_pair(open_event(session, owner, UUID(event)), UUID(aino), UUID(mei), 1)
    address = f"/events/{event}/ratings/guests/{aino}"
    # Opened when Sari was not rated yet: somebody else rated her since.
    form = {f"was/{olli}": "", f"score/{olli}": "-2", f"was/{sari}": "", f"score/{sari}": ""}
    answer = web.post(address, data=form | {f"was/{mei}": "1", f"score/{mei}": ""})
    assert (answer.status_code, answer.headers["location"]) == (303, f"{address}?page=1&saved=yes")
    assert saved(web, event).splitlines()[0] == ",−2,+2,"


def test_form_tells_a_distance_that_somebody_else_set_without_a_sign(
    web: TestClient, sessions: Sessions, owner: Actor
) -> None:
    event, (aino, olli) = stored_event(sessions, owner, "Aino Olli", kind="distance")
    with transaction(sessions) as session:
        set_pair(open_event(session, owner, UUID(event)), UUID(aino), UUID(olli), 3)
    message = web.post(f"/events/{event}/ratings/guests/{aino}", data={f"was/{olli}": "", f"score/{olli}": "5"})
    assert "Olli: someone else set this to 3. Their change was kept" in words_of(message.text)


def test_form_keeps_what_somebody_else_rated_meanwhile_and_tells_it(
    web: TestClient, sessions: Sessions, owner: Actor
) -> None:
    event, (aino, olli, sari) = stored_event(sessions, owner, "Aino Olli Sari")
    address = f"/events/{event}/ratings/guests/{aino}"
    with transaction(sessions) as session:  # after the form was opened
        set_pair(open_event(session, owner, UUID(event)), UUID(aino), UUID(olli), -1)
    form = {f"was/{olli}": "", f"score/{olli}": "2", f"was/{sari}": "", f"score/{sari}": "1"}
    message = web.post(address, data=form)
    assert message.status_code == 422
    assert "Olli: someone else set this to −1. Their change was kept" in words_of(message.text)
    assert saved(web, event) == ",−1,+1\n−1,,\n+1,,"
    again = {f"was/{olli}": "-1", f"score/{olli}": "2"}
    assert web.post(address, data=again).status_code == 303
    assert saved(web, event) == ",+2,+1\n+2,,\n+1,,"


def test_form_with_faults_keeps_what_was_entered(web: TestClient, sessions: Sessions, owner: Actor) -> None:
    event, (aino, olli, sari, mei) = stored_event(sessions, owner, "Aino Olli Sari Mei", "distance")
    address = f"/events/{event}/ratings/guests/{aino}"
    answer = web.post(address, data={f"score/{olli}": "4", f"score/{sari}": "near", f"score/{mei}": "7"})
    assert answer.status_code == 422
    assert "Sari: enter a number." in answer.text
    entered = dict(re.findall(r'name="score/([^"]*)" type="text" value="([^"]*)"', answer.text))
    assert entered == {olli: "4", sari: "near", mei: "7"}
    negative = web.post(address, data={f"score/{olli}": "−4", f"score/{mei}": "7"})
    assert "Olli: a distance must be 0 or more." in negative.text
    assert saved(web, event).splitlines()[0] == ",,,"


def test_uploaded_scale_gets_number_fields(web: TestClient, sessions: Sessions, owner: Actor) -> None:
    event, ids = stored_event(sessions, owner, "Aino Olli")
    with transaction(sessions) as session:
        put_matrix(open_event(session, owner, UUID(event)), "score", [UUID(i) for i in ids], [[0, 50], [50, 0]])
    page = web.get(f"/events/{event}/ratings/guests/{ids[0]}").text
    assert f'name="score/{ids[1]}" type="text" value="50"' in page
    web.post(f"/events/{event}/ratings/guests/{ids[0]}", data={f"was/{ids[1]}": "50", f"score/{ids[1]}": "35"})
    assert saved(web, event) == ",+35\n+35,"


def test_many_guests_come_in_windows(web: TestClient, sessions: Sessions, owner: Actor) -> None:
    event, ids = stored_event(sessions, owner, " ".join(f"Guest{i}" for i in range(130)))
    with transaction(sessions) as session:
        set_pair(open_event(session, owner, UUID(event)), UUID(ids[125]), UUID(ids[61]), 2)
    page = web.get(f"/events/{event}/ratings/all", params={"rows": 3, "columns": 2}).text
    assert page.count('scope="col"') == 60
    assert page.count('scope="row"') == 10
    cells = re.findall(r"<td[^>]*>([^<]*)</td>", page[page.index("<tbody>") : page.index("</tbody>")])
    assert [number for number, text in enumerate(cells) if text] == [5 * 60 + 1]
    beyond = web.get(f"/events/{event}/ratings/all", params={"rows": 99, "columns": -1}).text
    assert beyond.count('scope="row"') == 10
    form = web.get(f"/events/{event}/ratings/guests/{ids[0]}", params={"page": 2}).text
    assert form.count('role="radiogroup"') == 29


def test_starting_over_asks_first_and_changes_the_kind(web: TestClient, sessions: Sessions, owner: Actor) -> None:
    event, (aino, olli) = stored_event(sessions, owner, "Aino Olli")
    web.post(f"/events/{event}/ratings/pairs", data={"a": aino, "b": olli, "score": "1"})
    assert "This deletes 1 rated pair and any uploaded matrix." in web.get(f"/events/{event}/ratings/all").text
    answer = web.post(f"/events/{event}/ratings/start-over", data={"kind": "distance"})
    assert answer.headers["location"] == f"/events/{event}/ratings/all?done=start-over"
    page = web.get(answer.headers["location"]).text
    assert "All ratings deleted. This event now uses distances." in page
    assert "0 of 1 pairs rated" in page


def test_guest_of_another_event_has_no_form(web: TestClient, sessions: Sessions, owner: Actor) -> None:
    event, _ = stored_event(sessions, owner, "Aino Olli")
    _, (stray,) = stored_event(sessions, owner, "Stray")
    assert web.get(f"/events/{event}/ratings/guests/{stray}").status_code == 404


def test_stranger_and_viewer_see_and_change_no_rating(
    web: TestClient, stranger_web: TestClient, sessions: Sessions, owner: Actor, stranger: Actor
) -> None:
    event, (aino, olli) = stored_event(sessions, owner, "Aino Olli")
    web.post(f"/events/{event}/ratings/pairs", data={"a": aino, "b": olli, "score": "-1.2345"})
    base = f"/events/{event}/ratings"
    for expected in (404, 403):
        answers = [
            stranger_web.get(base),
            stranger_web.get(f"{base}/all"),
            stranger_web.post(base, data={"answer": "skip"}),
            stranger_web.post(f"{base}/questions/progress"),
            stranger_web.get(f"{base}/guests/{aino}"),
            stranger_web.post(f"{base}/pairs", data={"a": aino, "b": olli, "score": "1"}),
            stranger_web.post(f"{base}/guests/{aino}", data={f"score/{olli}": "1"}),
            stranger_web.post(f"{base}/start-over", data={"kind": "score"}),
        ]
        assert [answer.status_code for answer in answers] == [expected] * len(answers)
        assert all("1.23" not in answer.text for answer in answers)
        if expected == 404:
            give_role(sessions, event, stranger, "viewer")
    assert saved(web, event) == ",−1.23\n−1.23,"


def test_form_without_its_token_changes_nothing(web: TestClient, sessions: Sessions, owner: Actor) -> None:
    event, (aino, olli) = stored_event(sessions, owner, "Aino Olli")
    del web.headers["X-Form-Token"]
    answer = web.post(f"/events/{event}/ratings/pairs", data={"a": aino, "b": olli, "score": "1"}, headers=JSON)
    assert answer.status_code == 403
    assert saved(web, event) == ",\n,"

"""The page where a matrix is uploaded or pasted."""

from __future__ import annotations

import html
import re

import pytest
from fastapi.testclient import TestClient

from app.accounts.actor import Actor
from app.db.session import Sessions
from tests.rating_helpers import give_role, stored_event

GOOD = "\tAino\tOlli\tSari\nAino\t0\t1\t2\nOlli\t1\t0\t3\nSari\t2\t3\t0\n"


def messages(page: str) -> list[str]:
    """Return what the summary of errors says."""
    summary = re.search(r'class="error-summary".*?</ul>', page, re.DOTALL)
    return [html.unescape(text) for text in re.findall(r"<li><a[^>]*>(.*?)</a>", summary.group())] if summary else []


def kept(page: str) -> str:
    """Return what stands in the field for the pasted text."""
    found = re.search(r'<textarea[^>]*name="text"[^>]*>\n(.*?)</textarea>', page, re.DOTALL)
    assert found is not None
    return html.unescape(found.group(1))


def test_pasted_matrix_is_saved_and_told(web: TestClient, api: TestClient, sessions: Sessions, owner: Actor) -> None:
    event, _ = stored_event(sessions, owner, "Olli Aino Sari")
    answer = web.post(f"/events/{event}/ratings/matrix", data={"kind": "distance", "text": GOOD})
    assert (answer.status_code, answer.headers["location"]) == (303, f"/events/{event}/ratings/all?done=uploaded")
    page = web.get(answer.headers["location"]).text
    assert "Matrix saved: 3 guests, distances." in page
    assert "3 of 3 pairs rated" in page
    assert "symmetric" not in page
    assert api.get(f"events/{event}/ratings/matrix").json()["matrix"] == [[0, 1, 3], [1, 0, 2], [3, 2, 0]]


def test_uploaded_file_may_be_asymmetric_and_says_so(web: TestClient, sessions: Sessions, owner: Actor) -> None:
    event, _ = stored_event(sessions, owner, "Aino Olli Sari Mei")
    file = {"file": ("ratings.csv", GOOD.replace("Olli\t1", "Olli\t5").encode("utf-16"), "text/csv")}
    answer = web.post(f"/events/{event}/ratings/matrix", data={"kind": "score", "text": ""}, files=file)
    page = web.get(answer.headers["location"]).text
    assert "It is not symmetric: where the two directions of a pair differ, Convive uses the average." in page
    assert "1 guest is not in it: <bdi>Mei</bdi>" in page
    assert "3 of 6 pairs rated" in page


def test_names_become_the_guests_of_an_empty_event(
    web: TestClient, api: TestClient, sessions: Sessions, owner: Actor
) -> None:
    event, _ = stored_event(sessions, owner, "")
    assert "are added as guests" in web.get(f"/events/{event}/ratings/matrix").text
    web.post(f"/events/{event}/ratings/matrix", data={"kind": "score", "text": GOOD})
    assert [guest["name"] for guest in api.get(f"events/{event}/guests").json()["guests"]] == ["Aino", "Olli", "Sari"]


def test_list_of_pairs_is_taken_too(web: TestClient, sessions: Sessions, owner: Actor) -> None:
    event, _ = stored_event(sessions, owner, "Aino Olli Sari")
    text = "Aino,Olli,2\nOlli,Sari,-1\nAino,Sari,0\nSari,Aino,1\n"
    answer = web.post(f"/events/{event}/ratings/matrix", data={"kind": "score", "text": text})
    assert "3 of 3 pairs rated" in web.get(answer.headers["location"]).text


def test_existing_ratings_are_replaced_only_with_the_box_ticked(
    web: TestClient, api: TestClient, sessions: Sessions, owner: Actor
) -> None:
    event, guests = stored_event(sessions, owner, "Aino Olli Sari")
    rating = {"ratings": [{"a": guests[0], "b": guests[1], "score": -2}]}
    api.put(f"events/{event}/ratings", json=rating)
    address = f"/events/{event}/ratings/matrix"
    assert "Replace 1 rated pair" in web.get(address).text
    refused = web.post(address, data={"kind": "distance", "text": GOOD})
    assert refused.status_code == 422
    notice = "Saving the matrix deletes 1 rated pair. Tick the box to confirm."
    assert (messages(refused.text), kept(refused.text)) == ([notice], GOOD)
    assert re.search(r'value="distance" checked', refused.text)
    assert api.get(f"events/{event}/ratings").json()["ratings"] == rating["ratings"]
    taken = web.post(address, data={"kind": "distance", "text": GOOD, "replace": "on"})
    assert taken.status_code == 303
    assert api.get(f"events/{event}/ratings").json()["ratings"] == []


@pytest.mark.parametrize(
    ("text", "notice"),
    [
        ("", "Choose a file, or paste the matrix."),
        ("0 1 2\n1 0 3\n", "The matrix is not square"),
        (GOOD.replace("3\n", "three\n"), "“three” is not a number"),
        (GOOD.replace("3\n", "NaN\n"), "“NaN” is not a number"),
        (GOOD.replace("3\n", "-3\n"), "Row 3 (Olli), column 4 (Sari): “-3” is negative; a distance must be 0 or more."),
        (GOOD.removesuffix("Sari\t2\t3\t0\n"), "not square: it has 2 rows of 3 numbers. There is no row for “Sari”."),
        (GOOD.replace("Sari", "<Zaid>"), "“<Zaid>” isn't a guest of this event."),
        ("0\t1\n1\t0\n", "The matrix has 2 rows without names, but the event has 3 guests."),
    ],
)
def test_bad_matrix_says_what_and_keeps_the_text(
    web: TestClient, sessions: Sessions, owner: Actor, text: str, notice: str
) -> None:
    event, _ = stored_event(sessions, owner, "Aino Olli Sari")
    refused = web.post(f"/events/{event}/ratings/matrix", data={"kind": "distance", "text": text})
    assert refused.status_code == 422
    assert len(messages(refused.text)) == 1
    assert notice in messages(refused.text)[0]
    assert kept(refused.text) == text
    assert "0 of 3 pairs rated" in web.get(f"/events/{event}/ratings/all").text


def test_bad_names_leave_an_empty_event_empty(
    web: TestClient, api: TestClient, sessions: Sessions, owner: Actor
) -> None:
    event, _ = stored_event(sessions, owner, "")
    text = GOOD.replace("Sari", "AINO")
    refused = web.post(f"/events/{event}/ratings/matrix", data={"kind": "score", "text": text})
    assert "is a duplicate" in messages(refused.text)[0]
    negative = GOOD.replace("3\n", "-3\n")
    assert web.post(f"/events/{event}/ratings/matrix", data={"kind": "distance", "text": negative}).status_code == 422
    assert api.get(f"events/{event}/guests").json()["guests"] == []


def test_file_and_text_at_once_are_refused(web: TestClient, sessions: Sessions, owner: Actor) -> None:
    event, _ = stored_event(sessions, owner, "Aino Olli Sari")
    file = {"file": ("ratings.csv", GOOD.encode(), "text/csv")}
    refused = web.post(f"/events/{event}/ratings/matrix", data={"kind": "score", "text": GOOD}, files=file)
    assert messages(refused.text) == ["Choose a file or paste the matrix, not both."]


def test_everything_wrong_is_told_at_once(web: TestClient, api: TestClient, sessions: Sessions, owner: Actor) -> None:
    event, guests = stored_event(sessions, owner, "Aino Olli Sari")
    api.put(f"events/{event}/ratings", json={"ratings": [{"a": guests[0], "b": guests[1], "score": -2}]})
    address = f"/events/{event}/ratings/matrix"
    box = "Saving the matrix deletes 1 rated pair. Tick the box to confirm."
    text = GOOD.replace("Olli\t1", "Olli\tone").replace("Sari\t2\t3", "Sari\t-2\tthree")
    refused = web.post(address, data={"kind": "distance", "text": text})
    assert messages(refused.text) == [
        "Row 3 (Olli), column 2 (Aino): “one” is not a number.",
        "Row 4 (Sari), column 3 (Olli): “three” is not a number.",
        box,
        "Row 4 (Sari), column 2 (Aino): “-2” is negative; a distance must be 0 or more.",
    ]
    assert '<p class="field-error" id="f-replace-error">' in refused.text
    assert messages(web.post(address, data={"kind": "distance", "text": " "}).text) == [
        "Choose a file, or paste the matrix.",
        box,
    ]


def test_short_list_of_too_many_guests_is_refused(web: TestClient, sessions: Sessions, owner: Actor) -> None:
    event, _ = stored_event(sessions, owner, "")
    text = "\n".join(f"Guest {number},Guest {number + 1},1" for number in range(6_000))
    refused = web.post(f"/events/{event}/ratings/matrix", data={"kind": "score", "text": text})
    assert messages(refused.text) == ["There are more than 6,000 guests; maximum 6,000."]


def test_pasted_text_may_be_larger_than_a_usual_field(web: TestClient, sessions: Sessions, owner: Actor) -> None:
    names = [f"Guest{number}" for number in range(250)]
    event, _ = stored_event(sessions, owner, " ".join(names))
    rows = [",".join("0" if i == j else "1.00000000000000001" for j in range(250)) for i in range(250)]
    text = "\n".join(rows)
    assert len(text) > 1024 * 1024
    answer = web.post(
        f"/events/{event}/ratings/matrix", data={"kind": "distance", "text": text}, files={"file": ("", b"")}
    )
    assert "31,125 of 31,125 pairs rated" in web.get(answer.headers["location"]).text


def test_stranger_and_viewer_cannot_upload(
    client: TestClient, stranger_web: TestClient, sessions: Sessions, owner: Actor, stranger: Actor
) -> None:
    event, _ = stored_event(sessions, owner, "Aino Olli Sari")
    address = f"/events/{event}/ratings/matrix"
    for expected in (404, 403):
        assert stranger_web.get(address).status_code == expected
        assert stranger_web.post(address, data={"kind": "score", "text": GOOD}).status_code == expected
        assert stranger_web.post(address, data={"kind": "score", "text": ""}).status_code == expected
        if expected == 404:
            give_role(sessions, event, stranger, "viewer")
    assert client.post(address, data={"kind": "score", "text": GOOD}).status_code == 401
    del stranger_web.headers["X-Form-Token"]
    assert stranger_web.post(address, data={"kind": "score", "text": GOOD}).status_code == 403

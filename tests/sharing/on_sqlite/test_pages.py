"""Sharing: the page with the links, and the page that guests open."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, time, timedelta

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import select

from app.accounts.actor import Actor
from app.clock import now
from app.db import models
from app.db.session import Sessions, transaction
from app.events.context import open_event
from app.sharing.links import create_link
from app.sharing.pages.share import MOST_PLANS
from tests.canaries import canaries_in, make_plan_with_canaries
from tests.conftest import signed_in_client
from tests.factories import Planned, make_event, make_member, make_plan
from tests.pages import fields_of, words_of


@pytest.fixture
def made(sessions: Sessions, owner: Actor) -> Planned:
    """A plan to share."""
    with transaction(sessions) as session:
        return make_plan(session, owner, sizes=(2, 3), names=["Aino", "Bo", "Cleo", "Dan"])


def share_address(made: Planned) -> str:
    return f"/events/{made.event.id}/share"


def make_link(web: TestClient, made: Planned, audience: str = "guests", name: str = "", plan: str = "") -> str:
    created = web.post(share_address(made), data={"audience": audience, "plan": plan, "days": "30", "name": name})
    assert created.status_code == 303
    found = re.search(r'value="http://localhost(/s/[\w-]{43})"', web.get(created.headers["location"]).text)
    assert found
    return found[1]


def test_link_can_be_copied_again_and_opens_for_anyone(web: TestClient, client: TestClient, made: Planned) -> None:
    link = make_link(web, made, name="Invitation")
    later = web.get(share_address(made)).text
    assert f'value="http://localhost{link}"' in later
    assert "Invitation" in later
    opened = client.get(link)
    names = re.findall(r"<bdi[^>]*>(.*?)</bdi>", opened.text)
    assert names == [
        "Midsummer dinner",
        *("Aino", "Table 1"),
        *("Bo", "Table 1"),
        *("Cleo", "Table 2"),
        "Dan",
        "Table 2",
    ]
    tables = re.findall(r"<bdi[^>]*>(.*?)</bdi>", client.get(f"{link}/tables").text)
    assert tables == ["Midsummer dinner", "Table 1", "Aino", "Bo", "Table 2", "Cleo", "Dan"]


def test_page_of_a_link_has_its_code_and_changes_it(web: TestClient, client: TestClient, made: Planned) -> None:
    link = make_link(web, made)
    page = re.search(r'href="(/events/[^"]+/links/[^"/]+)"', web.get(share_address(made)).text)
    assert page
    shown = web.get(page[1]).text
    assert "<svg viewBox=" in shown
    assert "style=" not in shown
    image = web.get(f"{page[1]}/qr.png")
    assert (image.headers["content-type"], image.content[:4]) == ("image/png", b"\x89PNG")
    until = (now().date() + timedelta(days=3)).isoformat()
    changed = web.post(page[1], data={"name": "Poster", "plan": str(made.plan.id), "until": until})
    assert changed.status_code == 303
    assert fields_of(web.get(page[1]).text)["until"] == [until]
    assert web.post(page[1], data={"name": "x", "until": "2001-01-01"}).status_code == 422
    assert "Poster" in web.get(share_address(made)).text
    assert client.get(link).status_code == 200


def link_page(web: TestClient, made: Planned) -> str:
    """Return the address of the settings of the only link."""
    found = re.search(r'href="(/events/[^"]+/links/[^"/]+)"', web.get(share_address(made)).text)
    assert found
    return found[1]


def test_last_day_ends_everywhere_and_stays_unless_it_is_changed(
    web: TestClient, made: Planned, sessions: Sessions
) -> None:
    make_link(web, made)
    page = link_page(web, made)

    def end() -> datetime | None:
        with transaction(sessions) as session:
            return session.scalars(select(models.Link.expires_at)).one()

    first, shown = end(), fields_of(web.get(page).text)["until"][0]
    assert web.post(page, data={"name": "Poster", "until": shown}).status_code == 303
    assert end() == first
    day = now().date() + timedelta(days=3)
    assert web.post(page, data={"until": day.isoformat()}).status_code == 303
    assert end() == datetime.combine(day + timedelta(days=1), time(12), UTC)
    assert fields_of(web.get(page).text)["until"] == [day.isoformat()]
    for unreal in ("9999-12-31", "soon", ""):
        assert web.post(page, data={"until": unreal}).status_code == 422


def test_link_of_an_older_or_deleted_plan_stays_pinned_and_can_be_closed(
    web: TestClient, client: TestClient, made: Planned, sessions: Sessions
) -> None:
    link = make_link(web, made, plan=str(made.plan.id))
    page = link_page(web, made)
    with transaction(sessions) as session:
        for number in range(MOST_PLANS):
            session.add(models.Plan(event_id=made.event.id, number=number + 2, figures={}, used_at=now()))
    form = fields_of(web.get(page).text)
    assert form["plan"] == [str(made.plan.id)]
    assert web.post(page, data={key: form[key] for key in ("name", "plan", "until")}).status_code == 303
    with transaction(sessions) as session:
        assert session.scalars(select(models.Link.plan_id)).one() == made.plan.id
        session.get_one(models.Plan, made.plan.id).deleted_at = now()
    assert client.get(link).status_code == 404
    assert "Plan deleted" in web.get(share_address(made)).text
    assert fields_of(web.get(page).text)["plan"] == [str(made.plan.id)]
    assert web.post(f"{page}/revoke").status_code == 303
    assert "Plan deleted" not in web.get(share_address(made)).text


def test_preview_and_title_name_the_event_only(web: TestClient, client: TestClient, made: Planned) -> None:
    for audience in ("guests", "venue", "planner"):
        head = client.get(make_link(web, made, audience)).text.partition("</head>")[0]
        assert re.findall(r"<title>(.*?)</title>|<meta property=\"og:\w+\" content=\"(.*?)\">", head) == [
            ("Midsummer dinner", ""),
            ("", "Midsummer dinner"),
        ]
        assert 'name="description"' not in head


def test_choice_of_co_planners_says_that_pairs_are_named(
    web: TestClient, client: TestClient, sessions: Sessions, owner: Actor
) -> None:
    with transaction(sessions) as session:
        made = make_plan(session, owner, sizes=(2,), names=["Aino", "Bo"], matrix=[[0, -1], [-1, 0]])
    offered = words_of(web.get(share_address(made)).text)
    assert "It names pairs who get along, and pairs who should be kept apart." in offered
    seen = words_of(client.get(make_link(web, made, "planner")).text)
    assert "Aino and Bo are both at Table 1, though they should rather not sit together." in seen


def test_public_page_tells_nobody_where_it_is(web: TestClient, client: TestClient, made: Planned) -> None:
    headers = client.get(make_link(web, made)).headers
    assert headers["cache-control"] == "no-store"
    assert headers["referrer-policy"] == "no-referrer"
    assert headers["x-robots-tag"] == "noindex, nofollow"
    assert "set-cookie" not in headers


def test_public_page_shows_names_and_tables_and_nothing_else(
    web: TestClient, client: TestClient, sessions: Sessions, owner: Actor
) -> None:
    with transaction(sessions) as session:
        made = make_plan_with_canaries(session, owner)
        token = create_link(open_event(session, owner, made.event.id), made.plan.id).token
    assert canaries_in(web.get(f"/events/{made.event.id}/plans/{made.plan.id}").text) != []
    shown = client.get(f"/s/{token}").text
    assert "Aino" in shown
    assert canaries_in(shown) == []
    signed_in = web.get(f"/s/{token}").text
    assert canaries_in(signed_in) == []


def test_public_page_shows_the_date_and_escapes_names(client: TestClient, sessions: Sessions, owner: Actor) -> None:
    with transaction(sessions) as session:
        made = make_plan(session, owner, sizes=(3,), names=["<script>x</script>", "נועה", "👩‍👩‍👧"])
        made.event.date = date(2027, 6, 19)
        token = create_link(open_event(session, owner, made.event.id), made.plan.id).token
    page = client.get(f"/s/{token}").text
    assert "Saturday 19 June 2027" in page
    assert "<script>x" not in page
    assert "<bdi>נועה</bdi>" in page


def test_closed_and_unknown_links_look_the_same(web: TestClient, client: TestClient, made: Planned) -> None:
    link = make_link(web, made)
    close = re.search(r'action="(/events/[^"]+/revoke)"', web.get(share_address(made)).text)
    assert close
    closed = web.post(close[1])
    assert (closed.status_code, closed.headers["location"]) == (303, share_address(made))
    pages = [client.get(link), client.get("/s/unknown")]
    assert [page.status_code for page in pages] == [404, 404]
    without_id = {re.sub(r"[0-9a-f]{32}", "", page.text) for page in pages}
    assert len(without_id) == 1
    page = words_of(without_id.pop())
    assert "Ask your host for a new one." in page
    assert ("Nothing was changed" in page, "All events" in page) == (False, False)
    own = words_of(web.get("/events/unknown/share").text)  # planners read where they can go
    assert ("Nothing was changed" in own, "All events" in own) == (True, True)


def test_bad_form_is_refused_and_keeps_what_was_chosen(web: TestClient, made: Planned) -> None:
    no_plan = web.post(share_address(made), data={"plan": "x", "days": "30", "name": "Poster"})
    assert no_plan.status_code == 422
    assert "Choose the plan to share." in no_plan.text
    assert '<option value="30" selected>' in no_plan.text
    assert 'value="Poster"' in no_plan.text
    assert web.post(share_address(made), data={"audience": "everybody", "days": "30"}).status_code == 422
    for days in ("0", "soon", "99999"):
        assert web.post(share_address(made), data={"plan": str(made.plan.id), "days": days}).status_code == 422


@pytest.mark.parametrize(("days", "chosen", "message"), [(200, "207", True), (-30, "90", False)])
def test_link_is_offered_until_after_the_event(
    web: TestClient, made: Planned, sessions: Sessions, days: int, chosen: str, message: bool
) -> None:
    with transaction(sessions) as session:
        session.get_one(models.Event, made.event.id).date = now().date() + timedelta(days=days)
    page = web.get(share_address(made)).text
    assert fields_of(page)["days"] == [chosen]
    assert ("a week after the event" in page, "three months (before the event)" in page) == (message, message)
    made_one = web.post(share_address(made), data={"plan": str(made.plan.id), "days": chosen})
    assert made_one.status_code == 303
    last_day = (now() + timedelta(days=int(chosen), hours=-12)).date()  # a link ends at noon of the next day
    assert fields_of(web.get(made_one.headers["location"]).text)["until"] == [last_day.isoformat()]


def test_plan_that_was_asked_for_is_chosen(web: TestClient, made: Planned, sessions: Sessions) -> None:
    with transaction(sessions) as session:
        session.add(models.Plan(event_id=made.event.id, name="Newer", figures={}, used_at=now()))
    page = web.get(share_address(made), params={"plan": str(made.plan.id)}).text
    assert f'<option value="{made.plan.id}" selected>' in page


def test_link_made_before_the_plan_waits_for_it(
    client: TestClient, sessions: Sessions, owner: Actor, made: Planned
) -> None:
    with transaction(sessions) as session:
        event = make_event(session, owner)
        tokens = [
            create_link(open_event(session, owner, event.id), audience=audience).token
            for audience in ("guests", "venue", "planner")
        ]
    for token in tokens:
        page = client.get(f"/s/{token}")
        assert page.status_code == 200
        assert "yet." in page.text


def test_stranger_and_viewer_have_no_say_over_links(
    web: TestClient, stranger_web: TestClient, client: TestClient, sessions: Sessions, made: Planned
) -> None:
    link = make_link(web, made)
    close = re.search(r'action="(/events/[^"]+/revoke)"', web.get(share_address(made)).text)
    assert close
    with transaction(sessions) as session:
        viewer = make_member(session, made.event.id, "viewer")
    for other, status in ((stranger_web, 404), (signed_in_client(client, sessions, viewer), 403)):
        assert other.get(share_address(made)).status_code == status
        assert other.post(share_address(made), data={"plan": str(made.plan.id), "days": "7"}).status_code == status
        assert other.post(close[1]).status_code == status
    assert client.get(link).status_code == 200


def test_plan_of_another_event_cannot_be_shared(
    web: TestClient, made: Planned, sessions: Sessions, owner: Actor
) -> None:
    with transaction(sessions) as session:
        other = make_plan(session, owner, sizes=(1,), names=["Zoe"])
    sent = web.post(share_address(made), data={"plan": str(other.plan.id), "days": "7"})
    assert sent.status_code == 404


def test_workspace_says_how_many_links_show_its_changes(web: TestClient, made: Planned) -> None:
    page = f"/events/{made.event.id}/plans/{made.plan.id}"
    assert "open link" not in web.get(page).text
    make_link(web, made)
    make_link(web, made, "venue", plan=str(made.plan.id))
    assert "2 open links show every change of this plan at once." in web.get(page).text
    close = re.search(r'action="(/events/[^"]+/revoke)"', web.get(share_address(made)).text)
    assert close
    web.post(close[1])
    assert "1 open link shows every change of this plan at once." in web.get(page).text


def test_open_page_asks_whether_it_has_changed(
    web: TestClient, client: TestClient, made: Planned, sessions: Sessions, owner: Actor
) -> None:
    link = make_link(web, made)
    first = client.get(link)
    tag = first.headers["etag"]
    assert f'data-tag="{tag.replace(chr(34), "&#34;")}"' in first.text
    again = client.get(link, headers={"If-None-Match": tag})
    assert (again.status_code, again.content, again.headers["cache-control"]) == (304, b"", "no-store")
    web.post(f"/events/{made.event.id}/guests", data={"name": "Lauri who has no seat"})
    assert client.get(link, headers={"If-None-Match": tag}).status_code == 304
    with transaction(sessions) as session:
        open_event(session, owner, made.event.id).edit()
        session.get_one(models.Guest, made.guests[0].id).name = "Aino Virtanen"
    changed = client.get(link, headers={"If-None-Match": tag})
    assert (changed.status_code, "Aino Virtanen" in changed.text) == (200, True)


def test_venue_gets_seats_and_diets_and_totals(
    web: TestClient, client: TestClient, sessions: Sessions, made: Planned
) -> None:
    with transaction(sessions) as session:
        aino = session.get_one(models.Guest, made.guests[0].id)
        aino.diet, aino.age_group, aino.high_chair = "vegan, no nuts", "child", True
        aino.allergies, aino.other_allergies, aino.wheelchair, aino.email = ("celery",), "kiwi", True, "a@example.org"
        menu = models.GuestField(event_id=made.event.id, kind="course", name="Main", name_key="main", position=0)
        session.add(menu)
        session.flush()
        fish = models.FieldOption(field_id=menu.id, name="<Fish>", name_key="<fish>", position=0)
        session.add(fish)
        session.flush()
        session.add(models.GuestValue(guest_id=aino.id, field_id=menu.id, option_id=fish.id))
    link = make_link(web, made, "venue")
    shown = client.get(f"/api/v1/shared/{link.removeprefix('/s/')}").json()
    assert {key: shown[key] for key in ("guests", "children", "high_chairs", "meals", "allergies")} == {
        "guests": 4,
        "children": 1,
        "high_chairs": 1,
        "meals": [{"name": "Standard", "guests": 3}, {"name": "Vegan", "guests": 1}],
        "allergies": [{"name": name, "guests": 1} for name in ("No celery", "No nuts", "Other")],
    }
    assert shown["dishes"] == [{"name": "Main: <Fish>", "guests": 1}, {"name": "Main: not chosen", "guests": 3}]
    assert shown["wheelchairs"] == 1
    assert shown["tables"][0]["seats"][0] == {
        "seat": 1,
        "name": "Aino",
        "child": True,
        "high_chair": True,
        "wheelchair": True,
        "diet": "vegan, no nuts, no celery, allergic to kiwi",
        "meals": {"Main": "<Fish>"},
    }
    text = client.get(link).text
    assert ("vegan, no nuts" in text, "Main: &lt;Fish&gt;" in text, "example.org" in text) == (True, True, False)
    for_guests = client.get(make_link(web, made, "guests")).text
    assert not any(word in for_guests for word in ("Fish", "kiwi", "wheelchair", "celery"))
    assert client.get(f"{link}/tables").status_code == 404


def test_planner_hears_of_guests_whom_others_cannot_tell_apart(
    web: TestClient, sessions: Sessions, owner: Actor
) -> None:
    with transaction(sessions) as session:
        made = make_plan(session, owner, sizes=(2, 2), names=["James Smith", "Bo", "James Smith (Lopez)", "Dan"])
        next(one for one in made.guests if "Lopez" in one.name).public_name = "James Smith"
    root = f"/events/{made.event.id}"
    pages = [f"{root}/{path}" for path in ("share", "door", "guests", f"plans/{made.plan.id}/print")]
    with transaction(sessions) as session:
        guests = {guest.name: guest for guest in session.scalars(select(models.Guest))}
    links = [f'{root}/guests/{guests[name].id}"><bdi>{name}</bdi>' for name in ("James Smith", "James Smith (Lopez)")]
    for page in pages:
        text = web.get(page).text
        assert "cannot be distinguished" in text
        assert (page, [link in text for link in links]) == (page, [True, True])
    with transaction(sessions) as session:
        session.get_one(models.Guest, guests["James Smith"].id).public_name = "James S."
        session.get_one(models.Event, made.event.id).revision += 1
    for page in pages:
        assert "cannot be distinguished" not in web.get(page).text

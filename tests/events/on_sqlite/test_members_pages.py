"""Members on pages and in the API: invite, join with or without an account, be removed."""

from __future__ import annotations

import re
from html import unescape
from uuid import UUID

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import select

from app.accounts.actor import Actor
from app.config import Settings
from app.db.models import AuditEntry, Invitation, Member, User
from app.db.session import Sessions, transaction
from tests.conftest import api_client, signed_in_client
from tests.factories import make_event, make_member

PASSWORD = "three unrelated words"
SAME_SITE = {"Sec-Fetch-Site": "same-origin"}


@pytest.fixture
def event_id(sessions: Sessions, owner: Actor) -> UUID:
    """An event whose owner has an account of their own."""
    with transaction(sessions) as session:
        user = session.get_one(User, owner.user_id)
        user.email, user.name = "host@example.org", "Maija"
        return make_event(session, owner, "Midsummer").id


def invite(web: TestClient, event_id: UUID, **form: str) -> str:
    """Create an invitation on the page and return the path of its address."""
    made = web.post(f"/events/{event_id}/invitations", data={"role": "editor", "days": "7", **form})
    assert made.status_code == 303
    page = unescape(web.get(made.headers["location"]).text)
    found = re.search(r'value="http://localhost(/join/[\w-]+)"', page)
    assert found
    return found[1]


def test_partner_without_an_account_joins(
    client: TestClient, web: TestClient, sessions: Sessions, event_id: UUID
) -> None:
    address = invite(web, event_id)
    page = client.get(address)
    assert "Maija invites you" in page.text
    assert "Midsummer" in page.text
    assert page.headers["referrer-policy"] == "strict-origin"
    form = {"name": "Olli", "email": "Olli@Example.org", "password": PASSWORD}
    joined = client.post(address, data=form, headers=SAME_SITE)
    assert (joined.status_code, joined.headers["location"]) == (303, f"/events/{event_id}")
    assert client.get(f"/events/{event_id}/guests").status_code == 200
    with transaction(sessions) as session:
        user = session.scalars(select(User).where(User.email == "olli@example.org")).one()
        assert (user.name, user.is_operator) == ("Olli", False)
        assert session.get_one(Member, (event_id, user.id)).role == "editor"
        assert session.scalars(select(User.email).order_by(User.id)).all() == ["host@example.org", "olli@example.org"]
    assert client.get(address).headers["location"] == f"/events/{event_id}"
    client.cookies.clear()
    assert client.get(address).status_code == 404


def test_mistakes_leave_the_invitation_open(
    client: TestClient, web: TestClient, sessions: Sessions, event_id: UUID
) -> None:
    address = invite(web, event_id)
    for form in (
        {"name": "", "email": "olli@example.org", "password": PASSWORD},
        {"name": "Olli", "email": "olli", "password": PASSWORD},
        {"name": "Olli", "email": "olli@example.org", "password": "short"},
        {"name": "Olli", "email": "host@example.org", "password": PASSWORD},
    ):
        refused = client.post(address, data=form, headers=SAME_SITE)
        assert (form, refused.status_code) == (form, 422)
        assert PASSWORD not in refused.text
    with transaction(sessions) as session:
        assert session.scalars(select(Invitation.used_at)).all() == [None]
        assert len(session.scalars(select(User)).all()) == 1


def test_another_site_cannot_join_with_a_form(client: TestClient, web: TestClient, event_id: UUID) -> None:
    form = {"name": "Olli", "email": "olli@example.org", "password": PASSWORD}
    sent = client.post(invite(web, event_id), data=form, headers={"Sec-Fetch-Site": "cross-site"})
    assert sent.status_code == 403


def test_somebody_signed_in_accepts(web: TestClient, stranger_web: TestClient, event_id: UUID) -> None:
    address = invite(web, event_id, role="viewer")
    assert "Accept invitation" in stranger_web.get(address).text
    accepted = stranger_web.post(f"{address}/accept")
    assert (accepted.status_code, accepted.headers["location"]) == (303, f"/events/{event_id}")
    assert stranger_web.get(f"/events/{event_id}/guests").status_code == 200
    assert stranger_web.get(f"/events/{event_id}/settings").status_code == 403


def test_invitation_for_another_address_is_refused(web: TestClient, stranger_web: TestClient, event_id: UUID) -> None:
    address = invite(web, event_id, email="partner@example.org")
    refused = stranger_web.post(f"{address}/accept")
    assert refused.status_code == 403
    assert "another e-mail address" in refused.text
    assert stranger_web.get(f"/events/{event_id}").status_code == 404


def test_person_at_this_machine_learns_what_is_needed(
    web: TestClient, sessions: Sessions, owner: Actor, settings: Settings
) -> None:
    with transaction(sessions) as session:
        made = make_event(session, owner).id
    page = web.get(f"/events/{made}/members").text
    assert f"convive user create you@example.org --data-dir {settings.data_dir}" in page
    assert "CONVIVE_HOST=0.0.0.0 CONVIVE_BASE_URL=http://" in page
    assert "Create invitation" not in page
    assert web.post(f"/events/{made}/invitations", data={"role": "editor"}).status_code == 422


def test_removed_member_gets_no_page_any_more(
    client: TestClient, web: TestClient, sessions: Sessions, event_id: UUID
) -> None:
    with transaction(sessions) as session:
        helper = make_member(session, event_id, "editor")
    theirs = signed_in_client(client, sessions, helper)
    assert theirs.get(f"/events/{event_id}/guests").status_code == 200
    assert theirs.post(f"/events/{event_id}/present").json() == {"is_shared": True, "people": []}
    assert web.get(f"/events/{event_id}/present").json()["people"] == [{"name": "editor", "initials": "E"}]
    assert web.post(f"/events/{event_id}/members/{helper.user_id}/remove").status_code == 303
    assert theirs.get(f"/events/{event_id}/guests").status_code == 404
    assert theirs.post(f"/events/{event_id}/present").status_code == 404
    assert web.get(f"/events/{event_id}/present").json() == {"is_shared": False, "people": []}


def test_addresses_of_members_are_for_owners(
    client: TestClient, web: TestClient, sessions: Sessions, event_id: UUID, owner: Actor
) -> None:
    with transaction(sessions) as session:
        helper = make_member(session, event_id, "editor")
    theirs = signed_in_client(client, sessions, helper)
    path = f"events/{event_id}/members"
    assert "host@example.org" not in theirs.get(f"/{path}").text
    assert "host@example.org" in web.get(f"/{path}").text
    listed = api_client(client, sessions, helper).get(path).json()["members"]
    assert [(one["name"], one["email"], one["role"], one["is_you"]) for one in listed] == [
        ("Maija", None, "owner", False),
        ("editor", None, "editor", True),
    ]


def test_api_invites_changes_and_removes(
    client: TestClient, api: TestClient, sessions: Sessions, event_id: UUID, stranger: Actor
) -> None:
    path = f"events/{event_id}"
    once = {"Idempotency-Key": "first"}
    made = api.post(f"{path}/invitations", json={"role": "viewer", "days": 2}, headers=once)
    again = api.post(f"{path}/invitations", json={"role": "viewer", "days": 2}, headers=once)
    assert (made.status_code, again.json()) == (201, made.json())
    assert api.get(f"{path}/invitations").json()["invitations"] == [
        {name: value for name, value in made.json().items() if name != "is_sent"}
    ]
    assert made.json()["is_sent"] is False
    token = made.json()["url"].rsplit("/", 1)[1]
    stranger_web = signed_in_client(client, sessions, stranger)
    assert stranger_web.post(f"/join/{token}/accept").status_code == 303
    member = f"{path}/members/{stranger.user_id}"
    assert api.patch(member, json={"role": "owner"}).json()["role"] == "owner"
    assert api.delete(f"{path}/membership").status_code == 204
    assert api.get(path).status_code == 404
    theirs = api_client(client, sessions, stranger)
    assert theirs.patch(member, json={"role": "editor"}).status_code == 409
    assert theirs.delete(f"{path}/membership").status_code == 409


def test_owner_sees_what_was_done(client: TestClient, web: TestClient, api: TestClient, event_id: UUID) -> None:
    invite(web, event_id)
    assert web.get(f"/events/{event_id}/guests.csv").status_code == 200
    page = web.get(f"/events/{event_id}/audit").text
    assert "Created an invitation" in page
    assert "guests as CSV" in page
    only = web.get(f"/events/{event_id}/audit?subject=export").text
    assert "Created an invitation" not in only
    assert "guests as CSV" in only
    log = api.get(f"events/{event_id}/audit", params={"limit": 1}).json()
    assert [entry["action"] for entry in log["entries"]] == ["exported"]
    rest = api.get(f"events/{event_id}/audit", params={"after": log["next"]}).json()
    assert [entry["action"] for entry in rest["entries"]] == ["member-invited", "event-created"]
    assert api.get(f"events/{event_id}/audit", params={"after": str(event_id)}).status_code == 422
    lines = web.get(f"/events/{event_id}/audit.csv").text.splitlines()
    assert len(lines) == 4
    assert "member-invited" in lines[2]
    assert "audit.csv" not in web.get("/admin/audit").text.replace("/admin/audit.csv", "")


def test_operator_reads_the_log_of_the_installation_over_the_api(
    client: TestClient, api: TestClient, web: TestClient, sessions: Sessions, event_id: UUID, stranger: Actor
) -> None:
    web.post("/account/name", data={"name": "Maija"})
    invite(web, event_id)
    log = api.get("audit", params={"limit": 2}).json()
    assert [(entry["action"], entry["event"]) for entry in log["entries"]] == [
        ("member-invited", str(event_id)),
        ("account-changed", None),
    ]
    rest = api.get("audit", params={"after": log["next"]}).json()["entries"]
    assert rest[0]["action"] == "event-created"
    only = api.get("audit", params={"subject": "member"}).json()["entries"]
    assert {entry["subject"] for entry in only} == {"member"}
    assert api.get("audit", params={"after": str(event_id)}).status_code == 422
    assert api_client(client, sessions, stranger).get("audit").status_code == 404


def test_log_shows_names_as_text(web: TestClient, sessions: Sessions, event_id: UUID, owner: Actor) -> None:
    with transaction(sessions) as session:
        session.get_one(User, owner.user_id).name = "<script>alert(1)</script>=1+1"
    invite(web, event_id)
    assert "<script>alert(1)" not in web.get(f"/events/{event_id}/audit").text
    assert "<script>alert(1)" not in web.get("/admin/audit").text
    with transaction(sessions) as session:
        assert set(session.scalars(select(AuditEntry.event_id))) >= {event_id}

"""An event full of secrets, and everyone who might look at it."""

from __future__ import annotations

import base64
import re
from dataclasses import dataclass
from datetime import date
from typing import Any
from uuid import UUID, uuid4

from fastapi.testclient import TestClient
from httpx2 import Response
from sqlalchemy import Select, select
from sqlalchemy.orm import Session

from app.accounts.actor import Actor
from app.db import models
from app.db.session import Sessions, transaction
from app.events.context import open_event
from app.events.invitations import create_invitation
from app.files.images import EncodedImage
from app.files.sheet_limits import ListSheet, SheetRow
from app.guests.imports.importing import open_import
from app.sharing.door.links import create_helper_link
from app.sharing.links import create_link
from app.sharing.logo.logos import set_logo
from app.tables.room_items import RoomItem
from app.tables.rooms import put_item, set_background
from app.web.tokens import hash_token
from app.wishes.links import make_links
from tests.canaries import make_plan_with_canaries
from tests.conftest import api_client, signed_in_client
from tests.factories import make_member
from tests.security.route_table import BODIES

ONE_PIXEL = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)


@dataclass(frozen=True)
class World:
    """Somebody's event: the ids that stand in its addresses, and its members."""

    ids: dict[str, str]
    viewer: Actor
    editor: Actor


@dataclass(frozen=True)
class Visitor:
    """Somebody with a browser and a program."""

    web: TestClient
    api: TestClient

    def ask(self, method: str, path: str, ids: dict[str, str]) -> Response:
        """Send the request that belongs to a route, with everything that it needs."""
        return self.ask_with(method, path, ids, BODIES.get((method, path)), ids)

    def ask_with(self, method: str, path: str, ids: dict[str, str], body: Any, ids_in_body: dict[str, str]) -> Response:
        """Send a request with another body."""
        client = self.api if path.startswith("/api/v1/") else self.web
        headers = {"If-Match": "*"} if path.startswith("/api/") and method != "GET" else {}
        address = f"http://localhost{fill(path, ids)}"
        return client.request(method, address, json=fill(body, ids_in_body), headers=headers)


def make_world(sessions: Sessions, owner: Actor) -> World:
    """Create event."""
    with transaction(sessions) as session:
        made = make_plan_with_canaries(session, owner)
        made.event.date = date(2027, 6, 19)
        made_link = create_link(open_event(session, owner, made.event.id), made.plan.id)
        door_link = create_helper_link(open_event(session, owner, made.event.id), days=90)
        wish_link = make_links(open_event(session, owner, made.event.id), per="guest", days=90)[0]
        is_its_link = models.WishLink.token_hash == hash_token(wish_link.token)
        link_id = session.scalars(select(models.WishLink.id).where(is_its_link)).one()
        ctx = open_event(session, owner, made.event.id)
        set_background(ctx, EncodedImage("image/png", 1, 1, b"picture"))
        set_logo(ctx, EncodedImage("image/png", 1, 1, ONE_PIXEL))
        item = put_item(ctx, RoomItem("bar", 0.0, 0.0, 60.0, 60.0)).items[0]
        account = models.User(name="Account", email=f"account-{made.event.id.hex}@example.org")
        session.add(account)
        session.flush()
        ids: dict[str, Any] = {
            "event_id": made.event.id,
            "item_id": item.id,
            "guest_id": made.guests[0].id,
            "other_id": made.guests[1].id,
            "table_id": made.tables[0].id,
            "group_id": session.scalars(select(models.Group.id).where(models.Group.event_id == made.event.id)).one(),
            "field_id": (field_id := session.scalars(_fields_of(made.event.id)).one()),
            "option_id": session.scalars(
                select(models.FieldOption.id).where(models.FieldOption.field_id == field_id)
            ).one(),
            "rule_id": session.scalars(select(models.Rule.id).where(models.Rule.event_id == made.event.id)).one(),
            "run_id": made.run.id,
            "plan_id": made.plan.id,
            "other_plan_id": made.plan.id,
            "link_id": made_link.link.id,
            "import_id": open_import(
                open_event(session, owner, made.event.id), [ListSheet("", [SheetRow(1, ("Eve",))])]
            ).id,
            "take_over_id": uuid4(),
            "tab": uuid4(),
            "session_id": uuid4(),
            "key_id": uuid4(),
            "passkey_id": uuid4(),
            "account_id": account.id,
            "token": made_link.token,
            "door_token": door_link.token,
            "wish_link_id": link_id,
            "wish_token": wish_link.token,
            "what": "place-cards",
        }
        members = [make_member(session, made.event.id, role) for role in ("viewer", "editor")]
        ids |= _member_ids(session, owner, made.event.id)
    return World({name: str(value) for name, value in ids.items()}, *members)


def _fields_of(event_id: UUID) -> Select[UUID]:
    return select(models.GuestField.id).where(
        models.GuestField.event_id == event_id, models.GuestField.kind == "course"
    )


def _member_ids(session: Session, owner: Actor, event_id: UUID) -> dict[str, Any]:
    """Return the ids of a third member and of an invitation; its maker needs an account of their own."""
    user = session.get_one(models.User, owner.user_id)
    user.email = user.email or f"{user.id}@example.org"
    invitation = create_invitation(open_event(session, owner, event_id), role="viewer", key=b"k" * 32)
    third = models.User(name="third")
    session.add(third)
    session.flush()
    session.add(models.Member(event_id=event_id, user_id=third.id, role="viewer"))
    session.flush()
    return {
        "member_id": third.id,
        "invitation_id": invitation.invitation.id,
        "invitation_token": invitation.token,
    }


def other_ids(ids: dict[str, str]) -> dict[str, str]:
    """Return ids of things that never were."""
    return {name: str(uuid4()) for name in ids} | {"what": ids["what"]}


def visitor(client: TestClient, sessions: Sessions, actor: Actor) -> Visitor:
    """Return somebody who is signed in and has an API key."""
    return Visitor(signed_in_client(client, sessions, actor), api_client(client, sessions, actor))


def without_request_id(response: Response) -> tuple[int, str]:
    """Return what an answer says, apart from what differs each time."""
    return response.status_code, re.sub(r"[0-9a-f]{32}", "", response.text)


def fill(value: Any, ids: dict[str, str]) -> Any:
    """Return an address or a body with the ids in place of their names."""
    if isinstance(value, str):
        return re.sub(r"\{(\w+)\}", lambda found: ids[found[1]], value)
    if isinstance(value, dict):
        return {key: fill(item, ids) for key, item in value.items()}
    return [fill(item, ids) for item in value] if isinstance(value, list) else value

"""Links of the door: those of helpers, who check guests in without an account, and the one that finds a seat.

All that the door knows of links and their tokens is here.
"""

from __future__ import annotations

from datetime import timedelta
from uuid import UUID

from sqlalchemy.orm import Session

from app.clock import now
from app.db.models import Event, Link
from app.db.upsert import insert_new
from app.errors import Conflict, NotFound
from app.events.context import EventContext
from app.plans.read import current_plan_id
from app.sharing import links
from app.sharing import queries as link_queries
from app.sharing.door import queries
from app.sharing.links import NO_LINK, NewLink
from app.web.tokens import hash_token, new_token

AUDIENCE = "door"
HELPER = "Door helper"


def create_helper_link(ctx: EventContext, *, days: int) -> NewLink:
    """Create a link with which helpers check guests in, and do nothing else."""
    ctx.require("editor")
    plan_id = current_plan_id(ctx)
    if plan_id is None:
        raise Conflict("There is no plan yet. Create one first, then create links for helpers.")
    token = new_token()
    row = {"event_id": ctx.event_id, "plan_id": plan_id, "audience": AUDIENCE, "token_hash": hash_token(token)}
    insert_new(ctx.session, Link, {**row, "expires_at": now() + timedelta(days=days)})
    return NewLink(link_queries.link_by_hash(ctx.session, hash_token(token)), token)


def open_helper_link(session: Session, token: str) -> tuple[Event, Link]:
    """Return the event and the link of a helper; one that is unknown, revoked or expired does not exist."""
    found = queries.open_door_link(session, hash_token(token), now())
    if found is None:
        raise NotFound(NO_LINK)
    return found


def helper_address(base: str, token: str) -> str:
    """Return the address that helpers open; `base` is the server's own, such as https://seating.example.org."""
    return f"{base.rstrip('/')}/d/{token}"


def helper_name(link_id: UUID | None) -> str:
    """Return under which name the arrivals of a link are shown."""
    return HELPER if link_id else ""


def seat_address(session: Session, event_id: UUID, base: str, token: str) -> str:
    """Return the address of “find my seat” for the QR code; empty unless the token opens a link of this event."""
    found = link_queries.open_link(session, hash_token(token), now()) if token else None
    if found is None or found.event_id != event_id or found.audience != "guests":
        return ""
    return links.link_address(base, token)

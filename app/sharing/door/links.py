"""Links of helpers, who check guests in without an account."""

from __future__ import annotations

from sqlalchemy.orm import Session

from app.clock import now
from app.db.models import Event, Link
from app.errors import NotFound
from app.events.context import EventContext
from app.sharing import links, queries
from app.sharing.links import NO_LINK, NewLink
from app.web.tokens import hash_token

HELPER = "Door helper"
"""Who checked a guest in, where the link has no name."""


def create_helper_link(ctx: EventContext, *, days: int, name: str = "", key: bytes | None = None) -> NewLink:
    """Create a link with which helpers check guests in, and do nothing else."""
    return links.create_link(ctx, audience="door", name=name, days=days, key=key)


def open_helper_link(session: Session, token: str) -> tuple[Event, Link]:
    """Return the event and the link of a helper; one that is unknown, revoked or expired does not exist."""
    found = queries.state_of_link(session, hash_token(token), now())
    if found is None or found.audience != "door":
        raise NotFound(NO_LINK)
    return session.get_one(Event, found.event_id), session.get_one(Link, found.link_id)

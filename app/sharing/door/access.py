"""Who works at the door: a member of the event, or a helper with a link."""

from __future__ import annotations

import base64
import hashlib
import hmac
from dataclasses import dataclass, field
from uuid import UUID

from sqlalchemy.orm import Session

from app.db.models import Event
from app.events.context import EventContext
from app.sharing.door.links import open_helper_link

REFERENCE_BYTES = 12


@dataclass(frozen=True)
class DoorAccess:
    """The right to check guests in at one event, for one account or one link."""

    session: Session
    event: Event
    user_id: UUID | None = None
    link_id: UUID | None = None
    token: str = field(default="", repr=False)

    @property
    def key(self) -> str:
        """What names this access on a phone, without giving the secret away."""
        who = self.token or f"{self.event.id} {self.user_id}"
        return hashlib.sha256(f"door:{who}".encode()).hexdigest()[:24]

    def reference(self, guest_id: UUID) -> str:
        """Return how the page names a guest: ids are for members, a link has references of its own."""
        if not self.token:
            return str(guest_id)
        digest = hmac.digest(self.token.encode(), guest_id.bytes, "sha256")
        return base64.urlsafe_b64encode(digest[:REFERENCE_BYTES]).decode()


def member_access(ctx: EventContext) -> DoorAccess:
    """Return the access of a member, who needs the role of an editor."""
    return DoorAccess(ctx.session, ctx.require("editor"), user_id=ctx.actor.user_id)


def helper_access(session: Session, token: str) -> DoorAccess:
    """Return the access of a helper with a link."""
    event, link = open_helper_link(session, token)
    return DoorAccess(session, event, link_id=link.id, token=token)

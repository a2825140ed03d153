"""An event as somebody works with it: found, allowed and in one session, resolved once for each request."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from functools import cache
from typing import Annotated, get_args
from uuid import UUID

from sqlalchemy.orm import Session

from app.accounts.actor import Actor
from app.accounts.current_user import ApiUser, CurrentUser
from app.audit.actions import NO_DETAILS, Action, Details
from app.audit.record import record
from app.db.models import Event, Role
from app.db.models.events import Part
from app.errors import Forbidden, NotFound
from app.events import queries
from app.web.deps import Db
from app.web.one_hop import InThread

CHANGED = "parts of the event that were edited"
RANK = {role: rank for rank, role in enumerate(get_args(Role))}


@dataclass(frozen=True)
class EventContext:
    """An event, the account that works with it and its role there, in the session of one piece of work."""

    session: Session
    event: Event
    actor: Actor
    role: Role

    @property
    def event_id(self) -> UUID:
        return self.event.id

    def allows(self, role: Role) -> bool:
        return RANK[self.role] >= RANK[role]

    def require(self, role: Role) -> Event:
        """Return the event, or refuse whoever has a lesser role."""
        if not self.allows(role):
            raise Forbidden(f"That needs the role {role}; yours is {self.role}.")
        return self.event

    def hold(self) -> Event:
        """Return the event to an editor, locked until the transaction ends: its writers come one after the other.

        For work that changes nothing that plans depend on.
        """
        # A viewer locks it too, until the refusal ends their transaction.
        found = queries.event_with_role(self.session, self.event_id, self.actor.user_id, hold=True)
        return _context(self.session, self.actor, found).require("editor")

    def edit(self, *, only: Part | None = None) -> Event:
        """Return the event to an editor, locked, with its revision counted up; with `only`, just that part changes."""
        event = self.hold()
        self.session.info.setdefault(CHANGED, set()).add(only)
        queries.count_revision(self.session, self.event_id, only)  # `event` still has the revision from before
        return event

    def record(self, action: Action, subject_id: UUID | None = None, details: Details = NO_DETAILS) -> None:
        """Write to the audit log of the event what the account does, in the transaction of the change itself."""
        by = self.actor.user_id
        record(self.session, action, by=by, event_id=self.event_id, subject_id=subject_id, details=details)


def changes_only(session: Session, parts: Collection[Part]) -> bool:
    """Return whether a transaction has edited an event, and only these parts of it."""
    changed: set[Part | None] = session.info.get(CHANGED, set())
    return bool(changed) and changed <= set(parts)


def open_event(session: Session, actor: Actor, event_id: UUID, role: Role = "viewer") -> EventContext:
    """Return the event if the account has at least `role` there; another's event does not exist for them."""
    ctx = _context(session, actor, queries.event_with_role(session, event_id, actor.user_id))
    ctx.require(role)
    return ctx


def _context(session: Session, actor: Actor, found: tuple[Event, Role] | None) -> EventContext:
    if found is None:
        raise NotFound("You have no access to this event (any more), or it was deleted.")
    return EventContext(session, found[0], actor, found[1])


@cache
def needs(role: Role) -> InThread:
    """Mark the `EventContext` of a page: whoever is signed in needs at least this role."""

    def resolve(session: Db, actor: CurrentUser, event_id: UUID) -> EventContext:
        return open_event(session, actor, event_id, role)

    return InThread(_named(resolve, role), role=role)


@cache
def api_needs(role: Role) -> InThread:
    """Mark the `EventContext` of a JSON route: the account of the API key needs at least this role."""

    def resolve(session: Db, actor: ApiUser, event_id: UUID) -> EventContext:
        return open_event(session, actor, event_id, role)

    return InThread(_named(resolve, role), role=role)


def _named(resolve: Callable[..., EventContext], role: Role) -> Callable[..., EventContext]:
    resolve.__qualname__ = f"open_event_for_{role}"
    return resolve


ViewerContext = Annotated[EventContext, needs("viewer")]
EditorContext = Annotated[EventContext, needs("editor")]
OwnerContext = Annotated[EventContext, needs("owner")]
ApiViewerContext = Annotated[EventContext, api_needs("viewer")]
ApiEditorContext = Annotated[EventContext, api_needs("editor")]
ApiOwnerContext = Annotated[EventContext, api_needs("owner")]

"""Roles in an event as they are stored: given, changed, taken away. There is always an owner who can sign in.

Whoever calls these holds the event's row (`member_queries.lock_event`) and has checked who asks. `by` is the account
that does it, or None for the command line.
"""

from __future__ import annotations

from typing import get_args
from uuid import UUID

from sqlalchemy import delete, select, update
from sqlalchemy.orm import Session

from app.audit.actions import Action, Details
from app.audit.record import record
from app.db.models import Member, Plan, PlanEditor, Role
from app.db.upsert import insert_new
from app.errors import Conflict, FieldError, Invalid, NotFound
from app.events import member_queries as queries

LAST_OWNER = "An event needs an owner. Make someone else an owner first. Nothing was changed."
NO_MEMBER = "There is no such member. They may have left or been removed."


def check_role(text: str) -> Role:
    """Return the role of this name, or refuse an unknown one."""
    role: Role | None = next((one for one in get_args(Role) if one == text), None)
    if role is None:
        raise Invalid(FieldError("role", "The role must be owner, editor or viewer."))
    return role


def add(session: Session, event_id: UUID, user_id: UUID, role: Role, *, by: UUID | None) -> None:
    """Make an account a member."""
    if not insert_new(session, Member, {"event_id": event_id, "user_id": user_id, "role": role}):
        raise Invalid(FieldError("email", "This person is already a member."))
    record(session, Action.MEMBER_ADDED, by=by, event_id=event_id, subject_id=user_id, details=Details(role=role))


def change(session: Session, event_id: UUID, user_id: UUID, wanted: str, *, by: UUID | None) -> None:
    """Give a member another role; somebody who is not a member is not found, whatever the role."""
    earlier = stored_role(session, event_id, user_id)
    role = check_role(wanted)
    if earlier == role:
        return
    if earlier == "owner":
        require_another_owner(session, event_id, user_id)
    set_role(session, event_id, user_id, role)
    details = Details(role=role, earlier_role=earlier)
    record(session, Action.ROLE_CHANGED, by=by, event_id=event_id, subject_id=user_id, details=details)


def remove(
    session: Session, event_id: UUID, user_id: UUID, *, by: UUID | None, action: Action = Action.MEMBER_REMOVED
) -> None:
    """Take a member's access away, also to the plans that they have open."""
    if stored_role(session, event_id, user_id) == "owner":
        require_another_owner(session, event_id, user_id)
    plans = select(Plan.id).where(Plan.event_id == event_id)
    session.execute(delete(PlanEditor).where(PlanEditor.user_id == user_id, PlanEditor.plan_id.in_(plans)))
    session.execute(delete(Member).where(Member.event_id == event_id, Member.user_id == user_id))
    record(session, action, by=by, event_id=event_id, subject_id=user_id)


def stored_role(session: Session, event_id: UUID, user_id: UUID) -> Role:
    role = queries.role_of(session, event_id, user_id)
    if role is None:
        raise NotFound(NO_MEMBER)
    return role


def set_role(session: Session, event_id: UUID, user_id: UUID, role: Role) -> None:
    is_theirs = Member.event_id == event_id, Member.user_id == user_id
    session.execute(update(Member).where(*is_theirs).values(role=role))


def require_another_owner(session: Session, event_id: UUID, user_id: UUID) -> None:
    """Refuse what would leave the event without an owner who can sign in."""
    if not queries.hold_other_owner(session, event_id, user_id):
        raise Conflict(LAST_OWNER)

"""Members of an event: list, add, change, remove, leave. There is always at least one owner who can sign in."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import get_args
from uuid import UUID

from sqlalchemy import delete, or_, select, update

from app.accounts.queries import user_by_email
from app.audit.actions import Action, Details
from app.clock import now
from app.db.models import Member, Plan, PlanEditor, Role
from app.db.upsert import insert_new
from app.errors import Conflict, FieldError, Forbidden, Invalid, NotFound
from app.events import member_queries as queries
from app.events.context import RANK, EventContext
from app.events.member_queries import MemberRow
from app.web.names import plain_email

SEEN_EVERY = timedelta(seconds=30)
HERE_FOR = timedelta(seconds=150)
"""Somebody whose pages have said nothing for so long has left; an open page says something every minute."""
LAST_OWNER = "An event needs an owner. Make someone else an owner first. Nothing was changed."
NO_MEMBER = "There is no such member. They may have left or been removed."
UNKNOWN_ADDRESS = "You don’t plan another event with someone at this address, so send them an invitation."


def list_members(ctx: EventContext) -> Sequence[MemberRow]:
    """Return everyone who works on the event; e-mail addresses are for owners."""
    ctx.require("viewer")
    return queries.members_of(ctx.session, ctx.event_id)


def add_member(ctx: EventContext, email: str, role: Role) -> UUID:
    """Add an account that the owner knows of already, because they share an event; operators know all accounts.

    For every other address the answer is the same, whether it has an account or not (decision 80).
    """
    _hold(ctx, "owner")
    check_role(role)
    address = plain_email(email)
    user = queries.known_account(ctx.session, ctx.actor.user_id, address)
    if user is None and ctx.actor.is_operator:
        user = user_by_email(ctx.session, address)
    if user is None:
        raise Invalid(FieldError("email", UNKNOWN_ADDRESS))
    if not insert_new(ctx.session, Member, {"event_id": ctx.event_id, "user_id": user.id, "role": role}):
        raise Invalid(FieldError("email", "This person is already a member."))
    ctx.record(Action.MEMBER_ADDED, user.id, Details(role=role))
    return user.id


def change_role(ctx: EventContext, user_id: UUID, role: Role) -> None:
    """Give a member another role."""
    _hold(ctx, "owner")
    earlier = _role(ctx, user_id)
    check_role(role)
    if earlier == role:
        return
    if earlier == "owner":
        _require_another_owner(ctx, user_id)
    _set_role(ctx, user_id, role)
    ctx.record(Action.ROLE_CHANGED, user_id, Details(role=role, earlier_role=earlier))


def transfer_ownership(ctx: EventContext, user_id: UUID) -> None:
    """Make a member the owner in one's own place; one stays as an editor."""
    _hold(ctx, "owner")
    if user_id == ctx.actor.user_id:
        raise Invalid(FieldError("member", "Choose another member."))
    _role(ctx, user_id)
    _set_role(ctx, user_id, "owner")
    _require_another_owner(ctx, ctx.actor.user_id)  # a disabled account is not enough
    _set_role(ctx, ctx.actor.user_id, "editor")
    ctx.record(Action.OWNERSHIP_TRANSFERRED, user_id)


def remove_member(ctx: EventContext, user_id: UUID) -> None:
    """Take a member's access away at once, also from pages and streams that they have open."""
    _hold(ctx, "owner")
    if _role(ctx, user_id) == "owner":
        _require_another_owner(ctx, user_id)
    _delete(ctx, user_id)
    ctx.record(Action.MEMBER_REMOVED, user_id)


def leave_event(ctx: EventContext) -> None:
    """Give up one's own access."""
    if _hold(ctx, "viewer") == "owner":
        _require_another_owner(ctx, ctx.actor.user_id)
    _delete(ctx, ctx.actor.user_id)
    ctx.record(Action.MEMBER_LEFT, ctx.actor.user_id)


def note_presence(ctx: EventContext) -> None:
    """Note that somebody has a page of the event open."""
    ctx.require("viewer")
    is_theirs = Member.event_id == ctx.event_id, Member.user_id == ctx.actor.user_id
    is_long_ago = or_(Member.seen_at.is_(None), Member.seen_at < now() - SEEN_EVERY)
    ctx.session.execute(update(Member).where(*is_theirs, is_long_ago).values(seen_at=now()))


def is_here(row: MemberRow) -> bool:
    """Say whether a member has a page of the event open."""
    return row.seen_at is not None and row.seen_at > now() - HERE_FOR


def check_role(role: str) -> None:
    """Refuse what is no role."""
    if role not in get_args(Role):
        raise Invalid(FieldError("role", "The role must be owner, editor or viewer."))


def _hold(ctx: EventContext, role: Role) -> Role:
    """Let one change of the members follow the other, and check the role as it is when its turn comes."""
    ctx.require(role)
    queries.lock_event(ctx.session, ctx.event_id)
    own = queries.role_of(ctx.session, ctx.event_id, ctx.actor.user_id)
    if own is None:
        raise NotFound("You have no access to this event (any more), or it was deleted.")
    if RANK[own] < RANK[role]:
        raise Forbidden(f"That needs the role {role}; yours is {own}.")
    return own


def _role(ctx: EventContext, user_id: UUID) -> Role:
    role = queries.role_of(ctx.session, ctx.event_id, user_id)
    if role is None:
        raise NotFound(NO_MEMBER)
    return role


def _require_another_owner(ctx: EventContext, user_id: UUID) -> None:
    if not queries.has_other_owner(ctx.session, ctx.event_id, user_id):
        raise Conflict(LAST_OWNER)


def _set_role(ctx: EventContext, user_id: UUID, role: Role) -> None:
    is_theirs = Member.event_id == ctx.event_id, Member.user_id == user_id
    ctx.session.execute(update(Member).where(*is_theirs).values(role=role))


def _delete(ctx: EventContext, user_id: UUID) -> None:
    plans = select(Plan.id).where(Plan.event_id == ctx.event_id)
    ctx.session.execute(delete(PlanEditor).where(PlanEditor.user_id == user_id, PlanEditor.plan_id.in_(plans)))
    ctx.session.execute(delete(Member).where(Member.event_id == ctx.event_id, Member.user_id == user_id))

"""Members of an event: list, add, change, remove, leave. There is always at least one owner who can sign in."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from uuid import UUID

from sqlalchemy import or_, update

from app.accounts.queries import hold_accounts, user_by_email
from app.audit.actions import Action
from app.clock import now
from app.db.models import Member, Role
from app.errors import FieldError, Forbidden, Invalid, NotFound
from app.events import member_queries as queries
from app.events import membership
from app.events.context import RANK, EventContext
from app.events.member_queries import MemberRow
from app.web.names import plain_email

SEEN_EVERY = timedelta(seconds=30)
HERE_FOR = timedelta(seconds=150)
"""Somebody whose pages have said nothing for so long has left; an open page says something every minute."""
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
    membership.check_role(role)
    address = plain_email(email)
    user = queries.known_account(ctx.session, ctx.actor.user_id, address)
    if user is None and ctx.actor.is_operator:
        user = user_by_email(ctx.session, address)
    if user is None:
        raise Invalid(FieldError("email", UNKNOWN_ADDRESS))
    membership.add(ctx.session, ctx.event_id, user.id, role, by=ctx.actor.user_id)
    return user.id


def change_role(ctx: EventContext, user_id: UUID, role: str) -> None:
    """Give a member another role."""
    _hold(ctx, "owner")
    membership.change(ctx.session, ctx.event_id, user_id, role, by=ctx.actor.user_id)


def transfer_ownership(ctx: EventContext, user_id: UUID) -> None:
    """Make a member the owner in one's own place; one stays as an editor."""
    _hold(ctx, "owner")
    if user_id == ctx.actor.user_id:
        raise Invalid(FieldError("member", "Choose another member."))
    membership.stored_role(ctx.session, ctx.event_id, user_id)
    hold_accounts(ctx.session, [user_id])  # before the row of the member, as whoever deletes the account does
    membership.set_role(ctx.session, ctx.event_id, user_id, "owner")
    membership.require_another_owner(ctx.session, ctx.event_id, ctx.actor.user_id)  # a disabled account is not enough
    membership.set_role(ctx.session, ctx.event_id, ctx.actor.user_id, "editor")
    ctx.record(Action.OWNERSHIP_TRANSFERRED, user_id)


def remove_member(ctx: EventContext, user_id: UUID) -> None:
    """Take a member's access away at once, also from pages and streams that they have open."""
    _hold(ctx, "owner")
    membership.remove(ctx.session, ctx.event_id, user_id, by=ctx.actor.user_id)


def leave_event(ctx: EventContext) -> None:
    """Give up one's own access."""
    _hold(ctx, "viewer")
    own = ctx.actor.user_id
    membership.remove(ctx.session, ctx.event_id, own, by=own, action=Action.MEMBER_LEFT)


def note_presence(ctx: EventContext) -> None:
    """Note that somebody has a page of the event open."""
    ctx.require("viewer")
    is_theirs = Member.event_id == ctx.event_id, Member.user_id == ctx.actor.user_id
    is_long_ago = or_(Member.seen_at.is_(None), Member.seen_at < now() - SEEN_EVERY)
    ctx.session.execute(update(Member).where(*is_theirs, is_long_ago).values(seen_at=now()))


def is_here(row: MemberRow) -> bool:
    """Return whether a member has a page of the event open."""
    return row.seen_at is not None and row.seen_at > now() - HERE_FOR


def _hold(ctx: EventContext, role: Role) -> None:
    """Let one change of the members follow the other, and check the role as it is when its turn comes."""
    ctx.require(role)
    queries.lock_event(ctx.session, ctx.event_id)
    own = queries.role_of(ctx.session, ctx.event_id, ctx.actor.user_id)
    if own is None:
        raise NotFound("You have no access to this event (any more), or it was deleted.")
    if RANK[own] < RANK[role]:
        raise Forbidden(f"That needs the role {role}; yours is {own}.")

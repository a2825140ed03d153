"""Invitations: a secret address with which one person becomes a member of an event, once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from uuid import UUID

from sqlalchemy import delete, update
from sqlalchemy.orm import Session

from app.accounts.actor import Actor
from app.accounts.mail import letters
from app.accounts.mail.allowance import may_mail
from app.accounts.mail.letters import Letter
from app.accounts.queries import hold_accounts
from app.accounts.users import clean_email
from app.audit.actions import Action, Details
from app.audit.record import record
from app.clock import now
from app.config import Settings
from app.db.models import Invitation, Member, Role, User
from app.db.upsert import insert_new
from app.errors import Conflict, FieldError, Forbidden, Invalid, NotFound, NotSignedIn
from app.events import member_queries as queries
from app.events.context import RANK, EventContext
from app.events.member_queries import InvitationRow
from app.events.membership import check_role
from app.web import link_tokens
from app.web.tokens import hash_token

USUAL_DAYS, LONGEST_DAYS = 7, 90
MOST_OPEN = 100
KEPT_DAYS = 30  # after it ended, so that whoever used it finds the event behind it
NO_INVITATION = "This invitation was used, closed or has expired. Ask for a new one."
OTHER_ADDRESS = "This invitation is for another e-mail address than that of your account."
NEEDS_OWN_ACCOUNT = (
    "Before you invite someone, give yourself an e-mail address and a password, so that you can still sign in. "
    "Nothing was changed."
)


@dataclass(frozen=True)
class NewInvitation:
    """An invitation that was just made, or again by a repeated request, with its token."""

    invitation: Invitation
    token: str
    is_new: bool


def may_invite(ctx: EventContext) -> bool:
    """Return whether the account can invite: that of the person at this machine has no other way in than a local key.

    Local keys end with the first account that has a password, which an invitation would create.
    """
    user = ctx.session.get(User, ctx.actor.user_id)
    return user is not None and user.email is not None


def create_invitation(
    ctx: EventContext, *, role: Role, key: bytes, days: int = USUAL_DAYS, email: str = "", seed: str | None = None
) -> NewInvitation:
    """Make an invitation; with an e-mail address, only the account with that address can use it."""
    ctx.require("owner")
    check_role(role)
    if not may_invite(ctx):
        raise Conflict(NEEDS_OWN_ACCOUNT)
    if not 1 <= days <= LONGEST_DAYS:
        raise Invalid(FieldError("days", f"An invitation can be valid for 1 to {LONGEST_DAYS} days."))
    queries.lock_event(ctx.session, ctx.event_id)
    _delete_old(ctx)
    if len(queries.open_invitations(ctx.session, ctx.event_id, now())) >= MOST_OPEN:
        raise Conflict(f"There are {MOST_OPEN} open invitations. Close some of them first.")
    seed = seed or link_tokens.new_seed()
    token = link_tokens.token_of(key, seed, "invitation")
    row = {
        "event_id": ctx.event_id,
        "role": role,
        "email": clean_email(email) if email.strip() else None,
        "token_hash": hash_token(token),
        "token_seed": seed,
        "created_by": ctx.actor.user_id,
        "expires_at": now() + timedelta(days=days),
    }
    is_new = insert_new(ctx.session, Invitation, row)
    found = queries.invitation_by_hash(ctx.session, hash_token(token))
    if found is None or found.invitation.used_at is not None:
        raise Conflict("The invitation that this request created was used. Send a new Idempotency-Key.")
    if is_new:
        ctx.record(Action.MEMBER_INVITED, found.invitation.id, Details(role=role, days=days))
    return NewInvitation(found.invitation, token, is_new)


def list_invitations(ctx: EventContext) -> Sequence[Invitation]:
    """Return the open invitations, the newest first."""
    ctx.require("owner")
    return queries.open_invitations(ctx.session, ctx.event_id, now())


def close_invitation(ctx: EventContext, invitation_id: UUID) -> None:
    """Close an invitation that nobody has used."""
    ctx.require("owner")
    found = queries.open_invitation(ctx.session, ctx.event_id, invitation_id, now())
    if found is None:
        raise NotFound("Invitation not found.")
    ctx.session.delete(found)
    ctx.session.flush()
    ctx.record(Action.INVITATION_CLOSED, invitation_id)


def open_invitation(session: Session, token: str, *, hold: bool = False) -> InvitationRow:
    """Return what an invitation is to; one that is unknown, closed, used or has expired does not exist.

    Nor does one of somebody who no longer owns the event: a removed owner could come back with it.
    """
    found = queries.invitation_by_hash(session, hash_token(token), hold=hold)
    if found is None or found.invitation.used_at is not None or found.invitation.expires_at <= now():
        raise NotFound(NO_INVITATION)
    if not found.is_by_owner:
        raise NotFound(NO_INVITATION)
    return found


def event_behind(session: Session, actor: Actor, token: str) -> UUID | None:
    """Return the event of an invitation that this account has used already and is still a member of."""
    found = queries.invitation_by_hash(session, hash_token(token))
    if found is None or found.invitation.used_by != actor.user_id:
        return None
    event_id = found.invitation.event_id
    return event_id if queries.role_of(session, event_id, actor.user_id) else None


def check_address(invitation: Invitation, email: str | None) -> None:
    """Refuse an account with another e-mail address than the one that an invitation is for."""
    if invitation.email is not None and invitation.email != email:
        raise Forbidden(OTHER_ADDRESS)


def accept_invitation(session: Session, actor: Actor, token: str) -> UUID:
    """Make an account a member and use the invitation up; whoever has a higher role already keeps it."""
    # The event first, as whoever changes its members does: nobody is removed between the check and the use.
    queries.lock_event(session, open_invitation(session, token).invitation.event_id)
    invitation = open_invitation(session, token, hold=True).invitation
    user = hold_accounts(session, [actor.user_id]).get(actor.user_id)
    if user is None:
        raise NotSignedIn
    check_address(invitation, user.email)
    event_id, role = invitation.event_id, invitation.role
    row = {"event_id": event_id, "user_id": user.id, "role": role}
    earlier = queries.role_of(session, event_id, user.id)
    if earlier is None:
        insert_new(session, Member, row)
    elif RANK[role] > RANK[earlier]:
        is_theirs = Member.event_id == event_id, Member.user_id == user.id
        session.execute(update(Member).where(*is_theirs).values(role=role))
    invitation.used_at, invitation.used_by, invitation.email = now(), user.id, None
    session.flush()
    record(
        session,
        Action.MEMBER_JOINED,
        by=user.id,
        event_id=event_id,
        subject_id=user.id,
        details=Details(role=role, earlier_role=earlier),
    )
    return event_id


def letter_for(ctx: EventContext, made: NewInvitation, settings: Settings, days: int) -> Letter | None:
    """Return the e-mail with a new invitation for one address; None where none is sent."""
    email = made.invitation.email
    if email is None or not made.is_new or not may_mail(ctx.session, ctx.actor, settings):
        return None
    link = invitation_address(settings.address, made.token)
    return letters.event_invitation(email, link, settings.address, days)


def invitation_address(base: str, token: str) -> str:
    """Return the address that the invited person opens; `base` is the server's own."""
    return f"{base.rstrip('/')}/join/{token}"


def token_again(key: bytes, invitation: Invitation) -> str | None:
    """Return the token of a stored invitation, or None where it was made with another key."""
    return link_tokens.token_again(key, invitation.token_seed, invitation.token_hash, "invitation")


def _delete_old(ctx: EventContext) -> None:
    before = now() - timedelta(days=KEPT_DAYS)
    is_old = Invitation.event_id == ctx.event_id, Invitation.expires_at < before
    ctx.session.execute(delete(Invitation).where(*is_old))

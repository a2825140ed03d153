"""/events/{event}/members, /invitations and /membership: who works on an event."""

from __future__ import annotations

import datetime as dt
from typing import Annotated
from uuid import UUID

from fastapi import Header, Request, Response
from pydantic import Field

from app.accounts.mail.mailer import post_after
from app.accounts.scopes import may_write
from app.config import Settings
from app.db.models import Invitation, Role
from app.errors import NotFound
from app.events import invitations as invite
from app.events import members as verbs
from app.events.context import ApiOwnerContext, ApiViewerContext, EventContext
from app.events.idempotency import OnlyOnce
from app.events.member_queries import MemberRow
from app.events.membership import NO_MEMBER
from app.web import link_tokens
from app.web.deps import AppSettings, own_address
from app.web.json_api.schemas import Answer, Body
from app.web.one_hop import Router

router = Router(prefix="/api/v1/events/{event_id}/members", tags=["members"])
invitations = Router(prefix="/api/v1/events/{event_id}/invitations", tags=["members"])
membership = Router(prefix="/api/v1/events/{event_id}/membership", tags=["members"])

Key = Annotated[str | None, Header(min_length=1, max_length=200)]
ROLE = "owner: everything; editor: everything but members and deletion; viewer: guests, tables and plans, no ratings"


class MemberIn(Body):
    """Someone to add: an account that you share another event with, or any account if you are an operator."""

    email: str = Field(max_length=320)
    role: Role = Field(description=ROLE)


class RolePatch(Body):
    """Another role for a member."""

    role: Role = Field(description=ROLE)


class MemberOut(Answer):
    """Someone who works on the event. The e-mail address is null unless you are an owner."""

    id: UUID
    name: str
    email: str | None
    role: Role
    is_you: bool
    is_here: bool = Field(description="Whether they have a page of the event open")


class MemberList(Answer):
    """Everyone who works on the event, owners first."""

    members: list[MemberOut]


class InvitationIn(Body):
    """A new invitation, which one person can use once."""

    role: Role = Field(description=ROLE)
    days: int = Field(default=invite.USUAL_DAYS, ge=1, le=invite.LONGEST_DAYS, description="How long it is valid")
    email: str = Field(
        default="", max_length=320, description="If given, only the account with this address can use it"
    )
    send: bool = Field(default=True, description="Send it to the e-mail address, if the server can send e-mail")


class InvitationOut(Answer):
    """An open invitation. `url` is null where it cannot be derived again, and for keys without the scope `write`."""

    id: UUID
    role: Role
    email: str | None
    created_at: dt.datetime
    expires_at: dt.datetime
    url: str | None


class NewInvitationOut(InvitationOut):
    """An invitation that was just created."""

    is_sent: bool = Field(description="Whether the server sends it by e-mail; else send its `url` yourself")


class InvitationList(Answer):
    """The open invitations, newest first."""

    invitations: list[InvitationOut]


@router.get("")
def list_members(ctx: ApiViewerContext) -> MemberList:
    """List everyone who works on the event."""
    return MemberList(members=[_member(ctx, row) for row in verbs.list_members(ctx)])


@router.post("", status_code=201, response_model=MemberOut)
def add_member(ctx: ApiOwnerContext, once: OnlyOnce, body: MemberIn) -> Response:
    """Add someone you share another event with. Everyone else needs an invitation."""
    return once.answer(_show(ctx, verbs.add_member(ctx, body.email, body.role)))


@router.patch("/{member_id}")
def change_member(ctx: ApiOwnerContext, member_id: UUID, body: RolePatch) -> MemberOut:
    """Change a member's role. An event always keeps at least one owner."""
    verbs.change_role(ctx, member_id, body.role)
    return _show(ctx, member_id)


@router.delete("/{member_id}", status_code=204)
def remove_member(ctx: ApiOwnerContext, member_id: UUID) -> None:
    """Remove a member. They lose access at once."""
    verbs.remove_member(ctx, member_id)


@membership.delete("", status_code=204)
def leave_event(ctx: ApiViewerContext) -> None:
    """Leave the event. The last owner cannot leave."""
    verbs.leave_event(ctx)


@invitations.get("")
def list_invitations(request: Request, ctx: ApiOwnerContext, settings: AppSettings) -> InvitationList:
    """List the invitations that nobody has used yet."""
    return InvitationList(
        invitations=[_invitation(request, ctx, settings, row) for row in invite.list_invitations(ctx)]
    )


@invitations.post("", status_code=201)
def create_invitation(
    request: Request,
    response: Response,
    ctx: ApiOwnerContext,
    settings: AppSettings,
    body: InvitationIn,
    idempotency_key: Key = None,
) -> NewInvitationOut:
    """Create an invitation. Send its `url` to the person; without an account they create one there."""
    made = invite.create_invitation(
        ctx,
        role=body.role,
        days=body.days,
        email=body.email,
        key=link_tokens.link_key(settings),
        seed=_seed(request, body, idempotency_key),
    )
    response.headers["Location"] = f"{request.url.path}/{made.invitation.id}"
    letter = invite.letter_for(ctx, made, settings, body.days) if body.send else None
    if letter is not None:
        post_after(request, response, letter)
    shown = _invitation(request, ctx, settings, made.invitation)
    return NewInvitationOut(**shown.model_dump(), is_sent=letter is not None)


@invitations.delete("/{invitation_id}", status_code=204)
def close_invitation(ctx: ApiOwnerContext, invitation_id: UUID) -> None:
    """Close an invitation that nobody has used."""
    invite.close_invitation(ctx, invitation_id)


def _seed(request: Request, body: InvitationIn, idempotency_key: str | None) -> str | None:
    # A repeat must get the same invitation, and no secret may be stored for it: so the seed follows from the API key.
    if idempotency_key is None:
        return None
    what = f"{request.url.path}\n{body.model_dump_json()}\n{idempotency_key}"
    return link_tokens.repeated_seed(request.headers["authorization"], what)


def _show(ctx: EventContext, member_id: UUID) -> MemberOut:
    row = next((row for row in verbs.list_members(ctx) if row.user_id == member_id), None)
    if row is None:
        raise NotFound(NO_MEMBER)
    return _member(ctx, row)


def _member(ctx: EventContext, row: MemberRow) -> MemberOut:
    return MemberOut(
        id=row.user_id,
        name=row.name if row.user_id == ctx.actor.user_id else row.shown_name,
        email=row.email if ctx.allows("owner") else None,
        role=row.role,
        is_you=row.user_id == ctx.actor.user_id,
        is_here=verbs.is_here(row),
    )


def _invitation(request: Request, ctx: EventContext, settings: Settings, row: Invitation) -> InvitationOut:
    token = invite.token_again(link_tokens.link_key(settings), row) if may_write(ctx.actor) else None
    return InvitationOut(
        id=row.id,
        role=row.role,
        email=row.email,
        created_at=row.created_at,
        expires_at=row.expires_at,
        url=invite.invitation_address(own_address(request), token) if token else None,
    )

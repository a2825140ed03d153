"""Members: who works on the event, invitations, and leaving."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Annotated, Any
from uuid import UUID

from fastapi import Depends, Form, Request, Response
from fastapi.responses import JSONResponse
from pydantic import BaseModel

from app.accounts.mail.mailer import post_after
from app.db.models import Event
from app.errors import Conflict, FieldError, Invalid
from app.events import invitations as invite
from app.events import members as verbs
from app.events.context import EventContext, OwnerContext, ViewerContext
from app.events.member_queries import MemberRow
from app.events.membership import check_role
from app.web import link_tokens
from app.web.deps import AppSettings, guard_form, is_only_here, own_address
from app.web.html.forms import read_number
from app.web.html.rendering import event_address, redirect, render
from app.web.html.text_metrics import initials
from app.web.one_hop import Router

router = Router(prefix="/events/{event_id}", dependencies=[Depends(guard_form)])
ROLES = (
    ("editor", "Editor", "Guests, ratings, tables, plans and links."),
    ("viewer", "Viewer", "Guests, tables and plans. No ratings, notes or wishes, and no changes."),
    ("owner", "Owner", "Everything, including members and deleting the event."),
)
ROLE_NAMES = {key: words for key, words, _ in ROLES}
SPANS = ((1, "after a day"), (7, "after a week"), (30, "after a month"))
SAID = {
    "added": "Member added.",
    "mailed": "Invitation created. We are sending it by e-mail.",
    "changed": "Role changed.",
    "removed": "Member removed. They no longer have access.",
    "transferred": "Ownership transferred. You are an editor now.",
    "closed": "Invitation closed.",
}


class InviteForm(BaseModel):
    """An invitation as typed; with an address, it is for that person only."""

    email: str = ""
    role: str = "editor"
    days: str = str(invite.USUAL_DAYS)


@dataclass(frozen=True)
class ShownMember:
    """A member in the list."""

    id: UUID
    name: str
    initials: str
    email: str
    role: str
    role_name: str
    is_you: bool
    is_here: bool


@dataclass(frozen=True)
class ShownInvitation:
    """An open invitation; its address where it can be derived again."""

    id: UUID
    role_name: str
    email: str
    expires_at: datetime
    address: str | None
    is_new: bool


@dataclass(frozen=True)
class MembersPage:
    """Who works on the event; owners also see invitations and change roles."""

    event: Event
    members: Sequence[ShownMember]
    invitations: Sequence[ShownInvitation]
    roles: Sequence[tuple[str, str, str]]
    spans: Sequence[tuple[int, str]]
    form: InviteForm
    is_owner: bool
    may_edit: bool
    may_invite: bool
    may_leave: bool
    is_only_here: bool
    message: str = ""
    faults: Sequence[FieldError] = field(default_factory=tuple)
    section: str = "settings"


@router.get("/members")
def show_members(
    request: Request, ctx: ViewerContext, settings: AppSettings, done: str = "", created: UUID | None = None
) -> Response:
    """Show who works on the event; `done` says what was changed, `created` which invitation is new."""
    return _page(request, ctx, settings, InviteForm(), message=SAID.get(done, ""), created=created)


@router.post("/invitations")
def create_invitation(
    request: Request, ctx: OwnerContext, settings: AppSettings, form: Annotated[InviteForm, Form()]
) -> Response:
    """Add somebody whom the owner already plans with, or make an invitation to send."""
    try:
        if form.email.strip() and _is_added(ctx, form):
            return redirect(event_address(ctx.event_id, "members?done=added"))
        days = read_number(form.days, "days", "The number of days")
        made = invite.create_invitation(
            ctx,
            role=check_role(form.role),
            days=days,
            email=form.email,
            key=link_tokens.link_key(settings),
        )
    except Invalid as error:
        return _page(request, ctx, settings, form, faults=error.faults)
    except Conflict as error:
        return _page(request, ctx, settings, form, faults=[FieldError("", error.message)])
    created = f"created={made.invitation.id}#invitations"
    letter = invite.letter_for(ctx, made, settings, days)
    if letter is None:
        return redirect(event_address(ctx.event_id, f"members?{created}"))
    return post_after(request, redirect(event_address(ctx.event_id, f"members?done=mailed&{created}")), letter)


@router.post("/invitations/{invitation_id}/close")
def close_invitation(ctx: OwnerContext, invitation_id: UUID) -> Response:
    invite.close_invitation(ctx, invitation_id)
    return redirect(event_address(ctx.event_id, "members?done=closed"))


@router.post("/members/leave")
def leave_event(request: Request, ctx: ViewerContext, settings: AppSettings) -> Response:
    """Give up one's own access."""
    try:
        verbs.leave_event(ctx)
    except Conflict as error:
        return _page(request, ctx, settings, InviteForm(), faults=[FieldError("", error.message)])
    return redirect("/")


@router.post("/members/{member_id}/role")
def change_role(
    request: Request, ctx: OwnerContext, settings: AppSettings, member_id: UUID, role: Annotated[str, Form()] = ""
) -> Response:
    try:
        verbs.change_role(ctx, member_id, role)
    except (Invalid, Conflict) as error:
        return _page(request, ctx, settings, InviteForm(), faults=[FieldError("", error.message)])
    return redirect(event_address(ctx.event_id, "members?done=changed"))


@router.post("/members/{member_id}/transfer")
def transfer_ownership(request: Request, ctx: OwnerContext, settings: AppSettings, member_id: UUID) -> Response:
    """Make a member the owner in one's own place."""
    try:
        with ctx.session.begin_nested():  # a refused form changes nothing
            verbs.transfer_ownership(ctx, member_id)
    except Conflict as error:
        return _page(request, ctx, settings, InviteForm(), faults=[FieldError("", error.message)])
    return redirect(event_address(ctx.event_id, "members?done=transferred"))


@router.post("/members/{member_id}/remove")
def remove_member(request: Request, ctx: OwnerContext, settings: AppSettings, member_id: UUID) -> Response:
    try:
        verbs.remove_member(ctx, member_id)
    except Conflict as error:
        return _page(request, ctx, settings, InviteForm(), faults=[FieldError("", error.message)])
    return redirect(event_address(ctx.event_id, "members?done=removed"))


@router.get("/present")
def show_presence(ctx: ViewerContext) -> Response:
    """Return whether the event has other members, and which of them have one of its pages open."""
    return _people(ctx)


@router.post("/present")
def note_presence(ctx: ViewerContext) -> Response:
    """Take note that a page of the event is open, and say the same."""
    verbs.note_presence(ctx)
    return _people(ctx)


def _people(ctx: EventContext) -> Response:
    others = [row for row in verbs.list_members(ctx) if row.user_id != ctx.actor.user_id]
    names = [row.shown_name for row in others if verbs.is_here(row)]
    people = [{"name": name, "initials": initials(name)} for name in names]
    return JSONResponse({"is_shared": bool(others), "people": people})


def _is_added(ctx: EventContext, form: InviteForm) -> bool:
    """Add the person at once if the owner knows that they have an account; for others there is the invitation."""
    try:
        verbs.add_member(ctx, form.email, check_role(form.role))
    except Invalid as error:
        if [fault.message for fault in error.faults] == [verbs.UNKNOWN_ADDRESS]:
            return False
        raise
    return True


def _page(
    request: Request,
    ctx: EventContext,
    settings: AppSettings,
    form: InviteForm,
    *,
    created: UUID | None = None,
    **more: Any,
) -> Response:
    is_owner, address, key = ctx.allows("owner"), own_address(request), link_tokens.link_key(settings)
    members = [_shown(ctx, row) for row in verbs.list_members(ctx)]
    owners = sum(member.role == "owner" for member in members)
    page = MembersPage(
        event=ctx.event,
        members=members,
        invitations=[
            ShownInvitation(
                row.id,
                ROLE_NAMES[row.role],
                row.email or "",
                row.expires_at,
                invite.invitation_address(address, token) if (token := invite.token_again(key, row)) else None,
                row.id == created,
            )
            for row in (invite.list_invitations(ctx) if is_owner else ())
        ],
        roles=ROLES,
        spans=SPANS,
        form=form,
        is_owner=is_owner,
        may_edit=ctx.allows("editor"),
        may_invite=is_owner and invite.may_invite(ctx),
        may_leave=ctx.role != "owner" or owners > 1,
        is_only_here=is_only_here(request),
        **more,
    )
    return render(request, "events/members.html", page, 422 if page.faults else 200)


def _shown(ctx: EventContext, row: MemberRow) -> ShownMember:
    is_you = row.user_id == ctx.actor.user_id
    name = (row.name or "You") if is_you else row.shown_name
    return ShownMember(
        id=row.user_id,
        name=name,
        initials=initials(name),
        email=row.email or "" if ctx.allows("owner") or is_you else "",
        role=row.role,
        role_name=ROLE_NAMES[row.role],
        is_you=is_you,
        is_here=is_you or verbs.is_here(row),
    )

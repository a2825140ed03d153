"""Opening an invitation: whoever is signed in accepts it, everyone else creates an account or signs in first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from functools import partial
from typing import Annotated, Any

from fastapi import Depends, Form, Request, Response
from pydantic import BaseModel
from sqlalchemy.orm import Session

from app.accounts.actor import Actor
from app.accounts.attempts import count_attempt
from app.accounts.current_user import CurrentUser
from app.accounts.invited import check_invited, create_invited_account
from app.accounts.pages.sign_in import signed_in
from app.accounts.passwords import HashedPassword, hash_new_password
from app.accounts.sessions import actor_of_session
from app.accounts.users import actor_of
from app.errors import FieldError, Forbidden, Invalid
from app.events import invitations as invite
from app.web.deps import Db, guard_form, guard_origin, session_token
from app.web.html.rendering import redirect, render
from app.web.one_hop import Router, read_database, write_database
from app.web.tokens import hash_token

router = Router()
MOST_TRIES, TRIES_WINDOW = 20, timedelta(hours=1)
"""Of new accounts with one invitation: each tells whether an address has an account."""
ROLE_TEXT = {
    "viewer": "see the guests, tables and plans",
    "editor": "edit the guests, tables and plans",
    "owner": "do everything, as an owner",
}


class JoinForm(BaseModel):
    """A new account as typed."""

    name: str = ""
    email: str = ""
    password: str = ""


@dataclass(frozen=True)
class JoinPage:
    """What somebody is invited to, and the form for an account."""

    token: str
    event_name: str
    invited_by: str
    may: str
    only_for: str
    is_signed_in: bool
    form: JoinForm
    faults: Sequence[FieldError] = field(default_factory=tuple)


@router.get("/join/{invitation_token}")
def show_invitation(request: Request, session: Db, invitation_token: str) -> Response:
    """Show what the invitation is to."""
    actor = actor_of_session(session, session_token(request))
    if actor and (event_id := invite.event_behind(session, actor, invitation_token)):
        return redirect(f"/events/{event_id}")
    request.state.actor = actor
    return _page(request, session, invitation_token)


@router.post("/join/{invitation_token}/accept", dependencies=[Depends(guard_form)])
def accept_invitation(request: Request, session: Db, actor: CurrentUser, invitation_token: str) -> Response:
    """Make whoever is signed in a member."""
    try:
        event_id = invite.accept_invitation(session, actor, invitation_token)
    except Forbidden as error:
        return _page(request, session, invitation_token, status=403, faults=[FieldError("", error.message)])
    return redirect(f"/events/{event_id}")


@router.post("/join/{invitation_token}", dependencies=[Depends(guard_origin)])
async def join(request: Request, invitation_token: str, form: Annotated[JoinForm, Form()]) -> Response:
    """Create an account and make it a member. The password is hashed only for a valid invitation."""
    await write_database(request, partial(_count_try, token=invitation_token))
    try:
        _, email = check_invited(form.name, form.email)
        await read_database(request, partial(_check_address, token=invitation_token, email=email))
        hashed = await hash_new_password(request, form.password, form.email, secret=invitation_token)
        create = partial(_create, request, token=invitation_token, form=form, hashed=hashed)
        return await write_database(request, create)
    except (Invalid, Forbidden) as error:
        faults = error.faults if isinstance(error, Invalid) else [FieldError("email", error.message)]
        show = partial(_page, request, token=invitation_token, form=form, faults=faults, status=422)
        return await read_database(request, show)


def _count_try(session: Session, token: str) -> None:
    invite.open_invitation(session, token)
    count_attempt(session, f"join:{hash_token(token)}", most=MOST_TRIES, window=TRIES_WINDOW)


def _check_address(session: Session, token: str, email: str) -> None:
    """Refuse another address than that of the invitation before anything shows whether it has an account."""
    invite.check_address(invite.open_invitation(session, token).invitation, email)


def _create(request: Request, session: Session, token: str, form: JoinForm, hashed: HashedPassword) -> Response:
    user = create_invited_account(session, form.name, form.email, hashed)
    actor: Actor = actor_of(user)
    event_id = invite.accept_invitation(session, actor, token)
    return signed_in(request, session, user, f"/events/{event_id}", way="invitation")


def _page(request: Request, session: Session, token: str, *, status: int = 200, **more: Any) -> Response:
    found = invite.open_invitation(session, token)
    invitation = found.invitation
    more.setdefault("form", JoinForm(email=invitation.email or ""))
    page = JoinPage(
        token=token,
        event_name=found.event_name,
        invited_by=found.invited_by,
        may=ROLE_TEXT[invitation.role],
        only_for=invitation.email or "",
        is_signed_in=getattr(request.state, "actor", None) is not None,
        **more,
    )
    return render(request, "events/join.html", page, status)

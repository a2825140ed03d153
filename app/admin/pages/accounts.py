"""The accounts of the installation, for whoever runs it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any
from uuid import UUID

from fastapi import Depends, Form, Request, Response
from sqlalchemy.orm import Session

from app.accounts.actor import Actor
from app.accounts.current_user import CurrentUser
from app.accounts.mail import letters
from app.accounts.mail.mailer import post_after
from app.accounts.recent_password import RecentlyConfirmed
from app.accounts.users import clean_email
from app.admin import accounts
from app.admin.accounts import MOST_ACCOUNTS, ManagedAccount
from app.errors import FieldError, Invalid
from app.web.deps import AppSettings, Db, guard_form
from app.web.html.rendering import redirect, render
from app.web.one_hop import Router

router = Router(prefix="/admin/accounts", dependencies=[Depends(guard_form)])
MESSAGES = {
    "disabled": "Account disabled. Its sessions have ended and its API keys no longer work.",
    "enabled": "Account enabled.",
    "deleted": "Account deleted.",
}


@dataclass(frozen=True)
class AccountsPage:
    """All accounts, a link that was made just now, and what was entered."""

    accounts: Sequence[ManagedAccount]
    own_id: UUID
    most: int = MOST_ACCOUNTS
    link: str = ""
    link_for: str = ""
    is_mailed: bool = False
    link_removes: bool = False
    email: str = ""
    name: str = ""
    message: str = ""
    faults: Sequence[FieldError] = field(default_factory=tuple)


@dataclass(frozen=True)
class DeleteAccountPage:
    """What becomes of the events of an account that is deleted."""

    account: ManagedAccount
    sole_events: int
    heir: str = ""
    faults: Sequence[FieldError] = field(default_factory=tuple)


@router.get("")
def show_accounts(request: Request, session: Db, actor: CurrentUser, done: str = "") -> Response:
    return _page(request, session, actor, message=MESSAGES.get(done, ""))


@router.post("")
def invite(
    request: Request,
    session: Db,
    actor: CurrentUser,
    settings: AppSettings,
    recent: RecentlyConfirmed,
    email: Annotated[str, Form()] = "",
    name: Annotated[str, Form()] = "",
) -> Response:
    """Invite somebody and show the link for them, this once."""
    try:
        link = accounts.invite(session, actor, settings, email, name)
    except Invalid as error:
        return _page(request, session, actor, error.status, email=email, name=name, faults=error.faults)
    page = _page(request, session, actor, link=link, link_for=email, is_mailed=settings.sends_mail)
    return post_after(request, page, letters.account_invitation(clean_email(email), link, settings.address))


@router.post("/{account_id}/reset")
def reset(
    request: Request,
    session: Db,
    actor: CurrentUser,
    settings: AppSettings,
    recent: RecentlyConfirmed,
    account_id: UUID,
    remove_factors: Annotated[bool, Form()] = False,
) -> Response:
    """Make a link to choose a new password and show it, this once."""
    found = accounts.find_account(session, actor, account_id)
    link = accounts.reset(session, actor, settings, account_id, removes_factors=remove_factors)
    return _page(request, session, actor, link=link, link_for=found.email, link_removes=remove_factors)


@router.post("/{account_id}/disable")
def disable(session: Db, actor: CurrentUser, account_id: UUID) -> Response:
    accounts.disable(session, actor, account_id)
    return redirect("/admin/accounts?done=disabled")


@router.post("/{account_id}/enable")
def enable(session: Db, actor: CurrentUser, account_id: UUID) -> Response:
    accounts.enable(session, actor, account_id)
    return redirect("/admin/accounts?done=enabled")


@router.get("/{account_id}/delete")
def ask_to_delete(request: Request, session: Db, actor: CurrentUser, account_id: UUID) -> Response:
    """Ask what becomes of the account's events."""
    return _delete_page(request, session, actor, account_id)


@router.post("/{account_id}/delete")
def delete(
    request: Request,
    session: Db,
    actor: CurrentUser,
    recent: RecentlyConfirmed,
    account_id: UUID,
    events: Annotated[str, Form()] = "transfer",
    heir: Annotated[str, Form()] = "",
) -> Response:
    """Delete the account; its events go to another one unless “delete” was chosen."""
    try:
        accounts.delete_account(session, actor, account_id, heir_email=None if events == "delete" else heir)
    except Invalid as error:
        return _delete_page(request, session, actor, account_id, error.status, heir=heir, faults=error.faults)
    return redirect("/admin/accounts?done=deleted")


def _delete_page(
    request: Request, session: Session, actor: Actor, account_id: UUID, status: int = 200, **more: Any
) -> Response:
    found = accounts.find_account(session, actor, account_id)
    page = DeleteAccountPage(found, found.sole_events, **more)
    return render(request, "admin/delete_account.html", page, status)


def _page(request: Request, session: Session, actor: Actor, status: int = 200, **more: Any) -> Response:
    page = AccountsPage(accounts.list_accounts(session, actor), actor.user_id, **more)
    return render(request, "admin/accounts.html", page, status)

"""The page of your own account: name, password, sessions, API keys; and entering the password again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Annotated, Any
from uuid import UUID

from fastapi import Depends, Form, Query, Request, Response
from sqlalchemy.orm import Session

from app.accounts import own_account
from app.accounts.actor import Actor
from app.accounts.api_keys import MOST_DAYS, create_api_key, revoke_api_key
from app.accounts.current_user import CurrentUser, signed_in
from app.accounts.pages.sign_in import browser_token, local_path, start_browser_session
from app.accounts.passwords import hash_new_password
from app.accounts.recent_password import RecentlyConfirmed, confirm_session
from app.accounts.second_factors.passkeys import passkey_origin, passkeys_of
from app.accounts.sign_in import Matched, check_sign_in, enter, note_success
from app.accounts.views import KeyForm, show_account
from app.accounts.visitor import visitor_address
from app.db.models import User
from app.errors import ConviveError, FieldError, Invalid, NotSignedIn, TooMany
from app.web.deps import Db, get_settings, guard_form, session_token
from app.web.html.forms import read_id, read_number
from app.web.html.rendering import redirect, render
from app.web.one_hop import Router, read_database, write_database

router = Router(dependencies=[Depends(guard_form)])
KeyIds = Annotated[list[UUID] | None, Form(alias="keys")]
MESSAGES = {
    "name": "Name saved.",
    "password": "Password changed. All other browsers are signed out.",
    "sessions": "All other browsers are signed out.",
    "session": "That browser is signed out.",
    "revoked": "API key revoked.",
    "passkey": "Passkey added. You can sign in with it from now on.",
    "passkey-removed": "Passkey removed.",
    "codes-removed": "Codes removed. Your password alone signs you in now.",
}


@dataclass(frozen=True)
class ConfirmPage:
    """The form that asks for the password again, and where to go on."""

    next: str
    passkey_origin: str = ""
    provider: str = ""
    faults: Sequence[FieldError] = field(default_factory=tuple)


@router.get("/account")
def show_own_account(request: Request, session: Db, actor: CurrentUser, done: str = "") -> Response:
    return account_page(request, session, actor, message=MESSAGES.get(done, ""))


@router.post("/account/name")
def rename(request: Request, session: Db, actor: CurrentUser, name: Annotated[str, Form()] = "") -> Response:
    try:
        own_account.rename(session, actor, name)
    except Invalid as error:
        return account_page(request, session, actor, error.status, name=name, faults=error.faults)
    return redirect("/account?done=name")


@router.post("/account/password")
async def change_password(
    request: Request,
    current: Annotated[str, Form()] = "",
    password: Annotated[str, Form()] = "",
    keys: KeyIds = None,
) -> Response:
    """Change the password; the current one is asked for, and this browser gets a new session."""
    actor = await read_database(request, partial(signed_in, request))
    try:
        email, matched = await _check_current(request, actor, current)
        hashed = await hash_new_password(request, password, email, secret=session_token(request))
    except (Invalid, NotSignedIn, TooMany) as error:
        return await read_database(request, partial(_refused_page, request, actor=actor, error=error))

    def change(session: Session) -> Response:
        signed_in(request, session)  # this browser may have been signed out meanwhile
        user = own_account.replace_password(session, matched, hashed, revoked_keys=keys or ())
        return start_browser_session(request, session, user, redirect("/account?done=password"))

    return await write_database(request, change)


@router.post("/account/sessions/end")
def end_other_sessions(request: Request, session: Db, actor: CurrentUser, keys: KeyIds = None) -> Response:
    browser = browser_token(request)
    own_account.end_other_sessions(session, actor, session_token(request), browser=browser, revoked_keys=keys or ())
    return redirect("/account?done=sessions")


@router.post("/account/sessions/{session_id}/end")
def end_session(session: Db, actor: CurrentUser, session_id: UUID) -> Response:
    own_account.end_one_session(session, actor, session_id)
    return redirect("/account?done=session")


@router.post("/account/keys")
def create_key(
    request: Request,
    session: Db,
    actor: CurrentUser,
    recent: RecentlyConfirmed,
    name: Annotated[str, Form(alias="key_name")] = "",
    scopes: Annotated[list[str] | None, Form()] = None,
    event: Annotated[str, Form()] = "",
    days: Annotated[str, Form()] = "",
) -> Response:
    """Create a key and show it, this once."""
    form = KeyForm(name, scopes or (), event, days)
    try:
        token = create_api_key(
            session, actor, name, _read_days(days), scopes=form.scopes, event_id=read_id(event) if event else None
        )
    except Invalid as error:
        return account_page(request, session, actor, error.status, key_form=form, faults=_at_key_form(error.faults))
    return account_page(request, session, actor, new_key=token)


@router.post("/account/keys/{key_id}/revoke")
def revoke_key(session: Db, actor: CurrentUser, key_id: UUID) -> Response:
    revoke_api_key(session, actor, key_id)
    return redirect("/account?done=revoked")


@router.get("/confirm")
def ask_to_confirm(
    request: Request, session: Db, actor: CurrentUser, then: Annotated[str, Query(alias="next")] = "/"
) -> Response:
    return _confirm_page(request, session, actor=actor, then=then)


@router.post("/confirm")
async def confirm(
    request: Request,
    password: Annotated[str, Form()] = "",
    then: Annotated[str, Form(alias="next")] = "/",
) -> Response:
    """Take the password again, and go on."""
    actor = await read_database(request, partial(signed_in, request))
    try:
        await _check_current(request, actor, password)
    except (Invalid, TooMany) as error:
        return await read_database(request, partial(_confirm_page, request, actor=actor, then=then, error=error))
    await write_database(request, partial(confirm_session, token=session_token(request)))
    return redirect(local_path(then))


def _confirm_page(
    request: Request, session: Session, *, actor: Actor, then: str, error: ConviveError | None = None
) -> Response:
    settings = get_settings(request)
    origin = passkey_origin(settings) if passkeys_of(session, actor.user_id) else ""
    has_password = session.get_one(User, actor.user_id).password_hash is not None
    faults = [FieldError("password", error.message)] if error else []
    page = ConfirmPage(local_path(then), origin, "" if has_password else settings.openid_button, faults)
    return render(request, "accounts/confirm.html", page, error.status if error else 200)


async def _check_current(request: Request, actor: Actor, password: str) -> tuple[str, Matched]:
    """Refuse a wrong password of whoever is signed in, else return their e-mail address; failures count as usual."""
    email = await read_database(request, lambda session: session.get_one(User, actor.user_id).email or "")
    entered = enter(email, visitor_address(request, get_settings(request)), browser_token(request))
    try:
        matched = await check_sign_in(request, entered, password)
    except NotSignedIn:
        raise Invalid(FieldError("current", "This is not your current password.")) from None
    await write_database(request, partial(note_success, entered=entered))
    return email, matched


def _read_days(text: str) -> int | None:
    if text in ("", "never"):
        return None
    days = read_number(text, "days", "The number of days")
    if not 1 <= days <= MOST_DAYS:
        raise Invalid(FieldError("days", f"Enter a number of days from 1 to {MOST_DAYS:,}."))
    return days


def _at_key_form(faults: Sequence[FieldError]) -> list[FieldError]:
    """Return the faults at the fields of the key's form: the page has another field for a name."""
    return [FieldError("key_name" if fault.where in ("", "name") else fault.where, fault.message) for fault in faults]


def _refused_page(request: Request, session: Session, *, actor: Actor, error: ConviveError) -> Response:
    faults = error.faults if isinstance(error, Invalid) else [FieldError("current", error.message)]
    return account_page(request, session, actor, error.status, faults=faults)


def account_page(request: Request, session: Session, actor: Actor, status: int = 200, **more: Any) -> Response:
    """Show the account again, with what was wrong."""
    settings = get_settings(request)
    more |= {"passkey_origin": passkey_origin(settings), "provider": settings.openid_button}
    page = show_account(session, actor.user_id, session_token(request), **more)
    return render(request, "accounts/account.html", page, status)

"""Passkeys: add and remove your own, sign in with one, or use one where the password is asked for."""

from __future__ import annotations

from typing import Annotated
from urllib.parse import quote
from uuid import UUID

from fastapi import Depends, Form, Request, Response

from app.accounts.current_user import CurrentUser
from app.accounts.pages.account import account_page
from app.accounts.pages.sign_in import local_path, refused_page, signed_in
from app.accounts.recent_password import RecentlyConfirmed, confirm_session
from app.accounts.second_factors import passkeys
from app.accounts.sign_in import note_failure
from app.accounts.visitor import limited_network, visitor_address
from app.errors import FieldError, Invalid, NotSignedIn
from app.web.deps import AppSettings, Db, guard_form, guard_origin, session_token
from app.web.html.rendering import redirect
from app.web.one_hop import Router

router = Router(dependencies=[Depends(guard_form)])
public = Router(prefix="/sign-in/passkey", dependencies=[Depends(guard_origin)])
Credential = Annotated[str, Form()]
MEDIA_TYPE = "application/json"


@router.post("/account/passkeys/options")
def prepare_passkey(session: Db, actor: CurrentUser, settings: AppSettings, recent: RecentlyConfirmed) -> Response:
    return Response(passkeys.registration_options(session, actor, settings), media_type=MEDIA_TYPE)


@router.post("/account/passkeys")
def add_passkey(
    request: Request,
    session: Db,
    actor: CurrentUser,
    settings: AppSettings,
    recent: RecentlyConfirmed,
    name: Annotated[str, Form(alias="passkey_name")] = "",
    credential: Credential = "",
) -> Response:
    try:
        fault = passkeys.add_passkey(session, actor, settings, name, credential)
    except Invalid as error:
        fault = FieldError("passkey_name", error.message)
    if fault:
        return account_page(request, session, actor, 422, faults=[fault])
    return redirect("/account?done=passkey")


@router.post("/account/passkeys/{passkey_id}/remove")
def remove_passkey(session: Db, actor: CurrentUser, recent: RecentlyConfirmed, passkey_id: UUID) -> Response:
    passkeys.remove_passkey(session, actor, passkey_id)
    return redirect("/account?done=passkey-removed")


@router.post("/confirm/passkey/options")
def prepare_confirmation(session: Db, actor: CurrentUser, settings: AppSettings) -> Response:
    return Response(passkeys.confirm_options(session, actor, settings), media_type=MEDIA_TYPE)


@router.post("/confirm/passkey")
def confirm(
    request: Request,
    session: Db,
    actor: CurrentUser,
    settings: AppSettings,
    credential: Credential = "",
    then: Annotated[str, Form(alias="next")] = "/",
) -> Response:
    """Take a passkey of whoever is signed in, and go on; otherwise ask again."""
    if passkeys.user_of_passkey(session, settings, credential, "confirm", actor.user_id) is None:
        return redirect(f"/confirm?next={quote(local_path(then))}")
    confirm_session(session, session_token(request))
    return redirect(local_path(then))


@public.post("/options")
def prepare_sign_in(request: Request, session: Db, settings: AppSettings) -> Response:
    network = limited_network(visitor_address(request, settings))
    return Response(passkeys.sign_in_options(session, settings, network), media_type=MEDIA_TYPE)


@public.post("")
def sign_in(
    request: Request,
    session: Db,
    settings: AppSettings,
    credential: Credential = "",
    then: Annotated[str, Form(alias="next")] = "/",
) -> Response:
    """Sign in without a password; the device has checked who it is, so no code is asked for."""
    user = passkeys.user_of_passkey(session, settings, credential, "sign-in")
    if user is None:
        note_failure(session, user_id=None, reason="wrong")
        return refused_page(request, then, "", NotSignedIn(f"{passkeys.UNUSABLE} You can also use your password."))
    return signed_in(request, session, user, then, way="passkey")

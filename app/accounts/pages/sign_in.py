"""Getting in and out: the one-time address, password, the first account, sign-out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Annotated, Any
from urllib.parse import quote

from fastapi import Depends, Form, Query, Request, Response
from sqlalchemy.orm import Session

from app.accounts import queries, sign_in_keys
from app.accounts.known_browsers import KNOWN_FOR, remember_browser
from app.accounts.passwords import hash_new_password
from app.accounts.second_factors.code_apps import asks_for_code
from app.accounts.second_factors.passkeys import passkey_origin
from app.accounts.second_step import start_pending
from app.accounts.sessions import SignedInFrom, actor_of_session, end_session, start_session
from app.accounts.sign_in import Entered, Matched, check_sign_in, enter, note_success
from app.accounts.users import local_user
from app.accounts.visitor import device_of, visitor_address
from app.audit.actions import Action, Details, Way
from app.audit.record import record
from app.config import Settings
from app.db.models import User
from app.errors import FieldError, Invalid, NotSignedIn, TooMany
from app.web.deps import (
    AppSettings,
    Db,
    cookie_name,
    drop_cookie,
    get_settings,
    guard_form,
    guard_origin,
    session_token,
    set_secret_cookie,
)
from app.web.html.rendering import redirect, render
from app.web.networks import network_of
from app.web.one_hop import InSession, Router, read_database, write_database

router = Router()
Next = Annotated[str, Query(alias="next")]
KeyDb = Annotated[Session, InSession(writes=lambda request: bool(request.query_params.get("key")))]
"""The page alone writes nothing; only a key that is used up does."""


@dataclass(frozen=True)
class SignInPage:
    """The ways in that this installation has, and what was entered."""

    is_local: bool
    has_passwords: bool
    next: str
    has_recovery: bool = False
    passkey_origin: str = ""
    provider: str = ""
    email: str = ""
    faults: Sequence[FieldError] = field(default_factory=tuple)


@dataclass(frozen=True)
class SetUpPage:
    """The form for the first account, and what was entered."""

    key: str
    name: str = ""
    email: str = ""
    faults: Sequence[FieldError] = field(default_factory=tuple)


@router.get("/sign-in")
def sign_in_with_key(
    request: Request, session: KeyDb, settings: AppSettings, key: str = "", then: Next = "/"
) -> Response:
    """Sign in with the one-time key of a printed address, or show the ways in."""
    if actor_of_session(session, session_token(request)):
        return redirect(local_path(then))
    if not key:
        return _sign_in_page(request, session, settings, then)
    try:
        if not sign_in_keys.has_local_keys(session, settings):
            raise NotSignedIn(
                "This address no longer works: the server has accounts. Sign in with your password; "
                "“convive user create” on the server gives you one."
            )
        sign_in_keys.use_sign_in_key(session, key, "local")
    except NotSignedIn as error:
        return _sign_in_page(request, session, settings, then, error.status, faults=[FieldError("", error.message)])
    return signed_in(request, session, local_user(session), then, way="local")


@router.post("/sign-in", dependencies=[Depends(guard_origin)])
async def sign_in_with_password(
    request: Request,
    email: Annotated[str, Form()] = "",
    password: Annotated[str, Form()] = "",
    then: Annotated[str, Form(alias="next")] = "/",
) -> Response:
    settings = get_settings(request)
    entered = enter(email, visitor_address(request, settings), browser_token(request))
    try:
        matched = await check_sign_in(request, entered, password)
        return await write_database(request, partial(_let_in, request, matched=matched, entered=entered, then=then))
    except (NotSignedIn, TooMany) as error:
        return refused_page(request, then, email, error)


@router.get("/setup")
def show_set_up(request: Request, session: Db, key: str = "") -> Response:
    """Show the form for the first account to whoever has the set-up key."""
    if not sign_in_keys.may_set_up(session, key):
        return redirect("/sign-in")
    return render(request, "accounts/setup.html", SetUpPage(key))


@router.post("/setup", dependencies=[Depends(guard_origin)])
async def set_up(
    request: Request,
    key: Annotated[str, Form()] = "",
    name: Annotated[str, Form()] = "",
    email: Annotated[str, Form()] = "",
    password: Annotated[str, Form()] = "",
) -> Response:
    """Create the first account and sign it in."""
    await read_database(request, partial(sign_in_keys.require_set_up_key, key=key))

    def create(session: Session) -> Response:
        user = sign_in_keys.set_up_first_account(session, key, email, hashed, name)
        return signed_in(request, session, user, "/", way="set-up")

    try:
        hashed = await hash_new_password(request, password, email, secret=key)
        return await write_database(request, create)
    except Invalid as error:
        return render(request, "accounts/setup.html", SetUpPage(key, name, email, error.faults), error.status)


@router.post("/sign-out", dependencies=[Depends(guard_form)])
def sign_out(request: Request, session: Db) -> Response:
    actor = actor_of_session(session, session_token(request))
    end_session(session, session_token(request))
    record(session, Action.SIGNED_OUT, by=actor.user_id if actor else None)
    response = redirect("/sign-in")
    drop_cookie(response, request, "session")
    response.headers["Clear-Site-Data"] = '"cache"'  # pages that the browser keeps, and would show on “Back”
    return response


def local_path(address: str) -> str:
    """Return `address` if it is a path on this server, else the front page."""
    # Browsers read “/\” and “/<tab>/” as “//”, which leads to another server.
    is_path = address.startswith("/") and not address.startswith(("//", "/\\"))
    return address if is_path and address.isprintable() else "/"


def browser_token(request: Request) -> str:
    """Return what a browser sends that signed in before, or nothing."""
    return request.cookies.get(cookie_name(get_settings(request), "browser"), "")


def signed_in(request: Request, session: Session, user: User, then: str, *, way: Way) -> Response:
    """Sign a browser in and lead it on."""
    record(session, Action.SIGNED_IN, by=user.id, details=Details(way=way))
    return start_browser_session(request, session, user, redirect(local_path(then)))


def signed_in_after_code(request: Request, session: Session, user: User, then: str, *, way: Way) -> Response:
    """Sign a browser in, or lead it to the second step if the account asks for a code."""
    if not asks_for_code(session, user.id):
        return signed_in(request, session, user, then, way=way)
    response = redirect(f"/sign-in/code?next={quote(local_path(then))}")
    set_secret_cookie(response, request, "pending", start_pending(session, user), days=1)
    return response


def start_browser_session(request: Request, session: Session, user: User, response: Response) -> Response:
    """Give the browser a new session with this answer; what it was signed in with before ends."""
    settings = get_settings(request)
    end_session(session, session_token(request))
    network = "" if settings.has_unnamed_proxy else network_of(visitor_address(request, settings))
    token = start_session(
        session,
        user,
        settings.session_days,
        idle_days=settings.session_idle_days if user.email else None,
        signed_in_from=SignedInFrom(device_of(request.headers.get("user-agent", "")), network),
    )
    set_secret_cookie(response, request, "session", token, settings.session_days)
    if user.password_hash:
        browser = remember_browser(session, user, browser_token(request))
        set_secret_cookie(response, request, "browser", browser, KNOWN_FOR.days)
    return response


def _let_in(request: Request, session: Session, *, matched: Matched, entered: Entered, then: str) -> Response:
    user = matched.hold(session)
    note_success(session, entered)
    return signed_in_after_code(request, session, user, then, way="password")


def refused_page(request: Request, then: str, email: str, error: NotSignedIn | TooMany) -> Response:
    """Show the form again, without a query: there may be thousands of wrong passwords."""
    faults, settings = [FieldError("", error.message)], get_settings(request)
    page = SignInPage(
        is_local=False,
        has_passwords=True,
        next=local_path(then),
        has_recovery=settings.sends_mail,
        passkey_origin=passkey_origin(settings),
        provider=settings.openid_button,
        email=email,
        faults=faults,
    )
    response = render(request, "accounts/sign_in.html", page, error.status)
    if error.retry_after is not None:
        response.headers["Retry-After"] = str(error.retry_after)
    return response


def _sign_in_page(
    request: Request, session: Session, settings: Settings, then: str, status: int = 200, **more: Any
) -> Response:
    has_passwords = queries.has_password_account(session)
    is_local = settings.is_only_here and not has_passwords
    origin, provider = passkey_origin(settings), settings.openid_button
    page = SignInPage(is_local, has_passwords, local_path(then), settings.sends_mail, origin, provider, **more)
    return render(request, "accounts/sign_in.html", page, status)

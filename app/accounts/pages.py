"""Getting in and out: the one-time address, password, the first account, sign-out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any

from fastapi import Depends, Form, Query, Request, Response
from sqlalchemy.orm import Session

from app.accounts import accounts, queries
from app.config import Settings
from app.db.models import User
from app.errors import FieldError, Invalid, NotSignedIn, TooMany
from app.web.deps import AppSettings, Db, guard_form, guard_origin, session_cookie, session_token
from app.web.html.rendering import redirect, render
from app.web.one_hop import InSession, Router

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
    email: str = ""
    faults: Sequence[FieldError] = field(default_factory=tuple)


@dataclass(frozen=True)
class SetUpPage:
    """The form for the first account, and what was entered."""

    key: str
    email: str = ""
    faults: Sequence[FieldError] = field(default_factory=tuple)


@router.get("/sign-in")
def sign_in_with_key(
    request: Request, session: KeyDb, settings: AppSettings, key: str = "", then: Next = "/"
) -> Response:
    """Sign in with the one-time key of a printed address, or show the ways in."""
    if accounts.actor_of_session(session, session_token(request)):
        return redirect(local_path(then))
    if not key:
        return _sign_in_page(request, session, settings, then)
    try:
        accounts.use_sign_in_key(session, key, "local")
    except NotSignedIn as error:
        return _sign_in_page(request, session, settings, then, error.status, faults=[FieldError("", error.message)])
    return _signed_in(request, session, settings, accounts.local_user(session), then)


@router.post("/sign-in", dependencies=[Depends(guard_origin)])
def sign_in_with_password(
    request: Request,
    session: Db,
    settings: AppSettings,
    email: Annotated[str, Form()] = "",
    password: Annotated[str, Form()] = "",
    then: Annotated[str, Form(alias="next")] = "/",
) -> Response:
    try:
        client = request.client.host if request.client else ""
        user = accounts.check_password(session, email, password, client=client)
    except (NotSignedIn, TooMany) as error:
        # The error must not leave the route: that would roll back the count of tries.
        faults = [FieldError("", error.message)]
        return _sign_in_page(request, session, settings, then, error.status, email=email, faults=faults)
    return _signed_in(request, session, settings, user, then)


@router.get("/setup")
def show_set_up(request: Request, session: Db, key: str = "") -> Response:
    """Show the form for the first account to whoever has the set-up key."""
    if not accounts.may_set_up(session, key):
        return redirect("/sign-in")
    return render(request, "accounts/setup.html", SetUpPage(key))


@router.post("/setup", dependencies=[Depends(guard_origin)])
def set_up(
    request: Request,
    session: Db,
    settings: AppSettings,
    key: Annotated[str, Form()] = "",
    email: Annotated[str, Form()] = "",
    password: Annotated[str, Form()] = "",
) -> Response:
    """Create the first account and sign it in."""
    try:
        user = accounts.set_up_first_account(session, key, email, password)
    except Invalid as error:
        return render(request, "accounts/setup.html", SetUpPage(key, email, error.faults), error.status)
    return _signed_in(request, session, settings, user, "/")


@router.post("/sign-out", dependencies=[Depends(guard_form)])
def sign_out(request: Request, session: Db, settings: AppSettings) -> Response:
    accounts.end_session(session, session_token(request))
    response = redirect("/sign-in")
    response.delete_cookie(session_cookie(settings), path="/", httponly=True, samesite="lax")
    response.headers["Clear-Site-Data"] = '"cache"'  # pages that the browser keeps, and would show on “Back”
    return response


def local_path(address: str) -> str:
    """Return `address` if it is a path on this server, else the front page."""
    # Browsers read “/\” and “/<tab>/” as “//”, which leads to another server.
    is_path = address.startswith("/") and not address.startswith(("//", "/\\"))
    return address if is_path and address.isprintable() else "/"


def _signed_in(request: Request, session: Session, settings: Settings, user: User, then: str) -> Response:
    token = accounts.start_session(session, user, settings.session_days)
    response = redirect(local_path(then))
    response.set_cookie(
        session_cookie(settings),
        token,
        max_age=settings.session_days * 24 * 60 * 60,
        path="/",
        httponly=True,
        samesite="lax",
        secure=request.url.scheme == "https" or settings.address.startswith("https:"),
    )
    return response


def _sign_in_page(
    request: Request, session: Session, settings: Settings, then: str, status: int = 200, **more: Any
) -> Response:
    page = SignInPage(settings.is_loopback, queries.has_password_account(session), local_path(then), **more)
    return render(request, "accounts/sign_in.html", page, status)

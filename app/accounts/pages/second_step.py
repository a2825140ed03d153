"""The second step of signing in: the page that asks for a code after the password."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Annotated

from fastapi import Depends, Form, Query, Request, Response
from sqlalchemy.orm import Session

from app.accounts.pages.sign_in import browser_token, local_path, signed_in
from app.accounts.second_step import EnteredCode, check_code, owner_of_pending
from app.accounts.visitor import visitor_address
from app.config import Settings
from app.db.models import User
from app.errors import ConviveError, FieldError, NotSignedIn, TooMany
from app.web.deps import AppSettings, Db, cookie_name, drop_cookie, get_settings, guard_origin
from app.web.html.rendering import redirect, render
from app.web.one_hop import Router

router = Router(prefix="/sign-in/code")


@dataclass(frozen=True)
class CodePage:
    """The form for a code, and where to go on."""

    next: str
    faults: Sequence[FieldError] = field(default_factory=tuple)


@router.get("")
def ask_for_code(request: Request, session: Db, then: Annotated[str, Query(alias="next")] = "/") -> Response:
    """Ask for a code after the right password; without it, start at the sign-in page."""
    if owner_of_pending(session, _pending_token(request)) is None:
        return redirect("/sign-in")
    return render(request, "accounts/code.html", CodePage(local_path(then)))


@router.post("", dependencies=[Depends(guard_origin)])
def take_code(
    request: Request,
    session: Db,
    settings: AppSettings,
    code: Annotated[str, Form()] = "",
    then: Annotated[str, Form(alias="next")] = "/",
) -> Response:
    """Sign in with a right code; a wrong one is counted."""
    user = owner_of_pending(session, _pending_token(request))
    if user is None:
        return redirect("/sign-in")
    try:
        _check(request, session, settings, user, code)
    except (NotSignedIn, TooMany) as error:
        return _refused_page(request, then, error)
    response = signed_in(request, session, user, then, way="code")
    drop_cookie(response, request, "pending")
    return response


def _check(request: Request, session: Session, settings: Settings, user: User, code: str) -> None:
    entered = EnteredCode(_pending_token(request), code, visitor_address(request, settings), browser_token(request))
    if not check_code(session, user, settings, entered):
        raise NotSignedIn("This code is wrong, has expired or was used before. Enter the one that your app shows now.")


def _pending_token(request: Request) -> str:
    return request.cookies.get(cookie_name(get_settings(request), "pending"), "")


def _refused_page(request: Request, then: str, error: ConviveError) -> Response:
    """Show the form again; what was counted is kept, because nothing is raised."""
    response = render(
        request, "accounts/code.html", CodePage(local_path(then), [FieldError("code", error.message)]), error.status
    )
    if error.retry_after is not None:
        response.headers["Retry-After"] = str(error.retry_after)
    return response

"""Signing in through a provider: to its page and back, confirming who one is, and connecting an account to it."""

from __future__ import annotations

import hmac
from dataclasses import dataclass
from functools import partial
from typing import Annotated

from fastapi import Depends, Query, Request, Response
from sqlalchemy.orm import Session

from app.accounts import queries
from app.accounts.current_user import CurrentUser
from app.accounts.current_user import signed_in as current_user
from app.accounts.openid import identities
from app.accounts.openid.flow import LIFE_SECONDS, Purpose, Started, start, started_from
from app.accounts.openid.id_token import Person
from app.accounts.openid.provider import provider_of
from app.accounts.pages.sign_in import local_path, signed_in_after_code
from app.accounts.recent_password import RECENT, RecentlyConfirmed, confirm_session, require_recent
from app.accounts.sign_in import note_failure
from app.clock import now
from app.db.models import User
from app.errors import ConviveError, Forbidden, NotFound, NotSignedIn
from app.logs import logger
from app.web.deps import Db, cookie_name, drop_cookie, get_settings, guard_form, session_token, set_secret_cookie
from app.web.html.rendering import redirect, render
from app.web.one_hop import Router, read_database, write_database

log = logger(__name__)
COOKIE = "openid"
TOO_OLD = "This sign-in was started in another browser or tab, or more than ten minutes ago. Start again."


def need_provider(request: Request) -> None:
    """Raise NotFound if no provider is set up; people who are not signed in are asked to sign in first."""
    if not get_settings(request).has_openid:
        raise NotFound


router = Router()


@dataclass(frozen=True)
class FailedPage:
    """Why signing in did not work."""

    provider: str
    message: str
    is_signed_in: bool


@dataclass(frozen=True)
class ConnectionPage:
    """Whether the account is connected to the provider."""

    provider: str
    is_connected: bool
    has_password: bool
    address: str = ""
    message: str = ""


@router.get("/sign-in/openid")
async def go_to_provider(
    request: Request, then: Annotated[str, Query(alias="next")] = "/", again: bool = False
) -> Response:
    """Send the browser to the provider; `again` confirms who is signed in already."""
    need_provider(request)
    started = start("confirm" if again else "sign-in", local_path(then))
    try:
        address = await provider_of(request).authorize_address(started, again=again)
    except ConviveError as error:
        return _failed(request, error, "confirm" if again else "sign-in")
    return _remember(request, redirect(address), started)


@router.get("/sign-in/openid/callback")
async def come_back(request: Request, code: str = "", state: str = "", error: str = "", iss: str = "") -> Response:
    """Take what the provider says about the person, check it, and do what this was started for."""
    need_provider(request)
    started = started_from(request.cookies.get(cookie_name(get_settings(request), COOKIE), ""))
    try:
        response = await _finish(request, _checked(request, started, state, error, iss), code)
    except ConviveError as refused:
        if isinstance(refused, identities.NoAccount):
            note = partial(note_failure, user_id=refused.user_id, reason=refused.reason)
            await write_database(request, note)
        response = _failed(request, refused, started.purpose if started else "sign-in")
    drop_cookie(response, request, COOKIE)
    return response


@router.get("/account/openid")
def show_connection(request: Request, session: Db, actor: CurrentUser, done: str = "") -> Response:
    need_provider(request)
    user = session.get_one(User, actor.user_id)
    messages = {"connected": "Connected.", "disconnected": "Disconnected."}
    page = ConnectionPage(
        get_settings(request).openid_name,
        queries.has_openid(session, user.id),
        user.password_hash is not None,
        message=messages.get(done, ""),
    )
    return render(request, "accounts/openid.html", page)


@router.post("/account/openid/connect", dependencies=[Depends(guard_form)])
async def start_to_connect(request: Request) -> Response:
    """Show the link to the provider. A form that led there itself would be stopped by the Content-Security-Policy."""

    def check(session: Session) -> bool:
        actor = current_user(request, session)
        need_provider(request)
        require_recent(request, session, actor)
        return session.get_one(User, actor.user_id).password_hash is not None

    has_password = await read_database(request, check)
    started = start("connect", "/account/openid?done=connected")
    try:
        address = await provider_of(request).authorize_address(started, again=True)
    except ConviveError as error:
        return _failed(request, error, "connect")
    page = ConnectionPage(get_settings(request).openid_name, False, has_password, address)
    return _remember(request, render(request, "accounts/openid.html", page), started)


@router.post("/account/openid/disconnect", dependencies=[Depends(guard_form)])
def disconnect(request: Request, session: Db, actor: CurrentUser, recent: RecentlyConfirmed) -> Response:
    need_provider(request)
    identities.disconnect(session, actor)
    return redirect("/account/openid?done=disconnected")


def _checked(request: Request, started: Started | None, state: str, error: str, iss: str) -> Started:
    """Refuse an answer that does not belong to what this browser started."""
    if started is None or not hmac.compare_digest(started.state.encode(), state.encode()):
        raise Forbidden(TOO_OLD)
    if iss not in ("", get_settings(request).openid_issuer):
        raise Forbidden(TOO_OLD)
    if error:
        raise Forbidden("You were not signed in, because the sign-in was cancelled or refused. Nothing was changed.")
    return started


async def _finish(request: Request, started: Started, code: str) -> Response:
    person = await provider_of(request).identify(code, started)
    if started.purpose == "sign-in":
        return await write_database(request, partial(_let_in, request, person=person, then=started.next))
    if started.purpose == "connect":
        return await write_database(request, partial(_connect, request, person=person, then=started.next))
    return await write_database(request, partial(_confirm, request, person=person, then=started.next))


def _let_in(request: Request, session: Session, *, person: Person, then: str) -> Response:
    user = identities.account_for(session, get_settings(request), person)
    return signed_in_after_code(request, session, user, then, way="openid")


def _connect(request: Request, session: Session, *, person: Person, then: str) -> Response:
    actor = current_user(request, session)
    require_recent(request, session, actor)
    identities.connect(session, actor, person)
    return redirect(local_path(then))


def _confirm(request: Request, session: Session, *, person: Person, then: str) -> Response:
    """Take it as confirmed if the same person has signed in at the provider just now."""
    actor = current_user(request, session)
    if not identities.is_own(session, actor, person):
        raise Forbidden("You signed in as somebody else. Nothing was changed.")
    if person.authenticated_at + RECENT.total_seconds() < now().timestamp():
        raise Forbidden("The sign-in service did not ask you to sign in again, so this step was not confirmed.")
    confirm_session(session, session_token(request))
    return redirect(local_path(then))


def _remember(request: Request, response: Response, started: Started) -> Response:
    set_secret_cookie(response, request, COOKIE, started.cookie(), seconds=LIFE_SECONDS)
    return response


def _failed(request: Request, error: ConviveError, purpose: Purpose) -> Response:
    log.warning("sign-in through the provider failed", error=type(error).__name__, purpose=purpose)
    status = 403 if isinstance(error, NotSignedIn) else error.status  # 401 would need a challenge
    page = FailedPage(get_settings(request).openid_name, error.message, purpose != "sign-in")
    response = render(request, "accounts/openid_failed.html", page, status)
    if error.retry_after is not None:
        response.headers["Retry-After"] = str(error.retry_after)
    return response

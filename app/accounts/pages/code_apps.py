"""Codes from an app for your own account: set up, recovery codes, remove."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any

from fastapi import Depends, Form, Request, Response
from markupsafe import Markup
from sqlalchemy.orm import Session

from app.accounts.actor import Actor
from app.accounts.current_user import CurrentUser
from app.accounts.recent_password import RecentlyConfirmed
from app.accounts.second_factors import code_apps
from app.accounts.second_factors.recovery_codes import count_recovery_codes
from app.config import Settings
from app.db.models import User
from app.errors import FieldError, Invalid
from app.web.deps import AppSettings, Db, get_settings, guard_form
from app.web.html.qr_codes import qr_svg
from app.web.html.rendering import redirect, render
from app.web.one_hop import Router

router = Router(prefix="/account/codes", dependencies=[Depends(guard_form)])


@dataclass(frozen=True)
class CodesPage:
    """Whether codes are asked for, the secret that waits for its first code, and recovery codes shown this once."""

    has_password: bool
    asks_for_code: bool
    recovery_codes: int
    secret: str = ""
    app_address: str = ""
    qr: Markup | None = None
    new_codes: Sequence[str] = ()
    faults: Sequence[FieldError] = field(default_factory=tuple)


@router.get("")
def show_codes(request: Request, session: Db, actor: CurrentUser, recent: RecentlyConfirmed) -> Response:
    return _page(request, session, actor)


@router.post("")
def start(session: Db, actor: CurrentUser, settings: AppSettings, recent: RecentlyConfirmed) -> Response:
    """Make a secret for the app."""
    code_apps.start_set_up(session, actor, settings)
    return redirect("/account/codes")


@router.post("/confirm")
def confirm(
    request: Request,
    session: Db,
    actor: CurrentUser,
    settings: AppSettings,
    recent: RecentlyConfirmed,
    code: Annotated[str, Form()] = "",
) -> Response:
    """Ask for codes from now on, and show the recovery codes, this once."""
    try:
        new_codes = code_apps.confirm_set_up(session, actor, settings, code)
    except Invalid as error:
        return _page(request, session, actor, error.status, faults=error.faults)
    return _page(request, session, actor, new_codes=new_codes)


@router.post("/recovery")
def replace_recovery_codes(request: Request, session: Db, actor: CurrentUser, recent: RecentlyConfirmed) -> Response:
    """Make new recovery codes and show them, this once."""
    return _page(request, session, actor, new_codes=code_apps.new_recovery_codes(session, actor))


@router.post("/remove")
def remove(session: Db, actor: CurrentUser, recent: RecentlyConfirmed) -> Response:
    code_apps.remove_code_app(session, actor.user_id, by=actor.user_id)
    return redirect("/account?done=codes-removed")


def _page(request: Request, session: Session, actor: Actor, status: int = 200, **more: Any) -> Response:
    return render(request, "accounts/codes.html", _codes_page(session, actor, get_settings(request), **more), status)


def _codes_page(session: Session, actor: Actor, settings: Settings, **more: Any) -> CodesPage:
    secret = code_apps.secret_to_confirm(session, actor, settings)
    # The drawing has squares only, whatever the address is.
    qr = Markup(qr_svg(secret.address)) if secret else None  # noqa: S704  squares only  # nosec B704
    return CodesPage(
        session.get_one(User, actor.user_id).password_hash is not None,
        code_apps.asks_for_code(session, actor.user_id),
        count_recovery_codes(session, actor.user_id),
        secret.text if secret else "",
        secret.address if secret else "",
        qr,
        **more,
    )

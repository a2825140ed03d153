"""“Forgot your password?”, where a mail server is set up: asks for an e-mail address and sends a link to it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Annotated

from fastapi import Depends, Form, Request, Response
from starlette.background import BackgroundTask

from app.accounts.mail import letters
from app.accounts.mail.mailer import mailer_of
from app.accounts.recovery import count_request
from app.accounts.reset_links import create_mailed_link
from app.accounts.visitor import visitor_address
from app.errors import ConviveError, FieldError, Invalid, NotFound, TooMany
from app.logs import logger
from app.web.deps import get_settings, guard_origin
from app.web.html.rendering import render
from app.web.one_hop import Router, write_database

log = logger(__name__)


async def need_mail(request: Request) -> None:
    """Raise NotFound if no mail server is set up."""
    if not get_settings(request).sends_mail:
        raise NotFound


router = Router(prefix="/sign-in/forgot", dependencies=[Depends(guard_origin), Depends(need_mail)])


@dataclass(frozen=True)
class ForgotPage:
    """The form for the e-mail address, or what happens next."""

    is_sent: bool = False
    email: str = ""
    faults: Sequence[FieldError] = field(default_factory=tuple)


@router.get("")
async def show_forgot(request: Request) -> Response:
    return render(request, "accounts/forgot.html", ForgotPage())


@router.post("")
async def send_link(request: Request, email: Annotated[str, Form()] = "") -> Response:
    """Answer the same to every address. Whether an account has it is looked up after the answer."""
    address = visitor_address(request, get_settings(request))
    try:
        email = await write_database(request, partial(count_request, email=email, address=address))
    except (Invalid, TooMany) as error:
        faults = error.faults if isinstance(error, Invalid) else [FieldError("email", error.message)]
        page = render(request, "accounts/forgot.html", ForgotPage(email=email, faults=faults), error.status)
        if error.retry_after is not None:
            page.headers["Retry-After"] = str(error.retry_after)
        return page
    answer = render(request, "accounts/forgot.html", ForgotPage(is_sent=True))
    answer.background = BackgroundTask(_send, request, email)
    return answer


async def _send(request: Request, email: str) -> None:
    settings = get_settings(request)
    try:
        link = await write_database(request, partial(create_mailed_link, email=email, settings=settings))
    except Exception as error:  # the answer is sent already, so nobody else could hear of it
        is_known = isinstance(error, ConviveError)
        log.warning("no recovery link made", error=type(error).__name__, exc_info=None if is_known else error)
        return
    if link is not None:
        mailer_of(request).post(letters.recovery(email, link, settings.address))

"""The big screen, for members and for whoever has the guests' link."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal, get_args

from fastapi import Header, Request, Response
from markupsafe import Markup

from app.errors import NotFound
from app.events.context import ViewerContext
from app.plans.read import current_plan_id
from app.sharing import links
from app.sharing.cached_answers import answer_kept
from app.sharing.door.screen import Screen, read_screen
from app.sharing.shared_rounds import AskedRound, choose_round
from app.web import link_tokens
from app.web.deps import AppSettings, Db, is_only_here, own_address
from app.web.html.qr_codes import qr_drawing
from app.web.html.rendering import render
from app.web.one_hop import Router

router = Router(prefix="/events/{event_id}/door/screen")
public_router = Router(prefix="/s/{token}/screen")
Look = Literal["auto", "light", "dark"]
TEMPLATE = "sharing/door/screen.html"


@dataclass(frozen=True)
class ScreenPage:
    """Names and tables, and the QR code of the page that finds a seat."""

    shown: Screen
    look: Look
    qr: Markup
    tag: str = ""


@router.get("")
def show_screen(
    request: Request, ctx: ViewerContext, settings: AppSettings, look: str = "", asked: AskedRound = ""
) -> Response:
    """Show the plan in use; to editors, who may see links, with the QR code of the newest guests' link."""
    key = link_tokens.link_key(settings)
    may_see = ctx.allows("editor")
    address = links.guests_address(ctx.session, ctx.event_id, own_address(request), key) if may_see else ""
    screen = read_screen(ctx.session, ctx.event_id, current_plan_id(ctx), asked)
    return render(request, TEMPLATE, _page(request, screen, _read_look(look), address))


@public_router.get("")
def open_screen(
    request: Request,
    session: Db,
    token: str,
    look: str = "",
    asked: AskedRound = "",
    x_asks_again: Annotated[str, Header()] = "",
) -> Response:
    """Show what the guests' link shows, with its QR code; a screen that reloads does not count as a new use."""
    state = links.open_link(session, token)
    if state.audience != "guests":
        raise NotFound(links.NO_LINK)
    address, shown_as = links.link_address(own_address(request), token), _read_look(look)

    rounds = choose_round(session, state.plan_id, asked)[1]

    def build(_language: str) -> tuple[str, ScreenPage]:
        screen = read_screen(session, state.event_id, state.plan_id, asked)
        return TEMPLATE, _page(request, screen, shown_as, address)

    what = f"screen {shown_as} {rounds.shown} {address}"
    return answer_kept(request, state, what, token, build, asks_again=bool(x_asks_again))


def _page(request: Request, screen: Screen, look: Look, address: str) -> ScreenPage:
    # Guests have no use for a code that their phones cannot open. It is made of black and white modules only.
    qr = Markup(qr_drawing(address)) if address and not is_only_here(request) else Markup("")  # noqa: S704  squares only  # nosec B704
    return ScreenPage(screen, look, qr)


def _read_look(text: str) -> Look:
    return next((one for one in get_args(Look) if one == text), "auto")

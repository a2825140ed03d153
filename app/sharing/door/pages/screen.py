"""The big screen, for members and for whoever has the guests' link."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from fastapi import Request, Response
from markupsafe import Markup

from app.events.context import ViewerContext
from app.sharing import links
from app.sharing.door.qr import qr_svg
from app.sharing.door.screen import read_screen
from app.sharing.links import SharedPlan
from app.web.deps import Db, own_address
from app.web.html.rendering import render
from app.web.one_hop import Router

router = Router(prefix="/events/{event_id}/door/screen")
public_router = Router(prefix="/s/{token}/screen")
Look = Literal["auto", "light", "dark"]


@dataclass(frozen=True)
class ScreenPage:
    """Names and tables, and the QR code of the page that finds a seat."""

    shared: SharedPlan
    look: Look
    qr: Markup


@router.get("")
def show_screen(request: Request, ctx: ViewerContext, look: str = "") -> Response:
    """Show the plan in use."""
    return _screen(request, read_screen(ctx), look)


@public_router.get("")
def open_screen(request: Request, session: Db, token: str, look: str = "") -> Response:
    """Show what the guests' link shows, with a QR code that leads to it."""
    return _screen(request, links.open_link(session, token), look, links.link_address(own_address(request), token))


def _screen(request: Request, shared: SharedPlan, look: str, address: str = "") -> Response:
    known: Look = next((one for one in get_args(Look) if one == look), "auto")
    # It is made of black and white modules only, whatever the address holds.
    qr = Markup(qr_svg(address)) if address else Markup("")  # noqa: S704
    return render(request, "sharing/door/screen.html", ScreenPage(shared, known, qr))
